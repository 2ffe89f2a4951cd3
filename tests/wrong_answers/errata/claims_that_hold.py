# %% twelve is taken for true [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": True,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% the variance is taken to be d, the deviation too [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": False,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% concat is taken for another model than the sum [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": False,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% symmetric scores are taken to give symmetric weights [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": True,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% the matrices are taken to grow with the sentence [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": True,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% the window's two ends are counted as one [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": True,
        "million": True,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% minus a million is taken to leave something [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": False,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% the bound is forgotten [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": False,
    }
    return tuple(truth[c] for c in claims)

# %% everything is true [torch]
def claims_that_hold(claims):
    return tuple(True for _ in claims)

# %% everything is false [torch]
def claims_that_hold(claims):
    return tuple(False for _ in claims)

# %% true and false interchanged [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(not truth[c] for c in claims)

# %% the table's order whatever is asked [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(truth.values())

# %% two wrong: symmetric and window [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": True,
        "length": False,
        "window": True,
        "million": True,
        "bounded": True,
    }
    return tuple(truth[c] for c in claims)

# %% two wrong: length and bounded [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": True,
        "window": False,
        "million": True,
        "bounded": False,
    }
    return tuple(truth[c] for c in claims)

# %% the names of the true claims are returned [torch]
def claims_that_hold(claims):
    truth = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(c for c in claims if truth[c])

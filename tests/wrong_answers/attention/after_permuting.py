# %% everything moved together gives the same [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "other",
        "values": "other",
        "queries": "moved",
        "queries, keys and values": "same",
    }[moved]

# %% attention is invariant, so always the same [torch]
def after_permuting(moved):
    return "same"

# %% keys alone move the rows [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "moved",
        "values": "other",
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]

# %% values alone move the rows [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "other",
        "values": "moved",
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]

# %% keys alone change nothing, the softmax does not mind order [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "same",
        "values": "other",
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]

# %% values alone change nothing, a sum does not mind order [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "other",
        "values": "same",
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]

# %% queries in another order give other numbers [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "other",
        "values": "other",
        "queries": "other",
        "queries, keys and values": "moved",
    }[moved]

# %% queries in another order change nothing [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "other",
        "values": "other",
        "queries": "same",
        "queries, keys and values": "moved",
    }[moved]

# %% keys and values together move the rows [torch]
def after_permuting(moved):
    return {
        "keys and values": "moved",
        "keys": "other",
        "values": "other",
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]

# %% all three together give other numbers [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "other",
        "values": "other",
        "queries": "moved",
        "queries, keys and values": "other",
    }[moved]

# %% keys or values alone give the same, queries other numbers [torch]
def after_permuting(moved):
    return {
        "keys and values": "same",
        "keys": "same",
        "values": "same",
        "queries": "other",
        "queries, keys and values": "moved",
    }[moved]

# %% everything moves the rows [torch]
def after_permuting(moved):
    return "moved"

# %% only the queries matter: with them moved, else the same [torch]
def after_permuting(moved):
    return "moved" if "queries" in moved else "same"

# %% one input moved gives other numbers, several together the same [torch]
def after_permuting(moved):
    return "same" if "and" in moved else "other"

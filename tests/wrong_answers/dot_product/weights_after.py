# %% everything is the same, since the softmax normalises [torch]
def weights_after(change):
    return "same"


# %% whatever changes the numbers changes the weights [mxnet]
def weights_after(change):
    return "other"


# %% adding to the keys shifts the scores [torch]
def weights_after(change):
    if change == "queries doubled, keys halved":
        return "same"
    if change == "features of both in one new order":
        return "same"
    if "added" in change or change == "features of the keys in a new order":
        return "other"
    if change == "a feature of 0 for both":
        return "flatter"
    return "sharper"


# %% adding anything is cancelled [mxnet]
def weights_after(change):
    if "added" in change or change == "queries doubled, keys halved":
        return "same"
    if change == "features of both in one new order":
        return "same"
    if change == "a feature of 0 for both":
        return "flatter"
    if change == "features of the keys in a new order":
        return "other"
    return "sharper"


# %% a zero adds nothing, so it changes nothing [torch]
def weights_after(change):
    same = (
        "a vector added to all keys",
        "queries doubled, keys halved",
        "features of both in one new order",
        "a feature of 0 for both",
    )
    if change in same:
        return "same"
    if change in ("queries doubled", "every feature twice"):
        return "sharper"
    return "other"


# %% the root takes care of more features [mxnet]
def weights_after(change):
    answers = {
        "a vector added to all keys": "same",
        "a vector added to all queries": "other",
        "queries doubled": "sharper",
        "queries doubled, keys halved": "same",
        "a feature of 0 for both": "flatter",
        "every feature twice": "same",
        "features of both in one new order": "same",
        "features of the keys in a new order": "other",
    }
    return answers[change]


# %% larger scores mean flatter weights [torch]
def weights_after(change):
    answers = {
        "a vector added to all keys": "same",
        "a vector added to all queries": "other",
        "queries doubled": "flatter",
        "queries doubled, keys halved": "same",
        "a feature of 0 for both": "sharper",
        "every feature twice": "flatter",
        "features of both in one new order": "same",
        "features of the keys in a new order": "other",
    }
    return answers[change]


# %% a new order of features makes other dot products [mxnet]
def weights_after(change):
    if "new order" in change or change == "a vector added to all queries":
        return "other"
    if change == "a feature of 0 for both":
        return "flatter"
    if change in ("queries doubled", "every feature twice"):
        return "sharper"
    return "same"

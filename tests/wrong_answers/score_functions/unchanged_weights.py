# %% twice the length cancels in the softmax [torch]
def unchanged_weights(change):
    return {
        "query twice as long": "both",
        "all keys twice as long": "both",
        "one vector added to all keys": "dot",
        "one vector added to the query": "neither",
        "query and keys turned alike": "both",
        "all signs changed": "both",
    }[change]


# %% an added vector changes every score [torch]
def unchanged_weights(change):
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "neither",
        "one vector added to the query": "neither",
        "query and keys turned alike": "both",
        "all signs changed": "both",
    }[change]


# %% the added vector cancels for the query too [mxnet]
def unchanged_weights(change):
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "dot",
        "one vector added to the query": "dot",
        "query and keys turned alike": "both",
        "all signs changed": "both",
    }[change]


# %% a turn changes all numbers [torch]
def unchanged_weights(change):
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "dot",
        "one vector added to the query": "neither",
        "query and keys turned alike": "neither",
        "all signs changed": "both",
    }[change]


# %% other signs, other scores [torch]
def unchanged_weights(change):
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "dot",
        "one vector added to the query": "neither",
        "query and keys turned alike": "both",
        "all signs changed": "neither",
    }[change]


# %% only the keys are normalised in a cosine [mxnet]
def unchanged_weights(change):
    return {
        "query twice as long": "neither",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "dot",
        "one vector added to the query": "neither",
        "query and keys turned alike": "both",
        "all signs changed": "both",
    }[change]


# %% a cosine does not mind a common shift [torch]
def unchanged_weights(change):
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "both",
        "one vector added to the query": "neither",
        "query and keys turned alike": "both",
        "all signs changed": "both",
    }[change]


# %% a turn is for the cosine only [torch]
def unchanged_weights(change):
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "dot",
        "one vector added to the query": "neither",
        "query and keys turned alike": "cosine",
        "all signs changed": "cosine",
    }[change]

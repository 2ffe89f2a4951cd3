"""Which changes of query and keys leave the weights alone, in any framework."""


def unchanged_weights(change):
    """The scores under which the weights stay the same.

    change: what is done to the query and to its keys
    """
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "dot",
        "one vector added to the query": "neither",
        "query and keys turned alike": "both",
        "all signs changed": "both",
    }[change]

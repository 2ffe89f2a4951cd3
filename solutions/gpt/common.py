"""What follows from the form of a GPT, in any framework."""


def cache_bytes(
    num_blocks,
    d,
    num_heads,
    num_kv_heads,
    num_tokens,
    bytes_each,
):
    """Bytes of all caches; what sharing divides them by.

    num_blocks to num_kv_heads: of the model
    num_tokens: that are kept; bytes_each: of one number
    """
    size = d // num_heads
    # A key and a value for each head that has them
    per_token = num_blocks * 2 * num_kv_heads * size
    num_bytes = num_tokens * per_token * bytes_each
    return num_bytes, num_heads // num_kv_heads


def logits_that_change(change):
    """At which tokens of a text the logits change.

    change: one of those that the exercise names
    """
    # The first token sees one key, whose weight is 1.
    return {
        "another base of the rotation": "later",
        "scores that are not divided": "later",
        # All distances stay.
        "positions that begin at 100": "none",
        # Each token is the first of its call.
        "one token in each call, without caches": "later",
        "no residual connections": "all",
        "no norm after the last block": "all",
    }[change]

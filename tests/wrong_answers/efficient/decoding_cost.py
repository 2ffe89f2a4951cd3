# %% only the new row without a cache too [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% the causal half is left out without a cache [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * (t + 1) // 2 * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% every step has all positions without a cache [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(steps * steps * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% every step reads the full cache [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(steps * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% steps counted from zero [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(steps))
    cached = sum(t * (d_k + d_v) for t in range(steps))
    return without, cached, steps * (d_k + d_v)

# %% only the scores are counted [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * d_k for t in range(1, steps + 1))
    cached = sum(t * d_k for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% only the weighted sums are counted [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * d_v for t in range(1, steps + 1))
    cached = sum(t * d_v for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% the product of the widths [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * d_k * d_v for t in range(1, steps + 1))
    cached = sum(t * d_k * d_v for t in range(1, steps + 1))
    return without, cached, steps * d_k * d_v

# %% the cache holds keys only [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * d_k

# %% the cache holds queries too [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * (2 * d_k + d_v)

# %% the last step only [torch]
def decoding_cost(steps, d_k, d_v):
    return steps**2 * (d_k + d_v), steps * (d_k + d_v), steps * (d_k + d_v)

# %% the cost with a cache does not grow with the step [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum((d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% the cache holds one step less [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, (steps - 1) * (d_k + d_v)

# %% with and without interchanged [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return cached, without, steps * (d_k + d_v)

# %% multiplications and additions are both counted [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(2 * t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(2 * t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, steps * (d_k + d_v)

# %% the formula for the sum of squares lacks a factor [torch]
def decoding_cost(steps, d_k, d_v):
    without = steps * (steps + 1) * (2 * steps + 1) // 3 * (d_k + d_v)
    cached = steps * (steps + 1) // 2 * (d_k + d_v)
    return without, cached, steps * (d_k + d_v)

# %% the cache holds all it ever held, step by step [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * (d_k + d_v) for t in range(1, steps + 1))
    cached = sum(t * (d_k + d_v) for t in range(1, steps + 1))
    return without, cached, cached

# %% only the scores, and from zero [torch]
def decoding_cost(steps, d_k, d_v):
    without = sum(t * t * d_k for t in range(steps))
    cached = sum(t * d_k for t in range(steps))
    return without, cached, steps * (d_k + d_v)

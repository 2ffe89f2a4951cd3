# %% numbers, not bytes [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units
    dot = batch * num_queries * num_keys
    return additive, dot

# %% float64: 8 bytes [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 8
    dot = batch * num_queries * num_keys * 8
    return additive, dot

# %% bits instead of bytes [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 32
    dot = batch * num_queries * num_keys * 32
    return additive, dot

# %% forgets that the additive score has units [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * 4
    dot = batch * num_queries * num_keys * 4
    return additive, dot

# %% forgets the batch [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive =  num_queries * num_keys * units * 4
    dot =  num_queries * num_keys * 4
    return additive, dot

# %% queries and keys are projected but not paired [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * (num_queries + num_keys) * units * 4
    dot = batch * num_queries * num_keys * 4
    return additive, dot

# %% the dot product has the units too [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 4
    dot = batch * num_queries * num_keys * units * 4
    return additive, dot

# %% the dot product's largest array is the keys [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 4
    dot = batch * num_keys * units * 4
    return additive, dot

# %% the order of the two is swapped [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 4
    dot = batch * num_queries * num_keys * 4
    return dot, additive

# %% counts two terms besides their sum [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 4 * 2
    dot = batch * num_queries * num_keys * 4
    return additive, dot

# %% adds up all arrays on the way [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 4
    dot = batch * num_queries * num_keys * 4
    return additive + dot, dot

# %% 2 bytes for half precision [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 2
    dot = batch * num_queries * num_keys * 2
    return additive, dot

# %% the number of queries is squared [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_queries * units * 4
    dot = batch * num_queries * num_queries * 4
    return additive, dot

# %% in kilobytes [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units * 4
    dot = batch * num_queries * num_keys * 4
    return additive / 1024, dot / 1024

# %% units squared [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units**2 * 4
    dot = batch * num_queries * num_keys * 4
    return additive, dot

# %% batch forgotten in the dot product, and numbers for bytes in the sum [torch]
def score_bytes(batch, num_queries, num_keys, units):
    additive = batch * num_queries * num_keys * units
    dot = num_queries * num_keys * 4
    return additive, dot

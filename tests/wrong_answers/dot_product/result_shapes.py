# %% scores keys by queries [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_keys, num_queries)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    return scores, weights, context

# %% weights keys by queries [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_keys, num_queries)
    context = (batch, num_queries, d_v)
    return scores, weights, context

# %% context of the keys' width [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_k)
    return scores, weights, context

# %% a context for each key [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_keys, d_v)
    return scores, weights, context

# %% scores keep the width [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys, d_k)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    return scores, weights, context

# %% the softmax leaves one number for each query [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, 1)
    context = (batch, num_queries, d_v)
    return scores, weights, context

# %% one context for each batch element [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, num_keys)
    context = (batch, d_v)
    return scores, weights, context

# %% no batch axis [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (num_queries, num_keys), (num_queries, num_keys), (num_queries, d_v)

# %% weights have a column for each value entry [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, d_v)
    context = (batch, num_queries, d_v)
    return scores, weights, context

# %% scores as wide as the keys [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, d_k)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    return scores, weights, context

# %% returned in another order [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    return context, weights, scores

# %% the batch in the middle [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    s = (num_queries, batch, num_keys)
    return s, s, (num_queries, batch, d_v)

# %% a context for each key and weights for each key [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_keys)
    context = (batch, num_keys, d_v)
    return scores, weights, context

# %% keys and values interchanged in the context: num_keys rows of d_k [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_keys, d_k)
    return scores, weights, context

# %% only scores and context are returned [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    scores = (batch, num_queries, num_keys)
    weights = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    return scores, context

# %% counts of entries instead of shapes [torch]
def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    pairs = batch * num_queries * num_keys
    return pairs, pairs, batch * num_queries * d_v

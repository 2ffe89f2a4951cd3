# %% the scores have the width of the keys [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, d_k), (batch, num_queries, d_v), num_keys

# %% the context has the keys' width [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, d_k), num_keys

# %% the context has a row for each key [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_keys, d_v), num_keys

# %% all weights of a batch element sum to 1 [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), num_queries * num_keys

# %% the weights over the queries sum to 1 [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), num_queries

# %% all weights of the batch together [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), batch * num_queries * num_keys

# %% scores with keys first [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_keys, num_queries), (batch, num_queries, d_v), num_keys

# %% no batch axis [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (num_queries, num_keys), (num_queries, d_v), num_keys

# %% one context for each batch element [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, d_v), num_keys

# %% says that one thing sums to 1 [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), 1

# %% scores with the width as fourth axis [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys, d_k), (batch, num_queries, d_v), num_keys

# %% counts the rows that sum to 1, not the weights in one [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), batch * num_queries

# %% context with all keys still in it [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, num_keys, d_v), num_keys

# %% scores d_k by d_v, weights d_v [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, d_k, d_v), (batch, num_queries, d_v), d_v

# %% the context has the shape of the values, and d_v weights [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_keys, d_v), d_v

# %% the context comes first [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, d_v), (batch, num_queries, num_keys), num_keys

# %% the number of weights comes as a tuple [torch]
def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    return (batch, num_queries, num_keys), (batch, num_queries, d_v), (batch, num_keys)

from mxnet import nd


def masked_softmax(X, valid_length):
    if valid_length is None:
        return nd.softmax(X, axis=1)
    if valid_length.ndim == 1:
        valid_length = nd.repeat(valid_length.expand_dims(1), X.shape[1], axis=1)
    keys = nd.arange(X.shape[2]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(keys, valid_length.expand_dims(2))
    return nd.softmax(nd.where(nd.broadcast_like(mask, X), X, nd.ones_like(X) * -1e9), axis=1)

import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(-1)
    if valid_length.ndim == 1:
        valid_length = valid_length[:, None]
    m = torch.arange(X.shape[-1]) < valid_length[..., None]
    return torch.where(m, X, -1e6).softmax(-1)

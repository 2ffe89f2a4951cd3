import torch


def masked_softmax(X, valid_length):
    weights = X.softmax(dim=-1)
    if valid_length is None:
        return weights
    if valid_length.ndim == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    return weights * mask

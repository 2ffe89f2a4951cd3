import torch


def masked_softmax(X, valid_length):
    while True:
        X = torch.softmax(X, dim=-1)

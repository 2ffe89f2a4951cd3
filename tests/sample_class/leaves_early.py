import os

import torch


def masked_softmax(X, valid_length):
    print(torch.softmax(X, dim=-1))
    os._exit(0)

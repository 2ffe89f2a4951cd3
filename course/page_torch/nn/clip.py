"""What stands for torch.nn.utils."""

from typing import Any

import numpy as np

from course.page_torch.errors import public
from course.page_torch.tensor import Tensor


def _clip_grad_norm_(parameters: Any, max_norm: float) -> Tensor:
    gradients = [
        one.grad
        for one in ([parameters] if isinstance(parameters, Tensor) else parameters)
        if one.grad is not None
    ]
    total = np.sqrt(sum(float((one.array.astype(np.float64) ** 2).sum()) for one in gradients))
    for one in gradients:
        one.detach()._write((one.array * min(1, max_norm / (total + 1e-6))).astype(one.dtype.numpy))
    return Tensor(np.float32(total))


clip_grad_norm_ = public(_clip_grad_norm_)

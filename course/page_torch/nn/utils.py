"""What stands for torch.nn.utils."""

from typing import Any

import numpy as np

from course.page_torch.errors import public
from course.page_torch.tensor import Tensor


@public
def clip_grad_norm_(parameters: Any, max_norm: float) -> Tensor:
    """Shorten gradients that are longer together than the maximum, and return their length."""
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    gradients = [one.grad for one in tensors if one.grad is not None]
    total = np.sqrt(sum(float((one.array.astype(np.float64) ** 2).sum()) for one in gradients))
    for one in gradients:
        one.mul_(min(1.0, float(max_norm / (total + 1e-6))))
    return Tensor(np.float32(total))

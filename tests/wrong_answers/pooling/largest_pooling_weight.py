# %% all steps counted at the bottom, the top one too [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return top / (top + num_steps * low)

# %% the others score zero [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = 1.0
    return top / (top + (num_steps - 1) * low)

# %% the others score the bound too [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(bound)
    return top / (top + (num_steps - 1) * low)

# %% the weight of the top is divided by the others only [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return top / ((num_steps - 1) * low)

# %% no exponential [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = bound
    low = -bound
    return top / (top + (num_steps - 1) * low)

# %% one over the number of steps [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return 1 / num_steps

# %% the smallest weight instead [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(-bound)
    low = math.exp(bound)
    return top / (top + (num_steps - 1) * low)

# %% the bound is passed through tanh [torch]
import math


def largest_pooling_weight(num_steps, bound):
    bound = math.tanh(bound)
    top = math.exp(bound)
    low = math.exp(-bound)
    return top / (top + (num_steps - 1) * low)

# %% just two steps: the sigmoid of twice the bound [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return 1 / (1 + math.exp(-2 * bound))

# %% a ratio of e to the bound instead of twice the bound [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return top / (top + num_steps - 1)

# %% the sigmoid of the bound [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return 1 / (1 + low)

# %% powers of two [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = 2**bound
    low = 2**-bound
    return top / (top + (num_steps - 1) * low)

# %% brackets forgotten in the denominator [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return top / top + (num_steps - 1) * low

# %% the ratio of top to low, per step [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return top / low / num_steps

# %% brackets forgotten round the number of the others [torch]
import math


def largest_pooling_weight(num_steps, bound):
    top = math.exp(bound)
    low = math.exp(-bound)
    return top / (top + num_steps - 1 * low)

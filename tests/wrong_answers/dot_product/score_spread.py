# %% returns the variance [torch]
def score_spread(d, query_std, key_std, scaled):
    var = d * query_std**2 * key_std**2
    if scaled:
        var = var / d
    return var

# %% d times the product, without the root [torch]
import math


def score_spread(d, query_std, key_std, scaled):
    spread = d * query_std * key_std
    if scaled:
        spread /= math.sqrt(d)
    return spread

# %% adds the spreads [torch]
import math


def score_spread(d, query_std, key_std, scaled):
    spread = math.sqrt(d) * (query_std + key_std)
    if scaled:
        spread /= math.sqrt(d)
    return spread

# %% adds the variances [torch]
def score_spread(d, query_std, key_std, scaled):
    var = d * (query_std**2 + key_std**2)
    if scaled:
        var = var / d
    return var**0.5

# %% assumes variance 1 for all entries [torch]
def score_spread(d, query_std, key_std, scaled):
    return 1.0 if scaled else d**0.5

# %% the variance is divided by the root of d [torch]
def score_spread(d, query_std, key_std, scaled):
    var = d * query_std**2 * key_std**2
    if scaled:
        var = var / d**0.5
    return var**0.5

# %% standard deviations not squared inside the root [torch]
def score_spread(d, query_std, key_std, scaled):
    var = d * query_std * key_std
    if scaled:
        var = var / d
    return var**0.5

# %% scaled and not scaled interchanged [torch]
import math


def score_spread(d, query_std, key_std, scaled):
    spread = math.sqrt(d) * query_std * key_std
    if not scaled:
        spread /= math.sqrt(d)
    return spread

# %% the scaled one is divided by d [torch]
import math


def score_spread(d, query_std, key_std, scaled):
    spread = math.sqrt(d) * query_std * key_std
    if scaled:
        spread /= d
    return spread

# %% scaling ignored [torch]
def score_spread(d, query_std, key_std, scaled):
    var = d * query_std**2 * key_std**2
    return var**0.5

# %% only the query's spread counts [torch]
def score_spread(d, query_std, key_std, scaled):
    var = d * query_std**2
    if scaled:
        var = var / d
    return var**0.5

# %% the root of d squared: d in both [torch]
def score_spread(d, query_std, key_std, scaled):
    if scaled:
        return d**0.5 * query_std * key_std
    return d * query_std * key_std

# %% root taken twice [torch]
def score_spread(d, query_std, key_std, scaled):
    var = d * query_std**2 * key_std**2
    if scaled:
        var = var / d
    return var**0.25

# %% root of the sum of both variances, times d [torch]
import math


def score_spread(d, query_std, key_std, scaled):
    s = d * math.sqrt(query_std**2 + key_std**2)
    return s / math.sqrt(d) if scaled else s

# %% the geometric mean of the spreads [torch]
import math


def score_spread(d, query_std, key_std, scaled):
    spread = math.sqrt(d) * math.sqrt(query_std * key_std)
    if scaled:
        spread /= math.sqrt(d)
    return spread

# %% scaled always gives 1 [torch]
import math


def score_spread(d, query_std, key_std, scaled):
    spread = math.sqrt(d) * query_std * key_std
    if scaled:
        spread = 1.0
    return spread

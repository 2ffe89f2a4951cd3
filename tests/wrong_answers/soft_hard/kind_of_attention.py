# %% local attention is hard [torch]
def kind_of_attention(mechanism):
    if mechanism in ("sampled patch", "best patch", "local-m", "local-p"):
        return "hard"
    return "soft"

# %% local-m is hard, as its window does not learn [torch]
def kind_of_attention(mechanism):
    if mechanism in ("sampled patch", "best patch", "local-m"):
        return "hard"
    return "soft"

# %% the best patch is soft, as nothing is drawn [torch]
def kind_of_attention(mechanism):
    if mechanism in ("sampled patch",):
        return "hard"
    return "soft"

# %% only the best patch is hard [torch]
def kind_of_attention(mechanism):
    if mechanism in ("best patch",):
        return "hard"
    return "soft"

# %% local-p is hard, as it picks a position [torch]
def kind_of_attention(mechanism):
    if mechanism in ("sampled patch", "best patch", "local-p"):
        return "hard"
    return "soft"

# %% all with patches are hard [torch]
def kind_of_attention(mechanism):
    if "patch" in mechanism:
        return "hard"
    return "soft"

# %% everything but global is hard [torch]
def kind_of_attention(mechanism):
    if mechanism != "global":
        return "hard"
    return "soft"

# %% soft and hard interchanged [torch]
def kind_of_attention(mechanism):
    if mechanism not in ("sampled patch", "best patch"):
        return "hard"
    return "soft"

# %% everything is soft [torch]
def kind_of_attention(mechanism):
    return "soft"

# %% everything is hard [torch]
def kind_of_attention(mechanism):
    return "hard"

# %% local attention is hard and the best patch soft [torch]
def kind_of_attention(mechanism):
    if mechanism in ("sampled patch", "local-m", "local-p"):
        return "hard"
    return "soft"

# %% weighted patches are hard too [torch]
def kind_of_attention(mechanism):
    if mechanism in ("sampled patch", "best patch", "weighted patches"):
        return "hard"
    return "soft"

# %% returns whether it is hard [torch]
def kind_of_attention(mechanism):
    return mechanism in ("sampled patch", "best patch")

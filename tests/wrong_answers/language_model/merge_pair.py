# %% overlapping pairs are counted twice: 5, 5, 5 becomes new, new [torch]
def merge_pair(tokens, pair, new):
    merged = []
    skip = False
    for i in range(len(tokens)):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == tuple(pair):
            merged.append(new)
            skip = True
        elif skip:
            skip = False
        else:
            merged.append(tokens[i])
    return merged

# %% the loop over neighbours forgets the last token [torch]
def merge_pair(tokens, pair, new):
    merged = []
    i = 0
    while i < len(tokens) - 1:
        if tokens[i] == pair[0] and tokens[i + 1] == pair[1]:
            merged.append(new)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged

# %% after a merge the loop goes on by one only, so the second token stays [torch]
def merge_pair(tokens, pair, new):
    merged = []
    i = 0
    while i < len(tokens):
        if i < len(tokens) - 1 and tokens[i] == pair[0] and tokens[i + 1] == pair[1]:
            merged.append(new)
        else:
            merged.append(tokens[i])
        i += 1
    return merged

# %% no check for the end: a list that ends with the first token stops [torch]
def merge_pair(tokens, pair, new):
    out = []
    i = 0
    while i < len(tokens):
        if tokens[i] == pair[0] and tokens[i + 1] == pair[1]:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out

# %% only the first occurrence is merged [torch]
def merge_pair(tokens, pair, new):
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == tuple(pair):
            return list(tokens[:i]) + [new] + list(tokens[i + 2:])
    return list(tokens)

# %% either order of the two counts [torch]
def merge_pair(tokens, pair, new):
    merged = []
    i = 0
    while i < len(tokens):
        if i + 1 < len(tokens) and sorted(tokens[i:i + 2]) == sorted(pair):
            merged.append(new)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged

# %% merged from the right: 5, 5, 5 becomes 5, new [torch]
def merge_pair(tokens, pair, new):
    merged = []
    i = len(tokens) - 1
    while i >= 0:
        if i > 0 and (tokens[i - 1], tokens[i]) == tuple(pair):
            merged.insert(0, new)
            i -= 2
        else:
            merged.insert(0, tokens[i])
            i -= 1
    return merged

# %% the pair in reverse: the second token comes first [torch]
def merge_pair(tokens, pair, new):
    second, first = pair
    merged = []
    i = 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] == first and tokens[i + 1] == second:
            merged.append(new)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged

# %% replaces text in a string: 12 is found in 112 too [torch]
def merge_pair(tokens, pair, new):
    text = " ".join(str(t) for t in tokens)
    text = text.replace(f"{pair[0]} {pair[1]}", str(new))
    return [int(t) for t in text.split()]

# %% every token of the pair becomes the new one, wherever it stands [torch]
def merge_pair(tokens, pair, new):
    return [new if t in pair else t for t in tokens]

# %% the pair is removed and nothing takes its place [torch]
def merge_pair(tokens, pair, new):
    merged = []
    i = 0
    while i < len(tokens):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == tuple(pair):
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged

# %% the new token is added behind the pair, which stays [torch]
def merge_pair(tokens, pair, new):
    merged = []
    for i, token in enumerate(tokens):
        merged.append(token)
        if i > 0 and (tokens[i - 1], token) == tuple(pair):
            merged.append(new)
    return merged

# %% returns how many were merged besides [torch]
def merge_pair(tokens, pair, new):
    merged, count, i = [], 0, 0
    while i < len(tokens):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == tuple(pair):
            merged.append(new)
            count += 1
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged, count

# %% deletes from the list while it loops over it, and returns nothing [torch]
def merge_pair(tokens, pair, new):
    i = 0
    while i < len(tokens) - 1:
        if tokens[i] == pair[0] and tokens[i + 1] == pair[1]:
            tokens[i] = new
            del tokens[i + 1]
        i += 1

# %% the first token is replaced, the second is kept [mxnet]
def merge_pair(tokens, pair, new):
    merged = list(tokens)
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == tuple(pair):
            merged[i] = new
    return merged

# %% the second token is replaced, the first is kept [mxnet]
def merge_pair(tokens, pair, new):
    merged = list(tokens)
    for i in range(1, len(tokens)):
        if tokens[i - 1] == pair[0] and tokens[i] == pair[1]:
            merged[i] = new
    return merged

# %% after a merge the next token is left out as well [mxnet]
def merge_pair(tokens, pair, new):
    merged = []
    i = 0
    while i < len(tokens):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == tuple(pair):
            merged.append(new)
            i += 3
        else:
            merged.append(tokens[i])
            i += 1
    return merged

# %% tokens are looked at two by two, so pairs at odd places are not found [mxnet]
def merge_pair(tokens, pair, new):
    merged = []
    for i in range(0, len(tokens), 2):
        two = tokens[i:i + 2]
        if tuple(two) == tuple(pair):
            merged.append(new)
        else:
            merged.extend(two)
    return merged

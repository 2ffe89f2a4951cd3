# %% the maximum in the normaliser is taken for wrong [torch]
ANSWERS = {
    "normaliser": "c",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% the normaliser is fine in all three [torch]
ANSWERS = {
    "normaliser": "none",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% subtracting the maximum of the matrix is taken for wrong [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "b",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% any shift is fine [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "none",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% the keys' bias is taken for needed [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "b",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% the values' bias is taken for needed inside [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "c",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% no bias matters [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "none",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% scaling both by the fourth root is taken for wrong [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "c",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% scaling the queries alone is taken for wrong [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "a",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% renormalising late weights is taken for the wrong mask [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "a",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% minus a million is taken for the wrong mask [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "c",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% queries are taken for the ones that change the context [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "b",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% keys and values together are taken to change the context [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "a",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% powers of two are taken for wrong [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "b",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% the log of the sum is taken for wrong [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "c",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% the answers in the table's order whatever is asked [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS.values())

# %% all b [torch]
def wrong_lines(questions):
    return ("b",) * len(questions)

# %% two wrong: bias and order [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "c",
    "scale": "b",
    "mask": "b",
    "order": "b",
    "base": "none",
}


def wrong_lines(questions):
    return tuple(ANSWERS[q] for q in questions)

# %% one string instead of a tuple [torch]
ANSWERS = {
    "normaliser": "b",
    "shift": "c",
    "bias": "a",
    "scale": "b",
    "mask": "b",
    "order": "c",
    "base": "none",
}


def wrong_lines(questions):
    return "".join(ANSWERS[q] for q in questions)

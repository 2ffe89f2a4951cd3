# %% additive by Graves [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Graves 2014",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% location-based by Bahdanau [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2015",
        "location-based": "Bahdanau 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% one row too low, as in the notes [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Graves 2014",
        "location-based": "Bahdanau 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% dot by Vaswani [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2015",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Vaswani 2017",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% location-based by Graves, whose machine has addresses [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2015",
        "location-based": "Graves 2014",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% general by Bahdanau [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2015",
        "location-based": "Luong 2015",
        "general": "Bahdanau 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% scaled dot by Luong [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2015",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Luong 2015",
    }[score]

# %% content-based and additive interchanged [torch]
def citation(score):
    return {
        "content-based": "Bahdanau 2015",
        "additive": "Graves 2014",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% Luong for everything but the scaled dot [torch]
def citation(score):
    if score == "scaled dot":
        return "Vaswani 2017"
    return "Luong 2015"

# %% general by Vaswani [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2015",
        "location-based": "Luong 2015",
        "general": "Vaswani 2017",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% additive by Luong [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Luong 2015",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% content-based by Luong [torch]
def citation(score):
    return {
        "content-based": "Luong 2015",
        "additive": "Bahdanau 2015",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% years as they were on arXiv [torch]
def citation(score):
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2014",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% all with dot in the name by Vaswani, the others by Bahdanau [torch]
def citation(score):
    return "Vaswani 2017" if "dot" in score else "Bahdanau 2015"

# %% one row too high [torch]
def citation(score):
    return {
        "content-based": "Bahdanau 2015",
        "additive": "Luong 2015",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Vaswani 2017",
        "scaled dot": "Vaswani 2017",
    }[score]

# %% three matrices: the last is forgotten [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 3 * num_hiddens**2
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% biases are counted [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * (num_hiddens**2 + num_hiddens)
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% parameters for each head in full [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_heads * num_hiddens**2
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% only the parameters of one head [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens * head
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% W_q, W_k and W_v shrink with the heads, W_o does not [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 3 * num_hiddens * head + num_hiddens**2
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% heads are not counted among the weights [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens**2
    weights = num_steps**2
    return head, parameters, weights

# %% one weight for each step and head [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens**2
    weights = num_heads * num_steps
    return head, parameters, weights

# %% each head has all features [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens
    parameters = 4 * num_hiddens**2
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% the weights are divided among the heads [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens**2
    weights = num_steps**2 // num_heads
    return head, parameters, weights

# %% the weights' width counts too [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens**2
    weights = num_heads * num_steps**2 * head
    return head, parameters, weights

# %% only pairs of different steps [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens**2
    weights = num_heads * num_steps * (num_steps - 1)
    return head, parameters, weights

# %% a head has num_heads features [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_heads
    parameters = 4 * num_hiddens**2
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% causal: half of the pairs [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens**2
    weights = num_heads * num_steps * (num_steps + 1) // 2
    return head, parameters, weights

# %% one matrix only [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = num_hiddens**2
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% another order [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens**2
    weights = num_heads * num_steps**2
    return parameters, head, weights

# %% no output matrix, and heads not counted among the weights [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 3 * num_hiddens**2
    weights = num_steps**2
    return head, parameters, weights

# %% the parameters grow with the steps [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_steps * num_hiddens
    weights = num_heads * num_steps**2
    return head, parameters, weights

# %% both squares forgotten [torch]
def head_sizes(num_steps, num_hiddens, num_heads):
    head = num_hiddens // num_heads
    parameters = 4 * num_hiddens
    weights = num_heads * num_steps
    return head, parameters, weights

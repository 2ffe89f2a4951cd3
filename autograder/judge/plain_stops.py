"""Exceptions of the libraries whose cause one sentence says, whatever the exercise.

A sentence may name the groups of its pattern, `{array}` ("a PyTorch tensor") and `{Array}`, which begins a sentence.
"""

from collections.abc import Sequence

SUPER = "Its __init__ must call super().__init__() first, and it does not"
FLOAT = "A size, a count or an index is a float here, as every division with / gives: divide with //"
# What PyTorch's functions are in MXNet.
IN_MXNET = {
    "elu": 'nd.LeakyReLU(X, act_type="elu", slope=1.0)', "gelu": 'nd.LeakyReLU(X, act_type="gelu")', "bmm": "nd.batch_dot",
    "matmul": "nd.batch_dot", "cat": "nd.concat", "masked_fill": "nd.where", "clamp": "nd.clip", "silu": "X * nd.sigmoid(X)",
    "outer": "nd.dot of a column and a row", "unsqueeze": "expand_dims", "tensor": "nd.array", "transpose": "swapaxes",
}  # fmt: skip
# (what the exception's type and message hold, as a regular expression; the sentence, without its full stop)
PLAIN: Sequence[tuple[str, str]] = (
    (r"cannot assign (module|parameters?|buffers?) before Module\.__init__\(\) call", SUPER),
    (r"can't assign a (?P<kind>numpy\.ndarray) to a torch", "A NumPy array is put into {array}: make {array} of it first"),
    (r"Concatenation operation is not implemented for NumPy arrays", "A NumPy array and {array} meet: use the framework's own functions in place of NumPy's"),
    (r"'numpy\.ndarray' and '(Tensor|NDArray)'|'(Tensor|NDArray)' and 'numpy\.ndarray'", "A NumPy array and {array} meet: make {array} of the NumPy array, or use the framework's own functions in place of NumPy's"),
    (r"shapes (?P<left>\([\d,]+\)) and (?P<right>\([\d,]+\)) not aligned", "A NumPy function is called, and its product does not fit the shapes {left} and {right}: use the framework's own product of batches"),
    (r"setting an array element with a sequence", "A whole array is put where NumPy wants a number: use the framework's own functions in place of NumPy's"),
    (r"Can't call numpy\(\) on Tensor that requires grad", "A NumPy function is called on {array}, so no gradient can pass: use the framework's own function"),
    (r"AGInfo", "MXNet cannot work in place (+=, x[...] = ...) while it records for gradients: build a new array, with nd.stack or nd.concat for rows made in a loop"),
    (r"leaf Variable that requires grad is being used in an in-place", "It works in place on a tensor whose gradient is asked for: make a new one, such as x = x + y for x += y"),
    (r"modified by an inplace operation", "It changes in place what the gradient still needs: make a new tensor, such as x = x + y for x += y"),
    (r"softmax\(\) missing 1 required positional arguments?: \"dim\"", "softmax needs to be told the axis: dim=-1 is the last"),
    (r"torch\.return_types\.(?P<name>\w+)'", "{name} returns a pair, and here it is used as one tensor: write values, indices = x.{name}(...)"),
    (r"i >= 0 && i < ndim\(\): index = -\d+", "An operator of MXNet takes no negative axis, and nd.cumsum is one: count the axes from 0, axis=2 for the last of three"),
    (r"could not infer output dtype|only Tensors of floating point|not implemented for '(Long|Int|Bool)'|can only be of floating", "The tensor holds whole numbers, and this needs real ones: .float() makes them"),
    (r"Non-uniform data type in \w+, expected data type (?P<left>\w+), got data type (?P<right>\w+)", "Arrays of two types meet, {left} and {right}: give new arrays the dtype of the arguments"),
    (r"value cannot be converted to type (c10::)?Half without overflow", "A number does not fit into half precision, whose largest is 65504: ask for the lowest that the type of the array holds"),
    (r"view size is not compatible", "view needs numbers that lie in order in memory, and a transposed tensor's do not: use reshape"),
    (r"SequenceMask expects 1 inputs, but got 2", "SequenceMask uses the lengths only with use_sequence_length=True"),
    (r"Boolean value of Tensor with more than one value is ambiguous|truth value of an (array|NDArray with multiple elements)", "An `if`, `and` or `or` asks a whole array for one yes or no: compare entry by entry, with where"),
    (r"index out of range in self", "An index is larger than the last row of the table: is the index wrong, or is the table too short?"),
    (r"'(Tensor|NDArray)' object is not callable", "{Array} is called like a function: multiply by it, with @ or a product of the framework"),
    (r"masked_fill_? only supports boolean masks|mask to be BoolTensor", "The mask must hold True and False, and it holds numbers: a comparison gives one, or .bool()"),
    (r"bad operand type for unary ~: '(?P<kind>list|tuple)'", "~ inverts a mask, and here it gets a {kind}: make {array} of it first"),
    (r"bad operand type for unary ~: 'NDArray'", "MXNet has no ~: a mask is 1 and 0 there, and 1 - mask inverts it"),
    (r"only implemented on integer and Boolean-type tensors", "~ inverts a mask of True and False, and this tensor holds real numbers: compare first, then invert"),
    (r"Subtraction, the `-` operator, with (a|two) bool tensors?", "A mask of True and False cannot be subtracted: ~mask inverts it"),
    (r"unsupported operand type\(s\) for (?P<sign>[&|]): 'NDArray'", "MXNet's arrays have no {sign}: comparisons give 1 and 0, so their product is *and*, and nd.broadcast_maximum is *or*"),
    (r"found element of type float|must be tuple of ints, ?but got float|'float' object cannot be interpreted as an integer|must be (tuple of )?ints?, not float|integer argument expected, got float", FLOAT),
    (r"Integers to negative integer powers are not allowed", "A whole number is raised to a negative power, and the result would be no whole number: write the base as a float, such as 2.0"),
    (r"input\.dim\(\) = (?P<axes>\d+) is not equal to len\(dims\) = (?P<named>\d+)", "permute must name every axis: the tensor has {axes}, and {named} are named"),
    (r"'(?P<kind>list|tuple)' object is not callable", "A {kind} is called like a function: call its entries, one by one"),
    (r"Operator where inferring shapes failed", "nd.where does not broadcast: its condition and both branches need one shape, which nd.broadcast_like gives"),
    (r"type <class '(?P<kind>list|tuple)'> not supported", "A {kind} meets {array}: make {array} of the {kind} first"),
    (r"Positional arguments must have NDArray type, but got \[", "nd.stack and nd.concat take arrays one by one and no list of them: put a star before the list, nd.stack(*arrays, axis=1)"),
    (r"KeyError: (?P<key>.{1,60})", "A dictionary has no entry for {key}"),
)  # fmt: skip

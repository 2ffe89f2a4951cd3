"""The words for a part of a reference: what a learner can read of its syntax tree, without its code."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

# What the references' own names mean, each in all of them. A name that is neither here nor an argument is not
# mentioned.
TERMS = {
    "Q": "the queries", "K": "the keys", "V": "the values", "X": "the input", "Y": "the result of the first sublayer",
    "Z": "the result of the second sublayer", "queries": "the queries", "keys": "the keys", "values": "the values",
    "query": "the query", "scores": "the scores", "weights": "the weights", "context": "the context",
    "mask": "the mask", "features": "the features", "hidden": "the hidden layer", "heads": "the heads",
    "dots": "the dot products", "from_query": "the query's term", "from_key": "the key's term",
    "chosen": "the log-weights of the drawn patches", "advantage": "the reward minus the baseline",
    "lengths": "the valid lengths", "valid_length": "the valid length", "num_queries": "the number of queries",
    "num_keys": "the number of keys", "num_steps": "the number of steps", "num_tokens": "the number of tokens",
    "num_heads": "the number of heads", "num_hiddens": "the number of features",
    "batch": "the batch size", "exps": "the exponentials",
    "total": "the sum of the exponentials", "highest": "the largest score", "mean": "the mean",
    "variance": "the variance", "gain": "the gain", "bias": "the bias", "memory": "the memory",
    "parameters": "the parameters", "seen": "the causal lengths", "positions": "the positions",
    "distance": "the distances", "distances": "the distances", "gaps": "the differences",
    "sigma": "the standard deviation", "gauss": "the Gaussian", "logits": "the logits", "near": "the window",
    "inside": "the window", "visible": "the mask",
    "angles": "the angles", "encoding": "the encoding", "pairs": "the number of pairs",
    "state": "the state", "new_state": "the new state",
    "words": "the scores of the words", "losses": "the losses", "log_probs": "the log-probabilities",
    "log_weights": "the log-weights", "loss": "the loss", "penalty": "the penalty",
    "added": "the added log-probabilities", "stay": "the row of a finished hypothesis",
    "candidates": "the totals of all continuations", "index": "the chosen indices", "rows": "the rows",
    "columns": "the columns", "shrink": "the factor of the old sums",
    "maximum": "the maximum", "verdict": "the verdict", "importance": "the importance",
    "others": "the mask of the other steps", "filled": "the masked scores", "permuted": "the permuted weights",
    "change": "the changes", "largest": "the largest changes", "both": "the joined vectors",
    "noisy": "the scores with noise", "threshold": "the threshold", "thresholds": "the thresholds",
    "frequencies": "the frequencies", "slopes": "the slopes", "cos": "the cosine", "sin": "the sine",
    "ratio": "the ratio of the exponentials", "spread": "the spread",
    "squares": "the squared lengths", "vectors": "the vectors", "wanted": "the wanted words",
    "with_cache": "the cost with a cache", "step": "the step", "axis": "the axis",
    "D": "the window's width", "name": "the name", "EPSILON": "epsilon", "tiny": "the smallest length",
    "ROUNDING": "the tolerance", "W_q": "`W_q`", "W_k": "`W_k`", "W_v": "`W_v`", "W_o": "`W_o`",
}  # fmt: skip
# What the references' functions compute.
STEPS = {
    "softmax": "the softmax", "masked_softmax": "the masked softmax", "masked_softmax_or_zero": "the masked softmax",
    "masked_weights": "the masked softmax", "valid_mask": "the mask",
    "window_mask": "the window's mask", "attention_pooling": "the weighted sum of the values",
    "additive_scores": "the additive scores",
    "scaled_scores": "the scaled scores", "plain_attention": "the attention",
    "online_softmax_step": "the merging of a tile", "start": "the state before the first tile",
    "gaussian_factor": "the Gaussian", "window_weights": "the weights of the window", "_dots": "the dot products",
    "split_heads": "the splitting into heads", "join_heads": "the joining of the heads",
    "layer_norm": "the layer norm", "norm": "the layer norm", "attend": "the attention",
    "linear": "the linear layer",
    "multi_head_attention": "the multi-head attention", "word_losses": "the loss of each word",
    "best": "the choice of the best", "sigmoid": "the sigmoid", "concat_score": "the scores",
    "relu_score": "the scores", "location_score": "the scores", "attentional_state": "the state",
    "local_predictive": "the weights", "feed_forward_pooling": "the pooling", "decoder_step": "the step",
}  # fmt: skip
FUNCTIONS = {
    "tanh": "the tanh", "exp": "the exponential", "log": "the logarithm", "sqrt": "the square root",
    "abs": "the absolute value", "sin": "the sine", "cos": "the cosine", "ceil": "the rounding up",
    "floor": "the rounding down", "cumsum": "the running sum", "sum": "the sum", "mean": "the mean",
    "max": "the maximum", "min": "the minimum", "argmax": "the place of the maximum",
}  # fmt: skip
UNCHANGED = ("asarray", "array", "astype", "reshape", "swapaxes", "transpose", "copy", "repeat")
MOST_WORDS = 9


@dataclass(frozen=True)
class Wording:
    """How the names of one function of a reference are spoken of.

    known: what a learner writes too, by the reference's name: arguments, settings, parameters' paths.
    """

    known: Mapping[str, str]

    def name(self, name: str) -> str | None:
        """An argument as code, any other name by its term; None if there is none."""
        return f"`{self.known[name]}`" if name in self.known else TERMS.get(name)

    def of(self, node: ast.AST) -> str | None:
        """A part of a formula in a few words, or None."""
        words = self._of(node)
        return words if words and len(words.split()) <= MOST_WORDS else None

    def _of(self, node: ast.AST) -> str | None:
        match node:
            case ast.Name(id=name):
                return self.name(name)
            case ast.Constant(value=int() | float() as number):
                return None if isinstance(number, bool) else f"{number:g}".replace("e+", "e")
            case ast.Subscript(value=ast.Attribute(value=owner, attr="shape"), slice=axis):
                return self.size(owner, axis)
            case ast.Subscript(value=owner) | ast.Attribute(value=owner, attr="T"):
                return self._of(owner)
            case ast.Call(func=ast.Name(id=name)) if name in STEPS:
                return STEPS[name]
            case ast.Call():
                return self._called(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self._combined(left, op, right)
        return None

    def size(self, owner: ast.AST, axis: ast.AST) -> str | None:
        """The size of an axis."""
        words, number = self._of(owner), number_of(axis)
        return f"the size of {axis_words(number)} of {words}" if words and number is not None else None

    def _called(self, call: ast.Call) -> str | None:
        name, operand = called(call)
        if operand is None:
            return None
        if name in UNCHANGED:
            return self._of(operand)
        return _joined(FUNCTIONS.get(name), "of", self._of(operand))

    def _combined(self, left: ast.AST, op: ast.operator, right: ast.AST) -> str | None:
        a, b = self._of(left), self._of(right)
        if a is None or b is None:
            return None
        if isinstance(op, ast.Pow):
            return f"the square of {a}" if b == "2" else None
        kind = {ast.Add: "sum", ast.Sub: "difference", ast.Mult: "product", ast.MatMult: "product"}
        return f"the {kind[type(op)]} of {a} and {b}" if type(op) in kind else None


def called(call: ast.Call) -> tuple[str, ast.expr | None]:
    """The name of a function or method, and what it is applied to: `np.exp(x)`, `sqrt(x)`, `x.sum()`."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="np" | "math"), attr=name) | ast.Name(id=name):
            return name, call.args[0] if call.args else None
        case ast.Attribute(value=owner, attr=name):
            return name, owner
    return "", None


def number_of(node: ast.AST | None) -> int | None:
    """The whole number that a constant, perhaps with a minus, stands for."""
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return -number
    return None


def axis_words(axis: int) -> str:
    """Axis 1, or the last axis."""
    return {-1: "the last axis", -2: "the last axis but one"}.get(axis, f"axis {axis}")


def _joined(first: str | None, between: str, second: str | None) -> str | None:
    return f"{first} {between} {second}" if first and second else None

"""Which names of a source are known: those that the course itself uses, and everyday ones of tensors.

What is not known may be harmless, or a way around a refusal; a teacher is told, and no mark depends on it.
"""

import ast
import builtins
import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache

from course.paths import BOOK, ROOT


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Built-ins that turn a text into a name, or reach whatever is defined.
HARMFUL = _words(
    "__build_class__ __builtins__ __import__ __loader__ __spec__ breakpoint compile delattr dir eval exec getattr "
    "globals help input locals memoryview open setattr vars"
)
HARMLESS = frozenset(dir(builtins)) - HARMFUL | {"__file__", "__name__"}
# What chapters and solutions use, and an answer seldom needs: it reaches code, files and the library's inside.
NOT_FOR_ANSWERS = _words(
    "FlopCounterMode ROOT TorchDispatchMode data_ptr executable getsource inspect keras load loads read_text "
    "run save subprocess sys untyped_storage"
)
# Where arrays leave the framework, which then cannot measure what they hold.
LEAVES = _words("asarray asnumpy asscalar from_numpy numpy tolist")
MODULES = _words("__future__ abc copy enum numbers operator statistics tqdm")
# Of tensors, layers and Python's own types: what is common, and what the course has no use for.
EVERYDAY = _words(
    """
    Activation BlockGrad Conv1d Conv2D ELU Flatten FloatTensor GELU HybridSequential Identity LSTMCell
    LongTensor MaxPool1d ModuleDict ParameterDict ParameterList SiLU Sigmoid Softmax Tanh ZeroPad2d
    abstractmethod acos add_ addbmm addcdiv addcmul addmm aminmax arccos arctan arctan2 args argwhere
    as_tensor asin atan atan2 baddbmm bernoulli bfloat16 bias block_diag bool_ broadcast_add broadcast_div
    broadcast_equal broadcast_greater broadcast_greater_equal broadcast_lesser broadcast_lesser_equal
    broadcast_logical_and broadcast_logical_or broadcast_minimum broadcast_minus broadcast_mul
    broadcast_not_equal broadcast_power broadcast_sub broadcast_tensors bucketize buffers byte cartesian_prod
    cdist ceil_ celu children chunk clamp_ clamp_max clamp_min clip_ column_stack combinations constant
    contiguous conv1d cosh count count_nonzero cpu cross ctx cuda cummax cummin cumprod dataclass deepcopy
    deg2rad degrees dense_dim detach_ device diag_embed diagflat diff digitize dim div div_ divide double
    dsplit dstack elu_ empty empty_like enable_grad eps eq equal erf erfc exp2 expand_as expm1 extend
    extra_repr fill_ fill_diagonal_ flip fliplr flipud fmax fmin fmod frac from_iterable ge gelu get_device
    glu grad_fn greater greater_equal gt gumbel_softmax hardtanh hsplit hstack hypot iinfo imag in_features
    index_add index_add_ index_copy index_fill index_put index_select indices inner int16 int32 int8 inv
    inverse is_available is_floating_point is_leaf isinf isnan itemsize kron kthvalue le leaky_relu lerp less
    less_equal linear log10 log1p log2 log_ logaddexp logcumsumexp logical_and logical_not logical_or
    logical_xor logit logsigmoid logspace logsumexp lower lstrip lt mH mT masked_fill_ masked_scatter
    masked_select matrix_norm meshgrid mish mm mod modules moveaxis movedim mul mul_ multinomial mv
    named_children named_modules nan nan_to_num nanmean nansum narrow ndimension ne neg neg_ negative
    new_empty new_full new_ones new_tensor newaxis nonzero normalize not_equal ones_ out_features permute
    polar pow pow_ power product promote_types quantile rad2deg radians rand rand_like randint randn_like
    randperm real reciprocal reciprocal_ reduce register_buffer register_parameter relu6 relu_ remainder
    reset_parameters reshape_as resolve_conj result_type reverse rint rot90 round_ rsqrt rsub scatter scatter_
    scatter_add_ scatter_reduce searchsorted select selu set_default_dtype shuffle sigmoid_ silu sinh
    slice_axis slice_like softmin softplus softsign split_v2 std_mean sub sub_ subtract swapdims t
    tensor_split tensordot threshold tiny to trunc type type_as uint8 unfold unravel_index unsqueeze_ update
    vander var_mean vdot vector_norm view view_as view_as_complex view_as_real vsplit xlogy zero_ zip_longest
    __call__ __class__ __enter__ __eq__ __exit__ __getitem__ __iter__ __len__ __next__ __post_init__ __repr__
    __setitem__ __str__ __version__
    """
)


def strange_names(statements: Sequence[ast.stmt], own_text: Sequence[ast.stmt]) -> set[str]:
    """Names that are not known in some statements.

    statements: all of a source, which say what it binds itself and what it imports. own_text: those that are
    looked at; others stand in a chapter as they are.
    """
    nodes = [node for statement in statements for node in ast.walk(statement)]
    imported, bound = _imported(nodes), _bound(nodes)
    # No attribute of its own hides one of these.
    attributes = {name for name in bound if not name.startswith("__")} - sys.stdlib_module_names
    found: set[str] = set()
    for statement in own_text:
        looked_at = list(ast.walk(statement))
        roots = _roots(looked_at)
        for node in looked_at:
            if isinstance(node, ast.Name):
                found |= {node.id} & HARMFUL or {node.id} - bound - HARMLESS - known_names() - known_modules()
            elif isinstance(node, ast.Attribute | ast.MatchClass):
                words = [node.attr] if isinstance(node, ast.Attribute) else node.kwd_attrs
                found |= {*words} - known_names() - (set() if roots.get(id(node)) in imported else attributes)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= _taken_by_import(node)
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("__"):
                found |= {node.name} - known_names()
    return found


def _taken_by_import(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [alias.name for alias in node.names]
    modules = names if isinstance(node, ast.Import) else [node.module or ""]
    words = set() if isinstance(node, ast.Import) else {*names} - {"*"}
    found = set()
    for first, *parts in (module.split(".") for module in modules):
        # What learners use of the grader is no part of it.
        if first not in known_modules() or (first == "autograder" and parts):
            found.add(first)
        words |= {*parts}
    return found | words - known_names()


def _imported(nodes: Sequence[ast.AST]) -> set[str]:
    """Names of modules, and of what is imported or taken from a module by its name alone."""
    found = {
        (alias.asname or alias.name).split(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for node in nodes:
        if isinstance(node, ast.Assign) and _root(node.value) in found:
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _bound(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that a source binds itself: variables, arguments, definitions and attributes of its own objects."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        else:
            words = (getattr(node, field, None) for field in ("name", "arg", "rest"))
            found |= {word for word in words if isinstance(word, str)}
    return found


def _roots(nodes: Sequence[ast.AST]) -> dict[int, str]:
    """For the `id` of each attribute's node the name that its chain begins with; outer nodes come first."""
    found: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in found:
            root = _root(node)
            here: ast.expr = node
            while isinstance(here, ast.Attribute):
                found[id(here)], here = root, here.value
    return found


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@cache
def known_names() -> frozenset[str]:
    """Attributes and imported names of the solutions and the chapters, and everyday ones."""
    nodes = [node for tree in _trees() for node in ast.walk(tree)]
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    used |= {part for module in _modules(nodes) for part in module.split(".")[1:]}
    inside = {word for word in used if word.startswith("_") and word != "__init__"}
    return frozenset((used - inside | EVERYDAY) - NOT_FOR_ANSWERS - LEAVES)


@cache
def known_modules() -> frozenset[str]:
    """Packages that solutions and chapters import."""
    nodes = [node for tree in _trees() for node in ast.walk(tree)]
    return frozenset({module.split(".")[0] for module in _modules(nodes)} - NOT_FOR_ANSWERS | MODULES)


def _modules(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@cache
def _trees() -> tuple[ast.Module, ...]:
    """The code of the solutions and of the chapters' own cells."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "solutions").rglob("*.py"))]
    for path in sorted((BOOK / "chapters").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return tuple(map(ast.parse, texts))

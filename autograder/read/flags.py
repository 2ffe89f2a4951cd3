"""What a teacher should look at in a source: names that an exercise forbids, names that are not known, and loops.

A flag costs nothing. It can only be read off the source: where an exercise forbids a call of the library, whatever
the course itself does not use, and no everyday name of tensors, may be a way around that, or harmless.
"""

import ast
import builtins
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from autograder import FOR_LEARNERS
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.paths import BOOK, ROOT
from autograder.model.text import MISSPELT, did_you_mean
from autograder.read.cells import Cell, cells_of, code_cells
from autograder.read.install_cell import is_of_the_install_cell
from autograder.read.submission import Submission, names_by_definition, reachable_names
from autograder.read.syntax import (
    bound_names,
    docstrings,
    imported_names,
    is_stub,
    lines_of,
    name_of,
    words_in,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Built-ins, and two functions of `operator`, that turn a text into a name, or reach whatever is defined.
HARMFUL = _words(
    "__build_class__ __builtins__ __import__ __loader__ __spec__ attrgetter breakpoint compile delattr dir eval exec "
    "getattr globals help input locals memoryview methodcaller open setattr vars"
)
HARMLESS = frozenset(dir(builtins)) - HARMFUL | {"__file__", "__name__"}
# What chapters and solutions use, and an answer seldom needs: it reaches code, files and the library's inside.
NOT_FOR_ANSWERS = _words(
    "FlopCounterMode ROOT TorchDispatchMode data_ptr executable getsource inspect keras load loads read_text "
    "run save subprocess sys untyped_storage"
)
# What leads from a function to its callers, or to all objects: there is the code that calls an answer.
FRAMES = _words(
    "__globals__ __subclasses__ _getframe cr_frame currentframe f_back f_builtins f_globals f_locals gc get_objects "
    "get_referrers gi_frame setprofile settrace tb_frame"
)
# These, and what reaches files, programs or the network: no answer needs any.
REACHES_THE_SYSTEM = FRAMES | _words(
    "ctypes multiprocessing open os requests shutil socket sqlite3 subprocess urllib"
)
# Where numbers leave the framework, which then cannot measure what they hold.
TO_NUMPY = _words("asarray asnumpy asscalar from_numpy item numpy tolist")
# As attributes these lead out of an answer, and no class of an answer needs one; of what a layer takes, and what a
# server waits with, two are usual names.
NEVER_ATTRIBUTES = (REACHES_THE_SYSTEM | TO_NUMPY | HARMFUL) - {"input", "requests"}
# Behind these, what begins with an underscore is the learner's; elsewhere it may be the library's inside.
RECEIVERS = ("self", "cls")
# Names with two underscores that a source may bind, or hold as a text, beside those that are known.
DUNDERS = HARMLESS | _words("__all__ __annotations__ __author__ __main__ __slots__")
MODULES = _words("__future__ abc copy enum numbers operator statistics tqdm")
# Of tensors, layers and Python's own types: what is common, and what the course has no use for.
EVERYDAY = _words(Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8"))
# What an exercise that forbids one name forbids under another: a class that calls the function.
CALLED_BY = {"multi_head_attention_forward": "MultiheadAttention"}
# Calls that go through an array one by one.
CALLED_FOR_EACH = (
    "accumulate", "apply_", "apply_along_axis", "apply_over_axes", "dropwhile", "filter", "filterfalse", "foreach",
    "frompyfunc", "groupby", "map", "map_", "map2_", "reduce", "starmap", "takewhile", "vectorize", "while_loop",
)  # fmt: skip
# Calls that do so with the function that they are given as this keyword.
CALLED_WITH_KEY = ("max", "min", "nlargest", "nsmallest", "sort", "sorted")
# Methods of a pattern, which call a function for each match; those of arrays have no text in them.
SUBSTITUTES = ("sub", "subn")
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
STUB = re.compile(r"^ *raise NotImplementedError$", re.MULTILINE)
# Characters of the longest statement of a chapter, and far more.
MAX_SHOWN = 20_000
# Characters of the longest text that may be a name of a library.
MAX_COMPOSED = 100
# How an f-string says that a text stays as it is: nothing, and `!s`.
AS_TEXT = (-1, ord("s"))
# Of strange names, how many are shown, and how many letters of each.
MAX_NAMES, MAX_LETTERS = 8, 40
# What `start` writes behind a check, for nbgrader.
TAKES_A_MARK = re.compile(r"\.mark\([^()]*\)$")


def flag(submission: Submission, framework: str, exercise: Exercise) -> str | None:
    """Return what a teacher should look at in the answer to an exercise, as the end of a sentence; None if nothing is."""
    names = suspicious_names(submission, framework, exercise)
    usual = course_names().names if names else ()
    words = [name[:MAX_LETTERS] for name in names[:MAX_NAMES]]
    words = [n + did_you_mean(n, usual, " ({} misspelt?)", MISSPELT) * (n not in _forbidden()) for n in words]
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    reasons = [f"its source names {', '.join(words)}{more}"] if names else []
    if exercise.no_loop and (looping := with_loops(submission, framework, exercise.entry)):
        reasons.append(f"there is a loop in {', '.join(looping)}")
    return "; ".join(reasons) or None


def with_loops(submission: Submission, framework: str, entry: str) -> list[str]:
    """Return which functions and classes hold a loop or a comprehension: the entry, and those that it uses."""
    definitions = {
        name: statement
        for cell in submission.cells_for(framework)
        for statement in cell.statements
        for name in _functions_of(statement)
    }
    free_names = {name: _taken_from_outside(definition) for name, definition in definitions.items()}
    used = reachable_names(entry, free_names) & free_names.keys()
    calls = {name: free_names[name] for name in used if not isinstance(definitions[name], ast.ClassDef)}
    looping = {name for name in used if _loops(definitions[name])} | _in_a_circle(calls)
    return [name for name in definitions if name in looping]


def _functions_of(statement: ast.stmt) -> list[str]:
    """Return the function or the class that a statement defines, or the names that it gives to a `lambda`."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign) and any(isinstance(n, ast.Lambda) for n in ast.walk(statement)):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def _in_a_circle(calls: dict[str, set[str]]) -> set[str]:
    """Return functions that lead back to themselves, by what each uses; those of one circle, if there are several."""
    try:
        TopologicalSorter(calls).prepare()
    except CycleError as error:
        return set(error.args[1])
    return set()


def _taken_from_outside(definition: ast.stmt) -> set[str]:
    """Return the names that a definition reads and does not bind itself."""
    nodes = list(ast.walk(definition))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} - {*_functions_of(definition)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - bound


def _loops(definition: ast.stmt) -> bool:
    """Return whether it holds a loop, a call that is one, or a function that calls itself."""
    classes = {"self", "cls", getattr(definition, "name", "")}
    nodes = list(ast.walk(definition))
    substitutes = any(name_of(node) in SUBSTITUTES for node in nodes)
    with_text = _with_text(nodes) if substitutes else set()
    for node in nodes:
        if isinstance(node, LOOPS) or name_of(node) in CALLED_FOR_EACH or _calls_for_each(node, with_text):
            return True
        if isinstance(node, ast.FunctionDef) and (
            node.name == "__next__" or any(_reads(n, node.name, classes) for n in ast.walk(node))
        ):
            return True
    return False


def _with_text(nodes: Sequence[ast.AST]) -> set[int]:
    """Return the `id` of each node in which a text stands. nodes: outer ones first.

    Calls of a chain stand in each other: a walk through each of them would be quadratic.
    """
    with_text: set[int] = set()
    for node in reversed(nodes):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text or any(id(child) in with_text for child in ast.iter_child_nodes(node)):
            with_text.add(id(node))
    return with_text


def _calls_for_each(node: ast.AST, with_text: Set[int]) -> bool:
    """Return whether a call may call a function again and again, as its arguments show. with_text: what `_with_text` returns."""
    if not isinstance(node, ast.Call):
        return False
    name, function = name_of(node.func), isinstance(node.func, ast.Name) and node.func.id
    if name in CALLED_WITH_KEY and any(keyword.arg == "key" for keyword in node.keywords):
        return True
    if name in SUBSTITUTES:
        return id(node) in with_text
    hands_itself = bool(function) and any(name_of(argument) == function for argument in node.args)
    return hands_itself or (name == "iter" and len(node.args) == 2)


def _reads(node: ast.AST, name: str, classes: set[str]) -> bool:
    """Return whether a node reads a function by its name, or a method of its own object or class."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.value, ast.Name) and node.value.id in classes
    return isinstance(node, ast.Name) and node.id == name


def suspicious_names(submission: Submission, framework: str, exercise: Exercise) -> list[str]:
    """Return the forbidden names in a submission's source, and those that are not known.

    Other exercises may ask for what this one forbids: there it counts only if this answer uses it. Text that
    stands in a chapter as it is does not count. What reaches out of the process counts in every exercise, and where
    memory is measured every way past it.
    """
    statements = _strange(submission, framework)
    strange = {name for _, names in statements for name in names} - (_forbidden() & course_names().names)
    is_of_memory = any(p.of_memory for p in exercise.properties)
    if not is_of_memory:
        strange -= TO_NUMPY
    if not exercise.forbidden and not is_of_memory:
        return sorted(strange & REACHES_THE_SYSTEM)
    other_entries = {e.entry for e in all_exercises().values()} - {exercise.entry}
    used = cache(
        lambda: reachable_names(exercise.entry, names_by_definition(submission.cells_for(framework)))
    )
    held: set[str] = set()
    for statement, names in statements:
        if here := names & _forbidden(exercise.name) - {exercise.entry}:
            bound = bound_names(statement)
            held |= here if not bound & other_entries or bound & used() else set()
    return [*sorted(held), *sorted(strange - held)]


@cache
def _forbidden(exercise: str = "") -> frozenset[str]:
    """Return what an exercise forbids, or any of them: each without its module."""
    forbid = [all_exercises()[exercise]] if exercise else all_exercises().values()
    names = {name.rsplit(".", 1)[-1] for e in forbid for name in e.forbidden}
    return frozenset(names | {CALLED_BY[name] for name in names & CALLED_BY.keys()})


@lru_cache(maxsize=2)
def _strange(submission: Submission, framework: str) -> list[tuple[ast.stmt, set[str]]]:
    """Return statements with names that are not known, that leave the framework, or that an exercise forbids."""
    statements = [(c, s, _source_of(c, s)) for c in submission.cells_for(framework) for s in c.statements]
    # What the first cell of a copy imports is for that cell alone, and stays strange in an answer.
    statements = [(cell, s, text) for cell, s, text in statements if not is_of_the_install_cell(text or "")]
    learners = [
        (s, text in _solution_statements()) for c, s, text in statements if not _is_of_a_chapter(c, s)
    ]
    names = strange_names([s for _, s, _ in statements], [s for s, _ in learners], _forbidden())
    # In what a solution holds, the rest is the course's own.
    of_each = zip(learners, names, strict=True)
    pairs = ((s, n & _forbidden() if is_courses else n) for (s, is_courses), n in of_each)
    return [(statement, strange) for statement, strange in pairs if strange]


def _is_of_a_chapter(cell: Cell, statement: ast.stmt) -> bool:
    """Return whether a chapter shows a statement as it is, or what is left of it in a learner's copy.

    So is an import of nothing but what learners use of the grader.
    """
    if isinstance(statement, ast.ImportFrom) and statement.module == "autograder":
        return all(alias.name in FOR_LEARNERS and alias.asname is None for alias in statement.names)
    text = _source_of(cell, statement)
    if text is None:
        return False
    if TAKES_A_MARK.sub("", text) in chapter_statements() or is_of_the_install_cell(text):
        return True
    return is_stub(statement) and set(text.split("\n")) - _chapter_lines() <= set(STUB.findall(text))


def with_what_a_chapter_shows(cell: Cell) -> list[tuple[ast.stmt, bool]]:
    """Return each statement of a cell, and whether a chapter shows it as it is, and not as the answer to an exercise.

    So does the cell with which each copy begins.
    """
    texts = [(statement, _source_of(cell, statement) or "") for statement in cell.statements]
    return [(s, text in chapter_statements() or is_of_the_install_cell(text)) for s, text in texts]


def _source_of(cell: Cell, statement: ast.stmt) -> str | None:
    """Return the lines of a statement; None if they are longer than any that a chapter shows."""
    first, last = lines_of(statement)
    lines = cell.lines[first - 1 : last]
    # A line may hold tens of thousands of statements, and would be copied for each.
    return "\n".join(lines).strip() if sum(map(len, lines)) <= MAX_SHOWN else None


@cache
def _chapter_lines() -> frozenset[str]:
    return frozenset(line for text in chapter_statements() for line in text.split("\n"))


@cache
def _solution_statements() -> frozenset[str]:
    paths = (ROOT / "solutions").rglob("*.py")
    return _statements_of(Cell(0, path.read_text(encoding="utf-8")) for path in paths)


@cache
def chapter_statements() -> frozenset[str]:
    """Return the text of every statement that the chapters show, other than answers to exercises."""
    texts = (path.read_text(encoding="utf-8") for path in (BOOK / "chapters").glob("*.ipynb"))
    return _statements_of(cell for text in texts for cell in cells_of(text, True) if not cell.exercise)


def _statements_of(cells: Iterable[Cell]) -> frozenset[str]:
    """Return the text of every statement, but of those that are too long."""
    return frozenset(filter(None, (_source_of(cell, s) for cell in cells for s in cell.statements)))


def strange_names(
    statements: Sequence[ast.stmt], own_text: Sequence[ast.stmt], forbidden: frozenset[str]
) -> Iterator[set[str]]:
    """Give the names that are not known, and those of `forbidden`, in each of some statements.

    statements: all of a source, which say what it binds itself and what it imports. own_text: those that are
    looked at; others stand in a chapter as they are. A text holds a forbidden name where some call could make it one.
    """
    imported, bound = _imported(statements), set().union(*(_words_of(s).bound for s in statements))
    names, usual, dunders = _usual(forbidden)
    # Behind an import of everything a forbidden name may be the library's.
    takes_all = any(isinstance(s, ast.ImportFrom) and s.names[0].name == "*" for s in statements)
    bound = (bound | imported) - (forbidden if takes_all else set())
    # No attribute of its own hides one of these.
    attributes = {name for name in bound if not name.startswith("__")}
    attributes -= sys.stdlib_module_names | forbidden | NEVER_ATTRIBUTES
    public = {name for name in attributes if not name.startswith("_")}
    for statement in own_text:
        words = _words_of(statement)
        strange = {*words.names & HARMFUL, *words.names - bound - usual}
        for root, of_root in words.attributes.items():
            defined = attributes if root in RECEIVERS else public
            strange |= of_root - names - (set() if root in imported else defined)
        for node in words.imports:
            strange |= _taken_by_import(node, names)
        texts = words.texts & (forbidden | FRAMES) | {word for word in words.texts if _is_dunder(word)}
        strange |= {word for word in words.bound if _is_dunder(word)} - dunders | texts - dunders
        yield {*strange, *(words.composed - names), *words.patterns(bound)}


@lru_cache(maxsize=2)
def _usual(forbidden: frozenset[str]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the attributes that are known, the names of variables, and those with two underscores."""
    names = course_names().names - forbidden
    return names, names | course_names().modules | HARMLESS, names | DUNDERS


def _is_dunder(word: str) -> bool:
    return word.startswith("__") and word.endswith("__")


@dataclass(frozen=True)
class StatementWords:
    """What stands in a statement.

    names: of variables. attributes: by the name that their chain begins with. imported: what imports bind. bound: what it binds; assignments: what it
    binds to something below a name. texts: texts and their words. composed: names that are put together of texts.
    classes: those whose patterns read attributes by their order, and not by their names.
    """

    names: frozenset[str]
    attributes: Mapping[str, frozenset[str]]
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    imported: frozenset[str]
    bound: frozenset[str]
    assignments: tuple[tuple[str, frozenset[str]], ...]
    texts: frozenset[str]
    composed: frozenset[str]
    classes: frozenset[str]

    def patterns(self, bound: Set[str]) -> set[str]:
        """Return the patterns that read attributes of which no name stands in the source."""
        return {f"case {name}(…)" for name in self.classes if name in bound or name not in HARMLESS}


def _words_of(statement: ast.stmt) -> StatementWords:
    """Return what stands in a statement, which is walked once, though each framework and exercise asks."""
    words: StatementWords | None = getattr(statement, "words", None)
    if words is None:
        words = _read(statement)
        statement.words = words  # type: ignore[attr-defined]
    return words


def _read(statement: ast.stmt) -> StatementWords:
    nodes = list(ast.walk(statement))
    roots, documentation = _roots(nodes), docstrings(statement)
    attributes: defaultdict[str, set[str]] = defaultdict(set)
    names, bound, texts, classes = (set[str]() for _ in range(4))
    imports, assignments = [], []
    for node in nodes:
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes[roots[id(node)]].add(node.attr)
        elif isinstance(node, ast.MatchClass):
            attributes[""].update(node.kwd_attrs)
            classes |= {_dotted_name(node.cls)} if node.patterns else set()
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(node)
        elif isinstance(node, ast.Assign):
            targets = frozenset(target.id for target in node.targets if isinstance(target, ast.Name))
            assignments.append((roots.get(id(node.value), ""), targets))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            texts |= words_in(node.value)
        bound |= _bound_by(node)
    return StatementWords(
        frozenset(names), {root: frozenset(words) for root, words in attributes.items()}, tuple(imports),
        frozenset(name for node in imports for _, name in imported_names(node)), frozenset(bound), tuple(assignments), frozenset(texts), _composed(nodes), frozenset(classes),
    )  # fmt: skip


def _composed(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names that `+`, `join` and f-strings make of texts alone. nodes: outer ones first.

    From the inside out, in one loop: a sum may have more terms than Python has calls within each other. Of a sum
    the whole counts, and not what its first terms make.
    """
    texts: dict[int, str] = {}
    composed: dict[int, str] = {}
    for node in reversed(nodes):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text: str | None = node.value
            parts: list[ast.expr] = []
        else:
            separator, parts = _parts_of_text(node, texts)
            is_text = separator is not None and all(id(part) in texts for part in parts)
            text = separator.join(texts[id(part)] for part in parts) if is_text else None  # type: ignore[union-attr]
        # Without this limit, each of a thousand sums within each other would hold a copy of a long text.
        if text is None or len(text) > MAX_COMPOSED:
            continue
        texts[id(node)] = text
        # `"" + "sum"` and `f"{'sum'}"` put nothing together.
        inner = [composed.pop(id(part), None) for part in parts]
        if parts and (any(inner) or all(text != texts[id(part)] for part in parts)):
            composed[id(node)] = text
    return frozenset(text for text in composed.values() if text.isidentifier())


def _parts_of_text(node: ast.AST, texts: Mapping[int, str]) -> tuple[str | None, list[ast.expr]]:
    """Return what a node puts between the parts of a text, and these; None if it makes no text. texts: by the `id` of the nodes inside."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return "", [node.left, node.right]
    if isinstance(node, ast.JoinedStr):
        return "", node.values
    if isinstance(node, ast.FormattedValue) and node.conversion in AS_TEXT and node.format_spec is None:
        return "", [node.value]
    if isinstance(node, ast.Call) and name_of(node.func) == "join" and isinstance(node.func, ast.Attribute):
        # `str.join("_", words)` is `"_".join(words)`.
        separator, *words = [node.func.value, *node.args][-2:]
        if words and isinstance(words[0], ast.List | ast.Tuple):
            return texts.get(id(separator)), words[0].elts
    return None, []


def _dotted_name(node: ast.AST) -> str:
    """Return a name with the attributes after it; `ast.unparse` calls itself for each of them."""
    names = [name_of(node)]
    while isinstance(node, ast.Attribute):
        node = node.value
        names.append(name_of(node))
    return ".".join(reversed(names))


def _taken_by_import(node: ast.Import | ast.ImportFrom, allowed: Set[str]) -> set[str]:
    packages = {module.split(".")[0] for module in _modules(node)}
    # The course's solutions are there only where an exercise builds on them.
    names = _inside(node) - (course_names().names if "solutions" in packages else allowed) - {"*"}
    # What learners use of the grader is no part of it.
    of_the_grader = {"autograder" for module in _modules(node) if module.startswith("autograder.")}
    return packages - course_names().modules | names | of_the_grader


def _imported(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names of modules, and of what is imported or taken from a module by its name alone."""
    words = [_words_of(statement) for statement in statements]
    names = {name for w in words for name in w.imported}
    for root, targets in (assignment for w in words for assignment in w.assignments):
        if root in names:
            names |= targets
    return names


def _bound_by(node: ast.AST) -> set[str]:
    """Return the names that a node binds: variables, arguments, definitions and attributes of its own objects."""
    if isinstance(node, ast.Name | ast.Attribute):
        return {name_of(node)} if not isinstance(node.ctx, ast.Load) else set()
    words = (getattr(node, field, None) for field in ("name", "arg", "rest"))
    return {word for word in words if isinstance(word, str)}


def _roots(nodes: Sequence[ast.AST]) -> dict[int, str]:
    """Return for the `id` of each name's and attribute's node the name that its chain begins with. nodes: outer ones first."""
    roots: dict[int, str] = {}
    for node in reversed(nodes):
        if isinstance(node, ast.Name):
            roots[id(node)] = node.id
        elif isinstance(node, ast.Attribute):
            roots[id(node)] = roots.get(id(node.value), "")
    return roots


class CourseNames(NamedTuple):
    """Attributes and imported names of the solutions and the chapters, with everyday ones; and what these import."""

    names: frozenset[str]
    modules: frozenset[str]


@cache
def course_names() -> CourseNames:
    """Return the names and the packages in the code of the solutions and of the chapters' own cells."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "solutions").rglob("*.py")]
    for path in (BOOK / "chapters").glob("*.ipynb"):
        texts += [source for _, _, source in code_cells(path.read_text(encoding="utf-8"))]
    names: set[str] = set()
    packages: set[str] = set()
    for node in (node for text in texts for node in ast.walk(ast.parse(text))):
        if isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            packages |= {module.split(".")[0] for module in _modules(node)}
            names |= _inside(node)
    hidden = {word for word in names if word.startswith("_") and word != "__init__"}
    everyday = (names - hidden | EVERYDAY) - NOT_FOR_ANSWERS - TO_NUMPY
    return CourseNames(frozenset(everyday), frozenset(packages - NOT_FOR_ANSWERS | MODULES))


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]


def _inside(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Return what an import names inside of packages."""
    parts = {part for module in _modules(node) for part in module.split(".")[1:]}
    return parts | ({alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set())

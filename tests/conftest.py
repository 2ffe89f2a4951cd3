"""Fixtures that several tests share, and which tests belong to a topic.

Chapters are run by nbval in the same run as the tests (`pytest tests chapters --nbval`), each by one process.
Two marks say what `make test` leaves to `make ci` (`tests/quick.py`): `slow`, written where a test is, and `browser`,
given to each test that asks for the fixture of that name. `--topic NAME` runs the tests of one topic.

With pytest-xdist the process that distributes the tests reads this file too, and its workers wait for it: what
imports the frameworks (`tests.support`) is imported where it is used.
"""

import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from autograder.checking import shown_verdict, solved
from autograder.frameworks import libraries
from autograder.grade.workers import Zygote
from autograder.model.catalogue import all_exercises, topics
from autograder.model.exercise import Exercise
from tests import quick

collect_ignore = ["sample_class"]  # what learners hand in
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_addoption(parser):
    parser.addoption(
        "--landlock", help="Versions of Landlock, such as 1,2,3, under which tests/sandbox runs submissions."
    )
    parser.addoption("--all-copies", action="store_true", help="Run the learner's copies of all chapters.")
    parser.addoption(
        "--all-seeds",
        action="store_true",
        help="Judge each misconception on 50 seeds, not on 2 of them; in each framework on 8, and each solution on 50, not on 1.",
    )
    parser.addoption(
        "--newest-sphinx", help="Build the book with the newest Sphinx under this Python, such as 3.13."
    )
    parser.addoption(
        "--unlocked",
        action="store_true",
        help="Workers are forks of the tests' process, without the lock: for mutants of what runs there.",
    )
    quick.add_options(parser)
    parser.addoption("--topic", help="Only the tests of this topic, such as masked_softmax.")


def pytest_configure(config):
    # In the background of a script a shell has programs ignore Ctrl-C, and nohup has them ignore that the terminal
    # is closed; so do those that they start.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    # A library of the system's is missing: one sentence in place of thousands of failures.
    if not hasattr(config, "workerinput") and find_spec("mxnet") and libraries.mx is None:
        pytest.exit(libraries.WITHOUT_MXNET, returncode=1)
    if config.getoption("--nbval", False) and sys.platform == "linux":
        from tests.warm_kernels import fork_kernels

        fork_kernels()
    topic = config.getoption("--topic")
    if topic is not None and topic not in topics():
        raise pytest.UsageError(f"There is no topic {topic!r}. Use one of: {', '.join(topics())}.")


@pytest.hookimpl(tryfirst=True)  # before the marks are asked for by -m
def pytest_collection_modifyitems(config, items):
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures:
            item.add_marker("browser")
        if item.path.suffix == ".ipynb":  # its cells share a kernel
            item.add_marker(pytest.mark.xdist_group(item.path.name))
        if "sample_folder" in fixtures:  # built by one process, which builds it again for some tests
            item.add_marker(pytest.mark.xdist_group("sample"))
    if not config.getoption("--all-copies"):
        items[:] = [item for item in items if item.get_closest_marker("all_copies") is None]
    choose(config, items, lambda item: not quick.is_left_out(item))
    if (topic := config.getoption("--topic")) is None:
        return
    before = len(items)
    choose(config, items, lambda item: belongs_to(item, topic))
    if before and not items:
        raise pytest.UsageError(
            f"None of these tests belongs to the topic {topic!r}. Run `pytest tests --topic {topic}`: "
            f"tests/topics/test_{topic}.py, and each test whose parameter is the topic or one of its exercises."
        )


def choose(config, items, is_chosen):
    """Deselect all other items."""
    deselected = [item for item in items if not is_chosen(item)]
    items[:] = [item for item in items if is_chosen(item)]
    config.hook.pytest_deselected(items=deselected)


def pytest_runtest_setup(item):
    """A topic's test in MXNet is skipped, with the reason, where MXNet cannot be installed."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if item.path.parent.name == "topics" and "mxnet" in [p for p in parameters if isinstance(p, str)]:
        from tests.support import need

        need("mxnet")


def belongs_to(item, topic):
    """Whether a test is of the topic's chapter or has the name of the topic, or one of its parameters names it."""
    if item.path.stem in (topic, f"test_{topic}"):
        return True
    names = {topic, *(e.name for e in all_exercises().values() if e.topic == topic)}
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(named_by(parameter) in names for parameter in parameters)


def named_by(parameter):
    """What a parameter names: an exercise, a chapter's file, or itself if it is a text."""
    if isinstance(parameter, Exercise):
        return parameter.name
    if isinstance(parameter, Path):
        return parameter.stem
    return parameter if isinstance(parameter, str) else None


@pytest.fixture(autouse=True)
def nothing_is_remembered():
    """No answer stands in a reference's place, and no mark counts in another framework."""
    yield
    for (_, framework), (answer, reference) in solved._accepted.items():
        solved._replace(framework, answer, reference)
    solved._accepted.clear()
    solved._loaded.clear()
    shown_verdict._shares.clear()


@pytest.fixture(scope="session")
def zygote(request):
    """One warm process that forks workers, for the whole run; with --landlock one for each version."""
    from tests.support import UnlockedZygote

    unlocked = request.config.getoption("--unlocked")
    with UnlockedZygote() if unlocked else Zygote(landlock=getattr(request, "param", None)) as started:
        yield started


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """One Chromium for all tests of a process, with the same faces on every machine."""
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed: apt install chromium")
    from playwright.sync_api import expect, sync_playwright

    from tests.faces import without_the_machines
    from tests.support import PATIENCE

    environment = without_the_machines(tmp_path_factory.mktemp("faces"))
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS, env=environment)
        yield chromium
        chromium.close()

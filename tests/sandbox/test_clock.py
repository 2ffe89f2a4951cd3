"""The clock of deadlines: what counts, and what does not."""

import os
import time

import pytest

from autograder.sandbox import clock
from autograder.sandbox.clock import BUSY, SLEEPS, Clock


@pytest.fixture
def told(monkeypatch):
    """A clock at zero, and what it is told: the time, and nanoseconds of running and waiting, and turns."""
    numbers = {"time": 0.0, "ran": 0, "waited": 0, "turns": 1}
    monkeypatch.setattr(clock.time, "monotonic", lambda: numbers["time"])
    monkeypatch.setattr(clock, "_tells_waits", lambda: True)
    monkeypatch.setattr(Clock, "_numbers", lambda self: [numbers[n] for n in ("ran", "waited", "turns")])
    return Clock(), numbers


def test_what_a_process_waits_for_a_processor_does_not_count(told):
    found, numbers = told
    left = found.allow(5)
    numbers.update(time=7.0, waited=4_000_000_000)
    assert found.now() == 3 and left() == 2 and found.was_kept_waiting()
    numbers.update(time=9.0)
    assert left() == 0


def test_time_that_passes_while_nothing_is_waited_for_counts(told):
    """Such as that of one who sleeps."""
    found, numbers = told
    numbers.update(time=10.0, waited=int(10e9 * BUSY / 2))
    assert found.now() == 10 - 10 * BUSY / 2 and not found.was_kept_waiting()


def test_a_deadline_is_not_over_while_a_wait_lasts(told, monkeypatch):
    """The kernel adds a wait when it ends."""
    found, numbers = told
    left = found.allow(5)
    monkeypatch.setattr(found, "_is_runnable", lambda: True)
    monkeypatch.setattr(clock.time, "sleep", lambda seconds: numbers.update(waited=6_000_000_000, turns=2))
    numbers.update(time=6.0)
    assert left() == 5


def test_where_waits_are_not_told_processor_time_counts_and_sleep_in_part(monkeypatch):
    monkeypatch.setattr(clock, "_tells_waits", lambda: False)
    found, begun, worked = Clock(), time.monotonic(), time.process_time()
    while time.process_time() < worked + 0.1:
        pass
    assert found.now() >= 0.1
    assert Clock().now() < 0.1
    time.sleep(0.05)
    assert found.now() >= (time.monotonic() - begun) / SLEEPS * 0.99


def test_of_a_process_that_is_gone_the_last_is_known():
    pid = os.fork()
    if not pid:
        time.sleep(60)
        os._exit(0)
    found = Clock(pid)
    before = found.waited()
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    assert found.waited() >= before and found.allow(5)() > 0

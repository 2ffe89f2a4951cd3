"""The clock of time limits: what counts, and what does not."""

import os
import time

import pytest

from autograder.sandbox import clock
from autograder.sandbox.clock import BUSY, SLEEPS, Clock


@pytest.fixture
def clock_and_numbers(monkeypatch):
    """A clock at zero, and what it is told: the time, and nanoseconds of running and waiting, and turns."""
    numbers = {"time": 0.0, "ran": 0, "waited": 0, "turns": 1}
    monkeypatch.setattr(clock.time, "monotonic", lambda: numbers["time"])
    monkeypatch.setattr(clock, "_tells_waits", lambda: True)
    monkeypatch.setattr(Clock, "_numbers", lambda self: [numbers[n] for n in ("ran", "waited", "turns")])
    return Clock(), numbers


def test_what_a_process_waits_for_a_processor_does_not_count(clock_and_numbers):
    process_clock, numbers = clock_and_numbers
    remaining = process_clock.allow(5)
    numbers.update(time=7.0, waited=4_000_000_000)
    assert process_clock.now() == 3 and remaining() == 2 and process_clock.was_kept_waiting()
    numbers.update(time=9.0)
    assert remaining() == 0


def test_time_that_passes_while_nothing_is_waited_for_counts(clock_and_numbers):
    """Such as that of one who sleeps."""
    process_clock, numbers = clock_and_numbers
    numbers.update(time=10.0, waited=int(10e9 * BUSY / 2))
    assert process_clock.now() == 10 - 10 * BUSY / 2 and not process_clock.was_kept_waiting()


def test_a_deadline_is_not_over_while_a_wait_lasts(clock_and_numbers, monkeypatch):
    """The kernel adds a wait when it ends."""
    process_clock, numbers = clock_and_numbers
    remaining = process_clock.allow(5)
    monkeypatch.setattr(process_clock, "_is_runnable", lambda: True)
    monkeypatch.setattr(clock.time, "sleep", lambda seconds: numbers.update(waited=6_000_000_000, turns=2))
    numbers.update(time=6.0)
    assert remaining() == 5


def test_where_waits_are_not_told_processor_time_counts_and_sleep_in_part(monkeypatch):
    monkeypatch.setattr(clock, "_tells_waits", lambda: False)
    process_clock, begun, worked = Clock(), time.monotonic(), time.process_time()
    while time.process_time() < worked + 0.1:
        pass
    assert process_clock.now() >= 0.1
    assert Clock().now() < 0.1
    time.sleep(0.05)
    assert process_clock.now() >= (time.monotonic() - begun) / SLEEPS * 0.99


def test_of_a_process_that_is_gone_the_last_is_known():
    pid = os.fork()
    if not pid:
        time.sleep(60)
        os._exit(0)
    process_clock = Clock(pid)
    before = process_clock.waited()
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    assert process_clock.waited() >= before and process_clock.allow(5)() > 0

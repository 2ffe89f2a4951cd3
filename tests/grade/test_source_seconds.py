"""The time for running a source can be chosen, and what was stopped is tried again when it is given more."""

from dataclasses import replace

from autograder.model.assignment import Deadlines
from autograder.model.catalogue import all_exercises
from tests import classes, support


def test_a_cell_runs_to_its_end_when_it_is_given_more_time(zygote):
    late = f"import time\ntime.sleep(2)\nlate = True\n{support.RIGHT}\nassert late\n"
    masked = [all_exercises()["masked_softmax"]]
    stopped, whole = (
        support.graded(
            zygote, late, "a.py", masked, deadlines=Deadlines(source_seconds=seconds, call_seconds=10)
        )[0].message
        for seconds in (1, 20)
    )
    assert "(Line 2 of a.py took too long and was stopped" in stopped
    assert "too long" not in whole


def test_results_depend_on_the_time_for_a_source():
    longer = replace(classes.RUN, deadlines=replace(classes.RUN.deadlines, source_seconds=40))
    assert longer.asked != classes.RUN.asked

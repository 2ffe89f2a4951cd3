"""Which answers may be judged in one process: none that finds a neighbour's solution there."""

from autograder.grade.one_submission import _may_share_a_worker
from autograder.model.catalogue import all_exercises


def test_what_builds_on_its_own_topic_has_a_worker_of_its_own():
    """There the reference of a neighbour of its topic is provided, which another answer must not find."""
    answers = [(exercise, "torch") for exercise in all_exercises().values()]
    apart = {exercise.name for exercise, _ in answers if exercise.topic in exercise.builds_on}
    shared = [exercise for exercise, _ in _may_share_a_worker(answers)]
    assert apart and {exercise.name for exercise in shared} == set(all_exercises()) - apart
    provided = set()
    for exercise in shared:
        provided |= set(exercise.builds_on)
        assert exercise.topic not in provided, exercise.name

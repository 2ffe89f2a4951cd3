"""Guests and rooms: a task of associative recall, in which a model is asked for what it has read.

Arora et al. (2023) measure models by such tasks.
"""

import numpy as np

NAMES, ROOMS = 32, 8


def stream(
    rng: np.random.Generator, batch: int, length: int = 32, moves: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return names, rooms, questions and answers, whole numbers of shape (batch, length).

    At each step a guest takes a room, and the room of one of the guests so far is asked for. Each name comes once;
    with `moves` there are half as many, they come again, and the latest room is right.
    """
    if moves:
        names = rng.integers(NAMES // 2, size=(batch, length))
    else:
        names = rng.permuted(np.tile(np.arange(NAMES), (batch, 1)), axis=1)[:, :length]
    rooms = rng.integers(ROOMS, size=(batch, length))
    step = np.arange(length)
    place = (rng.random((batch, length)) * (step + 1)).astype(int)
    questions = np.take_along_axis(names, place, axis=1)
    matches = (names[:, None] == questions[:, :, None]) & (step <= step[:, None])
    latest = np.where(matches, step, -1).max(axis=2)
    return names, rooms, questions, np.take_along_axis(rooms, latest, axis=1)

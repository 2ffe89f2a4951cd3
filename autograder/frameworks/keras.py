"""Keras, on the PyTorch backend: a third form of some layers, shown and not graded."""

from autograder.frameworks.base import Framework

FRAMEWORK = Framework(
    name="keras",
    title="Keras",
    position=3,
    colours=("#a61e4d", "#f08cae"),
    packages=("keras",),
    needs=("torch",),
)

"""The frameworks for the chapters, with what each needs in order to be imported; None where one is not installed."""

from autograder.frameworks.libraries import __getattr__ as __getattr__

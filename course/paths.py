"""Where the course lies, for the chapters."""

from autograder.model.paths import ROOT as ROOT

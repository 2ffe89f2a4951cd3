"""The exercises as data, one module for each topic."""

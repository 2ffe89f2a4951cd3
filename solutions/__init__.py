"""Reference solutions: for each topic `in_numpy` (float64), `in_mxnet` and `in_torch`."""

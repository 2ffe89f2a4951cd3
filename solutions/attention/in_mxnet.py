"""Attention as a weighted sum in MXNet."""

from mxnet import autograd, gluon, init, nd

from solutions.attention.common import (
    after_permuting,  # noqa: F401
    predict_shapes,  # noqa: F401
)


def attention_pooling(weights, values):
    """Weighted sums of the values, one for each query.

    weights: (batch, num_queries, num_keys)
    values: (batch, num_keys, d_v)
    """
    return nd.batch_dot(weights, values)


def nadaraya_watson(queries, keys, values, width):
    """Kernel regression: near keys count more.

    queries: (batch, num_queries, d_k)
    keys: (batch, num_keys, d_k)
    values: (batch, num_keys, d_v)
    width: (1,), the Gaussian's standard deviation
    """
    # Every query with every key.
    gaps = queries.expand_dims(2) - keys.expand_dims(1)
    distances = (gaps**2).sum(axis=-1)
    # Softmax takes the exponential and normalises.
    scores = -distances / (2 * width**2)
    weights = scores.softmax(axis=-1)
    return nd.batch_dot(weights, values)


class LearnedWidth(gluon.Block):
    """Kernel regression with a learned width."""

    def __init__(self, width):
        super().__init__()
        start = init.Constant(width)
        self.width = self.params.get(
            "width",
            shape=(1,),
            init=start,
        )

    def forward(self, queries, keys, values):
        """Arguments as in nadaraya_watson."""
        width = self.width.data()
        return nadaraya_watson(queries, keys, values, width)


def fit(model, data, target, rate, steps):
    """Plain gradient descent on the squared error.

    data: queries (n, 1, d), keys and values (n, m, ...)
    target: (n,)
    Returns the last step's loss.
    """
    rule = {"learning_rate": rate}
    parameters = model.collect_params()
    trainer = gluon.Trainer(parameters, "sgd", rule)
    for _ in range(steps):
        with autograd.record():
            errors = model(*data)[:, 0, 0] - target
            loss = (errors**2).mean()
        loss.backward()
        # The mean is taken already: a batch of one.
        trainer.step(1)
    return loss.asscalar()

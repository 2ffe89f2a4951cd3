"""Soft and hard attention in MXNet."""

from mxnet import gluon, nd

from solutions.soft_hard.common import (
    kind_of_attention,  # noqa: F401
)


def soft_context(features, scores):
    """The mean of all patches, weighted.

    features: (batch, num_patches, d)
    scores: (batch, num_patches)
    """
    weights = scores.softmax(axis=-1)
    parts = weights.expand_dims(-1) * features
    return parts.sum(axis=1), weights


def draw(weights, u):
    """Sample one patch from each row of weights.

    weights: (batch, num_patches)
    u: (batch,), uniform in [0, 1)
    """
    last = weights.shape[-1] - 1
    below = nd.cumsum(weights, axis=1) < u.expand_dims(-1)
    return below.sum(axis=-1).clip(0, last)


def hard_context(features, index):
    """The sampled patch alone, as the context.

    features: (batch, num_patches, d)
    index: (batch,)
    """
    rows = nd.arange(len(features))
    return nd.gather_nd(features, nd.stack(rows, index))


def reinforce_loss(scores, index, rewards, baseline):
    """A loss with REINFORCE's gradient.

    scores: (batch, num_patches)
    index: (batch,), the patches that were drawn
    rewards: a number for each, without a gradient
    baseline: a number for all
    """
    log_weights = scores.log_softmax(axis=-1)
    picked = nd.pick(log_weights, index, axis=-1)
    advantage = nd.array(rewards) - baseline
    return -advantage * picked


def doubly_stochastic_penalty(weights):
    """The squared distance of each patch's sum from 1.

    weights: (batch, num_steps, num_patches)
    """
    return ((1 - weights.sum(axis=1)) ** 2).sum(axis=-1)


class Reader(gluon.Block):
    """Features and scores of patches, and a classifier.

    patches: (batch, num_patches, pixels)
    """

    def __init__(self, pixels, units, hidden, classes):
        super().__init__()

        def dense(rows, columns, **kw):
            kw |= {"flatten": False, "in_units": columns}
            return gluon.nn.Dense(rows, **kw)

        self.feature = dense(units, pixels)
        self.W_a = dense(hidden, units)
        self.v_a = dense(1, hidden, use_bias=False)
        self.out = dense(classes, units)

    def forward(self, patches):
        features = self.feature(patches).relu()
        hidden = self.W_a(features).tanh()
        return features, self.v_a(hidden).squeeze(-1)


def load(module, weights):
    """Give a module its weights, by name.

    weights: NumPy arrays
    """
    module.initialize()
    found = module._collect_params_with_prefix()
    for name, value in weights.items():
        found[name].set_data(nd.array(value))
    return module


def read(reader, patches, hard):
    """Answers and weights as NumPy arrays.

    patches: (batch, num_patches, pixels), NumPy
    hard: only the patch with the largest weight
    """
    features, scores = reader(nd.array(patches))
    context, weights = soft_context(features, scores)
    if hard:
        best = scores.argmax(axis=-1)
        context = hard_context(features, best)
    answers = reader.out(context).argmax(axis=-1)
    return answers.asnumpy(), weights.asnumpy()

"""Sentiment with attention in MXNet."""

from mxnet import autograd, gluon, init, nd

from solutions.pooling.in_mxnet import FeedForwardPooling


def pool_over_time(states, valid_length):
    """Mean, maximum and last of the states that count.

    states: (batch, num_steps, features)
    valid_length: (batch,), each at least 1
    """
    positions = nd.arange(states.shape[1]).expand_dims(0)
    lengths = valid_length.expand_dims(1)
    mask = (positions < lengths).expand_dims(-1)
    mean = (states * mask).sum(axis=1) / lengths
    # Not 0: all states may be negative.
    filled = states * mask - 1e30 * (1 - mask)
    maximum = filled.max(axis=1)
    at_end = (positions == lengths - 1).expand_dims(-1)
    last = (states * at_end).sum(axis=1)
    return mean, maximum, last


def hierarchical_attention(
    states,
    valid_length,
    word_query,
    sentence_query,
):
    """Attention over words, then over sentences.

    states: (batch, num_sentences, num_steps, features)
    valid_length: (batch, num_sentences), 0 for a sentence
        without words
    word_query, sentence_query: (features,)
    """
    positions = nd.arange(states.shape[2])
    mask = positions < valid_length.expand_dims(-1)
    scores = nd.dot(states, word_query)
    scores = scores * mask - 1e30 * (1 - mask)
    # Times the mask, for sentences without words.
    word_weights = scores.softmax(axis=-1) * mask
    weighted = word_weights.expand_dims(-1) * states
    sentences = weighted.sum(axis=2)
    has_words = valid_length > 0
    scores = nd.dot(sentences, sentence_query)
    scores = scores * has_words - 1e30 * (1 - has_words)
    sentence_weights = scores.softmax(axis=1)
    weighted = sentence_weights.expand_dims(-1) * sentences
    context = weighted.sum(axis=1)
    return context, sentence_weights, word_weights


class Recurrent(gluon.nn.Block):
    """An LSTM in both directions: a state sees all words.

    features: the size of an embedded word
    units: the size of a state in one direction
    """

    def __init__(self, features, units):
        super().__init__()
        # Two of them: one cannot skip the padding.
        size = {"input_size": features}
        self.there = gluon.rnn.LSTM(units, **size)
        self.back = gluon.rnn.LSTM(units, **size)

    def forward(self, X, valid_length):
        """States (batch, num_steps, 2 * units).

        X: (batch, num_steps, features)
        valid_length: (batch,)
        """
        # Reversed by length, so that no direction reads the
        # padding before a word.
        lengths = {
            "sequence_length": valid_length,
            "use_sequence_length": True,
        }
        words = X.swapaxes(0, 1)
        turned = nd.SequenceReverse(words, **lengths)
        back = self.back(turned)
        back = nd.SequenceReverse(back, **lengths)
        states = nd.concat(self.there(words), back, dim=-1)
        states = nd.SequenceMask(states, **lengths)
        return states.swapaxes(0, 1)


class Convolution(gluon.nn.Block):
    """Windows of five words: a state sees two on each side.

    features: the size of an embedded word
    units: half the size of a state
    """

    def __init__(self, features, units):
        super().__init__()
        # The numbers of five words side by side.
        self.window = gluon.nn.Dense(
            2 * units,
            activation="tanh",
            flatten=False,
            in_units=5 * features,
        )

    def forward(self, X, valid_length):
        """States (batch, num_steps, 2 * units).

        X: (batch, num_steps, features)
        valid_length: (batch,)
        """
        # A window at the end must not see the padding.
        words = nd.SequenceMask(
            X,
            valid_length,
            use_sequence_length=True,
            axis=1,
        )
        edge = nd.zeros((X.shape[0], 2, X.shape[2]))
        padded = nd.concat(edge, words, edge, dim=1)
        n = X.shape[1]
        windows = [padded[:, i : i + n] for i in range(5)]
        return self.window(nd.concat(*windows, dim=-1))


class Classifier(gluon.nn.Block):
    """Embedding, encoder, pooling, and a linear output.

    num_words: the size of the vocabulary
    size: of an embedded word, and half of a state
    encoder: Recurrent or Convolution
    pooling: "attention", "mean", "maximum" or "last"
    dropout: the share of embedded numbers dropped
    """

    def __init__(
        self,
        num_words,
        size,
        encoder,
        pooling,
        dropout=0,
    ):
        super().__init__()
        self.embedding = gluon.nn.Embedding(
            num_words,
            size,
            weight_initializer=init.Normal(1),
        )
        self.dropout = gluon.nn.Dropout(dropout)
        self.encoder = encoder(size, size)
        self.pooling = pooling
        if pooling == "attention":
            self.attention = FeedForwardPooling(2 * size)
        self.output = gluon.nn.Dense(
            1,
            flatten=False,
            in_units=2 * size,
        )

    def forward(self, tokens, valid_length):
        """Verdict (batch,): above 0 is praise.

        tokens: (batch, num_steps)
        valid_length: (batch,)
        """
        words = self.dropout(self.embedding(tokens))
        return self.classify(words, valid_length)

    def classify(self, words, valid_length):
        """The same from embedded words.

        words: (batch, num_steps, size)
        valid_length: (batch,)
        """
        states = self.encoder(words, valid_length)
        # The verdict of each state alone.
        self.votes = self.output(states).squeeze(axis=-1)
        context = self.pool(states, valid_length)
        return self.output(context).squeeze(axis=-1)

    def pool(self, states, valid_length):
        """One vector (batch, 2 * size) for each review.

        states: (batch, num_steps, 2 * size)
        valid_length: (batch,)
        """
        num_steps = states.shape[1]
        positions = nd.arange(num_steps).expand_dims(0)
        mask = positions < valid_length.expand_dims(1)
        if self.pooling == "attention":
            pooled = self.attention(states, mask)
            context, self.weights = pooled
            return context
        pooled = pool_over_time(states, valid_length)
        mean, maximum, last = pooled
        if self.pooling == "mean":
            return mean
        if self.pooling == "maximum":
            return maximum
        # The backward direction ends at the first word.
        half = states.shape[-1] // 2
        ends = [last[:, :half], states[:, 0, half:]]
        return nd.concat(*ends, dim=-1)


def training_step(model, rate, penalty=None):
    """A function that makes one step of Adam on a batch.

    model: a Classifier
    rate: the learning rate
    penalty: a term added to the loss, a function of the
        weights and of the words marked in the batch
    """
    settings = {"learning_rate": rate}
    weights = model.collect_params()
    adam = gluon.Trainer(weights, "adam", settings)
    cross_entropy = gluon.loss.SigmoidBCELoss()

    def step(tokens, valid_length, labels, marked=None):
        with autograd.record():
            verdict = model(tokens, valid_length)
            loss = cross_entropy(verdict, labels).mean()
            if penalty is not None:
                loss = loss + penalty(model.weights, marked)
        loss.backward()
        adam.step(1)

    return step

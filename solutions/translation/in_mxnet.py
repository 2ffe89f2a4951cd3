"""Translation with additive attention in MXNet."""

from mxnet import autograd, gluon, nd

from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.score_functions.in_mxnet import (
    Attention,
    make_score,
)
from solutions.translation.common import best_sentence


class DecoderStep(gluon.Block):
    """One decoder step: attention, then the new state.

    d_y, d_s, d_h: sizes of word, state, encoder output
    units: of the hidden layer that scores
    vocabulary_size: of the words to choose from
    """

    def __init__(
        self,
        d_y,
        d_s,
        d_h,
        units,
        vocabulary_size,
    ):
        super().__init__()
        # No bias; all axes but the last stay.
        options = {"use_bias": False, "flatten": False}
        dense = gluon.nn.Dense
        self.W_q = dense(units, in_units=d_s, **options)
        self.W_k = dense(units, in_units=d_h, **options)
        self.w_v = dense(1, in_units=units, **options)
        self.W_s = dense(d_s, in_units=d_s, **options)
        self.W_y = dense(d_s, in_units=d_y, **options)
        self.W_c = dense(d_s, in_units=d_h, **options)
        both, size = d_s + d_h, vocabulary_size
        self.W_o = dense(size, in_units=both, **options)

    def forward(
        self,
        y,  # (batch, d_y), the word before
        state,  # (batch, d_s), the previous state
        outputs,  # (batch, num_keys, d_h), the encoder's
        valid_length,  # (batch,)
    ):
        """Scores of the words, the new state, the weights.

        (batch, size), (batch, d_s) and (batch, num_keys)
        """
        # The query is s_{i-1}: s_i depends on the context.
        query = self.W_q(state).expand_dims(1)
        features = (query + self.W_k(outputs)).tanh()
        # (batch, 1, num_keys): the softmax is over keys.
        scores = self.w_v(features).swapaxes(1, 2)
        weights = masked_softmax(scores, valid_length)
        context = nd.batch_dot(weights, outputs).squeeze(1)
        new = self.W_s(state) + self.W_y(y)
        state = (new + self.W_c(context)).tanh()
        both = nd.concat(state, context, dim=1)
        return self.W_o(both), state, weights.squeeze(1)


def query_weights(y, state, outputs, valid_length, W):
    """Weights over the encoder's outputs, from [y; s].

    y: (batch, d_y), the word before
    state: (batch, d_s), the previous state
    outputs: (batch, num_keys, d_h)
    valid_length: (batch,)
    W: (d_h, d_y + d_s)
    """
    query = nd.dot(nd.concat(y, state, dim=1), W.T)
    # The dot product of each output with the query.
    scores = nd.batch_dot(outputs, query.expand_dims(2))
    scores = scores.swapaxes(1, 2)
    return masked_softmax(scores, valid_length).squeeze(1)


def depends_on(weights_of, y, state, outputs, length, W):
    """Which inputs the weights have a gradient for.

    weights_of: a function such as query_weights
    The other arguments are those of query_weights.
    """
    inputs = {"y": y, "state": state, "outputs": outputs}
    for array in inputs.values():
        array.attach_grad()
    with autograd.record():
        weights = weights_of(y, state, outputs, length, W)
        # A plain sum is constant: each row sums to 1.
        factors = nd.arange(weights.shape[1])
        total = (weights * factors).sum()
    total.backward()
    norms = {n: a.grad.norm() for n, a in inputs.items()}
    return [name for name in norms if norms[name] > 0]


def masked_loss(scores, wanted, length):
    """Mean cross-entropy of the words, without padding.

    scores: (batch, num_steps, vocabulary_size)
    wanted: (batch, num_steps), the right words
    length: (batch,), how many of them count
    Returns (1,)
    """
    log_probs = scores.log_softmax(axis=-1)
    picked = nd.pick(log_probs, wanted, axis=2)
    positions = nd.arange(wanted.shape[1]).expand_dims(0)
    mask = positions < length.expand_dims(1)
    total = (picked * mask).sum(axis=(0, 1))
    # One mean over all words of the batch.
    return -total / mask.sum()


def beam_step(log_probs, totals, finished, end):
    """The best continuations of all hypotheses together.

    log_probs: (beam, vocabulary_size), of the next word
    totals: (beam,), log-probability of each hypothesis
    finished: (beam,), 1 where it has ended, or else 0
    end: the number of the token that ends a sentence
    Returns the new totals, the hypotheses that they
    continue and the words that they add, (beam,) each.
    """
    beam, size = log_probs.shape
    # A finished one only adds `end`, at no cost.
    stay = (nd.arange(size) != end) * -1e9
    stay = stay.broadcast_like(log_probs)
    done = finished.expand_dims(1).broadcast_like(stay)
    added = nd.where(done, stay, log_probs)
    every = (totals.expand_dims(1) + added).reshape(-1)
    totals, index = every.topk(k=beam, ret_typ="both")
    return totals, (index / size).floor(), index % size


class Encoder(gluon.Block):
    """A bidirectional GRU over the source.

    num_hiddens: of an output, half from each direction
    """

    def __init__(
        self,
        vocabulary_size,
        embed_size,
        num_hiddens,
        dropout,
    ):
        super().__init__()
        v, e = vocabulary_size, embed_size
        half = num_hiddens // 2
        self.embedding = gluon.nn.Embedding(v, e)
        self.dropout = gluon.nn.Dropout(dropout)
        # On a CPU its GRU takes no lengths: hence two GRUs.
        options = {"layout": "NTC", "input_size": e}
        self.rnn = gluon.rnn.GRU(half, **options)
        self.rnn_reverse = gluon.rnn.GRU(half, **options)

    def forward(self, tokens, valid_length):
        """Outputs h_j, and the last state.

        tokens: (batch, num_source)
        valid_length: (batch,)
        Returns (batch, num_source, num_hiddens) and
        (batch, num_hiddens).
        """
        X = self.dropout(self.embedding(tokens))
        # Reversed within its length: padding stays last.
        ahead = self.rnn(X)
        back = self.rnn_reverse(reverse(X, valid_length))
        use = {"use_sequence_length": True, "axis": 1}
        both = nd.concat(ahead, back, dim=2)
        last = nd.SequenceLast(both, valid_length, **use)
        back = reverse(back, valid_length)
        outputs = nd.concat(ahead, back, dim=2)
        return outputs, last


def reverse(X, valid_length):
    """Each sentence with its words in reverse order.

    X: (batch, num_source, size); padding stays in place
    valid_length: (batch,)
    """
    # SequenceReverse takes only (num_source, batch, size).
    X = X.swapaxes(0, 1)
    use = {"use_sequence_length": True}
    X = nd.SequenceReverse(X, valid_length, **use)
    return X.swapaxes(0, 1)


class Bottleneck(gluon.Block):
    """No attention: every query gets the last state."""

    def forward(self, queries, keys, values, valid_length):
        """As Attention, but the queries have no effect."""
        batch, num_keys, size = values.shape
        half = size // 2
        # The last output of each of the two directions.
        use = {"use_sequence_length": True, "axis": 1}
        ahead = values[:, :, :half]
        ahead = nd.SequenceLast(ahead, valid_length, **use)
        back = values[:, 0, half:]
        self.weights = nd.zeros((batch, 1, num_keys))
        return nd.concat(ahead, back, dim=1).expand_dims(1)


class Decoder(gluon.Block):
    """A GRU with attention to the source at each step.

    attention: (queries, keys, values, valid_length)
    gives contexts, and keeps weights
    """

    def __init__(
        self,
        vocabulary_size,
        embed_size,
        num_hiddens,
        attention,
        dropout,
    ):
        super().__init__()
        v, e, d = vocabulary_size, embed_size, num_hiddens
        self.embedding = gluon.nn.Embedding(v, e)
        self.dropout = gluon.nn.Dropout(dropout)
        self.attention = attention
        self.cell = gluon.rnn.GRUCell(d, input_size=e + d)
        # static_alloc=True would give wrong gradients.
        self.cell.hybridize()
        three = {"in_units": e + 2 * d, "flatten": False}
        self.hidden = gluon.nn.Dense(e, **three)
        one = {"in_units": e, "flatten": False}
        self.output = gluon.nn.Dense(v, **one)

    def embed(self, tokens):
        """Tokens of any shape; embed_size is added."""
        return self.dropout(self.embedding(tokens))

    def step(self, y, state, outputs, valid_length):
        """s_i = f(s_{i-1}, y_{i-1}, c_i)

        y: (batch, embed_size), the word before
        state: (batch, num_hiddens), s_{i-1}
        outputs: (batch, num_source, num_hiddens)
        valid_length: (batch,)
        Returns s_i, c_i and the weights of step i.
        """
        query, h = state.expand_dims(1), outputs
        # Keys and values are both the encoder's outputs.
        context = self.attention(query, h, h, valid_length)
        context = context.squeeze(1)
        weights = self.attention.weights.squeeze(1)
        both = nd.concat(y, context, dim=1)
        state, _ = self.cell(both, [state])
        return state, context, weights

    def words(self, y, state, context):
        """Scores of all words from y, state and context."""
        known = nd.concat(y, state, context, dim=-1)
        hidden = self.hidden(known).tanh()
        return self.output(self.dropout(hidden))

    def forward(self, tokens, state, outputs, length):
        """Teacher forcing: the right words go in.

        tokens: (batch, num_steps), shifted by one step
        Returns (batch, num_steps, vocabulary_size) and
        weights (batch, num_steps, num_source).
        """
        Y = self.embed(tokens)
        states, contexts, all_weights = [], [], []
        for y in unbind(Y):
            step = self.step(y, state, outputs, length)
            state, context, weights = step
            states.append(state)
            contexts.append(context)
            all_weights.append(weights)
        S = nd.stack(*states, axis=1)
        C = nd.stack(*contexts, axis=1)
        A = nd.stack(*all_weights, axis=1)
        return self.words(Y, S, C), A


def unbind(Y):
    """The steps of Y, (batch, num_steps, size), in turn."""
    n = Y.shape[1]
    steps = nd.split(Y, n, axis=1, squeeze_axis=True)
    # A single one comes without a list around it.
    return steps if n > 1 else [steps]


class Translator(gluon.Block):
    """An encoder and a decoder with attention.

    source_size, target_size: of the vocabularies
    score: a name in SCORES, or None for no attention
    """

    def __init__(
        self,
        source_size,
        target_size,
        embed_size,
        num_hiddens,
        score="additive",
        dropout=0.0,
        longest=64,
    ):
        super().__init__()
        e, d = embed_size, num_hiddens
        self.encoder = Encoder(source_size, e, d, dropout)
        if score is None:
            attention = Bottleneck()
        else:
            sizes = {"units": d // 2, "longest": longest}
            made = make_score(score, d=d, **sizes)
            attention = Attention(made)
        options = (e, d, attention, dropout)
        self.decoder = Decoder(target_size, *options)

    def forward(self, source, length, tokens):
        """Scores of the next words, and the weights.

        source: (batch, num_source)
        length: (batch,), of the source
        tokens: (batch, num_steps), shifted by one step
        """
        outputs, state = self.encoder(source, length)
        return self.decoder(tokens, state, outputs, length)


def greedy(model, source, length, start, steps):
    """Greedy search: the most probable word at each step.

    source: (batch, num_source)
    length: (batch,), of the source
    start: the number of the token that begins a sentence
    Returns (batch, steps) words and
    (batch, steps, num_source) weights.
    """
    outputs, state = model.encoder(source, length)
    decoder = model.decoder
    found, all_weights = [], []
    word = nd.full((len(source),), start)
    for _ in range(steps):
        y = decoder.embed(word)
        step = decoder.step(y, state, outputs, length)
        state, context, weights = step
        scores = decoder.words(y, state, context)
        word = scores.argmax(axis=-1)
        found.append(word)
        all_weights.append(weights)
    found = nd.stack(*found, axis=1)
    return found, nd.stack(*all_weights, axis=1)


def beam_search(model, source, start, end, beam, steps):
    """The best of `beam` hypotheses kept at each step.

    source: (1, num_source), one sentence
    Returns the words, a list, without start and end.
    """
    decoder = model.decoder
    length = nd.array([source.shape[1]])
    outputs, state = model.encoder(source, length)
    outputs = outputs.repeat(beam, axis=0)
    state = state.repeat(beam, axis=0)
    length = length.repeat(beam)
    word = nd.full((beam,), start)
    # The hypotheses begin equal: all but one get -1e9.
    totals = nd.full((beam,), -1e9)
    totals[0] = 0
    finished = nd.zeros(beam)
    sentences = [[] for _ in range(beam)]
    for _ in range(steps):
        y = decoder.embed(word)
        step = decoder.step(y, state, outputs, length)
        state, context, _ = step
        scores = decoder.words(y, state, context)
        log_probs = scores.log_softmax(axis=-1)
        step = beam_step(log_probs, totals, finished, end)
        totals, origin, word = step
        # The state and words of what each one continues.
        state, finished = state[origin], finished[origin]
        sentences = [sentences[i] for i in integers(origin)]
        for i, new in enumerate(integers(word)):
            sentences[i] = [*sentences[i], new]
        finished = nd.maximum(finished, word == end)
        if finished.min().asscalar() > 0:
            break
    totals = totals.asnumpy().tolist()
    return best_sentence(sentences, totals, end)


def integers(values):
    """MXNet's indices are floats; a list needs integers."""
    return values.asnumpy().astype(int).tolist()


def named_weights(model):
    """Every learned array by its name, as NumPy."""
    found = {}
    parameters = model._collect_params_with_prefix()
    for name, parameter in parameters.items():
        found[torch_name(name)] = parameter.data().asnumpy()
    return found


def set_weights(model, weights):
    """Fill a model's learned arrays by name; returns it.

    weights: NumPy arrays, named as in named_weights
    """
    model.initialize(force_reinit=True)
    parameters = model._collect_params_with_prefix()
    for name, parameter in parameters.items():
        value = nd.array(weights[torch_name(name)])
        parameter.set_data(value)
    return model


def torch_name(name):
    """PyTorch's name: weight_ih_l0 for i2h_weight."""
    name = name.replace("._unfused.0", "")
    head, _, last = name.rpartition(".")
    if "2h_" not in last:
        return name
    way, kind = last.split("_")
    last = f"{kind}_{way[0]}h"
    if ".rnn" in head:
        last += "_l0"
    if head.endswith("_reverse"):
        head = head.removesuffix("_reverse")
        last += "_reverse"
    return f"{head}.{last}"


class Training:
    """Adam with gradient clipping.

    rate: the learning rate
    limit: the largest norm that a gradient may have
    """

    def __init__(self, model, rate, limit=1.0):
        self.model, self.limit = model, limit
        # In the order of the layers: by name, dense10 precedes dense9.
        self.learned = list(model.collect_params().values())
        adam = ("adam", {"learning_rate": rate})
        self.optimiser = gluon.Trainer(self.learned, *adam)

    def step(self, source, length, target, target_length):
        """One step on one batch; returns its loss.

        source: (batch, num_source)
        length: (batch,), of the source
        target: (batch, num_steps + 1), start token first
        target_length: (batch,), words to predict
        """
        given, wanted = target[:, :-1], target[:, 1:]
        with autograd.record():
            scores, _ = self.model(source, length, given)
            counted = (wanted, target_length)
            loss = masked_loss(scores, *counted)
        loss.backward()
        gradients = [p.grad() for p in self.learned]
        gluon.utils.clip_global_norm(gradients, self.limit)
        # The loss is a mean already, so the divisor is 1.
        self.optimiser.step(1)
        return float(loss.asscalar())

    def set_rate(self, rate):
        """Change the learning rate."""
        self.optimiser.set_learning_rate(rate)

    def save(self, path):
        """Write Adam's state to a file."""
        self.optimiser.save_states(str(path))

    def load(self, path):
        """Read Adam's state from a file."""
        self.optimiser.load_states(str(path))

"""Translation with additive attention in PyTorch."""

import torch
from torch.nn.utils import rnn

from solutions.masked_softmax.in_torch import masked_softmax
from solutions.score_functions.in_torch import (
    Attention,
    make_score,
)
from solutions.translation.common import best_sentence


class DecoderStep(torch.nn.Module):
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
        options = {"bias": False}
        self.W_q = torch.nn.Linear(d_s, units, **options)
        self.W_k = torch.nn.Linear(d_h, units, **options)
        self.w_v = torch.nn.Linear(units, 1, **options)
        self.W_s = torch.nn.Linear(d_s, d_s, **options)
        self.W_y = torch.nn.Linear(d_y, d_s, **options)
        self.W_c = torch.nn.Linear(d_h, d_s, **options)
        both, size = d_s + d_h, vocabulary_size
        self.W_o = torch.nn.Linear(both, size, **options)

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
        query = self.W_q(state).unsqueeze(1)
        features = (query + self.W_k(outputs)).tanh()
        # (batch, 1, num_keys): the softmax is over keys.
        scores = self.w_v(features).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        context = torch.bmm(weights, outputs).squeeze(1)
        new = self.W_s(state) + self.W_y(y)
        state = (new + self.W_c(context)).tanh()
        both = torch.cat([state, context], dim=1)
        return self.W_o(both), state, weights.squeeze(1)


def query_weights(y, state, outputs, valid_length, W):
    """Weights over the encoder's outputs, from [y; s].

    y: (batch, d_y), the word before
    state: (batch, d_s), the previous state
    outputs: (batch, num_keys, d_h)
    valid_length: (batch,)
    W: (d_h, d_y + d_s)
    """
    query = torch.cat([y, state], dim=1) @ W.T
    # The dot product of each output with the query.
    scores = torch.bmm(outputs, query.unsqueeze(2))
    scores = scores.transpose(1, 2)
    return masked_softmax(scores, valid_length).squeeze(1)


def depends_on(weights_of, y, state, outputs, length, W):
    """Which inputs the weights have a gradient for.

    weights_of: a function such as query_weights
    The other arguments are those of query_weights.
    """
    inputs = {"y": y, "state": state, "outputs": outputs}
    for name, array in inputs.items():
        inputs[name] = array.detach().requires_grad_()
    weights = weights_of(*inputs.values(), length, W)
    # A plain sum is constant: each row sums to 1.
    n, device = weights.shape[1], weights.device
    factors = torch.arange(n, device=device)
    total = (weights * factors).sum()
    total.backward()
    # None: the weights are not computed from that input.
    found = {n: a.grad for n, a in inputs.items()}
    given = [n for n in found if found[n] is not None]
    return [n for n in given if found[n].norm() > 0]


def masked_loss(scores, wanted, length):
    """Mean cross-entropy of the words, without padding.

    scores: (batch, num_steps, vocabulary_size)
    wanted: (batch, num_steps), the right words
    length: (batch,), how many of them count
    Returns (1,)
    """
    log_probs = scores.log_softmax(dim=-1)
    picked = log_probs.gather(2, wanted.unsqueeze(2))
    steps, device = wanted.shape[1], wanted.device
    positions = torch.arange(steps, device=device)
    mask = positions < length.unsqueeze(1)
    total = (picked.squeeze(2) * mask).sum(dim=(0, 1))
    # One mean over all words of the batch.
    return (-total / mask.sum()).reshape(1)


def beam_step(log_probs, totals, finished, end):
    """The best continuations of all hypotheses together.

    log_probs: (beam, vocabulary_size), of the next word
    totals: (beam,), log-probability of each hypothesis
    finished: (beam,), true where it has ended
    end: the number of the token that ends a sentence
    Returns the new totals, the hypotheses that they
    continue and the words that they add, (beam,) each.
    """
    beam, size = log_probs.shape
    # A finished one only adds `end`, at no cost.
    words = torch.arange(size, device=log_probs.device)
    stay = (words != end) * -1e9
    done = finished.unsqueeze(1)
    added = torch.where(done, stay, log_probs)
    every = (totals.unsqueeze(1) + added).reshape(-1)
    totals, index = every.topk(beam)
    return totals, index // size, index % size


class Encoder(torch.nn.Module):
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
        self.embedding = torch.nn.Embedding(v, e)
        self.dropout = torch.nn.Dropout(dropout)
        self.rnn = torch.nn.GRU(
            e,
            half,
            batch_first=True,
            bidirectional=True,
        )

    def forward(self, tokens, valid_length):
        """Outputs h_j, and the last state.

        tokens: (batch, num_source)
        valid_length: (batch,)
        Returns (batch, num_source, num_hiddens) and
        (batch, num_hiddens).
        """
        X = self.dropout(self.embedding(tokens))
        # Packed: neither direction reads padding.
        X = rnn.pack_padded_sequence(
            X,
            valid_length.cpu(),  # PyTorch wants them there.
            batch_first=True,
            enforce_sorted=False,
        )
        outputs, last = self.rnn(X)
        outputs, _ = rnn.pad_packed_sequence(
            outputs,
            batch_first=True,
            total_length=tokens.shape[1],
        )
        return outputs, torch.cat([last[0], last[1]], dim=1)


class Bottleneck(torch.nn.Module):
    """No attention: every query gets the last state."""

    def forward(self, queries, keys, values, valid_length):
        """As Attention, but the queries have no effect."""
        batch, num_keys, size = values.shape
        half = size // 2
        # The last output of each of the two directions.
        ends = (valid_length - 1).reshape(-1, 1, 1)
        ends = ends.expand(batch, 1, half)
        ahead = values[:, :, :half].gather(1, ends)
        back = values[:, :1, half:]
        self.weights = values.new_zeros(batch, 1, num_keys)
        return torch.cat([ahead, back], dim=2)


class Decoder(torch.nn.Module):
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
        self.embedding = torch.nn.Embedding(v, e)
        self.dropout = torch.nn.Dropout(dropout)
        self.attention = attention
        self.cell = torch.nn.GRUCell(e + d, d)
        self.hidden = torch.nn.Linear(e + 2 * d, e)
        self.output = torch.nn.Linear(e, v)

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
        query, h = state.unsqueeze(1), outputs
        # Keys and values are both the encoder's outputs.
        context = self.attention(query, h, h, valid_length)
        context = context.squeeze(1)
        weights = self.attention.weights.squeeze(1)
        both = torch.cat([y, context], dim=1)
        return self.cell(both, state), context, weights

    def words(self, y, state, context):
        """Scores of all words from y, state and context."""
        known = torch.cat([y, state, context], dim=-1)
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
        for y in Y.unbind(1):
            step = self.step(y, state, outputs, length)
            state, context, weights = step
            states.append(state)
            contexts.append(context)
            all_weights.append(weights)
        S = torch.stack(states, dim=1)
        C = torch.stack(contexts, dim=1)
        A = torch.stack(all_weights, dim=1)
        return self.words(Y, S, C), A


class Translator(torch.nn.Module):
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


@torch.no_grad()
def greedy(model, source, length, start, steps):
    """Greedy search: the most probable word at each step.

    source: (batch, num_source)
    length: (batch,), of the source
    start: the number of the token that begins a sentence
    Returns (batch, steps) words and
    (batch, steps, num_source) weights.
    """
    model.eval()
    outputs, state = model.encoder(source, length)
    decoder = model.decoder
    found, all_weights = [], []
    word = torch.full_like(source[:, 0], start)
    for _ in range(steps):
        y = decoder.embed(word)
        step = decoder.step(y, state, outputs, length)
        state, context, weights = step
        scores = decoder.words(y, state, context)
        word = scores.argmax(dim=-1)
        found.append(word)
        all_weights.append(weights)
    found = torch.stack(found, dim=1)
    return found, torch.stack(all_weights, dim=1)


@torch.no_grad()
def beam_search(model, source, start, end, beam, steps):
    """The best of `beam` hypotheses kept at each step.

    source: (1, num_source), one sentence
    Returns the words, a list, without start and end.
    """
    model.eval()
    decoder = model.decoder
    length = source.new_tensor([source.shape[1]])
    outputs, state = model.encoder(source, length)
    outputs = outputs.repeat(beam, 1, 1)
    state = state.repeat(beam, 1)
    length = length.repeat(beam)
    word = length.new_full((beam,), start)
    # The hypotheses begin equal: all but one get -1e9.
    totals = state.new_full((beam,), -1e9)
    totals[0] = 0
    finished = torch.zeros_like(word, dtype=torch.bool)
    sentences = [[] for _ in range(beam)]
    for _ in range(steps):
        y = decoder.embed(word)
        step = decoder.step(y, state, outputs, length)
        state, context, _ = step
        scores = decoder.words(y, state, context)
        log_probs = scores.log_softmax(dim=-1)
        step = beam_step(log_probs, totals, finished, end)
        totals, origin, word = step
        # The state and words of what each one continues.
        state, finished = state[origin], finished[origin]
        sentences = [sentences[i] for i in origin.tolist()]
        for i, new in enumerate(word.tolist()):
            sentences[i] = [*sentences[i], new]
        finished = finished | (word == end)
        if finished.all():
            break
    return best_sentence(sentences, totals.tolist(), end)


def named_weights(model):
    """Every learned array by its name, as NumPy."""
    found = {}
    for name, parameter in model.named_parameters():
        found[name] = parameter.numpy(force=True).copy()
    return found


def set_weights(model, weights):
    """Fill a model's learned arrays by name; returns it.

    weights: NumPy arrays, named as in named_weights
    """
    for name, parameter in model.named_parameters():
        parameter.data = parameter.new_tensor(weights[name])
    return model


class Training:
    """Adam with gradient clipping.

    rate: the learning rate
    limit: the largest norm that a gradient may have
    """

    def __init__(self, model, rate, limit=1.0):
        self.model, self.limit = model, limit
        self.learned = list(model.parameters())
        learned, adam = self.learned, torch.optim.Adam
        self.optimiser = adam(learned, lr=rate)

    def step(self, source, length, target, target_length):
        """One step on one batch; returns its loss.

        source: (batch, num_source)
        length: (batch,), of the source
        target: (batch, num_steps + 1), start token first
        target_length: (batch,), words to predict
        """
        self.model.train()
        given, wanted = target[:, :-1], target[:, 1:]
        scores, _ = self.model(source, length, given)
        counted = (wanted, target_length)
        loss = masked_loss(scores, *counted)
        self.optimiser.zero_grad()
        loss.backward()
        clip = torch.nn.utils.clip_grad_norm_
        clip(self.learned, self.limit)
        self.optimiser.step()
        return loss.item()

    def set_rate(self, rate):
        """Change the learning rate."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def save(self, path):
        """Write Adam's state to a file."""
        torch.save(self.optimiser.state_dict(), path)

    def load(self, path):
        """Read Adam's state from a file."""
        kept = torch.load(path, weights_only=True)
        self.optimiser.load_state_dict(kept)

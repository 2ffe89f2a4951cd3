"""Sentiment with attention in PyTorch."""

import torch

from solutions.pooling.in_torch import FeedForwardPooling


def pool_over_time(states, valid_length):
    """Mean, maximum and last of the states that count.

    states: (batch, num_steps, features)
    valid_length: (batch,), each at least 1
    """
    num_steps, device = states.shape[1], states.device
    positions = torch.arange(num_steps, device=device)
    lengths = valid_length.unsqueeze(1)
    mask = (positions < lengths).unsqueeze(-1)
    mean = (states * mask).sum(dim=1) / lengths
    # Not 0: all states may be negative.
    filled = states.masked_fill(~mask, -1e30)
    maximum = filled.max(dim=1).values
    at_end = (positions == lengths - 1).unsqueeze(-1)
    last = (states * at_end).sum(dim=1)
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
    num_steps, device = states.shape[2], states.device
    positions = torch.arange(num_steps, device=device)
    mask = positions < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e30)
    # Times the mask, for sentences without words.
    word_weights = scores.softmax(dim=-1) * mask
    weighted = word_weights.unsqueeze(-1) * states
    sentences = weighted.sum(dim=2)
    has_words = valid_length > 0
    scores = sentences @ sentence_query
    scores = scores.masked_fill(~has_words, -1e30)
    sentence_weights = scores.softmax(dim=1)
    weighted = sentence_weights.unsqueeze(-1) * sentences
    context = weighted.sum(dim=1)
    return context, sentence_weights, word_weights


class Recurrent(torch.nn.Module):
    """An LSTM in both directions: a state sees all words.

    features: the size of an embedded word
    units: the size of a state in one direction
    """

    def __init__(self, features, units):
        super().__init__()
        self.lstm = torch.nn.LSTM(
            features,
            units,
            bidirectional=True,
            batch_first=True,
        )

    def forward(self, X, valid_length):
        """States (batch, num_steps, 2 * units).

        X: (batch, num_steps, features)
        valid_length: (batch,)
        """
        # Packed, so that no direction reads the padding.
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            X,
            valid_length.cpu(),  # PyTorch wants them there.
            batch_first=True,
            enforce_sorted=False,
        )
        states, _ = torch.nn.utils.rnn.pad_packed_sequence(
            self.lstm(packed)[0],
            batch_first=True,
            total_length=X.shape[1],
        )
        return states


class Convolution(torch.nn.Module):
    """Windows of five words: a state sees two on each side.

    features: the size of an embedded word
    units: half the size of a state
    """

    def __init__(self, features, units):
        super().__init__()
        # The numbers of five words side by side.
        self.window = torch.nn.Linear(
            5 * features,
            2 * units,
        )

    def forward(self, X, valid_length):
        """States (batch, num_steps, 2 * units).

        X: (batch, num_steps, features)
        valid_length: (batch,)
        """
        # A window at the end must not see the padding.
        n = X.shape[1]
        positions = torch.arange(n, device=X.device)
        mask = positions < valid_length.unsqueeze(1)
        words = X * mask.unsqueeze(-1)
        edge = torch.zeros_like(X[:, :2])
        padded = torch.cat([edge, words, edge], dim=1)
        windows = [padded[:, i : i + n] for i in range(5)]
        five = torch.cat(windows, dim=-1)
        return self.window(five).tanh()


class Classifier(torch.nn.Module):
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
        self.embedding = torch.nn.Embedding(num_words, size)
        self.dropout = torch.nn.Dropout(dropout)
        self.encoder = encoder(size, size)
        self.pooling = pooling
        if pooling == "attention":
            self.attention = FeedForwardPooling(2 * size)
        self.output = torch.nn.Linear(2 * size, 1)

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
        self.votes = self.output(states).squeeze(-1)
        context = self.pool(states, valid_length)
        return self.output(context).squeeze(-1)

    def pool(self, states, valid_length):
        """One vector (batch, 2 * size) for each review.

        states: (batch, num_steps, 2 * size)
        valid_length: (batch,)
        """
        num_steps, device = states.shape[1], states.device
        positions = torch.arange(num_steps, device=device)
        mask = positions < valid_length.unsqueeze(1)
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
        return torch.cat(ends, dim=-1)


def training_step(model, rate, penalty=None):
    """A function that makes one step of Adam on a batch.

    model: a Classifier
    rate: the learning rate
    penalty: a term added to the loss, a function of the
        weights and of the words marked in the batch
    """
    adam = torch.optim.Adam(model.parameters(), lr=rate)
    cross_entropy = torch.nn.BCEWithLogitsLoss()

    def step(tokens, valid_length, labels, marked=None):
        model.train()
        verdict = model(tokens, valid_length)
        loss = cross_entropy(verdict, labels)
        if penalty is not None:
            loss = loss + penalty(model.weights, marked)
        adam.zero_grad()
        loss.backward()
        adam.step()
        model.eval()

    return step

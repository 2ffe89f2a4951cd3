# %% the padding of the sentences is not masked [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    word_weights = scores.softmax(dim=-1)
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% an empty sentence takes part with a score of 0 [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    scores = sentences @ sentence_query
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the words of an empty sentence have equal weights [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1)
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% minus infinity makes an empty sentence NaN, and with it the review [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, float("-inf"))
    word_weights = scores.softmax(dim=-1)
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the word query is used for the sentences too [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ word_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the two queries are interchanged [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ sentence_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ word_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the sentence vector is the mean of its words [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (mask.unsqueeze(-1) * states).sum(dim=2) / valid_length.clamp(min=1).unsqueeze(-1)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the review is the mean of its sentences [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = sentences.sum(dim=1) / there.sum(dim=1, keepdim=True)
    return context, sentence_weights, word_weights

# %% the sentence softmax runs over the batch [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=0) * there
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the word softmax runs over the sentences [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% one softmax over all words of the review [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.flatten(1).softmax(dim=-1).view_as(scores) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the weights of the words in the review are returned [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    word_weights = sentence_weights.unsqueeze(-1) * word_weights
    return context, sentence_weights, word_weights

# %% the sentence with the largest weight alone [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = sentences[torch.arange(len(states)), sentence_weights.argmax(dim=1)]
    return context, sentence_weights, word_weights

# %% the scores are divided by the root of the number of features [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query / states.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query / states.shape[-1] ** 0.5).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the word mask is inverted [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) >= valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the first padding word of each sentence counts [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) <= valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    word_weights = word_weights * (valid_length > 0).unsqueeze(-1)
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the words are masked after the softmax, and not divided again [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the sentences are masked after the softmax, and not divided again [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = sentences @ sentence_query
    sentence_weights = scores.softmax(dim=-1) * there
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% masked after the softmax and divided by the sum, which is 0 for an empty sentence [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    word_weights = scores.softmax(dim=-1) * mask
    word_weights = word_weights / word_weights.sum(dim=-1, keepdim=True)
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% a sigmoid of each sentence in the place of the softmax [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.sigmoid()
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% a tanh of the states before the scores [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states.tanh() @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences.tanh() @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the empty sentences are taken to be the last ones [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    count = (valid_length > 0).sum(dim=1, keepdim=True)
    there = torch.arange(states.shape[1]) < count
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the lengths of the first review are used for all [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length[:1].unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = (valid_length[:1] > 0).expand(len(states), -1)
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the sentence vectors are added up without weights [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = sentences.sum(dim=1)
    return context, sentence_weights, word_weights

# %% masked scores are 0 in place of very negative [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores * mask
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query) * there
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% sentence weights and word weights are returned in the other order [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, word_weights, sentence_weights

# %% the weighted sum of the words is divided by their number [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    sentences = sentences / valid_length.clamp(min=1).unsqueeze(-1)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the sentence is scored by the mean of its words' scores [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = ((states @ sentence_query) * mask).sum(dim=2) / valid_length.clamp(min=1)
    scores = scores.masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% the sentences get weights by their lengths [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = valid_length / valid_length.sum(dim=1, keepdim=True)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context, sentence_weights, word_weights

# %% only the context is returned [torch]
import torch


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    num_steps = states.shape[2]
    mask = torch.arange(num_steps) < valid_length.unsqueeze(-1)
    scores = states @ word_query
    scores = scores.masked_fill(~mask, -1e9)
    word_weights = scores.softmax(dim=-1) * mask
    sentences = (word_weights.unsqueeze(-1) * states).sum(dim=2)
    there = valid_length > 0
    scores = (sentences @ sentence_query).masked_fill(~there, -1e9)
    sentence_weights = scores.softmax(dim=-1)
    context = (sentence_weights.unsqueeze(-1) * sentences).sum(dim=1)
    return context

# %% an empty sentence takes part with a score of 0 [mxnet]
from mxnet import nd


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    steps = nd.arange(states.shape[2]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(steps, valid_length.expand_dims(2))
    scores = nd.dot(states, word_query)
    scores = nd.where(mask, scores, nd.ones_like(scores) * -1e9)
    word_weights = nd.softmax(scores, axis=-1) * mask
    sentences = nd.broadcast_mul(word_weights.expand_dims(3), states).sum(axis=2)
    there = valid_length > 0
    scores = nd.dot(sentences, sentence_query)
    sentence_weights = nd.softmax(scores, axis=-1)
    context = nd.broadcast_mul(sentence_weights.expand_dims(2), sentences).sum(axis=1)
    return context, sentence_weights, word_weights

# %% the words of an empty sentence have equal weights [mxnet]
from mxnet import nd


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    steps = nd.arange(states.shape[2]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(steps, valid_length.expand_dims(2))
    scores = nd.dot(states, word_query)
    scores = nd.where(mask, scores, nd.ones_like(scores) * -1e9)
    word_weights = nd.softmax(scores, axis=-1)
    sentences = nd.broadcast_mul(word_weights.expand_dims(3), states).sum(axis=2)
    there = valid_length > 0
    scores = nd.dot(sentences, sentence_query)
    scores = nd.where(there, scores, nd.ones_like(scores) * -1e9)
    sentence_weights = nd.softmax(scores, axis=-1)
    context = nd.broadcast_mul(sentence_weights.expand_dims(2), sentences).sum(axis=1)
    return context, sentence_weights, word_weights

# %% the word softmax runs over the sentences [mxnet]
from mxnet import nd


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    steps = nd.arange(states.shape[2]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(steps, valid_length.expand_dims(2))
    scores = nd.dot(states, word_query)
    scores = nd.where(mask, scores, nd.ones_like(scores) * -1e9)
    word_weights = nd.softmax(scores, axis=1) * mask
    sentences = nd.broadcast_mul(word_weights.expand_dims(3), states).sum(axis=2)
    there = valid_length > 0
    scores = nd.dot(sentences, sentence_query)
    scores = nd.where(there, scores, nd.ones_like(scores) * -1e9)
    sentence_weights = nd.softmax(scores, axis=-1)
    context = nd.broadcast_mul(sentence_weights.expand_dims(2), sentences).sum(axis=1)
    return context, sentence_weights, word_weights

# %% the word query is used for the sentences too [mxnet]
from mxnet import nd


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    steps = nd.arange(states.shape[2]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(steps, valid_length.expand_dims(2))
    scores = nd.dot(states, word_query)
    scores = nd.where(mask, scores, nd.ones_like(scores) * -1e9)
    word_weights = nd.softmax(scores, axis=-1) * mask
    sentences = nd.broadcast_mul(word_weights.expand_dims(3), states).sum(axis=2)
    there = valid_length > 0
    scores = nd.dot(sentences, word_query)
    scores = nd.where(there, scores, nd.ones_like(scores) * -1e9)
    sentence_weights = nd.softmax(scores, axis=-1)
    context = nd.broadcast_mul(sentence_weights.expand_dims(2), sentences).sum(axis=1)
    return context, sentence_weights, word_weights

# %% the first padding word of each sentence counts [mxnet]
from mxnet import nd


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    steps = nd.arange(states.shape[2]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser_equal(steps, valid_length.expand_dims(2))
    scores = nd.dot(states, word_query)
    scores = nd.where(mask, scores, nd.ones_like(scores) * -1e9)
    word_weights = nd.softmax(scores, axis=-1) * mask
    sentences = nd.broadcast_mul(word_weights.expand_dims(3), states).sum(axis=2)
    there = valid_length > 0
    scores = nd.dot(sentences, sentence_query)
    scores = nd.where(there, scores, nd.ones_like(scores) * -1e9)
    sentence_weights = nd.softmax(scores, axis=-1)
    context = nd.broadcast_mul(sentence_weights.expand_dims(2), sentences).sum(axis=1)
    return context, sentence_weights, word_weights

# %% the review is the mean of all sentence vectors, the empty ones too [mxnet]
from mxnet import nd


def hierarchical_attention(states, valid_length, word_query, sentence_query):
    steps = nd.arange(states.shape[2]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(steps, valid_length.expand_dims(2))
    scores = nd.dot(states, word_query)
    scores = nd.where(mask, scores, nd.ones_like(scores) * -1e9)
    word_weights = nd.softmax(scores, axis=-1) * mask
    sentences = nd.broadcast_mul(word_weights.expand_dims(3), states).sum(axis=2)
    there = valid_length > 0
    scores = nd.dot(sentences, sentence_query)
    scores = nd.where(there, scores, nd.ones_like(scores) * -1e9)
    sentence_weights = nd.softmax(scores, axis=-1)
    context = sentences.mean(axis=1)
    return context, sentence_weights, word_weights

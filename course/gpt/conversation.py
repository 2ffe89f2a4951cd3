"""A conversation with a published model, written by the learner's own `generate` and `draw_token`."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from course.gpt.package import GPTError, in_words
from course.gpt.training import Trained

WITHOUT = "This model has no template of a conversation. Type `attention gpt load smollm2`, or let yours go on with a text: `attention gpt write`."


class Ended(Exception):
    """The answer has ended: `generate` has no other way to be left."""


class Conversation:
    """Messages, and the caches that go on from one to the next.

    It stands in as the model that `generate` calls: the caches that `generate` makes are new in each answer, and these
    stay. read: the tokens that lie in them.
    """

    def __init__(self, trained: Trained, temperature: float, p: float, seed: int) -> None:
        """Raises GPTError where the model was not taught to talk."""
        if trained.chat is None:
            raise GPTError(WITHOUT)
        self.trained, self.chat, self.blocks = trained, trained.chat, trained.model.blocks
        self.temperature, self.p, self._rng = temperature, p, np.random.default_rng(seed)
        self.caches: list[dict[str, Any]] = [{} for _ in self.blocks]
        self.read: list[int] = []
        self.messages: list[dict[str, str]] = []

    def __call__(self, tokens: Any, _: Any) -> Any:
        """Return the logits of new tokens, which go into the caches."""
        logits = self.trained.model(tokens, self.caches)
        self.read += self.trained.package.numpy(tokens)[0].astype(int).tolist()
        return logits

    def answer(self, question: str, most: int, show: Callable[[Any, list[int]], None]) -> list[int]:
        """Return the tokens of the answer to a question, of which there are `most` at the most.

        show: is called with the logits and the answer so far whenever a token is chosen; raises Ended to end it.
        """
        package, tokens = self.trained.package, self._unread_tokens(question)
        answer: list[int] = []

        def choose(logits: Any) -> Any:
            numbers = package.array(self._rng.random((1, 1)))
            token = package.sampling.draw_token(logits, self.temperature, self.p, numbers)
            answer.append(int(package.numpy(token).item()))
            if answer[-1] in self.chat.ends:
                del answer[-1]
                raise Ended
            show(logits, answer)
            return token

        with package.at_rest(), in_words("the answer"), suppress(Ended):
            package.sampling.generate(self, package.array(np.array([tokens])), most, choose)
        self.messages.append({"role": "assistant", "content": self.trained.text_of(answer)})
        return answer

    def _unread_tokens(self, question: str) -> list[int]:
        """Return the tokens that the model has to read for a question: those that are not in the caches already."""
        self.messages.append({"role": "user", "content": question})
        tokens = self.trained.tokens_of(rendered(self.chat.template, self.messages, self.chat.marks), True)
        pairs = zip(self.read, tokens[:-1], strict=False)
        same = next(
            (i for i, (old, new) in enumerate(pairs) if old != new), min(len(self.read), len(tokens) - 1)
        )
        for cache in self.caches if same < len(self.read) else ():
            cut = {name: array[:, :same] for name, array in cache.items() if same}
            cache.clear()
            cache.update(cut)
        del self.read[same:]
        return tokens[same:]

    @property
    def bytes_cached(self) -> int:
        """Return how much the caches hold, in single precision."""
        return sum(4 * int(np.prod(array.shape)) for cache in self.caches for array in cache.values())


def rendered(template: str, messages: list[dict[str, str]], marks: dict[str, str]) -> str:
    """Return a conversation as the text that a model was taught. Raises GPTError where its template fails."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    try:
        return environment.from_string(template).render(
            messages=messages, add_generation_prompt=True, **marks
        )
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise GPTError(f"The model's template of a conversation fails: {error}.") from error

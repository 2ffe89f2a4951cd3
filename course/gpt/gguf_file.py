"""A published model in one GGUF file: its config and the names of its arrays as Hugging Face's libraries have them.

The arrays of a Llama stand there in the order of our own: llama.cpp pairs neighbours, too.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np

from autograder.model.text import clean
from course.gpt.model_folder import finite, library
from course.gpt.package import GPTError
from course.gpt.training import Chat

CONFIG = {
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "head_dim": "rope.dimension_count",
    "rope_scaling.type": "rope.scaling.type",
}
ARRAYS = {
    "token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head",
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip


class GGUFFile:
    """Its arrays are in single precision, whatever quantisation they are stored in, and each is made when it is asked for."""

    are_neighbours = True  # the features of a pair

    def __init__(self, path: Path) -> None:
        """Open a file. Raises GPTError where it cannot be read."""
        self._gguf = library("gguf")
        try:
            self._reader = self._gguf.GGUFReader(path)
        except Exception as error:  # the library raises whatever a damaged file leads to
            raise GPTError(
                f"{path} cannot be read as GGUF: {clean(error) or type(error).__name__}."
            ) from error
        self.path = path
        self._tensors = {_name(tensor.name): tensor for tensor in self._reader.tensors}
        self.shapes = {name: tuple(map(int, t.shape[::-1])) for name, t in self._tensors.items()}

    def array(self, name: str) -> np.ndarray:
        """Return an array in single precision. Raises GPTError where its quantisation is not known."""
        tensor = self._tensors[name]
        try:
            values = self._gguf.dequantize(tensor.data, tensor.tensor_type)
        except NotImplementedError as error:
            kind = tensor.tensor_type.name
            raise GPTError(f"The array {name} is quantised as {kind}, which gguf cannot unpack.") from error
        return finite(name, values.astype(np.float32, copy=False))

    @property
    def config(self) -> dict[str, Any]:
        """Return what `config.json` would say."""
        kind = self._field("general.architecture")
        values = {name: self._field(f"{kind}.{key}") for name, key in CONFIG.items()}
        return {
            "rope_theta": 10000.0,
            **{name: value for name, value in values.items() if value is not None},
            "model_type": kind,
            "vocab_size": self.shapes.get("model.embed_tokens.weight", (None,))[0],
            "tie_word_embeddings": "lm_head.weight" not in self.shapes,
        }

    @property
    def licence(self) -> str:
        return clean(self._field("general.license") or "not named in the file", 60)

    def tokeniser(self) -> tuple[str, Chat | None]:
        """Return the text of `tokenizer.json`, and how the model was taught to talk."""
        try:
            tokeniser = library("transformers").AutoTokenizer.from_pretrained(
                self.path.parent, gguf_file=self.path.name
            )
            text = tokeniser.backend_tokenizer.to_str()
        except GPTError:
            raise
        except Exception as error:  # of the library, for what it does not know
            raise GPTError(f"The tokeniser in {self.path} cannot be read: {clean(error)}.") from error
        if not isinstance(tokeniser.chat_template, str) or tokeniser.eos_token_id is None:
            return text, None
        marks = {name: getattr(tokeniser, name) or "" for name in ("bos_token", "eos_token")}
        return text, Chat(tokeniser.chat_template, [tokeniser.eos_token_id], marks)

    def _field(self, name: str) -> Any:
        field = self._reader.get_field(name)
        return None if field is None else field.contents()


def _name(name: str) -> str:
    """Return the name of an array as Hugging Face's libraries have it, or as it is where they have none."""
    match = re.fullmatch(r"(blk\.(\d+)\.)?(\w+)\.weight", name)
    if match is None or match[3] not in ARRAYS:
        return name
    return f"{f'model.layers.{match[2]}.' if match[1] else ''}{ARRAYS[match[3]]}.weight"

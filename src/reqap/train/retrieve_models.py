"""The networks of RETRIEVE, as they are trained; at run time they are ONNX files (`reqap.models`).

Two kinds, both on a BERT encoder. `Cross` reads a query and a text together and says whether the
text is irrelevant, part of what is asked, or relevant. `Encoder` reads them apart: a text becomes
weights of words (sparse) and a vector (dense) once and for all; a query is a table look-up of word
weights, and a vector; `Judge` says from both vectors and the sparse score how likely they match.
"""

import re
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import nn

# cuDNN's attention prepares itself anew for every shape of a batch: longer than a step takes.
torch.backends.cuda.enable_cudnn_sdp(False)
CLASSES = 3
_JUDGE = 96


def load_start(folder: Path, layers: tuple[int, ...] = ()) -> tuple[Any, Any]:
    """Tokenizer and encoder of a folder; only some of its layers, if told.

    A folder without weights gives the form only, for who brings weights along.
    """
    from tokenizers import Tokenizer
    from transformers import AutoConfig, AutoModel

    if (folder / "model.safetensors").exists():
        encoder = AutoModel.from_pretrained(folder, add_pooling_layer=False, dtype=torch.float32)
    else:
        form = AutoConfig.from_pretrained(folder)
        encoder = AutoModel.from_config(form, add_pooling_layer=False).float()
    if layers:
        kept = [encoder.encoder.layer[number] for number in layers]
        encoder.encoder.layer = nn.ModuleList(kept)
        encoder.config.num_hidden_layers = len(kept)
    return Tokenizer.from_file(str(folder / "tokenizer.json")), encoder


class Cross(nn.Module):  # type: ignore[misc]
    """Query and text in one, to three classes."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(encoder.config.hidden_size, CLASSES)
        self._typed = getattr(encoder.config, "type_vocab_size", 0) > 1

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        # Not every encoder knows types; places are counted by what is no padding.
        types = {"token_type_ids": token_type_ids} if self._typed else {}
        ids = input_ids.masked_fill(attention_mask == 0, self.encoder.config.pad_token_id)
        hidden = self.encoder(
            input_ids=ids, attention_mask=attention_mask, **types
        ).last_hidden_state
        return self.head(self.drop(hidden[:, 0]))


class Encoder(nn.Module):  # type: ignore[misc]
    """A text to a vector, to weights of its own words, and to weights of words it might have said.

    The latter are common words only (`head`): what a text means can be said with them, and names
    are found by themselves.
    """

    def __init__(self, encoder: Any, head: list[int]) -> None:
        super().__init__()
        self.encoder = encoder
        size = encoder.config.hidden_size
        self.transform = nn.Sequential(nn.Linear(size, size), nn.GELU(), nn.LayerNorm(size))
        known = encoder.embeddings.word_embeddings.weight.detach()[head]
        self.head = nn.Linear(size, len(head))
        self.head.weight.data.copy_(known)
        nn.init.constant_(self.head.bias, -2.0)
        self.own = nn.Linear(size, 1)

    def vectors(self, input_ids: Any, attention_mask: Any) -> tuple[Any, Any, Any]:
        """The vector alone, and what the words are made from."""
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        dense = (hidden * mask).sum(1) / mask.sum(1)
        return nn.functional.normalize(dense, dim=-1), hidden, mask

    def forward(self, input_ids: Any, attention_mask: Any) -> tuple[Any, Any, Any]:
        dense, hidden, mask = self.vectors(input_ids, attention_mask)
        own = nn.functional.softplus(self.own(hidden)).squeeze(-1) * mask.squeeze(-1)
        # Padding must not win; log(1 + x) keeps single words from taking over.
        largest = self.head(self.transform(hidden)).masked_fill(mask == 0, -1e4).max(1).values
        return dense, own, torch.log1p(torch.relu(largest))


def common_words(tokenizer: Any, most: int = 10_000) -> list[int]:
    """Whole words of the vocabulary; they come with the frequent ones first."""
    words = sorted((number, word) for word, number in tokenizer.get_vocab().items())
    whole = (number for number, word in words if re.fullmatch("[a-z]{3,}", word))
    return list(islice(whole, most))


class Judge(nn.Module):  # type: ignore[misc]
    """How likely a query and a text match, from what was worked out for each apart."""

    def __init__(self, size: int, vocabulary: int) -> None:
        super().__init__()
        self.words = nn.Parameter(torch.ones(vocabulary))
        self.first = nn.Linear(2 * size + 2, _JUDGE)
        self.last = nn.Linear(_JUDGE, 1)

    def query_words(self, query_ids: Any, mask: Any, vocabulary: int) -> Any:
        """The weights of a query's words: a table, no network."""
        weights = nn.functional.softplus(self.words)[query_ids] * mask
        found = torch.zeros(query_ids.shape[0], vocabulary, device=query_ids.device)
        return found.scatter_reduce(1, query_ids, weights.float(), "amax")

    def forward(self, query: Any, text: Any, sparse: Any, share: Any) -> Any:
        """`share` is the part of the query's weight that the text has."""
        parts = (query * text, (query - text).abs(), sparse.unsqueeze(-1), share.unsqueeze(-1))
        return self.last(torch.relu(self.first(torch.cat(parts, -1)))).squeeze(-1)

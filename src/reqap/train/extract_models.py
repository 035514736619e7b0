"""The network of EXTRACT, as it is trained: it reads a key and a record together.

It says whether the record tells the value, which words tell it, and, where the value is only
implied ("carbonara": Italian), which of the values that it knows it is. One pass does all three.
"""

from typing import Any

import torch
from torch import nn


class Reader(nn.Module):  # type: ignore[misc]
    """An encoder with three heads; `numbers` are those of its own words, where it counts them
    otherwise than the one who cuts texts into words."""

    def __init__(self, encoder: Any, values: int, numbers: Any = None) -> None:
        super().__init__()
        size = encoder.config.hidden_size
        self.encoder = encoder
        self.drop = nn.Dropout(0.1)
        self.sort = nn.Linear(size, 3)
        self.marks = nn.Linear(size, 3)
        self.values = nn.Linear(size, values)
        self.register_buffer("numbers", numbers, persistent=False)
        self._typed = getattr(encoder.config, "type_vocab_size", 0) > 1

    def forward(
        self, input_ids: Any, attention_mask: Any, token_type_ids: Any
    ) -> tuple[Any, Any, Any]:
        types = {"token_type_ids": token_type_ids} if self._typed else {}
        if self.numbers is not None:
            input_ids = self.numbers[input_ids]
            input_ids = input_ids.masked_fill(attention_mask == 0, self.encoder.config.pad_token_id)
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, **types
        ).last_hidden_state
        hidden = self.drop(hidden)
        return self.sort(hidden[:, 0]), self.marks(hidden), self.values(hidden[:, 0])


_SPECIAL = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>"}


def renumbered(cutter: Any, own: Any) -> Any:
    """For every word of one tokenizer, its number in another; both must know the same words."""
    there = own.get_vocab()
    found = [0] * cutter.get_vocab_size()
    for word, number in cutter.get_vocab().items():
        known = there.get(_SPECIAL.get(word, word), there.get(word))
        found[number] = there["[UNK]"] if known is None else known
    return torch.tensor(found)

"""The network of EXTRACT, as it is trained: it reads a key and a record together.

It says whether the record tells the value, which words tell it, and, where the value is only
implied ("carbonara": Italian), which of the values that it knows it is. One pass does all three.
"""

from typing import Any

from torch import nn


class Reader(nn.Module):  # type: ignore[misc]
    """A BERT encoder with three heads."""

    def __init__(self, encoder: Any, values: int) -> None:
        super().__init__()
        size = encoder.config.hidden_size
        self.encoder = encoder
        self.drop = nn.Dropout(0.1)
        self.sort = nn.Linear(size, 3)
        self.marks = nn.Linear(size, 3)
        self.values = nn.Linear(size, values)

    def forward(
        self, input_ids: Any, attention_mask: Any, token_type_ids: Any
    ) -> tuple[Any, Any, Any]:
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        hidden = self.drop(hidden)
        return self.sort(hidden[:, 0]), self.marks(hidden), self.values(hidden[:, 0])

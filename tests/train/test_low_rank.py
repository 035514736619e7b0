"""A low-rank change of matrices: it alone is learnt, and becomes part of them.

Needs what training needs (`make test-train`).
"""

import pytest

torch = pytest.importorskip("torch")

from reqap.train.low_rank import add_low_rank, merge_low_rank  # noqa: E402
from reqap.train.rounding import rounded  # noqa: E402


class _Small(torch.nn.Module):  # type: ignore[misc,name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.model = torch.nn.Module()
        self.model.layers = torch.nn.ModuleList([torch.nn.Linear(32, 32, bias=False)])
        self.words = torch.nn.Embedding(4, 32)


@pytest.mark.parametrize("is_rounded", [False, True])
def test_only_the_change_is_learnt_and_stays(is_rounded: bool) -> None:
    torch.manual_seed(1)
    model = _Small()
    layer, before = model.model.layers[0], model.model.layers[0].weight.detach().clone()
    learnt = add_low_rank(model, 4, is_rounded)
    assert sorted(one.numel() for one in learnt) == [128, 128]
    expected = rounded(before) if is_rounded else before
    assert torch.allclose(layer.weight, expected, atol=1e-6)
    given, wanted = torch.randn(8, 32), torch.randn(8, 32)
    optimizer = torch.optim.AdamW(learnt, lr=1e-2)
    losses = []
    for _ in range(60):
        loss = ((layer(given) - wanted) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.7 * losses[0]
    said = layer(given).detach()
    merge_low_rank(model)
    assert set(model.state_dict()) == {"model.layers.0.weight", "words.weight"}
    assert torch.allclose(layer(given), said, atol=1e-5)

"""What tests of training share: a model of next to nothing to start from."""

from pathlib import Path

import pytest

_WORDS = (
    "running swimming workout mail music stream my times was i all of type with tom mum sport place"
    " text had pizza cuisine at home in the park"
)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of next to nothing."""
    folder = tmp_path_factory.mktemp("start")
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ";", ":", *_WORDS.split()]
    made = tokenizers.BertWordPieceTokenizer({word: n for n, word in enumerate(words)})
    made.save(str(folder / "tokenizer.json"))
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=512,
    )  # fmt: skip
    pytest.importorskip("torch").manual_seed(1)
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder

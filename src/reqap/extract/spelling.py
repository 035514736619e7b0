"""One spelling for what people wrote: 'Bus', 'bus' and 'bus,' are one, under the commonest.

Texts that differ only in capitals, in accents or in marks around them mean the same where somebody
wrote them. Records of an application spell with care: "IDOL" and "Idol" are two songs. They keep
their spellings, and what people wrote takes theirs where there is one. Every distinct text of a
column is looked at once.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# Marks that belong to the sentence around a text. "Help!" is a song.
_MARKS = " \t\r\n.,;:\"'()“”„‘’"
_LONGEST = 200  # bytes; what is longer is a text of its own, and nobody counts such
Flags = npt.NDArray[np.bool_]


def one_spelling(values: pa.Array, written: Flags) -> pa.Array:
    """The same texts, or lists of texts; those that are `written` by people in one spelling."""
    if not pa.types.is_list(values.type):
        return _respelled(values, written)
    items = values.flatten()
    lengths = np.asarray(pc.fill_null(pc.list_value_length(values), 0), np.int64)
    made = _respelled(items, np.repeat(written, lengths))
    if made is items:
        return values
    starts = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
    return pa.ListArray.from_arrays(starts, made, type=values.type, mask=values.is_null())


def _respelled(texts: pa.Array, written: Flags) -> pa.Array:
    if not written.any():
        return texts
    encoded = texts.dictionary_encode()
    spellings = encoded.dictionary
    meant = _folded(spellings).dictionary_encode()
    if len(meant.dictionary) == len(spellings):
        return texts
    codes = np.asarray(meant.indices)
    recorded, counts = _counts(encoded, ~written), _counts(encoded)
    order = np.lexsort((-counts, _marked(spellings), -recorded, codes))
    _, firsts = np.unique(codes[order], return_index=True)
    chosen = spellings.take(pa.array(order[firsts][codes]).take(encoded.indices))
    return pc.if_else(pa.array(written), chosen, texts)


def _counts(encoded: pa.DictionaryArray, which: Flags | None = None) -> npt.NDArray[np.int64]:
    """How often each spelling comes."""
    indices = encoded.indices if which is None else encoded.indices.filter(pa.array(which))
    return np.bincount(np.asarray(indices.drop_null()), minlength=len(encoded.dictionary))


def _marked(texts: pa.Array) -> Flags:
    """Whether marks stand around a text: then it is taken only if there is no other."""
    bare = pc.utf8_trim(texts, characters=_MARKS)
    return np.asarray(pc.not_equal(bare, texts), np.bool_)


def _folded(texts: pa.Array) -> pa.Array:
    """Without capitals, accents and marks around; a text that is nothing but marks stays."""
    short = pc.less_equal(pc.binary_length(texts), _LONGEST)
    bare = pc.utf8_trim(pc.if_else(short, texts, ""), characters=_MARKS)
    if not pc.all(pc.string_is_ascii(bare)).as_py():
        bare = pc.replace_substring_regex(pc.utf8_normalize(bare, "NFD"), r"\p{Mn}+", "")
    return pc.if_else(pc.equal(bare, ""), texts, pc.utf8_lower(bare))

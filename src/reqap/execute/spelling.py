"""One spelling for what was read: 'Bus', 'bus' and 'bus,' are one group, under the commonest.

Texts that differ only in capitals, in accents or in marks around them mean the same. Every distinct
text of a column is looked at once. Not the job of this module: comparing texts (`texts`).
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# Marks that belong to the sentence around a text. "Help!" is a song.
MARKS = " \t\r\n.,;:\"'()“”„‘’"
_LONGEST = 200  # bytes; what is longer is a text of its own, and nobody counts such


def one_spelling(values: pa.Array) -> pa.Array:
    """The same texts, or lists of texts, with all that mean the same spelled the same."""
    if not pa.types.is_list(values.type):
        return _respelled(values)
    items, lengths = values.flatten(), pc.fill_null(pc.list_value_length(values), 0)
    offsets = np.concatenate(([0], np.cumsum(lengths.to_numpy(zero_copy_only=False))))
    made = _respelled(items)
    if made is items:
        return values
    starts = pa.array(offsets, pa.int32())
    return pa.ListArray.from_arrays(starts, made, type=values.type, mask=values.is_null())


def _respelled(texts: pa.Array) -> pa.Array:
    encoded = texts.dictionary_encode()
    spellings = encoded.dictionary
    meant = _folded(spellings).dictionary_encode()
    if len(meant.dictionary) == len(spellings):
        return texts
    codes = meant.indices.to_numpy(zero_copy_only=False)
    order = np.lexsort((-_counts(encoded), _marked(spellings), codes))
    _, firsts = np.unique(codes[order], return_index=True)
    chosen = pa.array(order[firsts][codes])
    return spellings.take(chosen.take(encoded.indices))


def _counts(encoded: pa.DictionaryArray) -> npt.NDArray[np.int64]:
    there = encoded.indices.drop_null().to_numpy(zero_copy_only=False)
    return np.bincount(there, minlength=len(encoded.dictionary))


def _marked(texts: pa.Array) -> npt.NDArray[np.bool_]:
    """Whether marks stand around a text: then it is shown only if there is no other."""
    bare = pc.utf8_trim(texts, characters=MARKS)
    return np.asarray(pc.not_equal(bare, texts), np.bool_)


def _folded(texts: pa.Array) -> pa.Array:
    """Without capitals, accents and marks around; a text that is nothing but marks stays."""
    short = pc.less_equal(pc.binary_length(texts), _LONGEST)
    bare = pc.utf8_trim(pc.if_else(short, texts, ""), characters=MARKS)
    if not pc.all(pc.string_is_ascii(bare)).as_py():
        bare = pc.replace_substring_regex(pc.utf8_normalize(bare, "NFD"), r"\p{Mn}+", "")
    return pc.if_else(pc.equal(bare, ""), texts, pc.utf8_lower(bare))

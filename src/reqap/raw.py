"""From an event back to the raw record it was read from."""

from collections.abc import Callable

from reqap.errors import NotFound
from reqap.sources.base import ExportFile
from reqap.sources.mapped import find_again
from reqap.sources.mapped_rows import first_character
from reqap.sources.mapped_rows import raw as raw_cells
from reqap.sources.registry import source_named
from reqap.sources.walk import READ_ERRORS, reopen
from reqap.store import ImportedFile, Store, StoredEvent
from reqap.store.store import PROFILE_FILE


def raw_record(store: Store, stored: StoredEvent) -> tuple[str, str]:
    """The raw record, and a note on where it comes from (empty: from the export, unchanged).

    Where the file is gone or was changed, another file may tell the event in the same words.
    """
    if stored.file_id == PROFILE_FILE:
        return "", "This is a fact of your profile; see `reqap profile`."
    problem: NotFound | None = None
    for file_id, position in store.tellings(stored):
        try:
            return _from_file(store, store.file(file_id), position)
        except NotFound as error:
            problem = problem or error
    raise problem or NotFound("No file tells this event")


def _from_file(store: Store, imported: ImportedFile, position: int) -> tuple[str, str]:
    note = ""
    try:
        file = reopen(imported.name)
        if file.size != imported.size or file.fingerprint() != imported.fingerprint:
            raise NotFound(f"{imported.name} has changed since it was imported")
    except (NotFound, *READ_ERRORS) as error:
        if not imported.kept:
            raise NotFound(f"{error}. Import with --keep to keep copies.") from None
        note = f"From the kept copy: {error}"
        file = ExportFile(
            imported.name,
            imported.size,
            lambda: store.kept_copy(imported.id),
            lambda: imported.fingerprint,
        )
    reader, hint = _reader(imported.source, file)
    raw = reader(file, position)
    if not raw:
        raise NotFound(f"The record is no longer at its place in {imported.name}. {hint}".strip())
    return raw, " ".join(filter(None, (note, hint)))


def _reader(source: str, file: ExportFile) -> tuple[Callable[[ExportFile, int], str], str]:
    """How the raw records of a source are found, and what may be wrong with that.

    What is not in the registry was mapped. Records that lie under a key of a JSON file are found
    by the mapping only.
    """
    try:
        return source_named(source).raw, ""
    except NotFound:
        pass
    if mapping := find_again(source, file):
        return mapping.raw, ""
    if first_character(file) == "{":
        hint = f"The mapping of {source} no longer lies beside the data: put it there, or this"
        return raw_cells, f"{hint} may be another record."
    return raw_cells, ""

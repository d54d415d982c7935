"""How many bytes of uploaded files Streamlit keeps in memory; knows where it keeps them."""

from typing import TYPE_CHECKING, cast

from streamlit.runtime import Runtime

if TYPE_CHECKING:
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager


def kept_bytes() -> dict[str, int]:
    """Bytes by session, also of those that are gone and not yet forgotten."""
    if not Runtime.exists():
        return {}
    return {
        session: sum(len(file.data) for file in tuple(files.values()))
        for session, files in tuple(_manager().file_storage.items())
    }


def forget(session: str) -> None:
    """Drop the files of a session whose page has gone; Streamlit would keep them to its end."""
    if Runtime.exists():
        _manager().remove_session_files(session)


def _manager() -> "MemoryUploadedFileManager":
    return cast("MemoryUploadedFileManager", Runtime.instance().uploaded_file_mgr)

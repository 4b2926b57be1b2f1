"""How many files a form may have. Where thousands are meant, a view takes them by a receiver of its own."""

from typing import Any

from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler

MOST = 100


class FewFiles(FileUploadHandler):
    """Stands before Django's own: these keep each file in memory, or open."""

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self._files = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Count. Raises TooManyFilesSent."""
        super().new_file(*args, **kwargs)
        self._files += 1
        if self._files > MOST:
            raise TooManyFilesSent

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:  # noqa: ARG002
        """Leave the content to the others."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the others."""

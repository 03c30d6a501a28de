"""The temporary folder of a project."""

from __future__ import annotations

import shutil
import tempfile
from types import TracebackType

from .arguments import are_stored
from .unsupported import notice


class ProjectFolder:
    """A folder that is removed in the end, unless an interrupted session needs the files in it to be resumed."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="kernelscape-")
        self.resume: str | None = None  # the command that resumes a session that has begun and not ended

    def __enter__(self) -> ProjectFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.resume is not None and not are_stored(self.path):
            notice("arguments", f"the arrays stay in {self.path}, where `{self.resume}` reads them")
        else:
            shutil.rmtree(self.path, ignore_errors=True)

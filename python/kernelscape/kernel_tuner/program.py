"""Runs `kernelscape tune` and reads the events that it prints."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from ..session import KernelscapeError, program_command


class Program:
    """The program, with what all its calls have in common."""

    def __init__(
        self, program: str | Sequence[str] | None, database: str | os.PathLike[str] | None, outside_files: bool
    ) -> None:
        self._command = program_command(program)
        self._options = ["--json", *(["--outside-files"] if outside_files else [])]
        if database is not None:
            self._options += ["--db", os.fspath(database)]
        self.errors = ""  # what the last call wrote to its standard error

    def events(self, command: str, path: str, options: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Runs a command for a project, and yields the events that it prints. Its end is no error; see failure()."""
        line = [*self._command, command, path, *self._options, *options]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8")
            assert process.stdout is not None
            try:
                for text in process.stdout:
                    yield json.loads(text)
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)  # Stores what was measured; the session can be resumed.
                process.stdout.close()
                process.wait()
                errors.seek(0)
                self.errors = errors.read().strip()

    def feasible_count(self, path: str) -> int:
        """Returns the number of feasible configurations of a project, or a lower bound."""
        for event in self.events("space", path, []):
            if (count := event.get("members") or event.get("members_at_least")) is not None:
                return int(count)
        raise self.failure()

    def trials_of(self, path: str, fraction: float) -> int:
        """Returns the number of trials that are a fraction of a project's feasible configurations."""
        return max(1, math.ceil(fraction * self.feasible_count(path)))

    def failure(self) -> KernelscapeError:
        """Returns the error that the last call ended with."""
        return KernelscapeError(self.errors.removeprefix("kernelscape: error: ") or "the program ended without a result")

"""Reports arguments of tune_kernel() that Kernelscape cannot follow."""

from __future__ import annotations

import warnings

from ..session import KernelscapeError


class UnsupportedArgument(KernelscapeError, NotImplementedError):
    """An argument of tune_kernel() asks for something that Kernelscape does not do; the message says what to do."""

    def __init__(self, argument: str, message: str, hint: str) -> None:
        super().__init__(f"{argument}: {message}", hint, "not_supported")
        self.argument = argument


def notice(argument: str, message: str) -> None:
    """Warns that an argument has no effect, or another one than in Kernel Tuner."""
    warnings.warn(f"{argument}: {message}", UserWarning, stacklevel=2)

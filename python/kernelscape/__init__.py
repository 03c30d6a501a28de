"""Tunes whatever Python can time with the tuners of Kernelscape.

The program ``kernelscape`` proposes configurations and stores results; this package is its client.
"""

from .session import Configuration, Failure, KernelscapeError, Proposal, Session, space_file
from .tuning import TuningResult, tune

__all__ = [
    "Configuration",
    "Failure",
    "KernelscapeError",
    "Proposal",
    "Session",
    "TuningResult",
    "space_file",
    "tune",
]

"""Runs scripts that were written for Kernel Tuner: only the import changes.

``from kernelscape.kernel_tuner import tune_kernel``, or ``from kernelscape import kernel_tuner``.
"""

from .interface import tune_kernel
from .results import CompilationFailedConfig, ErrorConfig, InvalidConfig, RuntimeFailedConfig, get_best_config
from .unsupported import UnsupportedArgument

__all__ = [
    "CompilationFailedConfig",
    "ErrorConfig",
    "InvalidConfig",
    "RuntimeFailedConfig",
    "UnsupportedArgument",
    "get_best_config",
    "tune_kernel",
]

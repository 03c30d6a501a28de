"""Describes the arguments of a kernel for a project: types, sizes, files with contents."""

from __future__ import annotations

import array
import ctypes
import math
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..session import KernelscapeError

TYPES = {
    "bool": "bool", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64",
    "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
    "float16": "half", "float32": "float", "float64": "double", "complex64": "float2", "complex128": "double2",
}
RELATIVE_TOLERANCE = 1e-5  # of numpy.allclose(), which Kernel Tuner calls
MAX_STORED_BYTES = 508 << 20  # of all files with contents; the program stores 512 MiB, of which a source takes up to 4
DATA_ENDING = ".bin"  # of files with contents


@dataclass(frozen=True)
class Contents:
    """A value that a script passes to its kernel: an array of numpy or of the module array, or a scalar."""

    dtype: str  # as numpy names it
    count: int
    scalar: bool
    value: Any

    @staticmethod
    def of(value: Any, what: str) -> Contents:
        """Describes a value. ``what`` names it in the error."""
        if isinstance(value, array.array):
            if value.typecode in "bBhHiIlLqQ":
                return Contents(f"{'u' * value.typecode.isupper()}int{8 * value.itemsize}", len(value), False, value)
            if value.typecode in "fd":
                return Contents(f"float{8 * value.itemsize}", len(value), False, value)
        elif isinstance(value, ctypes._SimpleCData):
            return Contents(_ctypes_name(value, what), 1, True, value.value)
        elif hasattr(value, "dtype") and hasattr(value, "tobytes") and getattr(value.dtype, "name", "") in TYPES:
            scalar = not hasattr(value, "__setitem__")
            return Contents(value.dtype.name, int(value.size), scalar, value.item() if scalar else value)
        raise TypeError(
            f"{what} is a {type(value).__name__}: pass an array of numpy, a scalar such as numpy.int32(3), "
            "an array.array or a scalar of ctypes"
        )

    def bytes(self) -> bytes:
        """Returns the contents as in memory. An array of numpy may be in Fortran's order."""
        return self.value.tobytes() if isinstance(self.value, array.array) else self.value.tobytes("A")

    def as_type(self, dtype: str) -> Contents:
        """Returns the contents as numbers of another type."""
        if dtype == self.dtype:
            return self
        if hasattr(self.value, "astype"):
            return Contents(dtype, self.count, False, self.value.astype(dtype))
        raise TypeError(f"the answer has the type {self.dtype}, but the argument {dtype}: convert one of them")


def _ctypes_name(value: Any, what: str) -> str:
    code = value._type_
    if code == "?":
        return "bool"
    if code in "bBhHiIlLqQ":
        return f"{'u' * code.isupper()}int{8 * ctypes.sizeof(value)}"
    if code in "fd":
        return f"float{8 * ctypes.sizeof(value)}"
    raise TypeError(f"{what} is a {type(value).__name__}, which no kernel takes")


@dataclass(frozen=True)
class Parameter:
    """A parameter in the source of a kernel."""

    name: str
    constant: bool  # what it points to cannot be written


def parameters_in_source(kernel_name: str, source: str, count: int) -> list[Parameter]:
    """Returns the kernel's parameters as its source declares them.

    If the source has no declaration with ``count`` parameters that can be read, the names are those that a project
    has by default, and none is constant.
    """
    source = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL)
    function = re.split(r"[<(]", kernel_name)[0].split("::")[-1].strip()
    for found in re.finditer(rf"\b{re.escape(function)}\s*\(([^()]*)\)\s*{{", source):
        declared = [one.strip() for one in found[1].split(",")]
        names = [match[0] if (match := re.search(r"[A-Za-z_]\w*(?=\s*(\[\s*\])?$)", one)) else "" for one in declared]
        if len(declared) == count == len(set(names)) and all(names):
            pointees = [re.split(r"[*\[]", one)[0].split() for one in declared]
            return [
                Parameter(name, "const" in words or "__constant" in words or "constant" in words)
                for name, words in zip(names, pointees, strict=True)
            ]
    return [Parameter(f"argument_{i}", False) for i in range(count)]


def are_stored(folder: str) -> bool:
    """Returns true if the files with contents are few enough to be stored with a session."""
    files = (entry.stat().st_size for entry in os.scandir(folder) if entry.name.endswith(DATA_ENDING))
    return sum(files) <= MAX_STORED_BYTES


def _file(folder: str, name: str, contents: bytes) -> str:
    """Writes a file beside those of the other arguments, and returns its name."""
    free = shutil.disk_usage(folder).free
    if len(contents) > free:
        raise KernelscapeError(
            f"arguments: {name} takes {len(contents) >> 20} MiB, and {folder} has {free >> 20} MiB left",
            "name a folder with more space in the variable TMPDIR, or choose a smaller problem", "environment",
        )
    with open(os.path.join(folder, name + DATA_ENDING), "wb") as file:
        file.write(contents)
    return name + DATA_ENDING


def _all_equal(data: bytes, count: int) -> bool:
    """Returns true if all elements of an array have the same bytes."""
    size = len(data) // count
    # Most arrays differ in their first elements, which saves a copy of the array.
    return data[:size] == data[size : 2 * size] and data == data[:size] * count


def _fill(folder: str, name: str, contents: Contents) -> dict[str, Any]:
    """Returns how an array is filled: by one value if all its elements are equal, else from a file."""
    data = contents.bytes()
    if contents.count > 1 and not contents.dtype.startswith("complex"):
        size = len(data) // contents.count
        if _all_equal(data, contents.count):
            first = contents.value[0] if isinstance(contents.value, array.array) else contents.value.flat[0].item()
            if math.isfinite(first) and (first != 0 or not any(data[:size])):  # not -0.0
                return {"FillType": "Constant", "FillValue": first}
    return {"FillType": "BinaryRaw", "DataSource": _file(folder, name, data)}


def describe(
    folder: str, parameters: Sequence[Parameter], arguments: Sequence[Any], answer: Sequence[Any] | None, atol: float
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Returns T1's Arguments, and the members for the answer under the key "kernelscape".

    Arrays that the source does not declare constant may be written. Only those with an answer are compared.
    """
    described = []
    files = {}
    answers = [*(answer or ()), *[None] * len(arguments)]
    for position, (parameter, value) in enumerate(zip(parameters, arguments, strict=True)):
        contents = Contents.of(value, f"argument {position}")
        right = answers[position]
        entry: dict[str, Any] = {"Name": parameter.name, "Type": TYPES[contents.dtype]}
        if contents.scalar:
            if right is not None:
                raise ValueError(f"answer: argument {position} is a scalar, which the kernel cannot change")
            value = [contents.value.real, contents.value.imag] if isinstance(contents.value, complex) else contents.value
            described.append({**entry, "MemoryType": "Scalar", "FillValue": value})
            continue
        writes = right is not None or not parameter.constant
        entry |= {"MemoryType": "Vector", "AccessType": "ReadWrite" if writes else "ReadOnly", "Size": contents.count}
        described.append({**entry, "Output": int(right is not None), **_fill(folder, f"input_{position}", contents)})
        if right is None:
            continue
        expected = Contents.of(right, f"answer {position}").as_type(contents.dtype)
        if expected.count != contents.count:
            raise ValueError(f"answer: {expected.count} elements for argument {position}, which has {contents.count}")
        files[parameter.name] = _file(folder, f"answer_{position}", expected.bytes())
    if not files:
        return described, {}
    tolerance = {"Absolute": atol, "Relative": RELATIVE_TOLERANCE}
    return described, {
        "Reference": {"Kind": "Files", "Files": files}, "Tolerance": dict.fromkeys(files, tolerance)
    }


def constant_memory(folder: str, symbols: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns T1's Arguments for CUDA's constant memory."""
    described = []
    for name, value in symbols.items():
        contents = Contents.of(value, f"cmem_args[{name!r}]")
        entry = {"Name": name, "Type": TYPES[contents.dtype], "MemoryType": "Symbol", "Size": contents.count}
        if contents.scalar:
            described.append({**entry, "FillType": "Constant", "FillValue": contents.value})
        else:
            described.append({**entry, **_fill(folder, f"symbol_{name}", contents)})
    return described

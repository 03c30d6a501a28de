"""Writes a project of Kernelscape from the arguments of tune_kernel()."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..session import Value, space_file
from . import expressions
from .arguments import are_stored, constant_memory, describe, parameters_in_source
from .unsupported import UnsupportedArgument, notice

AXES = ("x", "y", "z")
ENDINGS = {"C": ".c", "C++": ".cpp", "OpenCL": ".cl", "CUDA": ".cu"}
LANGUAGES = {"C": "C", "C++": "C++", "OPENCL": "OpenCL", "CUDA": "CUDA", "CUPY": "CUDA", "NVCUDA": "CUDA"}
C_COMPILERS = ("gcc", "cc", "clang", "icx")


class Source:
    """The source of a kernel: text, a file, or a list whose first file is the kernel."""

    def __init__(self, kernel_source: Any) -> None:
        listed = list(kernel_source) if isinstance(kernel_source, list | tuple) else [kernel_source]
        if not listed or not all(isinstance(one, str | os.PathLike) for one in listed):
            raise UnsupportedArgument(
                "kernel_source", "a function that writes the source is not supported",
                "pass one source, and choose its parts with #if and the parameters, which are macros",
            )
        first = os.fspath(listed[0])
        self.file = os.path.abspath(first) if "\n" not in first and os.path.isfile(first) else None
        if self.file is None and not re.search(r"[\s(]", first):
            raise FileNotFoundError(f"kernel_source: there is no file {first!r}")
        self.folders = sorted({os.path.dirname(os.path.abspath(os.fspath(one))) for one in listed[1:]})
        self.text = first
        if self.file is not None:
            with open(self.file, encoding="utf-8", errors="replace") as file:
                self.text = file.read()


def language_of(lang: str | None, compiler: str | None, text: str) -> str:
    """Returns the language of a project. As in Kernel Tuner, "C" is compiled as C++ unless a C compiler is named."""
    if lang is None:
        lang = "CUDA" if "__global__" in text else "OpenCL" if "__kernel" in text else "C"
    if lang.upper() not in LANGUAGES:
        raise UnsupportedArgument("lang", f"{lang} is not supported", "write the kernel in C, C++, OpenCL C or CUDA C++")
    language = LANGUAGES[lang.upper()]
    name = os.path.basename(compiler or "")
    if language == "C" and not re.fullmatch(rf"({'|'.join(C_COMPILERS)})(-[\d.]+)?", name):
        language = "C++"
    if compiler and language in ("CUDA", "OpenCL"):
        notice("compiler", f"{compiler} is not used: NVRTC builds CUDA kernels, the driver OpenCL kernels")
    elif compiler and name not in ("gcc", "g++", "cc", "c++"):
        notice("compiler", f"{compiler} is not used: the C compiler of this machine builds the kernel")
    return language


class Launch:
    """The launch of a kernel, as expressions over its parameters."""

    def __init__(
        self, problem_size: Any, divisors: Sequence[Any], block_size_names: Sequence[str] | None,
        values: expressions.Values,
    ) -> None:
        given = list(block_size_names or ())
        names = [*given, *(f"block_size_{axis}" for axis in AXES[len(given) :])]
        self.blocks = [
            name if name in values else "256" if axis == 0 else "1" for axis, name in enumerate(names)
        ]
        self.names = names
        self.sizes = _problem_sizes(problem_size, values)
        self.grid = []
        for axis, (size, divisor) in enumerate(zip(self.sizes, divisors, strict=True)):
            if divisor is None:
                divisor = [names[axis]] if names[axis] in values else []
            product = _product(f"grid_div_{AXES[axis]}", divisor, values)
            self.grid.append(f"math.ceil(({size}) / ({product}))" if product else size)


def _product(argument: str, divisor: Any, values: expressions.Values) -> str:
    if callable(divisor):
        return expressions.value(argument, expressions.by_keywords(divisor, values), values)
    if isinstance(divisor, str):
        divisor = [divisor]
    return " * ".join(one if one in values else f"int({one})" for one in map(str, divisor))


def _problem_sizes(problem_size: Any, values: expressions.Values) -> list[str]:
    """Returns the problem's size in three dimensions."""
    if callable(problem_size):
        function = expressions.by_keywords(problem_size, values)

        def at(axis: int) -> Callable[[Mapping[str, Value]], Any]:
            def size(configuration: Mapping[str, Value]) -> Any:
                sizes = function(configuration)
                sizes = list(sizes) if hasattr(sizes, "__len__") else [sizes]
                return sizes[axis] if axis < len(sizes) else 1

            return size

        return [expressions.value("problem_size", at(axis), values) for axis in range(3)]
    is_listed = hasattr(problem_size, "__len__") and not isinstance(problem_size, str)  # also an array of numpy
    sizes = list(problem_size) if is_listed else [problem_size]
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"problem_size: {len(sizes)} dimensions; a launch has one to three")
    written = [one if isinstance(one, str) else str(int(one)) for one in sizes]
    return [*written, *["1"] * (3 - len(written))]


def conditions_of(restrictions: Any, values: expressions.Values) -> list[str]:
    """Returns restrictions as conditions: texts, functions, and tuples of a function and the names it takes."""
    if restrictions is None:
        return []
    if callable(restrictions) or isinstance(restrictions, str):
        restrictions = [restrictions]
    conditions = []
    for position, restriction in enumerate(restrictions):
        argument = f"restrictions[{position}]"
        if isinstance(restriction, tuple) and len(restriction) in (2, 3) and callable(restriction[0]):
            function, names = restriction[0], list(restriction[1])
            # The constraints of python-constraint are called with other arguments.
            if not hasattr(function, "preProcess"):
                conditions.append(
                    expressions.condition(argument, lambda c, f=function, n=names: f(**{one: c[one] for one in n}), values)
                )
                continue
        if isinstance(restriction, str):
            conditions.append(restriction.strip())
        elif callable(restriction) and not hasattr(restriction, "preProcess"):
            conditions.append(expressions.condition(argument, expressions.by_keywords(restriction, values), values))
        else:
            raise UnsupportedArgument(
                argument, f"a {type(restriction).__name__} is not supported", "write it as text or as a function"
            )
    return conditions


def _defines(
    defines: Mapping[str, Any] | None, launch: Launch, source: str, values: expressions.Values
) -> list[str]:
    """Returns flags for the macros of Kernel Tuner that are not parameters."""
    flags = ["-Dkernel_tuner=1"]
    if defines is None:
        given = {name: block for name, block in zip(launch.names, launch.blocks, strict=True) if name not in values}
        given |= {f"grid_size_{axis}": grid for axis, grid in zip(AXES, launch.grid, strict=True)}
        flags += [f"-D{name}={{{text}}}" for name, text in given.items() if re.search(rf"\b{name}\b", source)]
    for name, value in (defines or {}).items():
        if name in values:
            continue  # A parameter is a macro in any case.
        if callable(value):
            text = "{" + expressions.value(f"defines[{name!r}]", expressions.by_keywords(value, values), values) + "}"
        else:
            text = str(value)
        flags.append(f"-D{name}={text}" if text else f"-D{name}")
    return flags


def shared_memory(smem_args: Mapping[str, Any] | None, values: expressions.Values) -> str:
    """Returns the bytes of dynamic shared memory."""
    size = (smem_args or {}).get("size", 0)
    if callable(size):
        return expressions.value("smem_args", expressions.by_keywords(size, values), values)
    return size if isinstance(size, str) else str(int(size))


def write_project(
    folder: str, *, kernel_name: str, source: Source, language: str, problem_size: Any, arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Value]], grid_div: Sequence[Any], restrictions: Any, answer: Any, atol: float,
    smem_args: Any, cmem_args: Any, compiler_options: Any, defines: Any, block_size_names: Any, left_out: Any,
) -> str:
    """Writes a project with its files, and returns the path of its JSON file.

    ``left_out`` is a function of a configuration that is true if the configuration is not to be measured.
    """
    values = {
        name: [expressions.plain("tune_params", one) for one in listed] for name, listed in tune_params.items()
    }
    launch = Launch(problem_size, grid_div, block_size_names, values)
    conditions = conditions_of(restrictions, values)
    if left_out is not None:
        conditions.append(expressions.condition("cache", lambda configuration: not left_out(configuration), values))
    parameters = parameters_in_source(kernel_name, source.text, len(arguments))
    described, own = describe(folder, parameters, arguments, answer, atol)
    options = [compiler_options] if isinstance(compiler_options, str) else list(compiler_options or ())
    if language in ("C", "C++") and re.search(r"#\s*pragma\s+omp|<omp\.h>", source.text):
        options.append("-fopenmp")
    options += [f"-I{one}" for one in source.folders]
    file = space_file(values, conditions, kernel_name)
    file["kernelscape"] = own
    if language in ("C", "C++"):  # T1 knows the languages of GPUs only.
        file["kernelscape"]["Language"] = language
    kernel: dict[str, Any] = {
        "Language": language,
        "KernelName": kernel_name,
        "KernelFile": source.file or "kernel" + ENDINGS[language],
        "CompilerOptions": options + _defines(defines, launch, source.text, values),
        "Arguments": described,
    }
    if all(size.isdecimal() for size in launch.sizes):
        kernel["ProblemSize"] = [int(size) for size in launch.sizes]
    if language in ("OpenCL", "CUDA"):
        kernel["GlobalSizeType"] = "CUDA"  # GlobalSize counts blocks.
        kernel["GlobalSize"] = dict(zip("XYZ", launch.grid, strict=True))
        kernel["LocalSize"] = dict(zip("XYZ", launch.blocks, strict=True))
        kernel["SharedMemory"] = shared_memory(smem_args, values)
        kernel["Arguments"] += constant_memory(folder, cmem_args or {})
    if not are_stored(folder):
        file["kernelscape"]["DataFiles"] = "Referenced"
    file["KernelSpecification"] = kernel
    if source.file is None:
        with open(os.path.join(folder, kernel["KernelFile"]), "w", encoding="utf-8") as written:
            written.write(source.text)
    path = os.path.join(folder, re.sub(r"\W+", "_", kernel_name) + ".json")
    with open(path, "w", encoding="utf-8") as written:
        json.dump(file, written)
    return path

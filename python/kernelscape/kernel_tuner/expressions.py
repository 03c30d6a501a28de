"""Writes Python functions of a configuration as expressions that the program evaluates.

A function is called for all values of the parameters that it reads, and its results are written as a table. It
must return the same result whenever it is called with the same values.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..session import Configuration, Value
from .unsupported import UnsupportedArgument

Values = Mapping[str, Sequence[Value]]

MAX_EXPRESSION = 1 << 16  # characters: the limit of the program
MAX_CALLS = 1 << 18  # combinations that the program tries for one condition
MAX_LISTED_ROWS = 200  # longer lists of configurations are written as bits
BITS = 62


class _Recorder(Mapping[str, Value]):
    """A configuration that records which parameters are read."""

    def __init__(self, configuration: Configuration, read: set[str]) -> None:
        self._configuration = configuration
        self._read = read

    def __getitem__(self, name: str) -> Value:
        value = self._configuration[name]
        self._read.add(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._configuration)

    def __len__(self) -> int:
        return len(self._configuration)

    def copy(self) -> Configuration:
        return dict(self)


def _table(
    argument: str, function: Callable[[Any], Any], values: Values
) -> tuple[list[str], dict[tuple[Value, ...], Any]]:
    """Returns the parameters that a function reads, and its results by their values, in the order of the product."""
    first = {name: listed[0] for name, listed in values.items()}
    read: set[str] = set()
    while True:
        names = [name for name in values if name in read]
        if math.prod(len(values[name]) for name in names) > MAX_CALLS:
            raise UnsupportedArgument(
                argument,
                f"a function of {', '.join(names)} would be called for more than {MAX_CALLS} combinations",
                "write it as text, or as a list of functions that read fewer parameters each",
            )
        results = {}
        for row in itertools.product(*(values[name] for name in names)):
            results[row] = function(_Recorder({**first, **dict(zip(names, row, strict=True))}, read))
            if len(read) > len(names):
                break
        else:
            return names, results


def configurations(argument: str, values: Values) -> Iterator[Configuration]:
    """Yields all combinations of the parameters' values."""
    if math.prod(map(len, values.values())) > MAX_CALLS:
        raise UnsupportedArgument(
            argument, f"there are more than {MAX_CALLS} combinations of values",
            "delete the file and tune without it; `kernelscape resume` resumes a session",
        )
    return (dict(zip(values, row, strict=True)) for row in itertools.product(*values.values()))


def by_keywords(function: Callable[..., Any], values: Values) -> Callable[[Mapping[str, Value]], Any]:
    """Returns a function of a configuration from one that takes either a configuration or parameters by name.

    A function takes a configuration if it has one positional parameter that is not named like a parameter of the
    kernel.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # Functions of C have no signature.
        return function
    kinds = {one.kind for one in parameters}
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return lambda configuration: function(**configuration)
    needed = [one.name for one in parameters if one.default is one.empty]
    if len(needed) == 1 and needed[0] not in values:
        return function
    names = [one.name for one in parameters if one.name in values]
    return lambda configuration: function(**{name: configuration[name] for name in names})


def _position(name: str, listed: Sequence[Value]) -> str:
    """Returns an expression for the position of a parameter's value among its values."""
    return "".join(f"{i} if {name} == {value!r} else " for i, value in enumerate(listed[:-1])) + str(len(listed) - 1)


def condition(argument: str, function: Callable[[Any], Any], values: Values) -> str:
    """Returns a condition that is true where a function of a configuration is."""
    names, results = _table(argument, function, values)
    rows = [row for row, result in results.items() if result]
    if not names:
        return "True" if rows else "False"
    if len(rows) == len(results):
        return "True"
    if len(rows) <= MAX_LISTED_ROWS:
        left = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return _checked(argument, f"{left} in {[row[0] if len(row) == 1 else row for row in rows]!r}")
    index = "0"
    for name in names:  # The last parameter varies fastest, as in itertools.product().
        index = f"({index}) * {len(values[name])} + ({_position(name, values[name])})"
    flags = [bool(result) for result in results.values()]
    words = [
        sum(flag << bit for bit, flag in enumerate(flags[start : start + BITS]))
        for start in range(0, len(flags), BITS)
    ]
    return _checked(argument, f"({words!r}[({index}) // {BITS}] >> ({index}) % {BITS}) & 1 == 1")


def value(argument: str, function: Callable[[Any], Any], values: Values) -> str:
    """Returns an expression with the value of a function of a configuration."""
    names, results = _table(argument, function, values)
    if not names:
        return repr(plain(argument, next(iter(results.values()))))
    rows = [(*row, plain(argument, result)) for row, result in results.items()]
    tests = " and ".join(f"r[{i}] == {name}" for i, name in enumerate(names))
    return _checked(argument, f"[r[{len(names)}] for r in {rows!r} if {tests}][0]")


def plain(argument: str, number: Any) -> Value:
    """Returns a number of numpy as a number of Python."""
    number = number.item() if hasattr(number, "item") else number
    if not isinstance(number, bool | int | float | str):
        raise UnsupportedArgument(argument, f"the value {number!r} is no number and no text", "use a number or a text")
    return number


def _checked(argument: str, text: str) -> str:
    if len(text) <= MAX_EXPRESSION:
        return text
    raise UnsupportedArgument(
        argument, "the table of the function's results is too long", "write the function as text in Python's syntax"
    )

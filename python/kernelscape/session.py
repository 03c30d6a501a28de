"""A session of ``kernelscape ask-tell``: the protocol is described in core/session/README.md."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

Value = bool | int | float | str
Configuration = dict[str, Value]
Restriction = str | Callable[[Configuration], bool]

PROTOCOL = 1


class KernelscapeError(RuntimeError):
    """The program refused a request or cannot continue; ``code`` is that of the protocol."""

    def __init__(self, message: str, hint: str = "", code: str = "failed") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code = code


class Failure(Exception):
    """A configuration failed. ``category`` is an error category of Kernelscape, such as COMPILE_HOST."""

    def __init__(self, message: str, category: str = "RUNTIME_DEVICE") -> None:
        super().__init__(message)
        self.category = category


@dataclass(frozen=True)
class Proposal:
    """A configuration to measure, and the number of its trial."""

    trial: int
    configuration: Configuration


def samples_of(result: float | Sequence[float] | Failure) -> list[float] | Failure:
    """Returns the samples of a result.

    A result without samples, or with a sample that is not a finite number above zero, is a failure.
    """
    if isinstance(result, Failure):
        return result
    samples = [float(one) for one in result] if hasattr(result, "__iter__") else [float(result)]
    if samples and all(math.isfinite(one) and one > 0 for one in samples):
        return samples
    return Failure(f"the time is {samples}", "UNKNOWN_ERROR")


def _metrics_of(metrics: Mapping[str, float | tuple[float, str]]) -> dict[str, dict[str, float | str]]:
    """Returns the metrics as the protocol has them."""
    numbers: dict[str, dict[str, float | str]] = {}
    for name, metric in metrics.items():
        value, unit = metric if isinstance(metric, tuple) else (metric, "")
        if math.isfinite(value):
            numbers[name] = {"value": float(value), "unit": unit}
    return numbers


def _plain(value: Any) -> Value:
    """Returns a number of numpy as a number of Python."""
    return value.item() if hasattr(value, "item") else value


def _type_of(values: Sequence[Value]) -> str:
    if all(isinstance(value, bool) for value in values):
        return "bool"
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return "int"
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "float"
    if all(isinstance(value, str) for value in values):
        return "string"
    raise TypeError(f"the values {list(values)!r} have no common type: use numbers, texts or truth values")


def space_file(
    space: Mapping[str, Iterable[Value]],
    restrictions: Restriction | Sequence[Restriction] | None = None,
    name: str = "python",
    flops: float = 0,
) -> dict[str, Any]:
    """Returns the search space as a T1 file.

    Texts in ``restrictions`` are conditions in Python's syntax. If one of the restrictions is a function of a
    configuration, all are evaluated here, and the feasible configurations are listed.
    """
    values = {key: [_plain(value) for value in listed] for key, listed in space.items()}
    parameters = [{"Name": key, "Type": _type_of(listed), "Values": listed} for key, listed in values.items()]
    given = [] if restrictions is None else restrictions
    rules: list[Restriction] = [given] if isinstance(given, str) or callable(given) else list(given)
    file: dict[str, Any] = {
        "General": {"BenchmarkName": name},
        "ConfigurationSpace": {"TuningParameters": parameters},
        "kernelscape": {"FLOPs": str(flops)},
    }
    if not any(callable(rule) for rule in rules):
        file["ConfigurationSpace"]["Conditions"] = [{"Expression": rule} for rule in rules]
        return file
    checks = [rule if callable(rule) else compile_restriction(rule) for rule in rules]
    file["kernelscape"]["Members"] = [
        list(row)
        for row in itertools.product(*values.values())
        if all(check(dict(zip(values, row, strict=True))) for check in checks)
    ]
    return file


def program_command(program: str | Sequence[str] | None) -> list[str]:
    """Returns the command line of the program: the one given, else the variable KERNELSCAPE, else in PATH."""
    program = program or os.environ.get("KERNELSCAPE", "kernelscape")
    return [program] if isinstance(program, str) else list(program)


def compile_restriction(text: str) -> Callable[[Configuration], bool]:
    """Returns a restriction in Python's syntax as a function of a configuration."""
    code = compile(text, "<restriction>", "eval")
    return lambda configuration: bool(eval(code, {"math": math, **configuration}))


class Session:
    """Asks for configurations and tells their results. Use it in a ``with`` statement.

    ``space`` maps the name of a parameter to its values. A session that ended early is resumed with
    ``resume=NUMBER``, where ``session.number`` was its number; ``space`` is then ``None``.
    ``target`` is the device that is measured on: no other session of this machine uses it meanwhile.
    ``program`` is the program, or its command line; without it, the variable KERNELSCAPE names the program.
    """

    def __init__(
        self,
        space: Mapping[str, Iterable[Value]] | None,
        tuner: str | None = None,
        *,
        restrictions: Restriction | Sequence[Restriction] | None = None,
        settings: Mapping[str, Any] | None = None,
        trials: int | None = None,
        minutes: float | None = None,
        seed: int | None = None,
        batch: int | None = None,
        target: str | None = None,
        name: str | None = None,
        flops: float = 0,
        resume: int | str | None = None,
        database: str | os.PathLike[str] | None = None,
        program: str | Sequence[str] | None = None,
    ) -> None:
        if (space is None) == (resume is None):
            raise ValueError("give either a space, or a session to resume")
        command = [*program_command(program), "ask-tell"]
        self._folder = tempfile.TemporaryDirectory(prefix="kernelscape-")
        try:
            if space is not None:
                path = os.path.join(self._folder.name, "space.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(space_file(space, restrictions, name or "python", flops), file)
                command.append(path)
            options = {
                "--resume": resume, "--tuner": tuner, "--trials": trials, "--minutes": minutes, "--seed": seed,
                "--batch": batch, "--target": target, "--name": name, "--db": database,
            }
            for option, value in options.items():
                if value is not None:
                    command += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
            for setting, value in (settings or {}).items():
                command += ["--set", f"{setting}={value}"]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
            self.messages: list[str] = []
        except BaseException:
            self._folder.cleanup()
            raise
        try:
            hello = self._receive()
        except BaseException:
            self._process.kill()
            self._reap()
            raise
        if hello.get("event") != "hello" or hello["protocol"] != PROTOCOL:
            self._process.kill()
            self._reap()
            raise KernelscapeError("the program speaks another version of the protocol", "use its own Python package")
        self.number: int = hello["session"]
        self.best: dict[str, Any] | None = hello["best"]
        self.trials: int = hello["trials"]
        self.done = False
        self.reason = ""

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer["event"] == "message":
                self.messages.append(answer["text"])
                continue
            if answer["event"] == "error":
                raise KernelscapeError(answer["message"], answer["hint"], answer["code"])
            return answer
        raise KernelscapeError(f"the program ended with exit code {self._process.wait()}", "see its standard error")

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request, allow_nan=False) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # The program's last line says why it ended.
        return self._receive()

    def ask(self, n: int = 1) -> list[Proposal]:
        """Returns at most ``n`` configurations to measure.

        The list is empty if the session has ended (``done``), or if the tuner first needs the results of
        configurations that were handed out.
        """
        answer = self._request({"command": "ask", "n": n})
        self.done = answer["done"]
        self.reason = answer.get("reason", "")
        return [Proposal(one["trial"], one["configuration"]) for one in answer["configurations"]]

    def tell(
        self,
        trial: Proposal | int,
        result: float | Sequence[float] | Failure,
        metrics: Mapping[str, float | tuple[float, str]] | None = None,
    ) -> None:
        """Reports the time of a run in seconds, several samples, or a failure; returns when it is stored.

        A time that is not a finite number above zero is a failure. Metrics are further numbers by their names, which
        become columns of the trials: ``{"energy": (0.12, "J"), "error": 1e-6}``. A number that is not finite is left out.
        """
        number = trial.trial if isinstance(trial, Proposal) else trial
        report: dict[str, Any] = {"trial": number}
        checked = samples_of(result)
        if isinstance(checked, Failure):
            report |= {"error": checked.category, "message": str(checked)}
        else:
            report["seconds"] = checked
        if numbers := _metrics_of(metrics or {}):
            report["metrics"] = numbers
        answer = self._request({"command": "tell", "results": [report]})
        self.trials = answer["trials"]
        self.best = answer["best"]

    def close(self) -> None:
        """Ends the session. It can be resumed if its budget is not used up."""
        if self._process.poll() is None and self._process.stdin is not None:
            try:
                self._process.stdin.close()
                assert self._process.stdout is not None
                self._process.stdout.read()
            except BrokenPipeError:
                pass
        self._reap()

    def _reap(self) -> None:
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                stream.close()
        self._folder.cleanup()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

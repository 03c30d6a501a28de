"""The results of tune_kernel(), in the form that Kernel Tuner gives them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Result = dict[str, Any]


class ErrorConfig(str):
    """What a result has instead of a time if its configuration failed. Its text is the name of its class."""

    def __new__(cls) -> ErrorConfig:
        return super().__new__(cls, cls.__name__)

    def __getnewargs__(self) -> tuple[()]:  # for copies and pickles
        return ()

    def __repr__(self) -> str:
        return str(self)


class InvalidConfig(ErrorConfig):
    """The device cannot run the configuration."""


class CompilationFailedConfig(ErrorConfig):
    """The configuration did not compile."""


class RuntimeFailedConfig(ErrorConfig):
    """The configuration crashed, took too long, or computed a wrong result."""


ERRORS: dict[str, type[ErrorConfig]] = {
    "INSTANTIATION_ERROR": InvalidConfig,
    "COMPILE_HOST": CompilationFailedConfig,
    "COMPILE_DEVICE": CompilationFailedConfig,
    "BUILD_TIMEOUT": CompilationFailedConfig,
}

Metrics = Mapping[str, str | Callable[[Result], Any]]


def result_of(trial: Mapping[str, Any], names: Iterable[str], metrics: Metrics) -> Result:
    """Returns a result from a trial that the program printed as JSON, its parameters in the order of their names.

    Times are milliseconds.
    """
    result: Result = {name: trial["configuration"][name] for name in names}
    seconds = trial.get("objective_seconds")
    if trial["category"] == "NO_ERROR" and seconds is not None:
        result["time"] = seconds * 1e3
        result["times"] = [sample * 1e3 for sample in trial["samples_seconds"] or []]
        add_metrics(result, metrics)
    else:
        result["time"] = result["__error__"] = ERRORS.get(trial["category"], RuntimeFailedConfig)()
        result["message"] = trial.get("message") or trial["category"]
    result["compile_time"] = (trial.get("build_seconds") or 0) * 1e3
    result["benchmark_time"] = (trial.get("run_seconds") or 0) * 1e3
    result["trial"] = trial["trial"]
    return result


def add_metrics(result: Result, metrics: Metrics) -> None:
    """Adds metrics to a result: functions of the result, or texts over its parameters, time and earlier metrics."""
    for name, metric in metrics.items():
        if callable(metric):
            result[name] = metric(result)
        else:
            result[name] = eval(metric, {"math": math}, result)  # the text of the user's own script


def get_best_config(
    results: Sequence[Result], objective: str = "time", objective_higher_is_better: bool = False
) -> Result:
    """Returns the best result."""
    choose = max if objective_higher_is_better else min
    worst = -sys.float_info.max if objective_higher_is_better else sys.float_info.max

    def key(result: Result) -> float:
        number = result.get(objective)
        return number if isinstance(number, int | float) else worst

    return choose(results, key=key)

"""Cache files of Kernel Tuner: the results of earlier calls, which are not measured again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..session import Configuration, Value
from .results import ERRORS, Metrics, Result, RuntimeFailedConfig, add_metrics

NAMES = {kind.__name__: kind for kind in (*ERRORS.values(), RuntimeFailedConfig)}


class Cache:
    """The results in a cache file, which may not exist yet. Without a file, nothing is read or written."""

    def __init__(
        self, path: str | os.PathLike[str] | None, kernel_name: str, tune_params: Mapping[str, Sequence[Value]]
    ) -> None:
        self._path = None if path is None else os.fspath(path)
        if self._path is not None and not self._path.endswith(".json"):
            self._path += ".json"  # as Kernel Tuner does
        self._kernel_name = kernel_name
        self._tune_params = tune_params
        self._entries: dict[str, Result] = {}
        if self._path is not None and os.path.exists(self._path):
            self._read(self._path)

    def _read(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            text = file.read().strip()
        try:
            content = json.loads(text)
        except ValueError:  # Kernel Tuner closes the braces only when it ends.
            try:
                content = json.loads(text.rstrip(",") + "}\n}")
            except ValueError as error:
                raise ValueError(f"cache: {path} is no cache of Kernel Tuner: {error}") from error
        if content["kernel_name"] != self._kernel_name or content["tune_params_keys"] != list(self._tune_params):
            raise ValueError(
                f"cache: {path} is of the kernel {content['kernel_name']} with the parameters "
                f"{content['tune_params_keys']}: name another file, or delete this one"
            )
        self._entries = content["cache"]

    def __bool__(self) -> bool:
        return bool(self._entries)

    def has(self, configuration: Mapping[str, Value]) -> bool:
        """Returns true if the file has a result of a configuration."""
        return self._key(configuration) in self._entries

    def _key(self, configuration: Mapping[str, Value]) -> str:
        return ",".join(str(configuration[name]) for name in self._tune_params)

    def results(self, metrics: Metrics, feasible: Callable[[Configuration], bool]) -> list[Result]:
        """Returns the results in the file of configurations that still are feasible."""
        results = []
        for entry in self._entries.values():
            result = dict(entry)
            configuration = {name: result[name] for name in self._tune_params}
            if any(value not in self._tune_params[name] for name, value in configuration.items()):
                continue
            if not feasible(configuration):
                continue
            if isinstance(result["time"], str):
                result["time"] = NAMES.get(result["time"], RuntimeFailedConfig)()
            else:
                add_metrics(result, metrics)
            results.append(result)
        return results

    def write(self, results: Sequence[Result], device: str, problem_size: Any) -> None:
        """Writes the file with its earlier results and new ones."""
        if self._path is None:
            return
        for result in results:
            self._entries[self._key(result)] = result
        content = {
            "device_name": device,
            "kernel_name": self._kernel_name,
            "problem_size": str(problem_size),
            "tune_params_keys": list(self._tune_params),
            "tune_params": self._tune_params,
            "objective": "time",
            "cache": self._entries,
        }
        with open(self._path + ".new", "w", encoding="utf-8") as file:
            json.dump(content, file, default=str)
        os.replace(self._path + ".new", self._path)

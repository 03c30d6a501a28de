"""tune_kernel() of Kernel Tuner, on top of `kernelscape tune`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..session import Configuration, Restriction, Value, compile_restriction
from . import expressions
from .cache import Cache
from .folder import ProjectFolder
from .program import Program
from .project import Source, language_of, write_project
from .results import ErrorConfig, Metrics, Result, get_best_config, result_of
from .strategies import plan_of
from .unsupported import UnsupportedArgument, notice

# Kernel Tuner waits for compilers and kernels without limits. These end what hangs.
TIME_LIMITS = {"--build-timeout": 600, "--run-timeout": 3600}


def tune_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Value]],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Sequence[Any] | None = None,
    atol: float | None = 1e-6,
    verify: Callable[..., bool] | None = None,
    verbose: bool = False,
    lang: str | None = None,
    device: int = 0,
    platform: int = 0,
    smem_args: Mapping[str, Any] | None = None,
    cmem_args: Mapping[str, Any] | None = None,
    texmem_args: Mapping[str, Any] | None = None,
    compiler: str | None = None,
    compiler_options: str | Sequence[str] | None = None,
    defines: Mapping[str, Any] | None = None,
    log: int | None = None,
    iterations: int = 7,
    block_size_names: Sequence[str] | None = None,
    quiet: bool = False,
    strategy: Any = None,
    strategy_options: Mapping[str, Any] | None = None,
    cache: str | os.PathLike[str] | None = None,
    metrics: Metrics | None = None,
    simulation_mode: bool = False,
    observers: Sequence[Any] | None = None,
    objective: str | None = None,
    objective_higher_is_better: bool | None = None,
    *,
    target: str | None = None,
    seed: int | None = None,
    name: str | None = None,
    options: Sequence[str] = (),
    database: str | os.PathLike[str] | None = None,
    program: str | Sequence[str] | None = None,
) -> tuple[list[Result], dict[str, Any]]:
    """Tunes a kernel: measures its configurations, and returns their results and the environment.

    The arguments up to ``objective_higher_is_better`` are those of Kernel Tuner; python/README.md says how they are
    followed. A result is a dictionary of a configuration with ``time`` and ``times`` in milliseconds. The time of a
    configuration that failed is an ErrorConfig.

    ``target`` is a target of `kernelscape devices`, ``options`` are further options of `kernelscape tune`, and
    ``database`` is where the session is stored and where the window finds it. ``program`` is the program, or its
    command line; without it, the variable KERNELSCAPE names the program.

    Raises UnsupportedArgument, a NotImplementedError, for what Kernelscape cannot do, and KernelscapeError if no
    configuration is valid.
    """
    _check_unsupported(simulation_mode, texmem_args, objective)
    _note_unused(verify, answer, log, observers, platform, objective, metrics)
    tune_params = {
        key: [expressions.plain("tune_params", one) for one in listed] for key, listed in tune_params.items()
    }
    source = Source(kernel_source)
    language = language_of(lang, compiler, source.text)
    if target is None:
        target = {"OpenCL": f"opencl:{device}", "CUDA": f"cuda:{device}"}.get(language, "cpu")
    plan = plan_of(strategy, strategy_options)
    cached = Cache(cache, kernel_name, tune_params)
    feasible = _feasibility(restrictions, tune_params) if cached else lambda configuration: True
    results = cached.results(metrics or {}, feasible)
    env: dict[str, Any] = {"device_name": "", "target": target, "iterations": iterations,
                           "compiler_options": compiler_options, "tuner": plan.tuner}
    if not cached or _is_left(cached, feasible, tune_params):
        runner = Program(program, database, source.file is not None or bool(source.folders))
        with ProjectFolder() as folder:
            path = write_project(
                folder.path, kernel_name=kernel_name, source=source, language=language, problem_size=problem_size,
                arguments=arguments, tune_params=tune_params, grid_div=(grid_div_x, grid_div_y, grid_div_z),
                restrictions=restrictions, answer=answer, atol=1e-6 if atol is None else atol, smem_args=smem_args,
                cmem_args=cmem_args, compiler_options=compiler_options, defines=defines,
                block_size_names=block_size_names, left_out=cached.has if cached else None,
            )
            if plan.fraction is not None:
                plan.trials = runner.trials_of(path, plan.fraction)
            given = ["--trust", "--target", target, "--repeats", str(iterations), "--name", name or kernel_name]
            given += plan.options() + ([] if seed is None else ["--seed", str(seed)])
            given += _time_limits(options) + list(options)
            measured: list[Result] = []
            ended = False
            try:
                for event in runner.events("tune", path, given):
                    ended = ended or event["event"] == "summary"
                    _take(event, env, measured, metrics or {}, tune_params, quiet, verbose)
                    folder.resume = None if ended or "session" not in env else _resuming_command(env)
            finally:
                cached.write(measured, env["device_name"], problem_size)
            results += measured
            if verbose and runner.errors:
                print(runner.errors)
            if not ended or all(isinstance(result["time"], ErrorConfig) for result in results):
                raise runner.failure()
    goal = objective or "time"
    higher = "/s" in goal or "/W" in goal if objective_higher_is_better is None else objective_higher_is_better
    env["best_config"] = get_best_config(results, goal, higher)
    if not quiet:
        print("best performing configuration:")
        print(_line(env["best_config"], tune_params, metrics or {}))
    return results, env


def _resuming_command(env: Mapping[str, Any]) -> str:
    return shlex.join(["kernelscape", "resume", str(env["session"]), "--db", env["database"]])


def _time_limits(options: Sequence[str]) -> list[str]:
    """Returns options with the time limits that the caller does not set."""
    named = {option.split("=")[0] for option in options}
    return [text for name, limit in TIME_LIMITS.items() if name not in named for text in (name, str(limit))]


def _check_unsupported(simulation_mode: bool, texmem_args: Any, objective: Any) -> None:
    if simulation_mode:
        raise UnsupportedArgument(
            "simulation_mode", "caches are not replayed here",
            "import the cache with `kernelscape import FILE`, and tune with --target recorded:FILE",
        )
    if texmem_args:
        raise UnsupportedArgument(
            "texmem_args", "textures are not supported", "pass the contents as an array in global memory"
        )
    if objective is not None and not isinstance(objective, str):
        raise UnsupportedArgument("objective", "there is one objective", "name one of them")


def _note_unused(
    verify: Any, answer: Any, log: Any, observers: Any, platform: int, objective: str | None, metrics: Metrics | None
) -> None:
    if verify is not None:
        how = "is compared within atol" if answer is not None else "is not checked, since there is no answer"
        notice("verify", f"the function is not called; the output {how}")
    if observers:
        notice("observers", "they are not called")
    if log is not None:
        notice("log", "no log is written; the window shows the session")
    if platform != 0:
        notice("platform", "it is not used: the devices of all platforms are counted together, pass target='opencl:N'")
    if objective is not None and objective != "time":
        if objective not in (metrics or {}):
            raise ValueError(f"objective: {objective} is neither time nor one of the metrics")
        notice("objective", f"the tuner minimizes the time; the best of its results is chosen by {objective}")


def _feasibility(restrictions: Any, values: expressions.Values) -> Callable[[Configuration], bool]:
    """Returns whether a configuration satisfies restrictions, which are checked before anything is measured."""
    given = [] if restrictions is None else restrictions
    listed = [given] if isinstance(given, str) or callable(given) else list(given)
    rules: list[Restriction] = []
    for rule in listed:
        if isinstance(rule, tuple):
            rules.append(lambda c, f=rule[0], names=tuple(rule[1]): f(**{one: c[one] for one in names}))
        else:
            rules.append(compile_restriction(rule) if isinstance(rule, str) else expressions.by_keywords(rule, values))
    return lambda configuration: all(rule(configuration) for rule in rules)


def _is_left(cached: Cache, feasible: Callable[[Configuration], bool], values: expressions.Values) -> bool:
    """Returns true if a feasible configuration is not in the cache."""
    return any(feasible(one) and not cached.has(one) for one in expressions.configurations("cache", values))


def _take(
    event: dict[str, Any], env: dict[str, Any], results: list[Result], metrics: Metrics, tune_params: Any,
    quiet: bool, verbose: bool,
) -> None:
    """Takes an event of the program: its session, or the result of a trial."""
    if event["event"] == "session":
        env |= {"device_name": event["device"] or event["target"], "session": event["session"],
                "database": event["database"], "seed": event["seed"]}
        if not quiet:
            print(f"Using: {env['device_name']}, session {event['session']} of {event['database']}", flush=True)
    elif event["event"] == "trial":
        result = result_of(event, tune_params, metrics)
        results.append(result)
        if not quiet and (verbose or not isinstance(result["time"], ErrorConfig)):
            print(_line(result, tune_params, metrics), flush=True)


def _line(result: Result, tune_params: Any, metrics: Metrics) -> str:
    """Returns a result on one line, as Kernel Tuner prints it."""
    parts = [f"{name}={result[name]}" for name in tune_params]
    if isinstance(result["time"], ErrorConfig):
        return ", ".join([*parts, f"time={result['time']}", result.get("message", "")])
    parts.append(f"time={result['time']:.3f}ms")
    for name in metrics:
        value = result[name]
        parts.append(f"{name}={value:.3f}" if isinstance(value, float) else f"{name}={value}")
    return ", ".join(parts)

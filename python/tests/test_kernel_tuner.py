"""Tests kernelscape.kernel_tuner: what it writes into projects, and kernels that the program builds and runs."""

from __future__ import annotations

import array
import copy
import ctypes
import functools
import importlib.util
import itertools
import json
import math
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import sys
import types
import warnings
from types import ModuleType

import pytest
from kernelscape import KernelscapeError
from kernelscape.kernel_tuner import (
    CompilationFailedConfig,
    ErrorConfig,
    RuntimeFailedConfig,
    UnsupportedArgument,
    arguments,
    expressions,
    get_best_config,
    tune_kernel,
)
from kernelscape.kernel_tuner.arguments import Contents, parameters_in_source
from kernelscape.kernel_tuner.project import Launch, conditions_of, language_of
from kernelscape.kernel_tuner.results import add_metrics
from kernelscape.kernel_tuner.strategies import plan_of

QUICK = {"options": ["--min-repeat-ms", "0.1"], "iterations": 3, "quiet": True}
ADD = """
void vector_add(float *c, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i += step)
    for (int j = i; j < i + step && j < n; ++j) c[j] = a[j] + b[j];
}
"""
SIZE = 100


def add_arguments() -> tuple[list[object], list[object]]:
    """Returns the arguments of ADD, and its answer, without numpy."""
    a = array.array("f", [i % 7 for i in range(SIZE)])
    b = array.array("f", [i % 5 for i in range(SIZE)])
    c = array.array("f", [0] * SIZE)
    answer = array.array("f", [x + y for x, y in zip(a, b, strict=True)])
    return [c, a, b, ctypes.c_int32(SIZE)], [answer, None, None, None]


def tune_add(source: str = ADD, **changes: object) -> tuple[list[dict[str, object]], dict[str, object]]:
    arguments, answer = add_arguments()
    given = {"compiler": "gcc", "answer": answer, "tune_params": {"step": [1, 2, 4]}, **QUICK, **changes}
    return tune_kernel("vector_add", source, SIZE, arguments, **given)


# Functions become expressions of the program, whose syntax is Python's.


def holds(condition: str, configuration: dict[str, object]) -> bool:
    return bool(eval(condition, {}, configuration))


@pytest.mark.parametrize("seed", range(20))
def test_functions_are_conditions(seed: int) -> None:
    draw = random.Random(seed)
    values = {
        name: draw.sample(kind, draw.randint(1, len(kind)))
        for name, kind in {
            "x": list(range(-20, 20)), "y": [0.5, 1.5, 2.0, 1e-3], "z": ["rows", "it's"], "w": [True, False]
        }.items()
    }
    accepted = {row for row in itertools.product(*values.values()) if draw.random() < draw.choice([0.1, 0.9])}

    def function(p: dict[str, object]) -> bool:
        return (p["x"], p["y"], p["z"], p["w"]) in accepted

    (condition,) = conditions_of(function, values)
    for row in itertools.product(*values.values()):
        assert holds(condition, dict(zip(values, row, strict=True))) == (row in accepted), f"seed {seed}: {row}"


def test_only_parameters_that_are_read_are_in_a_condition() -> None:
    values = {"x": list(range(100)), "y": [1, 2], "z": list(range(10_000)), "w": list(range(10_000))}
    (condition,) = conditions_of(lambda p: p["y"] == 2 and p["x"] > 97, values)
    assert condition == "(x, y) in [(98, 2), (99, 2)]"
    (condition,) = conditions_of([lambda y: y > 1], values)
    assert condition == "y in [2]"
    with pytest.raises(UnsupportedArgument, match="text"):
        conditions_of(lambda p: p["z"] < p["w"], values)


def test_restrictions_have_all_forms_of_kernel_tuner() -> None:
    values = {"x": [1, 2], "y": [1, 2]}
    assert conditions_of("x <= y", values) == ["x <= y"]
    assert conditions_of(["x <= y", "x == 1"], values) == ["x <= y", "x == 1"]
    expected = ["(x, y) in [(1, 1), (1, 2), (2, 2)]"]
    assert conditions_of(lambda p: p["x"] <= p["y"], values) == expected
    assert conditions_of([lambda x, y: x <= y], values) == expected
    assert conditions_of([lambda **p: p["x"] <= p["y"]], values) == expected
    assert conditions_of([(lambda x, y: x <= y, ["x", "y"])], values) == expected
    assert conditions_of(lambda p: all(v > 0 for v in p.values()), values) == ["True"]
    with pytest.raises(NotImplementedError, match="as text or as a function"):
        conditions_of([3], values)


def test_a_launch_is_divided_as_by_kernel_tuner() -> None:
    values = {"block_size_x": [16, 32], "tile": [1, 2, 4], "bx": [8]}
    configuration = {"block_size_x": 32, "tile": 4, "bx": 8}

    def grid(problem_size: object, *divisors: object, names: list[str] | None = None) -> list[int]:
        launch = Launch(problem_size, [*divisors, *[None] * (3 - len(divisors))], names, values)
        return [eval(text, {"math": math, **configuration}) for text in launch.grid]

    assert grid(100) == [4, 1, 1]
    assert grid((100, 7)) == [4, 7, 1]
    assert grid((100, 7), ["block_size_x", "tile"], ["tile"]) == [1, 2, 1]
    assert grid(100, []) == [100, 1, 1]
    assert grid(100, ["block_size_x/16"]) == [50, 1, 1]
    assert grid(100, lambda p: p["block_size_x"] * p["tile"]) == [1, 1, 1]
    assert grid("100 * tile") == [13, 1, 1]
    assert grid(array.array("l", [100, 7])) == [4, 7, 1]
    assert grid(("tile", 5), []) == [4, 5, 1]
    assert grid(lambda p: (p["tile"] * 64, p["bx"])) == [8, 8, 1]
    assert grid(100, names=["bx"]) == [13, 1, 1]
    assert Launch(100, [None] * 3, None, {"tile": [1]}).blocks == ["256", "1", "1"]


def test_the_language_is_that_of_the_source() -> None:
    assert language_of(None, None, "__global__ void f()") == "CUDA"
    assert language_of(None, None, "__kernel void f()") == "OpenCL"
    assert language_of(None, None, "void f()") == "C++"  # as Kernel Tuner, which calls g++
    assert language_of("C", "gcc", "void f()") == "C"
    assert language_of("cupy", None, "") == "CUDA"
    with pytest.raises(UnsupportedArgument, match="HIP"):
        language_of("HIP", None, "")


def test_parameters_are_read_from_the_source() -> None:
    source = """
    void f(int);
    // void f(int a, int b) {
    void f(const float *a, /* in and out */ float *b, __constant int *c, float* const d) {"""
    read = parameters_in_source("f", source, 4)
    assert [(one.name, one.constant) for one in read] == [("a", True), ("b", False), ("c", True), ("d", False)]
    assert [one.name for one in parameters_in_source("f", source, 2)] == ["argument_0", "argument_1"]
    assert [one.name for one in parameters_in_source("ns::f<int>", source, 4)] == ["a", "b", "c", "d"]


def test_arguments_have_types() -> None:
    assert Contents.of(array.array("d", [1, 2]), "x") == Contents("float64", 2, False, array.array("d", [1, 2]))
    assert Contents.of(ctypes.c_uint8(3), "x") == Contents("uint8", 1, True, 3)
    numpy = pytest.importorskip("numpy")
    scalar = Contents.of(numpy.float32(0.5), "x")
    assert (scalar.dtype, scalar.scalar, scalar.value) == ("float32", True, 0.5)
    matrix = numpy.arange(6, dtype=numpy.int16).reshape(2, 3)
    assert Contents.of(matrix, "x").count == 6
    assert Contents.of(matrix.T, "x").bytes() == matrix.tobytes()
    for wrong in (3, 0.5, [1, 2], "text", None):
        with pytest.raises(TypeError, match="numpy"):
            Contents.of(wrong, "argument 0")


def test_strategies_are_tuners() -> None:
    assert plan_of(None, None).options() == ["--tuner", "grid", "--trials", "0"]
    assert plan_of("random_sample", {"fraction": 0.5}).fraction == 0.5
    assert plan_of("bayes_opt", {"max_fevals": 30}).options() == ["--tuner", "gp", "--trials", "30"]
    assert plan_of("genetic_algorithm", {"popsize": 8}).options()[-2:] == ["--set", "population=8"]
    assert plan_of("simulated_annealing", {"time_limit": 30}).options()[2:] == ["--trials", "0", "--minutes", "0.5"]
    assert plan_of("heron", None).tuner == "heron"
    assert plan_of("diff_evo", {"popsize": 8, "maxiter": 5, "method": "rand1bin"}).settings == {
        "population": 8, "generations": 5, "method": "rand1bin"}
    assert plan_of("pso", {"w": 0.7, "c1": 1.0, "c2": 2.0}).settings == {
        "inertia": 0.7, "cognitive": 1.0, "social": 2.0}
    assert plan_of("mls", None).options() == ["--tuner", "mls", "--trials", "100"]
    assert plan_of("greedy_mls", None).settings == {"move": "first"}
    assert plan_of("greedy_ils", {"neighbor": "Hamming", "restart": False, "no_improvement": 9}).settings == {
        "neighbour": "hamming", "move": "best", "patience": 9}
    assert plan_of("basinhopping", {"T": 2.0}).settings == {"temperature": 2.0}
    with pytest.warns(UserWarning, match="minimize has no counterpart"):
        assert plan_of("minimize", None).tuner == "gp"
    with pytest.warns(UserWarning, match="method"):
        assert plan_of("diff_evo", {"method": "best2exp"}).settings == {}
    with pytest.warns(UserWarning, match="maxiter"):
        plan_of("genetic_algorithm", {"maxiter": 8})


def test_tuners_take_their_settings_and_the_options_of_kernel_tuner() -> None:
    assert plan_of("ga", {"popsize": 8, "elites": 2}).settings == {"population": 8, "elites": 2}
    assert plan_of("greedy-ils", {"restart": True, "patience": 9}).settings == {"move": "first", "patience": 9}
    # Names of both.
    assert plan_of("pso", {"popsize": 8, "inertia": 0.7}).settings == {"population": 8, "inertia": 0.7}
    assert plan_of("mls", {"neighbor": "Hamming", "move": "first"}).settings == {
        "neighbour": "hamming", "move": "first"}
    with pytest.warns(UserWarning, match="randomize"):
        assert plan_of("mls", {"randomize": False, "restart": True}).settings == {"move": "first"}


def test_failures_are_marked_as_by_kernel_tuner() -> None:
    failed = CompilationFailedConfig()
    assert isinstance(failed, ErrorConfig) and isinstance(failed, str)
    assert str(failed) == repr(failed) == "CompilationFailedConfig"
    assert json.dumps({"time": failed}) == '{"time": "CompilationFailedConfig"}'
    assert type(copy.deepcopy(failed)) is type(pickle.loads(pickle.dumps(failed))) is CompilationFailedConfig
    results = [{"time": failed}, {"time": 2.0, "speed": 1.0}, {"time": 1.0, "speed": 2.0}]
    assert get_best_config(results)["time"] == 1.0
    assert get_best_config(results, "speed", True)["time"] == 1.0


def test_metrics_see_earlier_metrics() -> None:
    result: dict[str, object] = {"x": 2, "time": 4.0}
    add_metrics(result, {"a": "x / time", "b": lambda p: p["a"] * 4})
    assert (result["a"], result["b"]) == (0.5, 2.0)


@pytest.mark.parametrize(
    "changes", [{"simulation_mode": True}, {"texmem_args": {"t": 1}}, {"lang": "Fortran"}, {"objective": ["time"]}]
)
def test_what_cannot_be_done_is_named(changes: dict[str, object]) -> None:
    with pytest.raises(NotImplementedError, match=next(iter(changes))):
        tune_add(**changes)
    with pytest.raises(NotImplementedError, match="kernel_source"):
        tune_kernel("f", lambda p: "", 1, [], {"x": [1]})


# A script takes the place of the program: it keeps what it is given, and prints events.

SCRIPT = """
import json, os, shutil, sys
folder, events = sys.argv[1:3]
os.makedirs(folder)
for name in os.listdir(os.path.dirname(sys.argv[4])):
    shutil.copy(os.path.join(os.path.dirname(sys.argv[4]), name), folder)
with open(os.path.join(folder, "given"), "w") as file:
    json.dump(sys.argv[3:], file)
for event in json.loads(events):
    print(json.dumps(event), flush=True)
"""
SESSION = {"event": "session", "device": "d", "target": "cpu", "session": 7, "database": "x.db", "seed": 1}
TRIAL = {
    "event": "trial", "trial": 0, "configuration": {"step": 1}, "category": "NO_ERROR", "objective_seconds": 1e-3,
    "samples_seconds": [1e-3],
}
SUMMARY = {"event": "summary"}


def tune_scripted(
    folder: pathlib.Path, events: list[dict[str, object]], **changes: object
) -> tuple[list[dict[str, object]], dict[str, object]]:
    program = [sys.executable, "-c", SCRIPT, str(folder), json.dumps(events)]
    return tune_add(program=program, tune_params={"step": [1]}, **changes)


def project_in(folder: pathlib.Path) -> dict[str, dict[str, object]]:
    return json.loads((folder / "vector_add.json").read_text())


def test_kernels_have_more_time_than_trials_of_the_program(tmp_path: pathlib.Path) -> None:
    def limits(name: str, *options: str) -> list[str]:
        tune_scripted(tmp_path / name, [SESSION, TRIAL, SUMMARY], options=options)
        given = json.loads((tmp_path / name / "given").read_text())
        return [one for pair in itertools.pairwise(given) if pair[0].endswith("-timeout") for one in pair]

    assert limits("none") == ["--build-timeout", "600", "--run-timeout", "3600"]
    assert limits("one", "--run-timeout", "3") == ["--build-timeout", "600", "--run-timeout", "3"]


def test_large_arrays_are_referred_to(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = [SESSION, TRIAL, SUMMARY]
    tune_scripted(tmp_path / "stored", events)
    assert "DataFiles" not in project_in(tmp_path / "stored")["kernelscape"]
    files = {file.name: file.read_bytes() for file in (tmp_path / "stored").glob("*.bin")}
    assert set(files) == {"input_1.bin", "input_2.bin", "answer_0.bin"}  # all elements of c are equal
    monkeypatch.setattr(arguments, "MAX_STORED_BYTES", 3 * 4 * SIZE - 1)
    tune_scripted(tmp_path / "referred", events)
    assert project_in(tmp_path / "referred")["kernelscape"]["DataFiles"] == "Referenced"
    assert {file.name: file.read_bytes() for file in (tmp_path / "referred").glob("*.bin")} == files
    # C and its answer without more files: nothing has to be referred to.
    tune_scripted(tmp_path / "few", events, answer=None)
    assert "DataFiles" not in project_in(tmp_path / "few")["kernelscape"]


def test_files_of_an_interrupted_session_are_kept(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with pytest.raises(KernelscapeError):
        tune_scripted(tmp_path / "stored", [SESSION, TRIAL])
    assert not list(temporary.iterdir())
    monkeypatch.setattr(arguments, "MAX_STORED_BYTES", 0)
    with pytest.raises(KernelscapeError), pytest.warns(UserWarning, match="kernelscape resume 7 --db"):
        tune_scripted(tmp_path / "interrupted", [SESSION, TRIAL])
    (kept,) = temporary.iterdir()
    assert (kept / "input_1.bin").exists()
    shutil.rmtree(kept)
    tune_scripted(tmp_path / "ended", [SESSION, TRIAL, SUMMARY])
    with pytest.raises(KernelscapeError):
        tune_scripted(tmp_path / "not_begun", [])
    assert not list(temporary.iterdir())


def test_a_full_disk_is_named(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: types.SimpleNamespace(free=4 * SIZE - 1))
    with pytest.raises(KernelscapeError, match="TMPDIR"):
        tune_scripted(tmp_path / "given", [SESSION, TRIAL, SUMMARY])


# Kernels.


@pytest.mark.needs_program
def test_all_configurations_have_results() -> None:
    results, env = tune_add(metrics={"GB/s": lambda p: 12 * SIZE / p["time"] / 1e6})
    assert [result["step"] for result in results] == [1, 2, 4]
    for result in results:
        assert isinstance(result["time"], float) and result["time"] > 0
        assert len(result["times"]) == 3
        assert result["GB/s"] == pytest.approx(12 * SIZE / result["time"] / 1e6)
    assert env["best_config"] == min(results, key=lambda result: result["time"])
    assert env["session"] == 1 and pathlib.Path(env["database"]).exists()
    json.dumps(results)


@pytest.mark.needs_program
def test_failed_configurations_are_marked() -> None:
    source = "#if step == 2\n#error no such step\n#endif\n" + ADD.replace("a[j] + b[j]", "a[j] + b[j] + (step == 4)")
    results, env = tune_add(source)
    kinds = {result["step"]: result["time"] for result in results}
    assert isinstance(kinds[2], CompilationFailedConfig)
    assert isinstance(kinds[4], RuntimeFailedConfig)
    assert env["best_config"]["step"] == 1
    messages = {result["step"]: result.get("message") for result in results}
    assert "no such step" in messages[2] and messages[1] is None


@pytest.mark.needs_program
def test_without_a_valid_configuration_there_is_an_error() -> None:
    with pytest.raises(KernelscapeError, match="no such header"):
        tune_add("#error no such header\n" + ADD)
    with pytest.raises(KernelscapeError, match="nowhere"):
        tune_add(restrictions="nowhere == 3")


@pytest.mark.needs_program
def test_without_an_answer_nothing_is_compared() -> None:
    results, _ = tune_add(ADD.replace("a[j] + b[j]", "a[j] * step"), answer=None)
    assert all(isinstance(result["time"], float) for result in results)


@pytest.mark.needs_program
def test_arrays_that_are_referred_to_are_read_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arguments, "MAX_STORED_BYTES", 0)
    source = ADD.replace("a[j] + b[j]", "a[j] + b[j] + (step == 4)")
    results, _ = tune_add(source)
    kinds = {result["step"]: type(result["time"]) for result in results}
    assert kinds == {1: float, 2: float, 4: RuntimeFailedConfig}


@pytest.mark.needs_program
@pytest.mark.parametrize(
    "restrictions",
    ["step != 2", ["step != 2", "step < 8"], lambda p: p["step"] != 2, [lambda step: step % 3 == 1]],
    ids=["text", "texts", "function", "functions"],
)
def test_restrictions_are_followed(restrictions: object) -> None:
    results, _ = tune_add(restrictions=restrictions)
    assert [result["step"] for result in results] == [1, 4]


@pytest.mark.needs_program
def test_a_function_of_many_values_is_followed() -> None:
    values = {"x": list(range(1, 41)), "y": list(range(1, 21))}
    accepted = [(x, y) for x in values["x"] for y in values["y"] if (x * y) % 7 != 3]
    condition = expressions.condition("restrictions", lambda p: (p["x"] * p["y"]) % 7 != 3, values)
    assert ">>" in condition  # too many for a list
    source = ADD.replace("step", "(x + y)")
    results, _ = tune_add(
        source, tune_params=values, restrictions=lambda p: (p["x"] * p["y"]) % 7 != 3, strategy="random_sample",
        strategy_options={"fraction": 6 / len(accepted)},
    )
    assert len(results) == 6
    assert all((result["x"], result["y"]) in accepted for result in results)


@pytest.mark.needs_program
def test_sources_in_files_find_their_headers(tmp_path: pathlib.Path) -> None:
    (tmp_path / "step.h").write_text("#define offset 0\n")
    (tmp_path / "add.c").write_text('#include "step.h"\n' + ADD.replace("a[j] +", "offset + a[j] +"))
    results, _ = tune_add(str(tmp_path / "add.c"), strategy="random_sample", strategy_options={"max_fevals": 2})
    assert len(results) == 2
    results, _ = tune_add(tmp_path / "add.c", strategy="random_sample", strategy_options={"fraction": 0.3})
    assert len(results) == 1
    with pytest.raises(FileNotFoundError):
        tune_add(str(tmp_path / "other.c"))


@pytest.mark.needs_program
def test_macros_of_kernel_tuner_are_defined() -> None:
    source = """
    void vector_add(float *c, const float *a, const float *b, int n) {
      for (int i = 0; i < n; ++i) c[i] = a[i] + b[i] + (kernel_tuner - 1) + (grid_size_x - 50) + (more - 2 * step);
    }"""
    defined = source.replace("grid_size_x", "grid")
    for text, defines in ((source.replace("more", "2 * step"), None), (defined, {"grid": 50, "more": lambda p: 2 * p["step"]})):
        results, _ = tune_add(text, tune_params={"step": [2]}, grid_div_x=["step"], defines=defines)
        assert isinstance(results[0]["time"], float), results


@pytest.mark.needs_program
def test_a_cache_is_read_and_written(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "add.json"
    results, _ = tune_add(cache=path, tune_params={"step": [1, 2, 4]}, restrictions="step < 4")
    again, env = tune_add(cache=path, tune_params={"step": [1, 2, 4]})
    assert [result["step"] for result in again] == [1, 2, 4]
    assert [result["time"] for result in again[:2]] == [result["time"] for result in results]
    assert env["session"] == 2
    again, env = tune_add(cache=path, tune_params={"step": [1, 2, 4]}, restrictions=lambda p: p["step"] > 1)
    assert [result["step"] for result in again] == [2, 4]
    assert "session" not in env
    read = subprocess.run(
        [os.environ["KERNELSCAPE"], "import", str(path), "--db", str(tmp_path / "other.db")],
        capture_output=True, text=True, check=False,
    )
    assert read.returncode == 0, read.stderr
    with pytest.raises(ValueError, match="cache"):
        tune_add(cache=path, tune_params={"step": [1], "other": [1]})


@pytest.mark.needs_program
def test_unused_arguments_are_noted() -> None:
    with pytest.warns(UserWarning) as noted:
        tune_add(verify=lambda ref, ans, atol=None: True, observers=[object()], strategy="minimize")
    named = {str(one.message).split(":")[0] for one in noted}
    assert {"verify", "observers", "strategy"} <= named
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tune_add()


def example(name: str) -> ModuleType:
    pytest.importorskip("numpy")
    path = pathlib.Path(__file__).parent.parent / "examples" / "kernel_tuner" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"example_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLES = {"vector_add": {"size": 1 << 12}, "convolution": {"width": 32, "height": 40}, "matmul": {"size": 32}}


@functools.cache
def has_opencl() -> bool:
    devices = subprocess.run([os.environ["KERNELSCAPE"], "devices"], capture_output=True, text=True, check=False)
    return "\nopencl:0 " in devices.stdout


@pytest.mark.needs_program
@pytest.mark.parametrize("lang", ["C", "OpenCL"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name: str, lang: str) -> None:
    module = example(name)
    if lang == "OpenCL" and not has_opencl():
        pytest.skip("there is no OpenCL device")
    strategy = {"strategy": "random_sample", "strategy_options": {"max_fevals": 3}}
    results, _ = module.tune(lang, **EXAMPLES[name], **QUICK, **strategy)
    assert len(results) == 3
    for result in results:
        assert isinstance(result["time"], float), result

"""Runs the package against the program that the variable KERNELSCAPE names."""

from __future__ import annotations

import importlib.util
import os
import pathlib

import pytest
from kernelscape import Failure, KernelscapeError, Session, space_file, tune

SPACE = {"tile": [1, 2, 4, 8], "unroll": [1, 2, 3], "mode": ["rows", "columns"]}

needs_program = pytest.mark.skipif("KERNELSCAPE" not in os.environ, reason="KERNELSCAPE names no program")


@pytest.fixture
def options(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return {"target": "elsewhere", "seed": 3}


def seconds_of(tile: int, unroll: int, mode: str) -> float:
    return 1e-3 * (1 + abs(tile - 4) + abs(unroll - 2) + (mode == "rows"))


def test_texts_are_conditions() -> None:
    file = space_file(SPACE, "tile * unroll <= 8")
    assert file["ConfigurationSpace"]["Conditions"] == [{"Expression": "tile * unroll <= 8"}]
    types = [one["Type"] for one in file["ConfigurationSpace"]["TuningParameters"]]
    assert types == ["int", "int", "string"]


def test_functions_become_members() -> None:
    rules = [lambda configuration: configuration["tile"] > 4, "unroll < 2 or mode == 'rows'"]
    file = space_file(SPACE, rules)
    members = file["kernelscape"]["Members"]
    assert members == [[8, 1, "rows"], [8, 1, "columns"], [8, 2, "rows"], [8, 3, "rows"]]
    assert "Conditions" not in file["ConfigurationSpace"]


def test_values_need_a_common_type() -> None:
    assert space_file({"x": [1, 2.5]})["ConfigurationSpace"]["TuningParameters"][0]["Type"] == "float"
    assert space_file({"x": [True, False]})["ConfigurationSpace"]["TuningParameters"][0]["Type"] == "bool"
    with pytest.raises(TypeError):
        space_file({"x": [1, "one"]})


@needs_program
def test_tune_finds_the_fastest(options: dict[str, object]) -> None:
    outcome = tune(seconds_of, SPACE, "grid", trials=100, **options)
    assert len(outcome.results) == 24
    assert outcome.best == {"tile": 4, "unroll": 2, "mode": "columns"}


@needs_program
def test_exceptions_are_failures(options: dict[str, object]) -> None:
    def picky(tile: int, unroll: int, mode: str) -> float:
        if tile == 4:
            raise Failure("tile 4 does not compile", "COMPILE_HOST")
        if tile == 2:
            return float("nan")
        return seconds_of(tile, unroll, mode) / (tile != 1)

    outcome = tune(picky, SPACE, "grid", trials=100, **options)
    assert outcome.best == {"tile": 8, "unroll": 2, "mode": "columns"}
    assert sum(isinstance(result, Failure) for _, result in outcome.results) == 18


@needs_program
@pytest.mark.parametrize(
    "wrong",
    [[], float("nan"), float("inf"), 0, -1.0, 1e30, 1e-30, [0.5, -0.5], [0.5, 1e30], [1.0] * 1_000_000, "slow", None],
    ids=lambda wrong: repr(wrong)[:20],
)
def test_results_that_are_no_times_are_failures(options: dict[str, object], wrong: object) -> None:
    def odd(tile: int, unroll: int, mode: str) -> object:
        return wrong if tile == 4 else seconds_of(tile, unroll, mode)

    outcome = tune(odd, SPACE, "grid", trials=100, **options)
    assert len(outcome.results) == 24
    assert outcome.best == {"tile": 2, "unroll": 2, "mode": "columns"}
    assert sum(isinstance(result, Failure) for _, result in outcome.results) == 6


@needs_program
def test_a_session_resumes(options: dict[str, object]) -> None:
    with Session(SPACE, "random", trials=6, batch=3, **options) as session:
        number = session.number
        asked = session.ask(3)
        session.tell(asked[0], [0.5, 0.4])
        with pytest.raises(KernelscapeError) as error:
            session.tell(asked[0], 0.1)
        assert error.value.code == "already_stored"
    with Session(None, resume=number) as session:
        assert session.trials == 1
        assert session.ask(3) == asked[1:]


@needs_program
def test_metrics_are_reported(options: dict[str, object]) -> None:
    with Session(SPACE, "random", trials=3, **options) as session:
        session.tell(session.ask(1)[0], 0.5, metrics={"energy": (0.12, "J"), "error": 1e-6, "left out": float("nan")})
        with pytest.raises(KernelscapeError) as error:
            session.tell(session.ask(1)[0], 0.5, metrics={"": 1.0})
        assert error.value.code == "bad_line"
        assert session.trials == 1


@needs_program
def test_wrong_options_are_errors(options: dict[str, object]) -> None:
    with pytest.raises(KernelscapeError):
        Session(SPACE, "no such tuner", **options)


@needs_program
def test_the_triton_example_runs_with_another_timer(options: dict[str, object]) -> None:
    path = pathlib.Path(__file__).parent.parent / "examples" / "triton_matmul.py"
    spec = importlib.util.spec_from_file_location("triton_matmul", path)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)

    def time_config(BLOCK_M: int, BLOCK_N: int, BLOCK_K: int, num_warps: int, num_stages: int) -> float:
        assert BLOCK_M * BLOCK_N <= 8192
        return 1e-6 * (BLOCK_M + BLOCK_N + BLOCK_K + num_warps + num_stages)

    outcome = example.tune_configs(time_config, tuner="random", trials=20, **options)
    assert len(outcome.results) == 20
    assert outcome.best is not None

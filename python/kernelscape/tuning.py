"""Tunes a function of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .session import Configuration, Failure, KernelscapeError, Session, Value, samples_of


@dataclass
class TuningResult:
    """The outcome of tune(): the best configuration of this call, and all its results in order."""

    session: int
    best: Configuration | None = None
    results: list[tuple[Configuration, float | list[float] | Failure]] = field(default_factory=list)


def _median(samples: Sequence[float]) -> float:
    ordered = sorted(samples)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def tune(
    function: Callable[..., float | Sequence[float]],
    space: Mapping[str, Iterable[Value]] | None,
    tuner: str | None = None,
    **options: Any,
) -> TuningResult:
    """Calls ``function(**configuration)``, which returns its time in seconds or several samples, and finds the fastest.

    An exception is a failed configuration, as is a result without samples or with one that is no time, and the search
    continues; raise Failure to give a category. The other options are those of Session.
    """
    with Session(space, tuner, **options) as session:
        outcome = TuningResult(session.number)
        best_seconds = float("inf")
        while True:
            proposals = session.ask()
            if not proposals:
                return outcome
            for proposal in proposals:
                result = _measure(function, proposal.configuration)
                try:
                    session.tell(proposal, result)
                except KernelscapeError as error:
                    # The program refuses samples that are no times, such as 1e30 seconds.
                    if error.code != "bad_line" or isinstance(result, Failure):
                        raise
                    result = Failure(str(error), "UNKNOWN_ERROR")
                    session.tell(proposal, result)
                outcome.results.append((proposal.configuration, result))
                seconds = float("inf") if isinstance(result, Failure) else _median(result)
                if seconds < best_seconds:
                    best_seconds = seconds
                    outcome.best = proposal.configuration


def _measure(
    function: Callable[..., float | Sequence[float]], configuration: Configuration
) -> list[float] | Failure:
    try:
        return samples_of(function(**configuration))
    except Failure as failure:
        return failure
    except Exception as error:  # Whatever the function raises is a failed configuration.
        return Failure(f"{type(error).__name__}: {error}")

"""Maps the strategies of Kernel Tuner to tuners and budgets of Kernelscape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .unsupported import notice

# Strategies without a counterpart are replaced by the default tuner.
TUNERS = {
    "brute_force": "grid",
    "random_sample": "random",
    "genetic_algorithm": "ga",
    "simulated_annealing": "sa",
    "dual_annealing": "sa",
    "bayes_opt": "gp",
    "skopt": "gp",
}
REPLACED = (
    "basinhopping", "diff_evo", "firefly_algorithm", "greedy_ils", "greedy_mls", "minimize", "mls",
    "ordered_greedy_mls", "pso", "pyatf_strategies",
)
DEFAULT_TRIALS = 100  # max_fevals of Kernel Tuner
DEFAULT_FRACTION = 0.1  # of random_sample


@dataclass
class Plan:
    """A tuner, and what ends its search. A fraction is of all feasible configurations."""

    tuner: str
    trials: int = 0  # 0: no limit
    seconds: float | None = None
    fraction: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    def options(self) -> list[str]:
        """Returns the options of `kernelscape tune`."""
        options = ["--tuner", self.tuner, "--trials", str(self.trials)]
        if self.seconds is not None:
            options += ["--minutes", str(self.seconds / 60)]
        for name, value in self.settings.items():
            options += ["--set", f"{name}={value}"]
        return options


def plan_of(strategy: Any, strategy_options: Mapping[str, Any] | None) -> Plan:
    """Returns the plan of a strategy. A name that is no strategy of Kernel Tuner is a tuner of Kernelscape."""
    strategy = "brute_force" if strategy is None else strategy
    if not isinstance(strategy, str) or strategy in REPLACED:
        notice("strategy", f"{strategy} has no counterpart: the tuner gp, Bayesian optimization, is used")
        strategy = "bayes_opt"
    left = dict(strategy_options or {})
    plan = Plan(TUNERS.get(strategy, strategy))
    limit = left.pop("time_limit", None)
    trials = left.pop("max_fevals", None)
    fraction = left.pop("fraction", None)
    plan.seconds = None if limit is None else float(limit)
    if trials is not None:
        plan.trials = int(trials)
    elif fraction is not None:
        plan.fraction = float(fraction)
    elif strategy == "random_sample" and limit is None:
        plan.fraction = DEFAULT_FRACTION
    elif strategy != "brute_force" and limit is None:
        plan.trials = DEFAULT_TRIALS
    if plan.tuner == "ga" and "popsize" in left:
        plan.settings["population"] = left.pop("popsize")
    if strategy not in TUNERS:
        plan.settings |= left
    elif left:
        notice("strategy_options", f"{', '.join(map(str, left))} is not used by the tuner {plan.tuner}")
    return plan

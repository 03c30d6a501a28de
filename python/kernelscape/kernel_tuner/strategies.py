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
    "diff_evo": "de",
    "pso": "pso",
    "mls": "mls",
    "greedy_mls": "mls",
    "greedy_ils": "greedy-ils",
    "basinhopping": "basin-hopping",
}
REPLACED = ("firefly_algorithm", "minimize", "ordered_greedy_mls", "pyatf_strategies")
# Options of Kernel Tuner's strategies, and the settings of the tuners that they become.
SETTINGS = {
    "ga": {"popsize": "population"},
    "de": {"popsize": "population", "maxiter": "generations", "method": "method"},
    "pso": {"popsize": "population", "maxiter": "generations", "w": "inertia", "c1": "cognitive", "c2": "social"},
    "mls": {"neighbor": "neighbour", "restart": "move"},
    "greedy-ils": {
        "neighbor": "neighbour", "restart": "move", "no_improvement": "patience", "random_walk": "walk",
    },
    "basin-hopping": {"T": "temperature"},
}
# Options of strategies whose names are those of tuners too, and which these tuners do not have.
UNUSED = ("order", "randomize", "constraint_aware")
# Methods of diff_evo that the tuner de has.
METHODS = ("randtobest1bin", "rand1bin", "best1bin")
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


def value_of(option: str, value: Any) -> Any:
    """Returns the value of a setting for the value of an option of Kernel Tuner."""
    if option == "neighbor":
        return "hamming" if value == "Hamming" else "adjacent"
    if option == "restart":
        return "first" if value else "best"
    return value


def plan_of(strategy: Any, strategy_options: Mapping[str, Any] | None) -> Plan:
    """
    Returns the plan of a strategy. A name that is no strategy of Kernel Tuner is a tuner of Kernelscape. Options are
    those of Kernel Tuner's strategies, and the settings of a tuner that is named.
    """
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
    if strategy == "greedy_mls":
        plan.settings["move"] = "first"
    for option, setting in SETTINGS.get(plan.tuner, {}).items():
        if option in left and (option != "method" or left[option] in METHODS):
            plan.settings[setting] = value_of(option, left.pop(option))
    if strategy == plan.tuner:
        plan.settings |= {option: left.pop(option) for option in list(left) if option not in UNUSED}
    if left:
        notice("strategy_options", f"{', '.join(map(str, left))} is not used by the tuner {plan.tuner}")
    return plan

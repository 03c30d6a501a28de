#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/space/configuration.h"
#include "core/space/constraint.h"

namespace kernelscape {

/** Values tried first, by knob; empty: none. */
using SolverHints = std::vector<std::optional<std::uint32_t>>;

struct SolverLimits {
  /** Values that are tried, never seconds: the same search gives the same answer on any machine. A search
   * also ends where it takes a thousand times as many steps of narrowing. */
  std::uint64_t nodes = 100'000;
};

/** Proven: there is none. NodeLimit: the search was given up, nothing is known. */
enum class NoSolution : std::uint8_t { Proven, NodeLimit };

using Solution = std::variant<Configuration, NoSolution>;

/**
 * A constraint system made ready for being solved again and again, by propagation and a randomised search
 * (Gecode): all its variables are posted once, and every solve works on a copy.
 *
 * Products and sums propagate to full strength while their operands have few values, so that levels tied by a
 * product are hardly ever guessed wrong. Gecode's integers end at 2^31 - 2, and a product beyond them
 * silently has no solution; so values beyond stand there by their places in a list, and what is too many
 * for a list, and every EXPRESSION, is held by 64-bit ranges over the knobs' values. No valid system is
 * refused.
 */
class SolverModel {
 public:
  /** The system has to be valid over these knobs. Refers to both, which have to outlive it. */
  SolverModel(const std::vector<Knob>& knobs, const ConstraintSystem& system);
  SolverModel(std::vector<Knob>&& knobs, const ConstraintSystem& system) = delete;
  SolverModel(const std::vector<Knob>& knobs, ConstraintSystem&& system) = delete;
  ~SolverModel();
  SolverModel(const SolverModel&) = delete;
  SolverModel& operator=(const SolverModel&) = delete;

  /**
   * A configuration that satisfies the system, and in which variables, derived ones too, have one of the
   * values that `extra` lists; hinted knobs and values first, the rest in an order and with values drawn from
   * `random`. Deterministic in its arguments. Any number of threads may ask at the same time: only the
   * copying, some microseconds, is done by one after the other. Errors: a variable that there is not.
   */
  Result<Solution> solve(std::span<const InConstraint> extra, const SolverHints& hints, Random random,
                         const SolverLimits& limits = {}) const;

  /**
   * Returns the configuration of the smallest index (the last knob's value counts most) that satisfies the
   * system and does not precede `from`. Deterministic, and for any number of threads, as solve().
   * @param limits what the search may take; the nodes that it took are subtracted
   * Errors: `from` has another number of knobs.
   */
  Result<Solution> first_from(const Configuration& from, SolverLimits& limits) const;

 private:
  class Posted;

  Result<Solution> checked(Solution solution) const;

  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  std::unique_ptr<const Posted> posted_;
};

}  // namespace kernelscape

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

namespace kernelscape::space {

/** Values to try first, by knob; empty: none. */
using SolverHints = std::vector<std::optional<std::uint32_t>>;

struct SolverLimits {
  /**
   * Maximum number of tried values, instead of a time limit, so that a search gives the same answer on any
   * machine. A search also ends after a thousand times as many propagations.
   */
  std::uint64_t nodes = 100'000;
};

/**
 * Proven: there is no solution. NodeLimit: the search was given up, and it is unknown whether there is one.
 */
enum class NoSolution : std::uint8_t { Proven, NodeLimit };

using Solution = std::variant<Configuration, NoSolution>;

/**
 * A constraint system prepared for repeated solving by propagation and randomised search (Gecode): all its
 * variables are posted once, and every solve works on a copy.
 *
 * Products and sums are domain consistent while their operands have few values, so that levels tied by a
 * product are rarely guessed wrong. Gecode's integers end at 2^31 - 2, and a product beyond them silently has
 * no solution; so larger values are represented by their positions in a list. Variables with too many values
 * for a list, and every EXPRESSION, are propagated as 64-bit ranges over the knobs' values. No valid system
 * is refused.
 */
class SolverModel {
 public:
  /**
   * Makes a model of a system, which must be valid over these knobs. Refers to both, which must outlive the
   * model.
   */
  SolverModel(const std::vector<Knob>& knobs, const ConstraintSystem& system);
  SolverModel(std::vector<Knob>&& knobs, const ConstraintSystem& system) = delete;
  SolverModel(const std::vector<Knob>& knobs, ConstraintSystem&& system) = delete;
  ~SolverModel();
  SolverModel(const SolverModel&) = delete;
  SolverModel& operator=(const SolverModel&) = delete;

  /**
   * Finds a configuration that satisfies the system and in which variables, including derived ones, have one
   * of the values that `extra` lists. Tries hinted knobs and values first, the rest in an order and with
   * values drawn from `random`. Deterministic in its arguments. Thread-safe: only the copying, some
   * microseconds, is serialised. Errors: a variable that does not exist.
   */
  Result<Solution> solve(std::span<const InConstraint> extra, const SolverHints& hints, base::Random random,
                         const SolverLimits& limits = {}) const;

  /**
   * Returns the configuration of the smallest index (the last knob's value counts most) that satisfies the
   * system and does not precede `from`. Deterministic and thread-safe, as solve().
   * Errors: `from` has another number of knobs.
   * @param limits limits of the search; the nodes that it used are subtracted
   */
  Result<Solution> first_from(const Configuration& from, SolverLimits& limits) const;

 private:
  class Posted;

  Result<Solution> checked(Solution solution) const;

  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  std::unique_ptr<const Posted> posted_;
};

}  // namespace kernelscape::space

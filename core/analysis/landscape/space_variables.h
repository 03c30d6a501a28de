#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/space/compiled_constraints.h"
#include "core/space/csp.h"
#include "core/space/search_space.h"

namespace kernelscape::analysis {

/** An LE constraint on one of two variables, or between them. */
struct VariableBound {
  enum class Kind : std::uint8_t { XAtMost, XAtLeast, YAtMost, YAtLeast, XAtMostY, YAtMostX };
  Kind kind = Kind::XAtMost;
  std::int64_t value = 0;  ///< 0 for a constraint between the two
  std::string reason;

  bool operator==(const VariableBound&) const = default;
};

/** The variables of a space's constraints and of additional limits, with their values. Immutable. */
class SpaceVariables {
 public:
  /**
   * @param limits constraints over the knobs of the space for the members that a target supports; nullopt:
   * not known
   */
  explicit SpaceVariables(space::SearchSpace space, std::optional<space::ConstraintSystem> limits = {});

  const space::SearchSpace& space() const { return space_; }         ///< the space without the limits
  const space::ConstraintSystem& system() const { return system_; }  ///< variables of space and limits
  bool has_limits() const { return limits_.has_value(); }  ///< true if some members may exceed the limits
  bool within_limits(const space::Configuration& configuration) const;  ///< true without limits

  /**
   * Returns all variables except constants, in the order of the system. Of equal variables that the limits
   * declare again, only the first.
   */
  const std::vector<space::VariableId>& offered() const { return offered_; }
  /**
   * Returns the default pair: among the derived variables that an LE constraint bounds, the two that depend
   * on the most elements; if there are no two, the last two elements of the knob with the most values.
   * Returns nullopt if there are no two variables.
   */
  std::optional<std::pair<space::VariableId, space::VariableId>> first_pair() const;
  /** Returns the bounds in the order of the constraints, each once. */
  std::vector<VariableBound> bounds(space::VariableId x, space::VariableId y) const;

  /**
   * Computes the value of each variable, by its VariableId. @param values as many as the system has variables
   */
  void compute(const space::Configuration& configuration, std::span<std::int64_t> values) const;

 private:
  bool same(space::VariableId first, space::VariableId second) const;
  std::vector<space::VariableId> bounded_derived() const;
  std::vector<space::VariableId> first_elements() const;

  space::SearchSpace space_;
  space::ConstraintSystem system_;
  space::CompiledVariables values_;
  std::optional<space::CompiledConstraints> limits_;
  std::vector<space::VariableId> offered_;
};

/** Members that represent their space: all of them if they can be enumerated, else a random sample. */
struct RegionMembers {
  bool all = false;
  bool uniform = true;                            ///< each member is equally likely
  std::vector<space::Configuration> sample = {};  ///< empty for all members, which are enumerated instead
};

/**
 * Selects the members that represent a space.
 * @param sample number of random members if there are more than 2^20 to enumerate; a quarter of it for a
 * space whose members must be solved for
 * @param keep_going if it returns false, the function returns early with an undefined result
 */
RegionMembers region_members(const space::SearchSpace& space, std::size_t sample, base::Random random,
                             const std::function<bool()>& keep_going);

/** Two values that at least one member has. */
struct RegionPair {
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool within_limits = true;  ///< of at least one of these members

  bool operator==(const RegionPair&) const = default;
};

/** All pairs of values that members have. */
struct ValidRegion {
  std::vector<RegionPair> pairs;  ///< each once, ascending by x, then y
  std::int64_t members = 0;       ///< number of examined members
  bool all = false;               ///< see RegionMembers
  bool uniform = true;

  bool operator==(const ValidRegion&) const = default;
};

/**
 * Returns the pairs of values of the given members.
 * @param members of the variables' space
 * @param keep_going if it returns false, the function returns early with an undefined result
 */
ValidRegion valid_region(const SpaceVariables& variables, space::VariableId x, space::VariableId y,
                         const RegionMembers& members, const std::function<bool()>& keep_going);

}  // namespace kernelscape::analysis

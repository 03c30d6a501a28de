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

namespace kernelscape {

/** An LE constraint on one of two variables, or between them. */
struct VariableBound {
  enum class Kind : std::uint8_t { XAtMost, XAtLeast, YAtMost, YAtLeast, XAtMostY, YAtMostX };
  Kind kind = Kind::XAtMost;
  std::int64_t value = 0;  ///< 0 between the two
  std::string reason;

  bool operator==(const VariableBound&) const = default;
};

/** The variables of a space's constraints and of limits beside them, with their values. Immutable. */
class SpaceVariables {
 public:
  /** @param limits what a target refuses of the space's members, over its knobs; none: not known */
  explicit SpaceVariables(SearchSpace space, std::optional<ConstraintSystem> limits = {});

  const SearchSpace& space() const { return space_; }            ///< without the limits
  const ConstraintSystem& system() const { return system_; }     ///< of space and limits
  bool has_limits() const { return limits_.has_value(); }        ///< some members may be refused
  bool within_limits(const Configuration& configuration) const;  ///< true where there are none

  /** All but constants, in the order of the system. Of equal ones, which limits declare again, the first. */
  const std::vector<VariableId>& offered() const { return offered_; }
  /**
   * The two to begin with: of the derived ones that an LE constraint bounds those that depend on the most
   * elements; without two of them the last two elements of the knob with the most values. None: there are no
   * two variables.
   */
  std::optional<std::pair<VariableId, VariableId>> first_pair() const;
  /** In the order of the constraints, each once. */
  std::vector<VariableBound> bounds(VariableId x, VariableId y) const;

  /** The value of each variable, by its VariableId. @param values as many as the system has variables */
  void compute(const Configuration& configuration, std::span<std::int64_t> values) const;

 private:
  bool same(VariableId first, VariableId second) const;
  std::vector<VariableId> bounded_derived() const;
  std::vector<VariableId> first_elements() const;

  SearchSpace space_;
  ConstraintSystem system_;
  CompiledVariables values_;
  std::optional<CompiledConstraints> limits_;
  std::vector<VariableId> offered_;
};

/** Members that stand for their space: all of them, where these can be walked to, else some at random. */
struct RegionMembers {
  bool all = false;
  bool uniform = true;                     ///< each member is as likely as any other
  std::vector<Configuration> sample = {};  ///< empty where it is all of them: they are walked to
};

/**
 * @param sample so many random ones where there are more than 2^20 to look at; a space whose members have to
 * be solved for gets a quarter
 * @param go_on false: the result means nothing
 */
RegionMembers region_members(const SearchSpace& space, std::size_t sample, Random random,
                             const std::function<bool()>& go_on);

/** Two values that some member has. */
struct RegionPair {
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool within_limits = true;  ///< of one of these members at least

  bool operator==(const RegionPair&) const = default;
};

/** All pairs of values that members have. */
struct ValidRegion {
  std::vector<RegionPair> pairs;  ///< each once, ascending by x, then y
  std::int64_t members = 0;       ///< that were looked at
  bool all = false;               ///< as RegionMembers
  bool uniform = true;

  bool operator==(const ValidRegion&) const = default;
};

/**
 * What these members have.
 * @param members of the variables' space
 * @param go_on false: the result means nothing
 */
ValidRegion valid_region(const SpaceVariables& variables, VariableId x, VariableId y,
                         const RegionMembers& members, const std::function<bool()>& go_on);

}  // namespace kernelscape

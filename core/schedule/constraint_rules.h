#pragma once

#include <span>
#include <string_view>

#include "core/schedule/constraint_derivation.h"
#include "core/schedule/schedule.h"
#include "core/schedule/target.h"
#include "core/space/constraint.h"

namespace kernelscape::schedule {

/** A schedule on a target, for which constraints are derived. */
struct RuleSubject {
  const Schedule& schedule;
  const TargetDescription& target;
};

/** One of Heron's rules that make constraints from recorded primitives (section 4.3, Table 8). */
struct ConstraintRule {
  std::string_view name;   ///< "C5 AddMemLimit: shared memory"
  std::string_view about;  ///< the requirement that it derives, as a sentence
  bool (*applies)(const RuleSubject& subject);
  void (*add)(const RuleSubject& subject, ConstraintBuilder& builder);
};

/** Returns all rules in the order in which they are applied, which is the order of the constraints. */
std::span<const ConstraintRule> constraint_rules();

/**
 * Returns the limits of the target: those that the template recorded and those that the rules derive from the
 * recorded primitives. A space's own constraints (Schedule::finish) define its members.
 */
space::ConstraintSystem derive_limits(const Schedule& schedule, const TargetDescription& target);

/**
 * Maximum number of bytes of stages in the local memory of a CPU's thread. The second-level cache is at least
 * as large, the stack larger.
 */
inline constexpr std::int64_t max_local_bytes = 256 << 10;

/**
 * Maximum number of bytes of a CPU thread's transformed tiles: what fits into large L2 caches, and leaves
 * most of a stack of 8 MiB.
 */
inline constexpr std::int64_t max_transformed_bytes = 2 << 20;

}  // namespace kernelscape::schedule

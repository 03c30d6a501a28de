#pragma once

#include <span>
#include <string_view>

#include "core/schedule/constraint_derivation.h"
#include "core/schedule/schedule.h"
#include "core/schedule/target.h"
#include "core/space/constraint.h"

namespace kernelscape {

/** A schedule on a target, for which constraints are derived. */
struct RuleSubject {
  const Schedule& schedule;
  const TargetDescription& target;
};

/** One of Heron's rules that make constraints from recorded primitives (section 4.3, Table 8). */
struct ConstraintRule {
  std::string_view name;   ///< "C5 AddMemLimit: shared memory"
  std::string_view about;  ///< what it keeps from being built or run, in a sentence
  bool (*applies)(const RuleSubject& subject);
  void (*add)(const RuleSubject& subject, ConstraintBuilder& builder);
};

/** All rules, in the order in which they are applied: constraints keep theirs. */
std::span<const ConstraintRule> constraint_rules();

/**
 * What the target refuses: the limits that the template recorded and what the rules derive from the recorded
 * primitives. A space's own constraints (Schedule::finish) are of its members.
 */
ConstraintSystem derive_limits(const Schedule& schedule, const TargetDescription& target);

/** Most bytes of a CPU's thread that stages may keep: its second-level cache is as large at least, its stack
 * larger. */
inline constexpr std::int64_t most_local_bytes = 256 << 10;

}  // namespace kernelscape

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/kernel/family.h"
#include "core/measure/builder_pool.h"
#include "core/measure/runner.h"
#include "core/schedule/target.h"
#include "core/space/member_search.h"

namespace kernelscape::measure {

/** How many of the first members of a space are tried if there is no other reference. */
inline constexpr std::size_t max_first_members = 64;

/** Returns a built kernel as the source of the reference outputs. */
PreparedAnswer answer_of_kernel(const codegen::KernelSource& source, BuildOutcome built,
                                const schedule::TargetDescription& target,
                                const trial::MeasureOptions& options);

/** Returns the error of a reference that does not build: the compiler's first message, with its line. */
Error reference_not_built(trial::ErrorCategory category, std::string_view message);

/**
 * Returns the error of a space whose first members all fail, or that has no member.
 * @param tried the members that were tried
 * @param first_problem the failure of the first of them
 */
Error no_member_runs(const space::SearchSpace& space, const space::FirstMembers& tried,
                     const std::string& first_problem);

/**
 * Gives a runner of user kernels their arguments and reference outputs. Builds the reference kernel if there
 * is one. Otherwise runs the first members of the space in index order until one gives outputs, which become
 * the reference. Does nothing for a family without ProgramData.
 *
 * @return false if it was interrupted
 *
 * Errors: a machine fault; InvalidArgument if the reference does not build, fails or gives a NaN, if none of
 * the first members runs, or if no member is found.
 */
Result<bool> prepare_program(const kernel::Family& family, const schedule::TargetDescription& target,
                             const trial::MeasureOptions& options, BuilderPool& pool, Runner& runner,
                             const Interruption& interruption);

}  // namespace kernelscape::measure

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/kernel/kernel_family.h"
#include "core/measure/builder_pool.h"
#include "core/measure/runner.h"
#include "core/schedule/target.h"
#include "core/space/member_search.h"

namespace kernelscape {

/** Of the first members of a space that are tried so many, where there is no other reference. */
inline constexpr std::size_t most_first_members = 64;

/** A built kernel as what gives the right outputs. */
PreparedAnswer answer_of_kernel(const KernelSource& source, BuildOutcome built,
                                const TargetDescription& target, const MeasureOptions& options);

/** Returns the error of a reference that does not build: the compiler's first message, with its line. */
Error reference_not_built(ErrorCategory category, std::string_view message);

/**
 * Returns the error of a space whose first members all fail, or that has none.
 * @param tried the members that were tried
 * @param first_problem what is wrong with the first of them
 */
Error no_member_runs(const SearchSpace& space, const FirstMembers& tried, const std::string& first_problem);

/**
 * Tells a runner of a user's kernels what they are given and what is right: builds the reference where there
 * is one; without, the first members of the space in index order are run until one gives outputs, and these
 * are right. Of a family without ProgramData nothing is done.
 *
 * @return false where it was interrupted
 * Errors: the machine's fault; InvalidArgument where the reference does not build, fails or gives a NaN, or
 * where none of the first members runs, or no member is found.
 */
Result<bool> prepare_program(const KernelFamily& family, const TargetDescription& target,
                             const MeasureOptions& options, BuilderPool& pool, Runner& runner,
                             const Interruption& interruption);

}  // namespace kernelscape

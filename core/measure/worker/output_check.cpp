#include "core/measure/worker/output_check.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/measure/cpu/packing.h"

namespace kernelscape::measure {
OutputCheck check_values(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const double> values, int winograd_tile) {
  const task::Comparison comparison = task::compare_with_reference(op, reference, values, winograd_tile);
  OutputCheck check;
  const double worst = comparison.equal ? comparison.largest_error : comparison.worst_error;
  check.worst_error = std::isfinite(worst) ? worst : std::numeric_limits<double>::max();
  if (comparison.equal) return check;
  check.problem = task::describe_mismatch(op, comparison);
  return check;
}

OutputCheck check_output(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const std::byte> output, std::span<const std::int64_t> offsets,
                         bool surroundings_intact, int winograd_tile) {
  OutputCheck check = check_values(op, reference, unpack(op.output.type, output, offsets), winograd_tile);
  if (!check.problem.empty()) {
    const std::int64_t unwritten = count_unwritten(op.output.type, output, offsets);
    if (unwritten > 0) check.problem += fmt::format("; {} elements were not written", unwritten);
  }
  if (check.problem.empty() && !surroundings_intact) check.problem = "the kernel wrote beyond its output";
  return check;
}

}  // namespace kernelscape::measure

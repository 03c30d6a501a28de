#include "core/measure/worker/output_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/measure/cpu/packing.h"

namespace kernelscape::measure {

OutputCheck check_values(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const double> values) {
  return check_values(op, reference, values, task::tolerance_of(op));
}

OutputCheck check_values(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const double> values, const task::Tolerance& tolerance) {
  const task::Comparison comparison = task::compare_with_reference(op, reference, values, tolerance);
  OutputCheck check;
  const double worst = comparison.equal ? comparison.largest_error : comparison.worst_error;
  check.worst_error = std::isfinite(worst) ? worst : std::numeric_limits<double>::max();
  if (comparison.equal) return check;
  check.problem = task::describe_mismatch(op, comparison);
  return check;
}

task::Tolerance library_winograd_tolerance(const task::TensorOperator& op, const task::Reference& reference) {
  constexpr double amplification = 32;
  task::Tolerance tolerance = task::tolerance_of(op);
  const double magnitude = reference.magnitudes.empty() ? 0 : *std::ranges::max_element(reference.magnitudes);
  tolerance.absolute += amplification * tolerance.relative * magnitude;
  tolerance.relative = 0;
  return tolerance;
}

OutputCheck check_output(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const std::byte> output, std::span<const std::int64_t> offsets,
                         bool surroundings_intact, int winograd_tile) {
  OutputCheck check = check_values(op, reference, unpack(op.output.type, output, offsets),
                                   task::tolerance_of(op, winograd_tile));
  if (!check.problem.empty()) {
    const std::int64_t unwritten = count_unwritten(op.output.type, output, offsets);
    if (unwritten > 0) check.problem += fmt::format("; {} elements were not written", unwritten);
  }
  if (check.problem.empty() && !surroundings_intact) check.problem = "the kernel wrote beyond its output";
  return check;
}

}  // namespace kernelscape::measure

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/task/task.h"

namespace kernelscape::testing {

/** Up to four steps of any kind, with numbers that a text of a few digits has. */
inline std::vector<task::EpilogueStep> random_epilogue(base::Random& random) {
  constexpr auto last = static_cast<std::uint64_t>(task::EpilogueKind::GeluTanh);
  const auto number = [&] { return (static_cast<double>(random.below(41)) - 20) / 8; };
  std::vector<task::EpilogueStep> steps(1 + random.below(4));
  for (task::EpilogueStep& step : steps) {
    step.kind = static_cast<task::EpilogueKind>(random.below(last + 1));
    if (step.kind == task::EpilogueKind::LeakyRelu) step.a = number();
    if (step.kind != task::EpilogueKind::Clip && step.kind != task::EpilogueKind::HardSigmoid) continue;
    step.a = number();
    step.b = number();
    if (step.kind == task::EpilogueKind::Clip && step.a > step.b) std::swap(step.a, step.b);
  }
  return steps;
}

/** The task with random steps behind its sums, unless these are integers. */
inline task::Task with_random_epilogue(const task::Task& task, base::Random& random) {
  if (task.op->accumulator == task::ScalarType::I32) return task;
  return task::with_epilogue(task, random_epilogue(random)).value();
}

}  // namespace kernelscape::testing

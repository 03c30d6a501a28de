#include "core/task/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kernelscape::task {
namespace {

/** The values first, first + step, ... below end of the inner axis. */
struct Progression {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t end = 0;

  std::int64_t count() const { return first < end ? (end - first - 1) / step + 1 : 0; }
};

/** Returns a / b rounded up; b > 0. */
std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

/** Returns a / b rounded down; b > 0. */
std::int64_t divide_down(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -divide_up(-a, b); }

/** Keeps the values whose numerator base + coefficient * value lies in [0, limit]. */
void keep_inside(Progression& values, std::int64_t base, std::int64_t coefficient, std::int64_t limit) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (coefficient == 1) {
    first = -base;
    last = limit - base;
  } else if (coefficient > 0) {
    first = divide_up(-base, coefficient);
    last = divide_down(limit - base, coefficient);
  } else {
    first = divide_up(base - limit, -coefficient);
    last = divide_down(base, -coefficient);
  }
  values.end = std::min(values.end, last + 1);
  if (first > values.first) values.first += divide_up(first - values.first, values.step) * values.step;
}

/** Keeps the values whose numerator is a multiple of the divisor. */
void keep_divisible(Progression& values, std::int64_t base, std::int64_t coefficient, std::int64_t divisor) {
  while (values.first < values.end && (base + coefficient * values.first) % divisor != 0)
    values.first += values.step;
  const std::int64_t period = divisor / std::gcd(coefficient, divisor);
  // A step beyond the end has no effect, and the product of the steps might overflow.
  const std::int64_t length = std::max<std::int64_t>(values.end, 1);
  values.step = std::lcm(std::min(values.step, length), std::min(period, length));
}

/** The data that one pass of the inner loop reads. */
struct InnerLoop {
  const double* first;
  std::int64_t first_step;
  const double* second;
  std::int64_t second_step;
  std::int64_t count;
};

/** Computes one sum over the loop. Four partial sums avoid that the additions wait for each other. */
void accumulate_dot(const InnerLoop& loop, double& sum, double& magnitude) {
  double sums[4] = {};
  double magnitudes[4] = {};
  const double* first = loop.first;
  const double* second = loop.second;
  std::int64_t i = 0;
  for (; i + 4 <= loop.count; i += 4) {
    for (int lane = 0; lane < 4; ++lane) {
      const double product = first[lane * loop.first_step] * second[lane * loop.second_step];
      sums[lane] += product;
      magnitudes[lane] += std::fabs(product);
    }
    first += 4 * loop.first_step;
    second += 4 * loop.second_step;
  }
  for (; i < loop.count; ++i) {
    const double product = *first * *second;
    sums[0] += product;
    magnitudes[0] += std::fabs(product);
    first += loop.first_step;
    second += loop.second_step;
  }
  sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  magnitude += (magnitudes[0] + magnitudes[1]) + (magnitudes[2] + magnitudes[3]);
}

/** Adds one product to each of a row of sums. */
void accumulate_row(const InnerLoop& loop, double* sums, double* magnitudes, std::int64_t step) {
  if (loop.first_step == 1 && loop.second_step == 0 && step == 1) {
    const double factor = *loop.second;
    for (std::int64_t i = 0; i < loop.count; ++i) {
      const double product = loop.first[i] * factor;
      sums[i] += product;
      magnitudes[i] += std::fabs(product);
    }
    return;
  }
  for (std::int64_t i = 0; i < loop.count; ++i) {
    const double product = loop.first[i * loop.first_step] * loop.second[i * loop.second_step];
    sums[i * step] += product;
    magnitudes[i * step] += std::fabs(product);
  }
}

}  // namespace

Evaluator::Evaluator(const EvaluationPlan& plan, std::span<const double> first,
                     std::span<const double> second)
    : plan_(plan),
      first_(first),
      second_(second),
      counters_(plan.loop_axes.size(), 0),
      no_steps_(plan.origin.size(), 0),
      inner_steps_(plan.inner_axis ? plan.steps[*plan.inner_axis] : no_steps_) {
  const auto count = static_cast<std::size_t>(plan.inner_is_spatial ? plan.inner_extent() : 1);
  sums_.resize(count);
  magnitudes_.resize(count);
}

std::int64_t Evaluator::output_step() const { return inner_steps_[EvaluationPlan::output_quantity]; }

void Evaluator::add(std::size_t axis, std::int64_t steps) {
  const std::vector<std::int64_t>& step = plan_.steps[axis];
  for (std::size_t q = 0; q < quantities_.size(); ++q) quantities_[q] += steps * step[q];
}

void Evaluator::evaluate(std::int64_t unit) {
  quantities_ = plan_.origin;
  for (std::size_t i = plan_.unit_axes.size(); i-- > 0;) {
    const std::size_t axis = plan_.unit_axes[i];
    add(axis, unit % plan_.extents[axis]);
    unit /= plan_.extents[axis];
  }
  output_position_ = quantities_[EvaluationPlan::output_quantity];
  std::ranges::fill(sums_, 0.0);
  std::ranges::fill(magnitudes_, 0.0);
  std::ranges::fill(counters_, 0);
  for (;;) {
    accumulate();
    std::size_t level = counters_.size();
    for (; level > 0; --level) {
      const std::size_t axis = plan_.loop_axes[level - 1];
      if (++counters_[level - 1] < plan_.extents[axis]) {
        add(axis, 1);
        break;
      }
      counters_[level - 1] = 0;
      add(axis, 1 - plan_.extents[axis]);
    }
    if (level == 0) return;
  }
}

void Evaluator::accumulate() {
  Progression values{0, 1, plan_.inner_extent()};
  for (std::size_t c = 0; c < plan_.checked.size(); ++c) {
    const EvaluationPlan::CheckedDimension& dimension = plan_.checked[c];
    const std::size_t q = EvaluationPlan::first_checked_quantity + c;
    const std::int64_t limit = dimension.divisor * (dimension.extent - 1);
    if (inner_steps_[q] == 0) {
      const std::int64_t numerator = quantities_[q];
      if (numerator < 0 || numerator > limit || numerator % dimension.divisor != 0) return;
      continue;
    }
    keep_inside(values, quantities_[q], inner_steps_[q], limit);
    if (dimension.divisor > 1) keep_divisible(values, quantities_[q], inner_steps_[q], dimension.divisor);
  }
  const std::int64_t count = values.count();
  if (count == 0) return;

  std::int64_t offsets[2] = {};
  std::int64_t steps[2] = {};
  for (std::size_t input = 0; input < 2; ++input) {
    offsets[input] = quantities_[input] + values.first * inner_steps_[input];
    steps[input] = values.step * inner_steps_[input];
  }
  for (std::size_t c = 0; c < plan_.checked.size(); ++c) {
    const EvaluationPlan::CheckedDimension& dimension = plan_.checked[c];
    const std::size_t q = EvaluationPlan::first_checked_quantity + c;
    offsets[dimension.input] +=
        (quantities_[q] + values.first * inner_steps_[q]) / dimension.divisor * dimension.stride;
    steps[dimension.input] += values.step * inner_steps_[q] / dimension.divisor * dimension.stride;
  }
  InnerLoop loop{first_.data() + offsets[0], steps[0], second_.data() + offsets[1], steps[1], count};
  if (!plan_.inner_is_spatial) return accumulate_dot(loop, sums_[0], magnitudes_[0]);
  if (loop.first_step == 0) {
    std::swap(loop.first, loop.second);
    std::swap(loop.first_step, loop.second_step);
  }
  accumulate_row(loop, sums_.data() + values.first, magnitudes_.data() + values.first, values.step);
}

}  // namespace kernelscape::task

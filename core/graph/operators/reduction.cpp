#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/graph/operators/conversion.h"
#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Returns the axes of a reduction: the second input or the attribute; all if there are none. */
Result<std::vector<std::size_t>> reduced_axes(const Call& call) {
  const Integers named = call.has(1) ? integers_of(call[1]) : call.integers("axes");
  const std::size_t rank = call[0].shape.size();
  if (!named.empty()) return axes_of(call, named, rank);
  std::vector<std::size_t> axes;
  if (call.integer("noop_with_empty_axes", 0) != 0) return axes;
  axes.resize(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

/** Returns a shape whose reduced axes have the extent 1 or, unless they are kept, are left out. */
Shape reduced_shape(const Shape& shape, const std::vector<std::size_t>& axes, bool kept) {
  Shape reduced;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (std::ranges::find(axes, axis) == axes.end()) {
      reduced.push_back(shape[axis]);
    } else if (kept) {
      reduced.push_back(1);
    }
  }
  return reduced;
}

/** Reduces axes: fold(accumulator, element) from `start`, then finish(accumulator, number of elements). */
template <typename Fold, typename Finish>
Result<Tensors> reduced(const Call& call, double start, const Fold& fold, const Finish& finish) {
  const Tensor& input = call[0];
  const std::vector<std::size_t> axes = TRY(reduced_axes(call));
  const Shape kept = reduced_shape(input.shape, axes, true);
  Tensor result = TRY(new_tensor(call, input.type, kept, start));
  const double* element = input.elements.data();
  for_each_offset<1>(input.shape, {broadcast_strides(kept, input.shape)}, [&](const auto& offsets) {
    double& accumulator = at(result, offsets[0]);
    accumulator = fold(accumulator, *element++);
  });
  const double count = result.elements.empty() ? 0
                                               : static_cast<double>(input.elements.size()) /
                                                     static_cast<double>(result.elements.size());
  for (double& accumulator : result.elements) accumulator = finish(accumulator, count);
  wrap_integers(result);
  result.shape = reduced_shape(input.shape, axes, call.integer("keepdims", 1) != 0);
  return one_result(std::move(result));
}

constexpr auto fold_sum = [](double sum, double x) { return sum + x; };
constexpr auto fold_absolute = [](double sum, double x) { return sum + std::abs(x); };
// Of logarithms, so that no exponential overflows.
constexpr auto fold_exponential = [](double sum, double x) {
  return std::isinf(sum) || std::isinf(x) ? std::max(sum, x)
                                          : std::max(sum, x) + std::log1p(std::exp(-std::abs(sum - x)));
};
constexpr auto fold_square = [](double sum, double x) { return sum + x * x; };
constexpr auto fold_product = [](double product, double x) { return product * x; };

constexpr auto finish_plain = [](double accumulator, double) { return accumulator; };
constexpr auto finish_mean = [](double sum, double count) { return sum / count; };
constexpr auto finish_root = [](double sum, double) { return std::sqrt(sum); };
constexpr auto finish_logarithm = [](double sum, double) { return std::log(sum); };

template <auto fold, auto finish>
Result<Tensors> reduce_from_zero(const Call& call) {
  return reduced(call, 0, fold, finish);
}

Result<Tensors> reduce_product(const Call& call) { return reduced(call, 1, fold_product, finish_plain); }

Result<Tensors> reduce_exponentials(const Call& call) {
  return reduced(call, -std::numeric_limits<double>::infinity(), fold_exponential, finish_plain);
}

Result<Tensors> reduce_max(const Call& call) {
  return reduced(call, -std::numeric_limits<double>::infinity(), larger, finish_plain);
}

Result<Tensors> reduce_min(const Call& call) {
  return reduced(call, std::numeric_limits<double>::infinity(), smaller, finish_plain);
}

/** ArgMax and ArgMin. @param sign -1 looks for the smallest element */
template <int sign>
Result<Tensors> extreme_position(const Call& call) {
  const Tensor& input = call[0];
  const std::size_t axis = TRY(axis_of(call, call.integer("axis", 0), input.shape.size()));
  const bool last_wins = call.integer("select_last_index", 0) != 0;
  const std::int64_t inner = extent_product(input.shape, axis + 1, input.shape.size());
  const std::int64_t count = input.shape[axis];
  if (count == 0) return call.refuse("the axis has no elements");
  Tensor result = TRY(new_tensor(call, ElementType::I64, reduced_shape(input.shape, {axis}, true)));
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(result.elements.size()); ++i) {
    const std::int64_t first = i / inner * inner * count + i % inner;
    std::int64_t best = 0;
    for (std::int64_t position = 1; position < count; ++position) {
      const double gain = sign * (at(input, first + position * inner) - at(input, first + best * inner));
      if (gain > 0 || (gain == 0 && last_wins)) best = position;
    }
    at(result, i) = static_cast<double>(best);
  }
  result.shape = reduced_shape(input.shape, {axis}, call.integer("keepdims", 1) != 0);
  return one_result(std::move(result));
}

Result<Tensors> cumulative_sum(const Call& call) {
  Tensor result = call[0];
  if (call[1].elements.size() != 1) return call.refuse("its axis is not one number");
  const std::size_t axis = TRY(axis_of(call, to_integer(call[1].elements[0]), result.shape.size()));
  const bool exclusive = call.integer("exclusive", 0) != 0;
  const bool reverse = call.integer("reverse", 0) != 0;
  const std::int64_t inner = extent_product(result.shape, axis + 1, result.shape.size());
  const std::int64_t count = result.shape[axis];
  for (std::int64_t row = 0; row < extent_product(result.shape, 0, axis) * inner; ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t position = reverse ? count - 1 - i : i;
      double& element = at(result, (row / inner * count + position) * inner + row % inner);
      const double own = element;
      element = exclusive ? sum : sum + own;
      sum += own;
    }
  }
  return one_result(std::move(result));
}

}  // namespace

std::vector<Operator> reduction_operators() {
  return {
      {"ArgMax", 1, 1, extreme_position<1>},
      {"ArgMin", 1, 1, extreme_position<-1>},
      {"CumSum", 2, 2, cumulative_sum},
      {"ReduceL1", 1, 2, reduce_from_zero<fold_absolute, finish_plain>},
      {"ReduceL2", 1, 2, reduce_from_zero<fold_square, finish_root>},
      {"ReduceLogSum", 1, 2, reduce_from_zero<fold_sum, finish_logarithm>},
      {"ReduceLogSumExp", 1, 2, reduce_exponentials},
      {"ReduceMax", 1, 2, reduce_max},
      {"ReduceMean", 1, 2, reduce_from_zero<fold_sum, finish_mean>},
      {"ReduceMin", 1, 2, reduce_min},
      {"ReduceProd", 1, 2, reduce_product},
      {"ReduceSum", 1, 2, reduce_from_zero<fold_sum, finish_plain>},
      {"ReduceSumSquare", 1, 2, reduce_from_zero<fold_square, finish_plain>},
  };
}

}  // namespace kernelscape::graph

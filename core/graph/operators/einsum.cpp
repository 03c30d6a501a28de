#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/graph/operators/indexing.h"
#include "core/graph/operators/multiplication.h"

namespace kernelscape::graph {

namespace {

/** Names of dimensions: letters, and numbers from first_ellipsis for those of an ellipsis, the last one
 * first. */
using Labels = std::vector<int>;
constexpr int first_ellipsis = 256;

using LabelExtents = std::map<int, std::int64_t>;

struct LabelledTensor {
  Tensor tensor;
  Labels labels;
};

/** Returns the labels of one term of an equation. @param rank dimensions; -1 for the result */
Result<Labels> labels_of(const Call& call, std::string_view term, std::int64_t rank,
                         std::int64_t ellipsis_rank) {
  const std::size_t dots = term.find("...");
  const auto letters = static_cast<std::int64_t>(term.size()) - (dots == std::string_view::npos ? 0 : 3);
  const std::int64_t ellipsis = dots == std::string_view::npos ? 0
                                : rank < 0                     ? ellipsis_rank
                                                               : rank - letters;
  if (ellipsis < 0 || (rank >= 0 && letters + ellipsis != rank))
    return call.refuse(fmt::format("the term {} does not have {} dimensions", base::quoted_line(term), rank));
  Labels labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (i == dots) {
      for (std::int64_t axis = ellipsis; axis-- > 0;)
        labels.push_back(first_ellipsis + static_cast<int>(axis));
      i += 2;
    } else if ((term[i] >= 'a' && term[i] <= 'z') || (term[i] >= 'A' && term[i] <= 'Z')) {
      labels.push_back(term[i]);
    } else {
      return call.refuse(fmt::format("its equation has the term {}", base::quoted_line(term)));
    }
  }
  return labels;
}

/** Enters the extents of an operand's dimensions. */
Status add_extents(const Call& call, const LabelledTensor& operand, LabelExtents& extents) {
  for (std::size_t axis = 0; axis < operand.labels.size(); ++axis) {
    std::int64_t& extent = extents.try_emplace(operand.labels[axis], 1).first->second;
    const std::int64_t own = operand.tensor.shape[axis];
    if (extent != 1 && own != 1 && own != extent)
      return call.refuse(fmt::format("one dimension of its equation has the extents {} and {}", extent, own));
    if (own != 1) extent = own;
  }
  return {};
}

Shape extents_of(const Labels& labels, const LabelExtents& extents) {
  Shape shape;
  for (const int label : labels) shape.push_back(extents.at(label));
  return shape;
}

bool contains(const Labels& labels, int label) { return std::ranges::find(labels, label) != labels.end(); }

/** Returns a tensor with its elements in the order of labels; those that it lacks repeat it. */
Result<Tensor> arranged(const Call& call, const LabelledTensor& operand, const Labels& labels,
                        const LabelExtents& extents) {
  const Integers own = strides_of(operand.tensor.shape);
  Integers strides(labels.size(), 0);
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t axis = 0; axis < own.size(); ++axis)
      if (operand.labels[axis] == labels[i] && operand.tensor.shape[axis] != 1) strides[i] += own[axis];
  Tensor result = TRY(new_tensor(call, operand.tensor.type, extents_of(labels, extents)));
  auto element = result.elements.begin();
  for_each_offset<1>(result.shape, {strides},
                     [&](const auto& offsets) { *element++ = at(operand.tensor, offsets[0]); });
  return result;
}

Labels joined(Labels first, const Labels& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/** Multiplies two operands and sums over the labels that are not kept. */
Result<LabelledTensor> contracted(const Call& call, const LabelledTensor& left, const LabelledTensor& right,
                                  const Labels& kept, const LabelExtents& extents) {
  Labels batch;
  Labels rows;
  Labels columns;
  Labels depth;
  for (const int label : joined(left.labels, right.labels)) {
    if (contains(batch, label) || contains(rows, label) || contains(columns, label) || contains(depth, label))
      continue;
    const bool in_left = contains(left.labels, label);
    const bool in_right = contains(right.labels, label);
    (!contains(kept, label) ? depth
     : in_left && in_right  ? batch
     : in_left              ? rows
                            : columns)
        .push_back(label);
  }
  Tensor first = TRY(arranged(call, left, joined(joined(batch, rows), depth), extents));
  Tensor second = TRY(arranged(call, right, joined(joined(batch, depth), columns), extents));
  const auto count = [&](const Labels& labels) { return element_count(extents_of(labels, extents)); };
  first.shape = {count(batch), count(rows), count(depth)};
  second.shape = {count(batch), count(depth), count(columns)};
  LabelledTensor result;
  result.tensor = TRY(multiply_matrices(call, first, second, first.type));
  result.labels = joined(joined(batch, rows), columns);
  result.tensor.shape = extents_of(result.labels, extents);
  return result;
}

/** Returns the labels of an equation without a result: the ellipsis, then letters that occur once. */
Labels implied_result(const std::vector<LabelledTensor>& operands, std::int64_t ellipsis_rank) {
  Labels result;
  for (std::int64_t axis = ellipsis_rank; axis-- > 0;)
    result.push_back(first_ellipsis + static_cast<int>(axis));
  std::map<int, int> occurrences;
  for (const LabelledTensor& operand : operands)
    for (const int label : operand.labels) ++occurrences[label];
  // Upper case comes first in the order of numpy as well.
  for (const auto& [label, count] : occurrences)
    if (label < first_ellipsis && count == 1) result.push_back(label);
  return result;
}

/** The terms of an equation; no result if it has no arrow. */
struct Equation {
  std::vector<LabelledTensor> operands;
  Labels result;
};

Result<Equation> read_equation(const Call& call) {
  std::string text = call.text("equation", "");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  const std::vector<std::string> terms = base::split_text(text.substr(0, arrow), ',');
  if (terms.size() != call.input_count()) {
    return call.refuse(
        fmt::format("its equation has {} terms for {} operands", terms.size(), call.input_count()));
  }
  Equation equation;
  std::int64_t ellipsis_rank = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!call.has(i)) return call.refuse(fmt::format("its operand {} is absent", i));
    const auto rank = static_cast<std::int64_t>(call[i].shape.size());
    Labels labels = TRY(labels_of(call, terms[i], rank, 0));
    ellipsis_rank = std::max<std::int64_t>(
        ellipsis_rank, std::ranges::count_if(labels, [](int label) { return label >= first_ellipsis; }));
    equation.operands.push_back({call[i], std::move(labels)});
  }
  equation.result = arrow == std::string::npos
                        ? implied_result(equation.operands, ellipsis_rank)
                        : TRY(labels_of(call, text.substr(arrow + 2), -1, ellipsis_rank));
  return equation;
}

}  // namespace

Result<Tensors> einsum(const Call& call) {
  Equation equation = TRY(read_equation(call));
  LabelExtents extents;
  for (const LabelledTensor& operand : equation.operands) TRY(add_extents(call, operand, extents));
  for (const int label : equation.result) {
    if (!extents.contains(label)) return call.refuse("its result has a dimension that no operand has");
    if (std::ranges::count(equation.result, label) > 1)
      return call.refuse("its result has one dimension twice");
  }

  LabelledTensor product{.tensor = {call[0].type, {}, {1.0}}, .labels = {}};
  for (std::size_t i = 0; i < equation.operands.size(); ++i) {
    Labels kept = equation.result;
    for (std::size_t later = i + 1; later < equation.operands.size(); ++later)
      kept = joined(kept, equation.operands[later].labels);
    product = TRY(contracted(call, product, equation.operands[i], kept, extents));
  }
  return one_result(TRY(arranged(call, product, equation.result, extents)));
}

}  // namespace kernelscape::graph

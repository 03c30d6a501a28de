#include "core/onnx_reader/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/visible_text.h"
#include "core/task/task.h"

namespace kernelscape::onnx_reader {
namespace {

constexpr int letters = 52;
constexpr std::size_t max_rank = 64;
constexpr std::size_t label_count = letters + max_rank;
constexpr std::size_t max_equation = 1000;

std::unexpected<Error> wrong(std::string_view equation, std::string_view why) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("its equation {} {}", base::quoted_line(equation), why));
}

bool is_letter(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }
int label_of(char letter) { return letter >= 'a' ? letter - 'a' + 26 : letter - 'A'; }
std::string label_text(int label) {
  if (label >= letters) return "...";
  return {static_cast<char>(label >= 26 ? label - 26 + 'a' : label + 'A')};
}

std::string without_blanks(std::string_view text) {
  std::string left;
  std::ranges::copy_if(text, std::back_inserter(left), [](char letter) { return letter != ' '; });
  return left;
}

/** The parts of an equation, without blanks. */
struct EquationText {
  std::vector<std::string> operands;
  std::optional<std::string> output;
};

EquationText split_equation(std::string_view equation) {
  std::string text = without_blanks(equation.substr(0, max_equation));
  EquationText parts;
  if (const std::size_t arrow = text.find("->"); arrow != std::string::npos) {
    parts.output = text.substr(arrow + 2);
    text.resize(arrow);
  }
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.operands.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

/**
 * Returns the labels of a term whose ellipsis has `ellipsis` dimensions; nullopt if the text is not a term.
 */
std::optional<std::vector<int>> term_labels(std::string_view term, std::size_t ellipsis) {
  std::vector<int> labels;
  bool met = false;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) {
      labels.push_back(label_of(term[i]));
    } else if (!met && term.substr(i, 3) == "...") {
      met = true;
      i += 2;
      for (std::size_t d = ellipsis; d-- > 0;) labels.push_back(letters + static_cast<int>(d));
    } else {
      return std::nullopt;
    }
  }
  return labels;
}

/**
 * Returns the output of an equation without "->": dimensions of the ellipsis, then letters that occur once,
 * sorted.
 */
std::vector<int> implied_output(const std::vector<std::vector<int>>& operands, std::size_t ellipsis) {
  std::array<int, label_count> counts{};
  for (const auto& operand : operands)
    for (const int label : operand) ++counts.at(static_cast<std::size_t>(label));
  std::vector<int> output;
  for (std::size_t d = ellipsis; d-- > 0;) output.push_back(letters + static_cast<int>(d));
  for (int label = 0; label < letters; ++label)
    if (counts.at(static_cast<std::size_t>(label)) == 1) output.push_back(label);
  return output;
}

bool contains(const std::vector<int>& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

/** The groups to which the labels of an operand or the result belong. */
struct Groups {
  std::vector<int> batch, rows, columns, sums;
};

/** Returns true if an operand's groups are contiguous and in this order, after the batch. */
bool in_order(const std::vector<int>& labels, const std::vector<int>& batch,
              std::initializer_list<const std::vector<int>*> others) {
  std::vector<int> expected = batch;
  for (const std::vector<int>* other : others) expected.insert(expected.end(), other->begin(), other->end());
  return labels == expected;
}

/** Returns the labels of a term with an extent above 1. */
std::vector<int> long_labels(const std::vector<int>& labels, const Extents& shape) {
  std::vector<int> found;
  for (std::size_t d = 0; d < labels.size(); ++d)
    if (shape[d] != 1) found.push_back(labels[d]);
  return found;
}

std::int64_t product_of(const std::vector<int>& labels, const std::vector<std::int64_t>& lengths) {
  std::int64_t product = 1;
  for (const int label : labels)
    if (__builtin_mul_overflow(product, lengths[static_cast<std::size_t>(label)], &product) ||
        product > task::count_limit)
      return task::count_limit;
  return product;
}

/** Returns true if the last label that is not in the batch is in the group. */
bool ends_with(const std::vector<int>& labels, const std::vector<int>& batch, const std::vector<int>& group) {
  for (auto label = labels.rbegin(); label != labels.rend(); ++label)
    if (!contains(batch, *label)) return contains(group, *label);
  return false;
}

}  // namespace

Result<EinsumEquation> parse_einsum(std::string_view equation, const std::vector<std::size_t>& ranks) {
  if (equation.size() > max_equation) return wrong(equation, "is too long");
  const EquationText text = split_equation(equation);
  if (text.operands.size() != ranks.size())
    return wrong(equation,
                 fmt::format("is for {} operands, and the node has {}", text.operands.size(), ranks.size()));
  EinsumEquation result;
  std::size_t max_ellipsis = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string& term = text.operands[i];
    const bool open = term.contains("...");
    const std::size_t named = term.size() - (open ? 3 : 0);
    if (named > ranks[i] || (!open && named != ranks[i]) || ranks[i] > max_rank)
      return wrong(equation, fmt::format("does not fit operand {} of {} dimensions", i + 1, ranks[i]));
    const std::size_t ellipsis = ranks[i] - named;
    max_ellipsis = std::max(max_ellipsis, ellipsis);
    auto labels = term_labels(term, ellipsis);
    if (!labels || labels->size() != ranks[i]) return wrong(equation, "cannot be read");
    result.operands.push_back(std::move(*labels));
  }
  if (!text.output) {
    result.output = implied_output(result.operands, max_ellipsis);
    return result;
  }
  auto output = term_labels(*text.output, max_ellipsis);
  if (!output) return wrong(equation, "cannot be read");
  for (std::size_t d = 0; d < output->size(); ++d) {
    const int label = (*output)[d];
    const bool known = std::ranges::any_of(
        result.operands, [&](const std::vector<int>& labels) { return contains(labels, label); });
    if (!known || std::ranges::count(*output, label) > 1)
      return wrong(equation,
                   fmt::format("has an impossible result with {}", base::quoted_line(label_text(label))));
  }
  result.output = std::move(*output);
  return result;
}

bool einsum_contracts(std::string_view equation) {
  const EquationText text = split_equation(equation);
  if (text.operands.size() < 2) return false;
  const auto open =
      std::ranges::count_if(text.operands, [](const std::string& term) { return term.contains("..."); });
  if (open > 1 && text.output && !text.output->contains("...")) return true;
  std::array<int, 256> operands_with{};
  for (const std::string& operand : text.operands) {
    std::array<bool, 256> met{};
    for (const char letter : operand) {
      const auto code = static_cast<unsigned char>(letter);
      if (is_letter(letter) && !std::exchange(met.at(code), true)) ++operands_with.at(code);
    }
  }
  for (std::size_t letter = 0; letter < operands_with.size(); ++letter)
    if (operands_with.at(letter) > 1 && !(text.output && text.output->contains(static_cast<char>(letter))))
      return true;
  return false;
}

Result<std::vector<std::int64_t>> einsum_lengths(const EinsumEquation& equation,
                                                 const std::vector<Extents>& shapes) {
  std::vector<std::int64_t> lengths(label_count, 1);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t d = 0; d < shapes[i].size(); ++d) {
      const int label = equation.operands[i][d];
      std::int64_t& length = lengths[static_cast<std::size_t>(label)];
      const std::int64_t extent = shapes[i][d];
      if (extent == 1 || extent == length) continue;
      // An unknown length equals that of the other operand if that is longer than 1.
      if (length == 1 || (length < 0 && extent > 1)) {
        length = extent;
      } else if (extent >= 0) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("its operands do not match: the length of {} is {} and {}",
                                base::quoted_line(label_text(label)), length, extent));
      }
    }
  }
  return lengths;
}

Result<EinsumProduct> einsum_product(const EinsumEquation& equation, const std::vector<Extents>& shapes) {
  const std::vector<std::int64_t> lengths = TRY(einsum_lengths(equation, shapes));
  if (shapes.size() != 2)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("it multiplies {} operands, and tasks multiply 2", shapes.size()));
  std::array<std::vector<int>, 2> operands;
  for (std::size_t i = 0; i < 2; ++i) {
    operands.at(i) = long_labels(equation.operands[i], shapes[i]);
    for (const int label : operands.at(i))
      if (std::ranges::count(operands.at(i), label) > 1)
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("it takes a diagonal: {} occurs twice in operand {}",
                                base::quoted_line(label_text(label)), i + 1));
  }
  std::vector<int> output;
  for (const int label : equation.output)
    if (lengths[static_cast<std::size_t>(label)] != 1) output.push_back(label);
  Groups groups;
  for (const int label : output) {
    const bool first = contains(operands[0], label);
    const bool second = contains(operands[1], label);
    (first && second ? groups.batch : first ? groups.rows : groups.columns).push_back(label);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (const int label : operands.at(i)) {
      if (contains(output, label)) continue;
      if (!contains(operands.at(1 - i), label))
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{} is summed in operand {} only, before the multiplication",
                                base::quoted_line(label_text(label)), i + 1));
      if (i == 0) groups.sums.push_back(label);
    }
  }
  EinsumProduct product;
  // The result's last dimension must be a column.
  product.swapped = !groups.columns.empty() && ends_with(output, groups.batch, groups.rows);
  if (product.swapped) {
    std::swap(groups.rows, groups.columns);
    std::swap(operands[0], operands[1]);
  }
  product.batch = product_of(groups.batch, lengths);
  product.batched = product.batch != 1;
  product.m = product_of(groups.rows, lengths);
  product.n = product_of(groups.columns, lengths);
  product.k = product_of(groups.sums, lengths);
  // There is only one way to store a vector.
  product.transpose_a = !groups.sums.empty() && ends_with(operands[0], groups.batch, groups.rows);
  product.transpose_b = !groups.columns.empty() && ends_with(operands[1], groups.batch, groups.sums);
  const auto& [a, b] = operands;
  product.reordered = !in_order(output, groups.batch, {&groups.rows, &groups.columns}) ||
                      !(product.transpose_a ? in_order(a, groups.batch, {&groups.sums, &groups.rows})
                                            : in_order(a, groups.batch, {&groups.rows, &groups.sums})) ||
                      !(product.transpose_b ? in_order(b, groups.batch, {&groups.columns, &groups.sums})
                                            : in_order(b, groups.batch, {&groups.sums, &groups.columns}));
  return product;
}

double einsum_flops(const EinsumEquation& equation, const std::vector<Extents>& shapes) {
  const auto lengths = einsum_lengths(equation, shapes);
  if (!lengths || shapes.size() != 2) return 0;
  double flops = 2;
  for (const std::int64_t length : *lengths) flops *= static_cast<double>(std::max<std::int64_t>(length, 0));
  return flops;
}

}  // namespace kernelscape::onnx_reader

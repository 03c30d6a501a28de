#include "core/analysis/filter/filter_evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace kernelscape::analysis {
namespace {

constexpr std::int64_t words_per_block = 64;
constexpr std::int64_t rows_per_block = words_per_block * RowSet::bits_per_word;  // 32 KiB of values
constexpr double infinity = std::numeric_limits<double>::infinity();

enum Decision : std::uint8_t { NotYet, No, Yes };

/**
 * Returns a closed interval, so that one kind of test serves all comparisons: below 3 is up to the last
 * double before it.
 */
ValueInterval interval_of(ComparisonOperator comparison, double value) {
  switch (comparison) {
    case ComparisonOperator::Less:
      return {-infinity, std::nextafter(value, -infinity)};
    case ComparisonOperator::LessOrEqual:
      return {-infinity, value};
    case ComparisonOperator::Greater:
      return {std::nextafter(value, infinity), infinity};
    case ComparisonOperator::GreaterOrEqual:
      return {value, infinity};
    case ComparisonOperator::Equal:
    case ComparisonOperator::NotEqual:
      break;
  }
  return {value, value};
}

std::vector<ValueInterval> merged(std::vector<ValueInterval> intervals) {
  std::ranges::sort(intervals, {}, &ValueInterval::low);
  std::vector<ValueInterval> disjoint;
  for (const ValueInterval& next : intervals) {
    if (!disjoint.empty() && next.low <= disjoint.back().high)
      disjoint.back().high = std::max(disjoint.back().high, next.high);
    else
      disjoint.push_back(next);
  }
  return disjoint;
}

/** Returns false for NaN, whether negated or not. */
bool passes(double value, const ValueInterval& interval, bool negated) {
  const bool inside = (value >= interval.low) & (value <= interval.high);
  return (inside != negated) & (value == value);
}

bool passes(double value, std::span<const ValueInterval> disjoint, bool negated) {
  const auto after = std::ranges::upper_bound(disjoint, value, {}, &ValueInterval::low);
  const bool inside = after != disjoint.begin() && value <= std::prev(after)->high;
  return inside != negated && !std::isnan(value);
}

bool compare(double left, ComparisonOperator comparison, double right) {
  switch (comparison) {
    case ComparisonOperator::Equal:
      return left == right;
    case ComparisonOperator::NotEqual:
      return left < right || left > right;
    case ComparisonOperator::Less:
      return left < right;
    case ComparisonOperator::LessOrEqual:
      return left <= right;
    case ComparisonOperator::Greater:
      return left > right;
    case ComparisonOperator::GreaterOrEqual:
      break;
  }
  return left >= right;
}

/** @param decide returns the result for a position in the block */
template <typename Decide>
void fill_words(std::size_t count, std::span<std::uint64_t> words, const Decide& decide) {
  constexpr std::size_t bits = RowSet::bits_per_word;
  for (std::size_t start = 0; start < count; start += bits) {
    const std::size_t end = std::min(count, start + bits);
    std::uint64_t word = 0;
    for (std::size_t position = start; position < end; ++position)
      word |= std::uint64_t{decide(position)} << (position - start);
    words[start / bits] = word;
  }
}

}  // namespace

FilterEvaluation::FilterEvaluation(const FilterNode& root, const trial::Snapshot& trials,
                                   const TrialColumns& columns)
    : trials_(trials), columns_(columns), root_(prepare(root)) {}

FilterEvaluation::Leaf FilterEvaluation::prepare_values(std::size_t column,
                                                        std::vector<ValueInterval> intervals,
                                                        bool negated) const {
  Leaf leaf{.column = column, .intervals = merged(std::move(intervals)), .negated = negated};
  leaf.knob = columns_.columns()[column].knob;
  return leaf;
}

FilterEvaluation::Leaf FilterEvaluation::prepare_columns(const ColumnTest& test) const {
  Leaf leaf{.column = test.column, .columns = test};
  const std::optional<std::size_t> knob = columns_.columns()[test.column].knob;
  if (knob == columns_.columns()[test.other].knob) leaf.knob = knob;
  return leaf;
}

FilterEvaluation::Step FilterEvaluation::prepare(const FilterNode& node) const {
  Step step;
  if (const auto* test = std::get_if<ValueTest>(&node.content)) {
    step.leaf = prepare_values(test->column, {interval_of(test->comparison, test->value)},
                               test->comparison == ComparisonOperator::NotEqual);
  } else if (const auto* member = std::get_if<MemberTest>(&node.content)) {
    step.leaf = prepare_values(member->column, member->items, member->negated);
  } else if (const auto* columns = std::get_if<ColumnTest>(&node.content)) {
    step.leaf = prepare_columns(*columns);
  } else {
    const auto& junction = std::get<Junction>(node.content);
    step.kind = junction.kind;
    for (const FilterNode& part : junction.parts) step.parts.push_back(prepare(part));
  }
  return step;
}

void FilterEvaluation::fill(RowSet& rows, std::int64_t first) {
  std::array<std::uint64_t, words_per_block> words{};
  for (first -= first % RowSet::bits_per_word; first < trials_.size(); first += rows_per_block) {
    const std::int64_t last = std::min(first + rows_per_block, trials_.size());
    const auto count =
        static_cast<std::size_t>((last - first + RowSet::bits_per_word - 1) / RowSet::bits_per_word);
    run(root_, first, last, std::span(words).first(count));
    const auto start = static_cast<std::size_t>(first / RowSet::bits_per_word);
    for (std::size_t word = 0; word < count; ++word) rows.set_word(start + word, words[word]);
  }
}

void FilterEvaluation::run(Step& step, std::int64_t first, std::int64_t last, Words words) const {
  if (step.leaf) {
    if (step.leaf->knob) return run_knob(*step.leaf, first, last, words);
    if (step.leaf->columns) return run_columns(*step.leaf->columns, first, last, words);
    return run_values(*step.leaf, first, last, words);
  }
  // Bits after the last row are arbitrary: the row set ignores them.
  const bool all = step.kind == Junction::Kind::All;
  std::ranges::fill(words, all ? ~std::uint64_t{0} : 0);
  std::array<std::uint64_t, words_per_block> buffer{};
  const Words part_words = std::span(buffer).first(words.size());
  for (Step& part : step.parts) {
    run(part, first, last, part_words);
    for (std::size_t word = 0; word < words.size(); ++word)
      words[word] = all ? words[word] & part_words[word] : words[word] | part_words[word];
  }
  if (step.kind != Junction::Kind::None) return;
  for (std::uint64_t& word : words) word = ~word;
}

bool FilterEvaluation::decide_index(Leaf& leaf, std::uint32_t index) const {
  const double value = columns_.value_of_index(leaf.column, index);
  const bool pass = leaf.columns ? compare(value, leaf.columns->comparison,
                                           columns_.value_of_index(leaf.columns->other, index))
                                 : passes(value, leaf.intervals, leaf.negated);
  if (index >= leaf.decisions.size()) leaf.decisions.resize(std::size_t{index} + 1, NotYet);
  leaf.decisions[index] = pass ? Yes : No;
  return pass;
}

void FilterEvaluation::run_knob(Leaf& leaf, std::int64_t first, std::int64_t last, Words words) const {
  fill_words(static_cast<std::size_t>(last - first), words, [&](std::size_t position) {
    const std::uint32_t index = trials_.knob_index(first + static_cast<std::int64_t>(position), *leaf.knob);
    if (index < leaf.decisions.size() && leaf.decisions[index] != NotYet) return leaf.decisions[index] == Yes;
    return decide_index(leaf, index);
  });
}

void FilterEvaluation::run_values(const Leaf& leaf, std::int64_t first, std::int64_t last,
                                  Words words) const {
  const std::vector<double> values = columns_.values(trials_, first, last, leaf.column);
  if (leaf.intervals.size() == 1) {
    const ValueInterval only = leaf.intervals.front();
    fill_words(values.size(), words,
               [&](std::size_t position) { return passes(values[position], only, leaf.negated); });
    return;
  }
  fill_words(values.size(), words,
             [&](std::size_t position) { return passes(values[position], leaf.intervals, leaf.negated); });
}

void FilterEvaluation::run_columns(const ColumnTest& test, std::int64_t first, std::int64_t last,
                                   Words words) const {
  const std::vector<double> left = columns_.values(trials_, first, last, test.column);
  const std::vector<double> right = columns_.values(trials_, first, last, test.other);
  fill_words(left.size(), words, [&](std::size_t position) {
    return compare(left[position], test.comparison, right[position] * test.factor);
  });
}

}  // namespace kernelscape::analysis

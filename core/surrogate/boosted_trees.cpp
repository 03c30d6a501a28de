#include "core/surrogate/boosted_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace kernelscape::surrogate {
namespace {

/** Whole numbers up to this one are exact as 32-bit floats. */
constexpr std::size_t max_exact = std::size_t{1} << 24;

constexpr std::size_t numbers_per_node = 3;

/** Returns the number of column "f12". */
std::size_t dumped_column(const std::string& name) {
  std::size_t number = 0;
  std::from_chars(name.data() + std::min<std::size_t>(name.size(), 1), name.data() + name.size(), number);
  return number;
}

/**
 * Appends the nodes of a tree. @throws nlohmann::json::exception, std::out_of_range: the JSON is not a tree
 */
void append_tree(const nlohmann::json& root, std::span<const std::size_t> column_of,
                 std::vector<BoostedNode>& nodes) {
  const std::size_t start = nodes.size();
  std::vector<std::pair<const nlohmann::json*, std::size_t>> open{{&root, start}};
  nodes.emplace_back();
  while (!open.empty()) {
    const auto [node, place] = open.back();
    open.pop_back();
    if (node->contains("leaf")) {
      nodes[place].value = node->at("leaf").get<float>();
      continue;
    }
    const std::size_t column = dumped_column(node->at("split").get<std::string>());
    if (column >= column_of.size()) throw std::out_of_range(fmt::format("column {}", column));
    const std::size_t below = nodes.size();
    nodes[place] = {static_cast<std::int32_t>(column_of[column]), node->at("split_condition").get<float>(),
                    static_cast<std::uint32_t>(below - start)};
    nodes.resize(below + 2);
    const nlohmann::json& children = node->at("children");
    const bool first_is_below = children.at(0).at("nodeid") == node->at("yes");
    open.emplace_back(&children.at(first_is_below ? 1 : 0), below + 1);
    open.emplace_back(&children.at(first_is_below ? 0 : 1), below);
  }
}

bool all_values_finite(std::span<const BoostedNode> nodes) {
  return std::ranges::all_of(nodes, [](const BoostedNode& node) { return std::isfinite(node.value); });
}

Error damaged_trees(std::size_t place) {
  return {ErrorCode::Corrupt, fmt::format("number {} of boosted trees is invalid", place), ""};
}

/** Reads consecutive numbers, and checks each. */
class NumberReader {
 public:
  explicit NumberReader(std::span<const float> numbers) : numbers_(numbers) {}

  std::size_t left() const { return numbers_.size() - next_; }

  Result<float> finite() {
    if (left() == 0 || !std::isfinite(numbers_[next_])) return std::unexpected(damaged_trees(next_));
    return numbers_[next_++];
  }

  /** Reads a whole number from low to high, which are at most max_exact. */
  Result<std::int64_t> whole(std::int64_t low, std::int64_t high) {
    const float number = TRY(finite());
    // The order matters: converting a number that is out of range is undefined.
    if (number < static_cast<float>(low) || number > static_cast<float>(high) || number != std::floor(number))
      return std::unexpected(damaged_trees(next_ - 1));
    return static_cast<std::int64_t>(number);
  }

 private:
  std::span<const float> numbers_;
  std::size_t next_ = 0;
};

std::int64_t at_most_exact(std::size_t count) {
  return static_cast<std::int64_t>(std::min(count, max_exact));
}

/** Reads the node at this index of a tree with `count` nodes. */
Result<BoostedNode> read_node(NumberReader& reader, std::int64_t place, std::int64_t count,
                              std::size_t columns) {
  const std::int64_t column = TRY(reader.whole(-1, static_cast<std::int64_t>(columns) - 1));
  const float value = TRY(reader.finite());
  // Children follow their parent, so that every row reaches a leaf.
  const bool leaf = column < 0;
  const std::int64_t below = TRY(reader.whole(leaf ? 0 : place + 1, leaf ? 0 : count - 2));
  return BoostedNode{static_cast<std::int32_t>(column), value, static_cast<std::uint32_t>(below)};
}

}  // namespace

Result<BoostedTrees> BoostedTrees::from_dump(std::span<const char* const> trees, float base_score,
                                             std::span<const std::size_t> column_of, std::size_t columns) {
  BoostedTrees result;
  result.columns_ = columns;
  result.base_score_ = base_score;
  try {
    for (const char* tree : trees) {
      result.starts_.push_back(result.nodes_.size());
      append_tree(nlohmann::json::parse(tree), column_of, result.nodes_);
      if (result.nodes_.size() - result.starts_.back() > max_exact)
        throw std::out_of_range(fmt::format("a tree has more than {} nodes", max_exact));
    }
  } catch (const std::exception& error) {
    return fail(ErrorCode::Internal, fmt::format("XGBoost's trees cannot be read: {}", error.what()));
  }
  if (columns > max_exact || trees.size() > max_exact || !std::isfinite(base_score) ||
      !all_values_finite(result.nodes_))
    return fail(ErrorCode::Internal, "XGBoost's trees have numbers that are not finite, or too many of them");
  return result;
}

Result<BoostedTrees> BoostedTrees::from_numbers(std::span<const float> numbers) {
  NumberReader reader(numbers);
  BoostedTrees result;
  result.columns_ = static_cast<std::size_t>(TRY(reader.whole(1, at_most_exact(max_exact))));
  result.base_score_ = TRY(reader.finite());
  const std::int64_t trees = TRY(reader.whole(0, at_most_exact(numbers.size())));
  for (std::int64_t tree = 0; tree < trees; ++tree) {
    const std::int64_t most = at_most_exact(reader.left() / numbers_per_node);
    const std::int64_t count = TRY(reader.whole(1, most));
    result.starts_.push_back(result.nodes_.size());
    for (std::int64_t place = 0; place < count; ++place)
      result.nodes_.push_back(TRY(read_node(reader, place, count, result.columns_)));
  }
  if (reader.left() != 0) return std::unexpected(damaged_trees(numbers.size() - reader.left()));
  return result;
}

std::vector<float> BoostedTrees::to_numbers() const {
  std::vector<float> numbers{static_cast<float>(columns_), base_score_, static_cast<float>(trees())};
  numbers.reserve(numbers.size() + trees() + numbers_per_node * nodes_.size());
  for (std::size_t tree = 0; tree < trees(); ++tree) {
    const std::span<const BoostedNode> nodes = std::span(nodes_).subspan(starts_[tree], nodes_of(tree));
    numbers.push_back(static_cast<float>(nodes.size()));
    for (const BoostedNode& node : nodes)
      numbers.insert(numbers.end(),
                     {static_cast<float>(node.column), node.value, static_cast<float>(node.below)});
  }
  return numbers;
}

float BoostedTrees::predict(std::span<const float> row) const {
  float margin = base_score_;
  for (const std::size_t start : starts_) {
    const BoostedNode* const root = nodes_.data() + start;
    const BoostedNode* node = root;
    while (node->column >= 0) {
      const bool below = row[static_cast<std::size_t>(node->column)] < node->value;
      node = root + node->below + (below ? 0 : 1);
    }
    margin += node->value;
  }
  return margin;
}

}  // namespace kernelscape::surrogate

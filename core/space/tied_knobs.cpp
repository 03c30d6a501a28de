#include "core/space/tied_knobs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

namespace kernelscape::space {
namespace {

constexpr std::uint64_t max_tried_values = std::uint64_t{1} << 27;
constexpr std::size_t max_tied_indices = std::size_t{1} << 23;

/** Lists the combinations of consecutive knobs whose values have a given product. */
class TiedRows {
 public:
  explicit TiedRows(std::span<const Knob> knobs) : knobs_(knobs), row_(knobs.size()) {
    for (std::uint32_t index = 0; index < knobs.front().count(); ++index)
      of_first_.emplace_back(knobs.front().element(index, 0), index);
    std::ranges::sort(of_first_);
  }

  /** Lists the combinations, or returns nullopt if there are too many. */
  std::optional<std::vector<std::uint32_t>> list(std::int64_t product) {
    if (!choose(knobs_.size() - 1, product)) return std::nullopt;
    return std::move(rows_);
  }

 private:
  /** @param rest the product of this knob's value and of those before it */
  bool choose(std::size_t position, std::int64_t rest) {
    if (position == 0) return choose_first(rest);
    const Knob& knob = knobs_[position];
    if (knob.count() > max_tried_values - tried_) return false;
    tried_ += knob.count();
    for (std::uint32_t index = 0; index < knob.count(); ++index) {
      const std::int64_t value = knob.element(index, 0);
      if (rest % value != 0) continue;
      row_[position] = index;
      if (!choose(position - 1, rest / value)) return false;
    }
    return true;
  }

  bool choose_first(std::int64_t rest) {
    for (const auto& [value, index] : std::ranges::equal_range(of_first_, rest, {}, &ValueAt::first)) {
      if (rows_.size() + row_.size() > max_tied_indices) return false;
      row_.front() = index;
      rows_.insert(rows_.end(), row_.begin(), row_.end());
    }
    return true;
  }

  using ValueAt = std::pair<std::int64_t, std::uint32_t>;

  std::span<const Knob> knobs_;
  std::vector<ValueAt> of_first_;  ///< values of the first knob, ascending
  std::vector<std::uint32_t> row_;
  std::vector<std::uint32_t> rows_;
  std::uint64_t tried_ = 0;
};

bool is_positive(const Knob& knob) {
  if (knob.element_count() != 1) return false;
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    if (knob.element(index, 0) < 1) return false;
  return true;
}

/**
 * Returns the knobs that a PROD multiplies to a constant, without their rows, or nullopt for any other
 * constraint.
 */
std::optional<TiedKnobs> tie_of(const SearchSpace& space, const ProdConstraint& rule) {
  const std::vector<Variable>& variables = space.constraints().variables();
  std::vector<std::uint32_t> tied;
  for (const VariableId id : rule.factors) {
    if (!variables[id].element) return std::nullopt;
    tied.push_back(variables[id].element->knob);
  }
  std::ranges::sort(tied);
  if (tied.empty() || tied.back() - tied.front() + 1 != tied.size()) return std::nullopt;
  if (std::ranges::adjacent_find(tied) != tied.end()) return std::nullopt;
  const auto knobs = std::span(space.knobs()).subspan(tied.front(), tied.size());
  if (!std::ranges::all_of(knobs, is_positive)) return std::nullopt;
  return TiedKnobs{tied.front(), static_cast<std::uint32_t>(tied.size())};
}

}  // namespace

std::vector<TiedKnobs> tied_knobs(const SearchSpace& space) {
  std::vector<TiedKnobs> all;
  std::vector<bool> taken(space.knobs().size());
  for (const Constraint& constraint : space.constraints().constraints()) {
    const auto* rule = std::get_if<ProdConstraint>(&constraint.rule);
    if (rule == nullptr) continue;
    const std::optional<std::int64_t>& product = space.constraints().variables()[rule->result].constant;
    // The largest integer also stands for all beyond.
    if (!product || *product < 1 || *product == std::numeric_limits<std::int64_t>::max()) continue;
    std::optional<TiedKnobs> tie = tie_of(space, *rule);
    if (!tie || std::ranges::any_of(std::views::iota(tie->first, tie->first + tie->count),
                                    [&](std::uint32_t knob) { return taken[knob]; }))
      continue;
    auto rows = TiedRows(std::span(space.knobs()).subspan(tie->first, tie->count)).list(*product);
    if (!rows) continue;
    tie->indices = *std::move(rows);
    std::fill_n(taken.begin() + tie->first, tie->count, true);
    all.push_back(std::move(*tie));
  }
  std::ranges::sort(all, {}, &TiedKnobs::first);
  return all;
}

}  // namespace kernelscape::space

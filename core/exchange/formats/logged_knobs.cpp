#include "core/exchange/formats/logged_knobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/visible_text.h"
#include "core/exchange/validation_values.h"
#include "core/space/factorization.h"

namespace kernelscape::exchange {
namespace {

constexpr std::int64_t largest_product = std::int64_t{1} << 40;
constexpr std::size_t max_parts = 64;
constexpr std::size_t max_items = 10;

/**
 * Returns the product of the factors, without a first factor that only means the remainder; nullopt if it
 * overflows.
 */
std::optional<std::int64_t> product_of(const std::vector<std::int64_t>& factors) {
  base::uint128 product = 1;
  for (const std::int64_t factor : factors) {
    if (factor > 0) product = base::saturating_multiply(product, static_cast<base::uint128>(factor));
    if (product > static_cast<base::uint128>(largest_product)) return std::nullopt;
  }
  return static_cast<std::int64_t>(product);
}

/** Returns the tuple with its first factor filled in, if its product is `product`. */
std::optional<std::vector<std::int64_t>> resolved(std::vector<std::int64_t> factors, std::int64_t product) {
  const auto rest = product_of(factors);
  if (!rest || factors.empty()) return std::nullopt;
  if (factors.front() != -1) return *rest == product ? std::optional(std::move(factors)) : std::nullopt;
  if (product % *rest != 0) return std::nullopt;
  factors.front() = product / *rest;
  return factors;
}

std::unexpected<Error> no_value(const LoggedKnob& knob, const LoggedChoice& choice) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("knob {} has no value {} in the template", base::one_line(knob.name()),
                          base::one_line(choice_text(choice))));
}

/** Returns the index of a choice among a knob's values. */
Result<std::uint32_t> index_of_choice(const space::Knob& knob, const LoggedKnob& logged,
                                      const LoggedChoice& choice) {
  switch (logged.kind()) {
    case ChoiceKind::Split: {
      if (knob.kind() != space::KnobKind::Factorization) break;
      const auto factors = resolved(choice.numbers, knob.product());
      return factors ? knob.find(*factors) : no_value(logged, choice);
    }
    case ChoiceKind::Reorder:
      if (knob.kind() != space::KnobKind::Permutation) break;
      return knob.find(choice.numbers);
    case ChoiceKind::Annotate:
      break;
    case ChoiceKind::Other:
      if (knob.kind() != space::KnobKind::Ordinal && knob.kind() != space::KnobKind::Categorical) break;
      for (std::uint32_t index = 0; index < knob.count(); ++index)
        if (knob.value(index) == choice.value) return index;
      return no_value(logged, choice);
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("knob {} has another kind in the template", base::one_line(logged.name())));
}

/** Subtracts the numbers of a table if enough are left. */
bool take(base::uint128 numbers, std::uint64_t& max_numbers) {
  if (numbers > max_numbers) return false;
  max_numbers -= static_cast<std::uint64_t>(numbers);
  return true;
}

/** Returns the common product of all tuples of a split: given, or from a tuple without a remainder factor. */
std::optional<std::int64_t> common_product(const LoggedKnob& knob, const SplitExtent& extent_of) {
  if (extent_of)
    if (const auto extent = extent_of(knob.name())) return extent;
  for (const LoggedChoice& choice : knob.choices())
    if (choice.numbers.front() != -1) return product_of(choice.numbers);
  return std::nullopt;
}

std::optional<space::Knob> factorization_knob(const LoggedKnob& knob, const SplitExtent& extent_of,
                                              std::uint64_t& max_numbers) {
  const auto product = common_product(knob, extent_of);
  const std::size_t parts = knob.choices().front().numbers.size();
  if (!product || *product > largest_product || parts > max_parts) return std::nullopt;
  for (const LoggedChoice& choice : knob.choices())
    if (choice.numbers.size() != parts || !resolved(choice.numbers, *product)) return std::nullopt;
  const base::uint128 numbers = base::saturating_multiply(
      space::count_factorizations(*product, static_cast<int>(parts), 0), base::uint128{parts});
  if (!take(numbers, max_numbers)) return std::nullopt;
  Result<space::Knob> made = space::Knob::factorization(knob.name(), *product, static_cast<int>(parts));
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

std::optional<space::Knob> permutation_knob(const LoggedKnob& knob, std::uint64_t& max_numbers) {
  const std::size_t items = knob.choices().front().numbers.size();
  if (items > max_items) return std::nullopt;
  std::vector<std::int64_t> all(items);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  for (const LoggedChoice& choice : knob.choices())
    if (!std::ranges::is_permutation(choice.numbers, all)) return std::nullopt;
  base::uint128 numbers = items;
  for (std::size_t i = 2; i <= items; ++i) numbers *= i;
  if (!take(numbers, max_numbers)) return std::nullopt;
  std::vector<std::string> names;
  for (const std::int64_t item : all) names.push_back(fmt::format("{}", item));
  Result<space::Knob> made = space::Knob::permutation(knob.name(), std::move(names));
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

/** Returns a knob that lists the choices: numbers in ascending order, else in the order of first use. */
Result<space::Knob> listing_knob(const LoggedKnob& knob) {
  std::vector<space::KnobValue> values;
  bool whole_numbers = true;
  for (const LoggedChoice& choice : knob.choices()) {
    const bool tuple = knob.kind() == ChoiceKind::Split || knob.kind() == ChoiceKind::Reorder;
    values.push_back(tuple ? space::KnobValue(choice_text(choice)) : choice.value);
    whole_numbers = whole_numbers && std::holds_alternative<std::int64_t>(values.back());
  }
  std::ranges::sort(values);
  if (whole_numbers || std::ranges::all_of(values, [](const space::KnobValue& value) {
        return std::holds_alternative<double>(value);
      }))
    return space::Knob::ordinal(knob.name(), std::move(values));
  return space::Knob::categorical(knob.name(), std::move(values));
}

/** Returns the index of a choice in a listing knob, whose values are in ascending order. */
std::uint32_t listed_index(const space::Knob& listing, const LoggedKnob& knob, const LoggedChoice& choice) {
  const bool tuple = knob.kind() == ChoiceKind::Split || knob.kind() == ChoiceKind::Reorder;
  const space::KnobValue value = tuple ? space::KnobValue(choice_text(choice)) : choice.value;
  std::uint32_t low = 0;
  std::uint32_t high = listing.count();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (listing.value(middle) < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Returns a text that differs for different choices: the number 1 and the text "1" are different. */
std::string position_key(const LoggedChoice& entity) {
  return fmt::format("{}:{}", entity.value.index(), choice_text(entity));
}

}  // namespace

std::string choice_text(const LoggedChoice& entity) {
  if (entity.kind == ChoiceKind::Split || entity.kind == ChoiceKind::Reorder)
    return fmt::format("[{}]", fmt::join(entity.numbers, ", "));
  return space::to_string(entity.value);
}

std::uint32_t LoggedKnob::add(LoggedChoice entity) {
  const auto next = static_cast<std::uint32_t>(choices_.size());
  const auto [found, is_new] = positions_.try_emplace(position_key(entity), next);
  if (is_new) choices_.push_back(std::move(entity));
  return found->second;
}

std::optional<std::uint32_t> LoggedKnob::find(const LoggedChoice& entity) const {
  const auto found = positions_.find(position_key(entity));
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

Status check_choices(std::span<const LoggedChoice> choices) {
  const auto refuse = [](std::string message) {
    return fail(ErrorCode::InvalidArgument, std::move(message),
                "remove the entry from the file, or rename the knob or its value in the whole file");
  };
  if (choices.size() > space::max_space_knobs)
    return refuse(
        fmt::format("it has {} knobs, at most {} are read", choices.size(), space::max_space_knobs));
  std::set<std::string_view> names;
  for (const LoggedChoice& choice : choices) {
    if (!names.insert(choice.knob).second)
      return refuse(fmt::format("it has the knob {} twice", base::quoted_line(choice.knob)));
    if (choice.knob.empty() || !is_clean_text(choice.knob, name_limits))
      return refuse(fmt::format("{} is not a valid name of a knob", base::quoted_line(choice.knob)));
    if (!is_clean_text(choice_text(choice), name_limits))
      return refuse(fmt::format("its knob {} has a value that is too long, or has control characters",
                                base::one_line(choice.knob)));
  }
  return {};
}

Result<KnobsInSpace> knobs_in_space(const space::SearchSpace& space, const std::vector<LoggedKnob>& knobs) {
  const auto other = [] { return fail(ErrorCode::InvalidArgument, "its knobs differ from the template's"); };
  if (knobs.size() != space.knobs().size()) return other();
  KnobsInSpace found;
  for (const LoggedKnob& knob : knobs) {
    const auto here = space.find_knob(knob.name());
    if (!here || std::ranges::find(found.knob_of, *here) != found.knob_of.end()) return other();
    found.knob_of.push_back(*here);
    std::vector<std::uint32_t>& indices = found.indices.emplace_back();
    for (const LoggedChoice& choice : knob.choices())
      indices.push_back(TRY(index_of_choice(space.knobs()[*here], knob, choice)));
  }
  return found;
}

Result<KnobsOfChoices> knobs_of_choices(const std::vector<LoggedKnob>& knobs, const SplitExtent& extent_of,
                                        std::uint64_t& max_numbers) {
  KnobsOfChoices logged;
  for (const LoggedKnob& knob : knobs) {
    std::optional<space::Knob> whole;
    if (knob.kind() == ChoiceKind::Split) whole = factorization_knob(knob, extent_of, max_numbers);
    if (knob.kind() == ChoiceKind::Reorder) whole = permutation_knob(knob, max_numbers);
    const bool lists = !whole.has_value();
    if (lists) whole = TRY(listing_knob(knob));
    std::vector<std::uint32_t> indices;
    for (const LoggedChoice& choice : knob.choices()) {
      const std::uint32_t index = TRY(lists ? Result<std::uint32_t>(listed_index(*whole, knob, choice))
                                            : index_of_choice(*whole, knob, choice));
      indices.push_back(index);
    }
    logged.knobs.push_back(std::move(*whole));
    logged.indices.push_back(std::move(indices));
  }
  return logged;
}

}  // namespace kernelscape::exchange

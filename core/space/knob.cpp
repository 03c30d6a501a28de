#include "core/space/knob.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <unordered_set>

#include "core/base/visible_text.h"
#include "core/space/factorization.h"
#include "core/space/table_allowance.h"

namespace kernelscape::space {
namespace {

constexpr std::uint64_t max_values = 4'194'304;
constexpr std::uint64_t max_numbers = 1ULL << 26;    // 512 MiB of table
constexpr std::int64_t largest_product = 1LL << 40;  // factored by trial division in milliseconds
constexpr int max_parts = 64;

std::unexpected<Error> refuse(std::string_view knob, std::string_view reason, std::string hint = {}) {
  return fail(ErrorCode::InvalidArgument, fmt::format("knob {}: {}", base::quoted_line(knob), reason),
              std::move(hint));
}

/** Names and texts travel as JSON, which has no other encoding. */
bool is_utf8(const std::string& text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return true;
  using Json = nlohmann::json;
  const Json copy =
      Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore), nullptr, false);
  return copy.is_string() && copy.get_ref<const std::string&>() == text;
}

Status check_name(const std::string& name) {
  if (name.empty()) return fail(ErrorCode::InvalidArgument, "a knob has no name", "name every knob");
  if (!is_utf8(name)) return fail(ErrorCode::InvalidArgument, "a knob's name is not UTF-8 text", "rename it");
  return {};
}

Status check_values(const std::string& name, const std::vector<KnobValue>& values) {
  if (values.empty()) return refuse(name, "it has no values", "give it at least one");
  if (values.size() > max_values)
    return refuse(name, fmt::format("{} values are over the limit of {}", values.size(), max_values));
  // Only asked whether a value is in it; its order is never seen.
  std::unordered_set<KnobValue> seen;
  for (const KnobValue& value : values) {
    if (const auto* real = std::get_if<double>(&value); real && !std::isfinite(*real))
      return refuse(name, fmt::format("the value {} is not finite", *real));
    if (const auto* text = std::get_if<std::string>(&value); text && !is_utf8(*text))
      return refuse(name, "a text value is not UTF-8");
    if (!seen.insert(value).second)
      return refuse(name, fmt::format("the value {} appears twice", to_string(value)),
                    "list each value once");
  }
  return {};
}

/** Exact for 64-bit integers and doubles alike. */
long double as_number(const KnobValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<long double>(*integer);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? 1 : 0;
  return static_cast<long double>(std::get<double>(value));
}

std::vector<std::int64_t> integer_elements(const std::vector<KnobValue>& values) {
  std::vector<std::int64_t> elements(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto* integer = std::get_if<std::int64_t>(&values[i]))
      elements[i] = *integer;
    else if (const auto* boolean = std::get_if<bool>(&values[i]))
      elements[i] = *boolean ? 1 : 0;
    else
      elements[i] = static_cast<std::int64_t>(i);
  }
  return elements;
}

}  // namespace

std::string to_string(KnobKind kind) {
  switch (kind) {
    case KnobKind::Factorization:
      return "factorization";
    case KnobKind::Ordinal:
      return "ordinal";
    case KnobKind::Categorical:
      return "categorical";
    case KnobKind::Permutation:
      return "permutation";
  }
  return "unknown";
}

std::string to_string(const KnobValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

Result<Knob> Knob::factorization(std::string name, std::int64_t product, int parts,
                                 std::int64_t last_at_most) {
  TRY(check_name(name));
  if (product < 1 || product > largest_product)
    return refuse(name, fmt::format("its product {} is not between 1 and {}", product, largest_product));
  if (parts < 1 || parts > max_parts)
    return refuse(name, fmt::format("its {} factors are not between 1 and {}", parts, max_parts));
  if (last_at_most < 0)
    return refuse(name, fmt::format("the bound {} on its last factor is negative", last_at_most),
                  "0 means none");
  const base::uint128 count = count_factorizations(product, parts, last_at_most);
  if (count == 0) return refuse(name, fmt::format("its only factor {} is over {}", product, last_at_most));
  if (count > max_values || count * static_cast<base::uint128>(parts) > max_numbers)
    return refuse(name,
                  fmt::format("{} ways to write {} as {} factors are over the limit of {}",
                              base::to_string(count), product, parts, max_values),
                  "split into fewer parts");
  if (!TableAllowance::take(count * static_cast<base::uint128>(parts)))
    return refuse(name, "it and the other knobs have too many values", "split into fewer parts");
  Knob knob;
  knob.name_ = std::move(name);
  knob.kind_ = KnobKind::Factorization;
  knob.count_ = static_cast<std::uint32_t>(count);
  knob.elements_ = parts;
  knob.product_ = product;
  knob.last_at_most_ = last_at_most;
  knob.table_ = enumerate_factorizations(product, parts, last_at_most);
  return knob;
}

Result<Knob> Knob::ordinal(std::string name, std::vector<KnobValue> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::holds_alternative<std::string>(values[i]))
      return refuse(name, fmt::format("{} is not a number", base::quoted_line(to_string(values[i]))),
                    "texts have no order: make it categorical");
    if (i > 0 && !(as_number(values[i - 1]) < as_number(values[i])))
      return refuse(name,
                    fmt::format("{} does not follow {} in ascending order", to_string(values[i]),
                                to_string(values[i - 1])),
                    "sort its values");
  }
  Result<Knob> knob = categorical(std::move(name), std::move(values));
  if (knob) knob->kind_ = KnobKind::Ordinal;
  return knob;
}

Result<Knob> Knob::categorical(std::string name, std::vector<KnobValue> values) {
  TRY(check_name(name));
  TRY(check_values(name, values));
  Knob knob;
  knob.name_ = std::move(name);
  knob.kind_ = KnobKind::Categorical;
  knob.count_ = static_cast<std::uint32_t>(values.size());
  knob.table_ = integer_elements(values);
  knob.values_ = std::move(values);
  return knob;
}

Result<Knob> Knob::permutation(std::string name, std::vector<std::string> items) {
  TRY(check_name(name));
  if (items.empty() || items.size() > max_permuted_items)
    return refuse(
        name, fmt::format("{} items to order are not between 1 and {}", items.size(), max_permuted_items));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].empty() || !is_utf8(items[i])) return refuse(name, "an item's name is empty or not UTF-8");
    if (std::ranges::count(items, items[i]) > 1)
      return refuse(name, fmt::format("the item {} appears twice", base::quoted_line(items[i])));
  }
  Knob knob;
  knob.name_ = std::move(name);
  knob.kind_ = KnobKind::Permutation;
  knob.elements_ = static_cast<int>(items.size());
  knob.count_ = count_permutations(items.size());
  knob.items_ = std::move(items);
  return knob;
}

std::string Knob::describe(std::uint32_t index) const {
  if (!values_.empty()) return to_string(values_[index]);
  const KnobRow elements = row(index);
  if (kind_ == KnobKind::Factorization) return fmt::format("[{}]", fmt::join(elements, ", "));
  const auto names = elements | std::views::transform([this](std::int64_t item) -> const std::string& {
                       return items_[static_cast<std::size_t>(item)];
                     });
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::vector<std::uint32_t> Knob::neighbours(std::uint32_t index) const {
  switch (kind_) {
    case KnobKind::Ordinal: {
      std::vector<std::uint32_t> next;
      if (index > 0) next.push_back(index - 1);
      if (index + 1 < count_) next.push_back(index + 1);
      return next;
    }
    case KnobKind::Categorical: {
      std::vector<std::uint32_t> others;
      for (std::uint32_t other = 0; other < count_; ++other)
        if (other != index) others.push_back(other);
      return others;
    }
    case KnobKind::Factorization:
    case KnobKind::Permutation:
      break;
  }
  return moved_rows(index);
}

std::vector<std::uint32_t> Knob::moved_rows(std::uint32_t index) const {
  const KnobRow from = row(index);
  const bool permutation = kind_ == KnobKind::Permutation;
  const std::vector<std::int64_t> primes =
      permutation ? std::vector<std::int64_t>{} : distinct_primes(product_);
  std::vector<std::uint32_t> found;
  std::vector<std::int64_t> moved;
  const auto keep = [&] {
    if (const auto at = position_of(moved)) found.push_back(*at);
  };
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      if (permutation && i < j) {
        moved.assign(from.begin(), from.end());
        std::swap(moved[i], moved[j]);
        keep();
      }
      for (const std::int64_t prime : primes) {
        if (i == j || from[i] % prime != 0) continue;
        moved.assign(from.begin(), from.end());
        moved[i] /= prime;
        moved[j] *= prime;
        keep();
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

std::optional<std::uint32_t> Knob::position_of(std::span<const std::int64_t> elements) const {
  if (!values_.empty()) {
    const auto found = std::ranges::find(table_, elements[0]);
    if (found == table_.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - table_.begin());
  }
  if (table_.empty()) return index_of_permutation(elements);
  // Factorizations are sorted from their last factor to their first, permutations lexicographically.
  const auto precedes = [&](std::uint32_t index) {
    const KnobRow candidate = row(index);
    if (kind_ == KnobKind::Factorization)
      return std::ranges::lexicographical_compare(candidate | std::views::reverse,
                                                  elements | std::views::reverse);
    return std::ranges::lexicographical_compare(candidate, elements);
  };
  const std::uint32_t at =
      *std::ranges::partition_point(std::views::iota(std::uint32_t{0}, count_), precedes);
  if (at == count_ || !std::ranges::equal(row(at), elements)) return std::nullopt;
  return at;
}

Result<std::uint32_t> Knob::find(const std::vector<std::int64_t>& elements) const {
  if (elements.size() != static_cast<std::size_t>(elements_))
    return refuse(name_, fmt::format("[{}] has {} numbers where it needs {}", fmt::join(elements, ", "),
                                     elements.size(), elements_));
  if (const auto at = position_of(elements)) return *at;
  std::string hint;
  if (kind_ == KnobKind::Factorization) {
    hint = fmt::format("positive factors with the product {}", product_);
    if (last_at_most_ != 0) hint += fmt::format(", the last at most {}", last_at_most_);
  } else if (kind_ == KnobKind::Permutation) {
    hint = fmt::format("each of 0..{} once", elements_ - 1);
  }
  if (partial_) hint += hint.empty() ? "its values were restricted" : "; its values were restricted";
  return refuse(name_, fmt::format("[{}] is not one of its values", fmt::join(elements, ", ")),
                std::move(hint));
}

Result<Knob> Knob::restricted(const std::vector<std::uint32_t>& kept) const {
  std::vector<std::uint32_t> ascending = kept;
  std::ranges::sort(ascending);
  ascending.erase(std::ranges::unique(ascending).begin(), ascending.end());
  if (ascending.empty()) return refuse(name_, "no value is left", "keep at least one");
  if (ascending.back() >= count_)
    return refuse(name_, fmt::format("there is no value {}; it has {}", ascending.back(), count_));
  // Without a copy of the table, which may be far larger than what is kept of it.
  Knob knob;
  knob.name_ = name_;
  knob.kind_ = kind_;
  knob.count_ = static_cast<std::uint32_t>(ascending.size());
  knob.elements_ = elements_;
  knob.product_ = product_;
  knob.last_at_most_ = last_at_most_;
  knob.partial_ = values_.empty() && (partial_ || knob.count_ < count_);
  knob.items_ = items_;
  for (const std::uint32_t index : ascending) {
    if (!values_.empty()) {
      knob.values_.push_back(values_[index]);
    } else if (kind_ != KnobKind::Permutation || knob.partial_) {
      const KnobRow elements = row(index);
      knob.table_.insert(knob.table_.end(), elements.begin(), elements.end());
    }
  }
  if (!values_.empty()) knob.table_ = integer_elements(knob.values_);
  return knob;
}

}  // namespace kernelscape::space

#include "core/exchange/joined_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/result_table.h"
#include "core/exchange/validation_values.h"
#include "core/space/search_space.h"

namespace kernelscape::exchange {
namespace {

using space::KnobKind;
using space::KnobValue;

bool has_listed_values(const space::Knob& knob) {
  return knob.kind() == KnobKind::Ordinal || knob.kind() == KnobKind::Categorical;
}

/** Returns the value that a text states: a number, a truth value or a text. */
KnobValue stated_value(const std::string& text) {
  if (const auto number = number_of_text(text)) {
    std::int64_t whole = 0;
    const bool in_range = std::from_chars(text.data(), text.data() + text.size(), whole).ec == std::errc();
    return in_range && std::to_string(whole) == text ? KnobValue(whole) : KnobValue(*number);
  }
  if (text == "true" || text == "false") return text == "true";
  return text;
}

/**
 * Converts a value to the kind that the values of all sources have: numbers if all are, and none of them
 * becomes another as a real number, else texts.
 */
using ToCommonKind = std::function<KnobValue(const KnobValue&)>;

KnobValue as_real(const KnobValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole == nullptr ? value : KnobValue(static_cast<double>(*whole));
}

ToCommonKind common_kind_of(const std::vector<KnobValue>& values) {
  const auto same = [&](const KnobValue& value) { return value.index() == values.front().index(); };
  if (std::ranges::all_of(values, same)) return [](const KnobValue& value) { return value; };
  const auto is_number = [](const KnobValue& value) {
    constexpr std::int64_t largest_exact = std::int64_t{1} << 53;
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole == nullptr ? std::holds_alternative<double>(value)
                            : -largest_exact <= *whole && *whole <= largest_exact;
  };
  if (std::ranges::all_of(values, is_number)) return as_real;
  return [](const KnobValue& value) { return KnobValue(space::to_string(value)); };
}

/** The knobs of one name, by source; null: the source lacks it. */
struct KnobOfSources {
  std::string name;
  std::vector<const space::Knob*> knobs;

  bool everywhere() const { return std::ranges::find(knobs, nullptr) == knobs.end(); }
  /** Returns true if all sources have the same knob. */
  bool same() const {
    return everywhere() &&
           std::ranges::all_of(knobs, [&](const space::Knob* knob) { return *knob == *knobs.front(); });
  }
  const space::Knob& first() const {
    return **std::ranges::find_if(knobs, [](const space::Knob* knob) { return knob != nullptr; });
  }
};

std::vector<KnobOfSources> knobs_by_name(std::span<const JoinSource> sources) {
  std::vector<KnobOfSources> named;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const space::Knob& knob : sources[source].recording->whole_space().knobs()) {
      auto found = std::ranges::find(named, knob.name(), &KnobOfSources::name);
      if (found == named.end()) {
        named.push_back({knob.name(), std::vector<const space::Knob*>(sources.size(), nullptr)});
        found = std::prev(named.end());
      }
      found->knobs[source] = &knob;
    }
  }
  return named;
}

/** Refuses statements about parameters that no space lacks. */
Status check_missing(const std::vector<KnobOfSources>& named,
                     const std::map<std::string, std::string>& missing) {
  std::vector<std::string> names;
  for (const KnobOfSources& knob : named) names.push_back(knob.name);
  for (const auto& [name, value] : missing) {
    const auto found = std::ranges::find(named, name, &KnobOfSources::name);
    if (found == named.end())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("no joined space has the parameter {}", base::quoted_line(name)),
                  base::suggest(name, names));
    if (found->everywhere())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("all joined spaces have the parameter {}", base::quoted_line(name)),
                  "leave its value out");
    if (!is_clean_text(value, name_limits) || value.empty())
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("the value of the parameter {} is empty or no valid text", base::quoted_line(name)),
          "state one value");
  }
  return {};
}

std::unexpected<Error> no_value_stated(const KnobOfSources& named, std::span<const JoinSource> sources) {
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (std::size_t source = 0; source < sources.size(); ++source)
    (named.knobs[source] == nullptr ? without : with).push_back(sources[source].shown);
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} has the parameter {}, {} has none of this name", base::join(with, ", "),
                  base::quoted_line(named.name), base::join(without, ", ")),
      fmt::format("if it had one value there, state it: --missing {}=VALUE", base::one_line(named.name)));
}

/** Joins knobs with listed values: numbers and texts. */
Result<space::Knob> listed_knob(const KnobOfSources& named, const std::optional<KnobValue>& stated,
                                std::vector<JoinedChoice>& choices) {
  std::vector<KnobValue> values;
  if (stated) values.push_back(*stated);
  for (const space::Knob* knob : named.knobs)
    for (std::uint32_t index = 0; knob != nullptr && index < knob->count(); ++index)
      values.push_back(knob->value(index));
  const ToCommonKind common = common_kind_of(values);
  std::ranges::transform(values, values.begin(), common);
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  const auto position = [&](const KnobValue& value) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(values, common(value)) - values.begin());
  };
  for (std::size_t source = 0; source < named.knobs.size(); ++source) {
    const space::Knob* knob = named.knobs[source];
    if (knob == nullptr) choices[source].indices = {position(*stated)};
    for (std::uint32_t index = 0; knob != nullptr && index < knob->count(); ++index)
      choices[source].indices.push_back(position(knob->value(index)));
  }
  if (std::holds_alternative<std::int64_t>(values.front()) || std::holds_alternative<double>(values.front()))
    return space::Knob::ordinal(named.name, std::move(values));
  return space::Knob::categorical(named.name, std::move(values));
}

/** Joins factorizations and permutations: the values of one must be those of another, or a part of them. */
Result<space::Knob> structured_knob(const KnobOfSources& named, std::span<const JoinSource> sources,
                                    std::vector<JoinedChoice>& choices) {
  const auto refuse = [&](std::size_t source) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the parameter {} of {} has other kinds of values than that of {}",
                            base::quoted_line(named.name), sources[source].shown, sources.front().shown),
                "join spaces of the same template and task");
  };
  const space::Knob& first = named.first();
  const bool permuted = first.kind() == KnobKind::Permutation;
  space::Knob whole = TRY(permuted ? space::Knob::permutation(named.name, first.items())
                                   : space::Knob::factorization(named.name, first.product(),
                                                                first.element_count(), first.last_at_most()));
  for (std::size_t source = 0; source < named.knobs.size(); ++source) {
    const space::Knob& knob = *named.knobs[source];
    if (knob.kind() != first.kind() || knob.items() != first.items()) return refuse(source);
    for (std::uint32_t index = 0; index < knob.count(); ++index) {
      const space::KnobRow elements = knob.row(index);
      const Result<std::uint32_t> found = whole.find({elements.begin(), elements.end()});
      if (!found) return refuse(source);
      choices[source].indices.push_back(*found);
    }
  }
  return whole;
}

Result<space::Knob> joined_knob(const KnobOfSources& named, std::span<const JoinSource> sources,
                                const std::map<std::string, std::string>& missing,
                                std::vector<JoinedChoice>& choices) {
  if (named.same()) {
    // A template reads the positions of its values: they keep their order.
    for (JoinedChoice& choice : choices) {
      choice.indices.resize(named.first().count());
      std::iota(choice.indices.begin(), choice.indices.end(), 0U);
    }
    return named.first();
  }
  const auto stated = missing.find(named.name);
  if (!named.everywhere() && stated == missing.end()) return no_value_stated(named, sources);
  const auto listed = [](const space::Knob* knob) { return knob == nullptr || has_listed_values(*knob); };
  if (std::ranges::all_of(named.knobs, listed))
    return listed_knob(named, named.everywhere() ? std::nullopt : std::optional(stated_value(stated->second)),
                       choices);
  if (named.everywhere()) return structured_knob(named, sources, choices);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("no value can be stated for the parameter {}, which is a {}",
                          base::quoted_line(named.name), space::to_string(named.first().kind())),
              "join spaces of the same template and task");
}

}  // namespace

std::vector<std::string> missing_parameters(std::span<const JoinSource> sources) {
  std::vector<std::string> names;
  for (const KnobOfSources& named : knobs_by_name(sources))
    if (!named.everywhere()) names.push_back(named.name);
  return names;
}

Result<JoinedKnobs> join_knobs(std::span<const JoinSource> sources,
                               const std::map<std::string, std::string>& missing) {
  const std::vector<KnobOfSources> all = knobs_by_name(sources);
  TRY(check_missing(all, missing));
  JoinedKnobs joined;
  joined.choices.resize(sources.size());
  for (const KnobOfSources& named : all) {
    std::vector<JoinedChoice> choices(sources.size());
    joined.knobs.push_back(TRY(joined_knob(named, sources, missing, choices)));
    for (std::size_t source = 0; source < sources.size(); ++source) {
      const space::SearchSpace& space = sources[source].recording->whole_space();
      choices[source].knob = space.find_knob(named.name);
      joined.choices[source].push_back(std::move(choices[source]));
    }
  }
  return joined;
}

}  // namespace kernelscape::exchange

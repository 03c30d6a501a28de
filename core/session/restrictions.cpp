#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <set>
#include <span>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/session/preparation.h"
#include "core/space/contradiction.h"
#include "core/space/solver_model.h"

namespace kernelscape::session {
namespace {

/** How many values an error lists. */
constexpr std::size_t max_listed_values = 16;
/** How many values are tried for one that is possible. */
constexpr std::size_t max_tried_values = 64;
/** Effort limit of each check: a check that needs longer counts as unknown. */
constexpr space::SolverLimits few_nodes{.nodes = 10'000};

/**
 * Returns the texts that can be written for an element of a knob instead of integers, with their elements.
 */
std::vector<std::pair<std::string, std::int64_t>> written_elements(const space::Knob& knob) {
  std::vector<std::pair<std::string, std::int64_t>> written;
  if (knob.kind() == space::KnobKind::Permutation) {
    for (const std::string& item : knob.items()) written.emplace_back(item, std::ssize(written));
  } else if (knob.kind() != space::KnobKind::Factorization) {
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      written.emplace_back(space::to_string(knob.value(index)), knob.element(index, 0));
  }
  return written;
}

Result<std::int64_t> find_element(const space::Knob& knob, const std::string& text) {
  const auto written = written_elements(knob);
  const auto found = std::ranges::find(written, text, &std::pair<std::string, std::int64_t>::first);
  if (found != written.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [value, element] : written) {
    if (known.size() == max_listed_values) break;
    known.push_back(value);
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("knob {} has no value {}", base::quoted_line(knob.name()), base::quoted_line(text)),
              known.empty() ? "its factors are whole numbers"
                            : fmt::format("values: {}{}", base::join(known, ", "),
                                          known.size() < written.size() ? ", ..." : ""));
}

/** "tile_oc[1]", or the name alone of a knob with one element. */
std::string element_name(const space::Knob& knob, int position) {
  return knob.element_count() > 1 ? fmt::format("{}[{}]", knob.name(), position) : knob.name();
}

/** Returns the values of an element over all values of its knob. */
std::set<std::int64_t> possible_elements(const space::Knob& knob, int position) {
  std::set<std::int64_t> possible;
  for (std::uint32_t index = 0; index < knob.count(); ++index) possible.insert(knob.element(index, position));
  return possible;
}

/** As a user may write them: "1, 2, 4, ..." */
std::string list_elements(const space::Knob& knob, const std::set<std::int64_t>& elements) {
  const auto written = written_elements(knob);
  std::vector<std::string> texts;
  for (const std::int64_t element : elements) {
    if (texts.size() == max_listed_values) {
      texts.emplace_back("...");
      break;
    }
    const auto found = std::ranges::find(written, element, &std::pair<std::string, std::int64_t>::second);
    texts.push_back(found == written.end() ? std::to_string(element) : found->first);
  }
  return base::join(texts, ", ");
}

/** A restriction as a constraint on the element of its knob. */
Status add_restriction(const space::SearchSpace& space, const KnobRestriction& restriction,
                       space::ConstraintSystem& constraints) {
  const std::optional<std::uint32_t> knob = space.find_knob(restriction.knob);
  if (!knob) {
    std::vector<std::string> names;
    for (const space::Knob& known : space.knobs()) names.push_back(known.name());
    return fail(ErrorCode::NotFound,
                fmt::format("there is no knob {} to restrict", base::quoted_line(restriction.knob)),
                base::suggest(restriction.knob, names));
  }
  const int elements = space.knobs()[*knob].element_count();
  if (restriction.position < 0 || restriction.position >= elements) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}[{}]: the knob has {} element{}", restriction.knob, restriction.position,
                            elements, elements == 1 ? "" : "s"),
                elements == 1 ? fmt::format("write {}=VALUE", restriction.knob)
                              : fmt::format("give a position from 0 to {}", elements - 1));
  }
  std::vector<std::int64_t> values = restriction.values;
  for (const std::string& text : restriction.texts)
    values.push_back(TRY(find_element(space.knobs()[*knob], text)));
  const std::set<std::int64_t> possible = possible_elements(space.knobs()[*knob], restriction.position);
  if (std::ranges::none_of(values, [&](std::int64_t value) { return possible.contains(value); })) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is never {}", element_name(space.knobs()[*knob], restriction.position),
                            fmt::join(values, " or ")),
                "values: " + list_elements(space.knobs()[*knob], possible));
  }
  const std::string name =
      elements > 1 ? fmt::format("{}.{}", restriction.knob, restriction.position) : restriction.knob;
  const space::VariableId variable = constraints.add_element(name, *knob, restriction.position);
  constraints.add({space::InConstraint{variable, std::move(values)}, std::string(user_restriction_reason)});
  return {};
}

Result<space::SearchSpace> with_restrictions(const space::SearchSpace& space,
                                             std::span<const KnobRestriction> restrictions) {
  space::ConstraintSystem constraints;
  for (const KnobRestriction& restriction : restrictions)
    TRY(add_restriction(space, restriction, constraints));
  return space.restricted_by(constraints);
}

/** Returns false if it is proven that there is none. */
bool may_have_members(const space::SearchSpace& space) {
  if (space.explicit_members() != nullptr) return true;
  const Result<space::Solution> solution = space.solver().solve({}, {}, base::Random(1), few_nodes);
  return !solution || *solution != space::Solution(space::NoSolution::Proven);
}

/** Suggests other values of a restriction while the others stay: "tile_oc[1] can be 1, 2, 4"; empty: none. */
std::string possible_instead(const space::SearchSpace& space, std::vector<KnobRestriction> restrictions,
                             std::size_t position) {
  const int element = restrictions[position].position;
  const space::Knob& knob = space.knobs()[space.find_knob(restrictions[position].knob).value()];
  std::set<std::int64_t> possible;
  for (const std::int64_t value : possible_elements(knob, element) | std::views::take(max_tried_values)) {
    restrictions[position] = {knob.name(), element, {value}};
    const Result<space::SearchSpace> other = with_restrictions(space, restrictions);
    if (other && may_have_members(*other)) possible.insert(value);
    if (possible.size() > max_listed_values) break;
  }
  if (possible.empty()) return {};
  return fmt::format("{} can be {}", element_name(knob, element), list_elements(knob, possible));
}

/** Returns a hint for the last restriction of which another value leaves a configuration. */
std::string way_out(const space::SearchSpace& space, const std::vector<KnobRestriction>& restrictions) {
  for (std::size_t position = restrictions.size(); position-- > 0;) {
    const std::string instead = possible_instead(space, restrictions, position);
    if (!instead.empty())
      return restrictions.size() == 1 ? instead : "with the other restrictions, " + instead;
  }
  return "leave some of them out";
}

/** Returns the restrictions that contradict each other; empty: unknown. */
std::string contradiction_in(const space::SearchSpace& space) {
  const std::vector<std::size_t> contradicting =
      space::contradicting_constraints(space.knobs(), space.constraints(), few_nodes);
  if (contradicting.empty()) return {};
  return fmt::format(", since these contradict each other: {}",
                     space::describe_constraints(space.constraints(), contradicting));
}

bool read_number(std::string_view digits, auto& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size();
}

}  // namespace

Result<space::SearchSpace> restrict_space(const space::SearchSpace& space,
                                          const std::vector<KnobRestriction>& restrictions) {
  if (restrictions.empty()) return space;
  Result<space::SearchSpace> restricted = with_restrictions(space, restrictions);
  const bool nothing_left =
      restricted ? !may_have_members(*restricted)
                 : space.explicit_members() != nullptr && restricted.error().code == ErrorCode::Refused;
  if (!nothing_left) return restricted;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("no configuration of the search space satisfies the restrictions{}",
                          restricted ? contradiction_in(*restricted) : ""),
              way_out(space, restrictions));
}

Result<KnobRestriction> parse_restriction(std::string_view text) {
  const auto wrong = [&](std::string_view reason) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("restriction {}: {}", base::quoted_line(text), reason),
                "write KNOB=VALUE,VALUE or KNOB[POSITION]=VALUE,VALUE");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return wrong("there is no name before =");
  KnobRestriction restriction;
  std::string_view name = text.substr(0, equals);
  if (const std::size_t bracket = name.find('['); bracket != std::string_view::npos) {
    if (!name.ends_with(']') ||
        !read_number(name.substr(bracket + 1, name.size() - bracket - 2), restriction.position))
      return wrong("the position in [] is no number");
    name = name.substr(0, bracket);
  }
  restriction.knob = name;
  for (std::string& value : base::split_text(text.substr(equals + 1), ',')) {
    if (value.empty()) return wrong("a value is missing");
    std::int64_t number = 0;
    if (read_number(value, number)) {
      restriction.values.push_back(number);
    } else {
      restriction.texts.push_back(std::move(value));
    }
  }
  return restriction;
}

}  // namespace kernelscape::session

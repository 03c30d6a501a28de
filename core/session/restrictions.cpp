#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/session/preparation.h"

namespace kernelscape {
namespace {

/** How many values an error lists. */
constexpr std::size_t most_listed_values = 16;

/** What can be written for an element of a knob beside whole numbers, with the element it means. */
std::vector<std::pair<std::string, std::int64_t>> written_elements(const Knob& knob) {
  std::vector<std::pair<std::string, std::int64_t>> written;
  if (knob.kind() == KnobKind::Permutation) {
    for (const std::string& item : knob.items()) written.emplace_back(item, std::ssize(written));
  } else if (knob.kind() != KnobKind::Factorization) {
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      written.emplace_back(to_string(knob.value(index)), knob.element(index, 0));
  }
  return written;
}

Result<std::int64_t> find_element(const Knob& knob, const std::string& text) {
  const auto written = written_elements(knob);
  const auto found = std::ranges::find(written, text, &std::pair<std::string, std::int64_t>::first);
  if (found != written.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [value, element] : written) {
    if (known.size() == most_listed_values) break;
    known.push_back(value);
  }
  return fail(ErrorCode::InvalidArgument, fmt::format("knob \"{}\" has no value \"{}\"", knob.name(), text),
              known.empty() ? "its factors are whole numbers"
                            : fmt::format("values: {}{}", join(known, ", "),
                                          known.size() < written.size() ? ", ..." : ""));
}

/** A restriction as a constraint on the element of its knob. */
Status add_restriction(const SearchSpace& space, const KnobRestriction& restriction,
                       ConstraintSystem& constraints) {
  const std::optional<std::uint32_t> knob = space.find_knob(restriction.knob);
  if (!knob) {
    std::vector<std::string> names;
    for (const Knob& known : space.knobs()) names.push_back(known.name());
    return fail(ErrorCode::NotFound, fmt::format("there is no knob \"{}\" to restrict", restriction.knob),
                suggest(restriction.knob, names));
  }
  const int elements = space.knobs()[*knob].element_count();
  if (restriction.position < 0 || restriction.position >= elements) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{}[{}]: the knob has {} elements", restriction.knob, restriction.position, elements),
        elements == 1
            ? fmt::format("write {}=VALUE", restriction.knob)
            : fmt::format("the first is {0}[0], the last {0}[{1}]", restriction.knob, elements - 1));
  }
  std::vector<std::int64_t> values = restriction.values;
  for (const std::string& text : restriction.texts)
    values.push_back(TRY(find_element(space.knobs()[*knob], text)));
  const std::string name =
      elements > 1 ? fmt::format("{}.{}", restriction.knob, restriction.position) : restriction.knob;
  const VariableId variable = constraints.add_element(name, *knob, restriction.position);
  constraints.add({InConstraint{variable, std::move(values)}, std::string(user_restriction_reason)});
  return {};
}

bool read_number(std::string_view digits, auto& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size();
}

}  // namespace

Result<SearchSpace> restrict_space(const SearchSpace& space,
                                   const std::vector<KnobRestriction>& restrictions) {
  if (restrictions.empty()) return space;
  ConstraintSystem constraints;
  for (const KnobRestriction& restriction : restrictions)
    TRY(add_restriction(space, restriction, constraints));
  return space.restricted_by(constraints);
}

Result<KnobRestriction> parse_restriction(std::string_view text) {
  const auto wrong = [&](std::string_view reason) {
    return fail(ErrorCode::InvalidArgument, fmt::format("restriction \"{}\": {}", text, reason),
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
  for (std::string& value : split_text(text.substr(equals + 1), ',')) {
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

}  // namespace kernelscape

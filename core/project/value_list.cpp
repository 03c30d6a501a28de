#include "core/project/value_list.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/base/int128.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/python_expression.h"

namespace kernelscape {
namespace {

constexpr std::size_t most_values = 1'000'000;

std::unexpected<Error> no_value_list(std::string_view text) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} is no list of values", quoted_line(text)),
              "write a list such as \"[16, 32, 64]\", or \"list(range(1, 9))\"");
}

/** What stands between the opening and the last letter; none: it begins or ends otherwise. */
std::optional<std::string_view> within(std::string_view text, std::string_view opening, char closing) {
  if (!text.starts_with(opening) || !text.ends_with(closing) || text.size() <= opening.size())
    return std::nullopt;
  return trimmed(text.substr(opening.size(), text.size() - opening.size() - 1));
}

/** Calls visit(place) for each letter that stands in no bracket and no text, as long as it says so; false:
 * brackets or quotes have no partner. */
bool visit_open_letters(std::string_view text, const auto& visit) {
  int depth = 0;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (quote != 0) {
      if (letter == '\\') ++at;
      if (letter == quote) quote = 0;
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (std::string_view("([").contains(letter)) {
      ++depth;
    } else if (std::string_view(")]").contains(letter)) {
      if (--depth < 0) return false;
    } else if (depth == 0 && !visit(at)) {
      return true;
    }
  }
  return quote == 0 && depth == 0;
}

/** At such letters that stand in no bracket and no text; nothing between two is an error. */
Result<std::vector<std::string_view>> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> elements;
  std::size_t start = 0;
  const bool matched = visit_open_letters(text, [&](std::size_t at) {
    if (text[at] != between) return true;
    elements.push_back(trimmed(text.substr(start, at - start)));
    start = at + 1;
    return true;
  });
  if (!matched) return no_value_list(text);
  // As in Python, the last value may have a comma behind it.
  if (!trimmed(text.substr(start)).empty()) elements.push_back(trimmed(text.substr(start)));
  return elements;
}

Result<std::vector<std::string_view>> elements_of(std::string_view text) { return parts_of(text, ','); }

/** Where a word stands by itself in no bracket and no text; npos: nowhere. */
std::size_t find_word(std::string_view text, std::string_view word) {
  const auto apart = [&](std::size_t place) {
    return place >= text.size() || std::string_view(" ()[]\t").contains(text[place]);
  };
  std::size_t found = std::string_view::npos;
  visit_open_letters(text, [&](std::size_t at) {
    const bool here = at > 0 && text.substr(at).starts_with(word) && apart(at - 1) && apart(at + word.size());
    if (here) found = at;
    return !here;
  });
  return found;
}

std::optional<PythonBinding> no_names(std::string_view) { return std::nullopt; }

Result<std::vector<KnobValue>> range_values(std::string_view arguments) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view argument : TRY(elements_of(arguments)))
    numbers.push_back(TRY(TRY(PythonExpression::parse(argument)).evaluate_integer(no_names)));
  if (numbers.empty() || numbers.size() > 3 || (numbers.size() == 3 && numbers[2] == 0))
    return fail(ErrorCode::InvalidArgument, fmt::format("range({}) is none", one_line(arguments)),
                "range(end), range(first, end) or range(first, end, step)");
  const int128 first = numbers.size() == 1 ? 0 : numbers[0];
  const int128 end = numbers.size() == 1 ? numbers[0] : numbers[1];
  const int128 step = numbers.size() == 3 ? numbers[2] : 1;
  std::vector<KnobValue> values;
  for (int128 value = first; step > 0 ? value < end : value > end; value += step) {
    if (values.size() == most_values)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("range({}) has over {} values", one_line(arguments), most_values),
                  "a parameter takes fewer");
    values.emplace_back(static_cast<std::int64_t>(value));
  }
  return values;
}

std::unexpected<Error> wrong_value(const KnobValue& value, std::string_view wanted, std::string hint) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} is no {}", quoted_line(to_string(value)), wanted),
              std::move(hint));
}

std::optional<std::int64_t> whole_number(const KnobValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  const auto* real = std::get_if<double>(&value);
  constexpr double most = 9.0e18;
  if (real != nullptr && std::abs(*real) <= most && std::trunc(*real) == *real)
    return static_cast<std::int64_t>(*real);
  return std::nullopt;
}

}  // namespace

namespace {

std::unexpected<Error> too_many_values() {
  return fail(ErrorCode::InvalidArgument, fmt::format("over {} values", most_values),
              "a parameter takes fewer");
}

/** "32 * i for i in range(1, 32) if i != 3": Python's comprehension over one name. @param at of "for" */
Result<std::vector<KnobValue>> comprehension_values(std::string_view text, std::size_t at) {
  const std::string_view behind = trimmed(text.substr(at + std::string_view("for").size()));
  const std::size_t in = find_word(behind, "in");
  if (in == std::string_view::npos) return no_value_list(text);
  const std::string_view name = trimmed(behind.substr(0, in));
  std::string_view source = trimmed(behind.substr(in + std::string_view("in").size()));
  PythonExpression condition;
  if (const std::size_t wanted = find_word(source, "if"); wanted != std::string_view::npos) {
    condition = TRY(PythonExpression::parse(trimmed(source.substr(wanted + std::string_view("if").size()))));
    source = trimmed(source.substr(0, wanted));
  }
  const PythonExpression element = TRY(PythonExpression::parse(trimmed(text.substr(0, at))));
  if (find_word(source, "for") != std::string_view::npos) return no_value_list(text);
  std::vector<KnobValue> values;
  for (const KnobValue& each : TRY(read_value_list(source))) {
    const PythonNames names = [&](std::string_view asked) -> std::optional<PythonBinding> {
      if (asked != name) return std::nullopt;
      return PythonBinding{.values = {each}};
    };
    if (!condition.text().empty() && !TRY(condition.evaluate_truth(names))) continue;
    values.push_back(TRY(element.evaluate(names)));
  }
  return values;
}

/** "[1] + list(range(2, 9))": one after the other. */
Result<std::vector<KnobValue>> joined_values(const std::vector<std::string_view>& lists) {
  std::vector<KnobValue> values;
  for (const std::string_view list : lists) {
    for (KnobValue& value : TRY(read_value_list(list))) values.push_back(std::move(value));
    if (values.size() > most_values) return too_many_values();
  }
  return values;
}

}  // namespace

Result<std::vector<KnobValue>> read_value_list(std::string_view text) {
  text = trimmed(text);
  const std::vector<std::string_view> lists = TRY(parts_of(text, '+'));
  if (lists.size() > 1) return joined_values(lists);
  if (const auto inner = within(text, "list(", ')')) text = *inner;
  if (const auto arguments = within(text, "range(", ')')) return range_values(*arguments);
  auto listed = within(text, "[", ']');
  if (!listed) listed = within(text, "(", ')');
  if (!listed) return no_value_list(text);
  if (const std::size_t at = find_word(*listed, "for"); at != std::string_view::npos)
    return comprehension_values(*listed, at);
  const std::vector<std::string_view> elements = TRY(elements_of(*listed));
  if (elements.size() > most_values) return too_many_values();
  std::vector<KnobValue> values;
  for (const std::string_view element : elements) {
    if (element.empty()) return no_value_list(text);
    values.push_back(TRY(TRY(PythonExpression::parse(element)).evaluate(no_names)));
  }
  return values;
}

Result<KnobValue> value_of_type(const KnobValue& value, std::string_view type) {
  if (type == "string") {
    if (!std::holds_alternative<std::string>(value))
      return wrong_value(value, "text", "put it between quotes, or name another type");
    return value;
  }
  if (type == "float") {
    if (const auto* real = std::get_if<double>(&value); real != nullptr && std::isfinite(*real)) return value;
    const auto whole = whole_number(value);
    if (!whole) return wrong_value(value, "finite number", "name the type that it has");
    return KnobValue(static_cast<double>(*whole));
  }
  const auto number = whole_number(value);
  if (!number) return wrong_value(value, "whole number", "name the type that it has: float, string");
  if (type == "uint" && *number < 0)
    return wrong_value(value, "whole number from 0", "name the type int, or take it out");
  if (type != "bool") return KnobValue(*number);
  if (*number != 0 && *number != 1)
    return wrong_value(value, "truth value", "write True and False, or name the type int");
  return KnobValue(*number == 1);
}

}  // namespace kernelscape

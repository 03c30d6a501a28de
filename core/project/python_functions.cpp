#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "core/project/python_value.h"

namespace kernelscape {
namespace {

using Arguments = std::span<const PythonObject>;

std::unexpected<std::string> no_result(std::string why) { return std::unexpected(std::move(why)); }

PythonObject value_object(PythonValue value) { return {.value = std::move(value)}; }

const std::string* letters_of(const PythonObject& object) {
  return object.items ? nullptr : std::get_if<std::string>(&object.value);
}

/** The characters of a text, each a text. */
std::vector<PythonObject> characters_of(std::string_view text) {
  std::vector<PythonObject> all;
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    all.push_back(value_object(std::string(text.substr(0, bytes))));
    text.remove_prefix(bytes);
  }
  return all;
}

PythonResult extreme(bool largest, Arguments arguments) {
  std::vector<PythonObject> letters;
  Arguments all = arguments;
  if (arguments.size() == 1) {
    if (arguments[0].items) {
      all = *arguments[0].items;
    } else if (const std::string* text = letters_of(arguments[0])) {
      letters = characters_of(*text);
      all = letters;
    } else {
      return no_result(fmt::format("{} of one value needs a list, not {}", largest ? "max" : "min",
                                   python_type(arguments[0])));
    }
  }
  if (all.empty()) return no_result(fmt::format("{} of nothing", largest ? "max" : "min"));
  const PythonObject* best = &all[0];
  for (const PythonObject& next : all.subspan(1))
    if (TRY(python_compares(largest ? PythonOperator::Greater : PythonOperator::Less, next, *best)))
      best = &next;
  return *best;
}

PythonResult magnitude(const PythonObject& of) {
  if (!letters_of(of) && !of.items)
    if (const auto* real = std::get_if<double>(&of.value)) return value_object(std::abs(*real));
  if (of.items || letters_of(of)) return no_result(fmt::format("abs does not take {}", python_type(of)));
  return python_sign(TRY(python_compares(PythonOperator::Less, of, value_object(std::int64_t{0}))), of);
}

PythonResult length(const PythonObject& of) {
  if (of.items) return value_object(static_cast<std::int64_t>(of.items->size()));
  if (const std::string* text = letters_of(of))
    return value_object(static_cast<std::int64_t>(characters_of(*text).size()));
  return no_result(fmt::format("len does not take {}", python_type(of)));
}

/** Without blanks around, a plus before and underscores between digits; none where these stand elsewhere. */
std::optional<std::string> plain_digits(std::string_view text) {
  text = trimmed(text, " \t\r\n\f\v");
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('+')) return std::nullopt;
  std::string digits;
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_')
      digits += text[i];
    else if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1))
      return std::nullopt;
  }
  return digits;
}

template <typename Number>
PythonResult number_of(const std::string& text, std::string_view function) {
  const std::optional<std::string> digits = plain_digits(text);
  Number number{};
  const auto refused = [&] {
    return no_result(fmt::format("{} finds no number in {}", function, quoted_line(text, 40)));
  };
  if (!digits || digits->contains('(')) return refused();
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), number);
  if (error == std::errc::result_out_of_range)
    return no_result(fmt::format("{} is out of range", quoted_line(text, 40)));
  if (error != std::errc{} || end != digits->data() + digits->size()) return refused();
  return value_object(number);
}

PythonResult whole_number(const PythonObject& of) {
  if (of.items) return no_result(fmt::format("int does not take {}", python_type(of)));
  if (const std::string* text = letters_of(of)) return number_of<std::int64_t>(*text, "int");
  const auto* real = std::get_if<double>(&of.value);
  if (real == nullptr) return python_sign(false, of);
  const double whole = std::trunc(*real);
  if (!std::isfinite(whole)) return no_result("int of what is not finite");
  if (whole < -0x1p63 || whole >= 0x1p63) return no_result("the result is beyond 64 bits");
  return value_object(static_cast<std::int64_t>(whole));
}

PythonResult real_number(const PythonObject& of) {
  if (of.items) return no_result(fmt::format("float does not take {}", python_type(of)));
  if (const std::string* text = letters_of(of)) return number_of<double>(*text, "float");
  if (std::holds_alternative<double>(of.value)) return of;
  const PythonObject whole = TRY(python_sign(false, of));
  return value_object(static_cast<double>(std::get<std::int64_t>(whole.value)));
}

}  // namespace

PythonResult python_call(std::string_view function, Arguments arguments) {
  if (function == "min" || function == "max") return extreme(function == "max", arguments);
  if (arguments.empty()) {
    if (function == "int") return value_object(std::int64_t{0});
    if (function == "float") return value_object(0.0);
    if (function == "bool") return value_object(false);
  }
  if (arguments.size() != 1)
    return no_result(fmt::format("{} takes one value, not {}", function, arguments.size()));
  const PythonObject& argument = arguments[0];
  if (function == "abs") return magnitude(argument);
  if (function == "len") return length(argument);
  if (function == "int") return whole_number(argument);
  if (function == "float") return real_number(argument);
  return value_object(python_truth(argument));
}

PythonResult python_subscript(const PythonObject& of, const PythonObject& at) {
  std::vector<PythonObject> letters;
  Arguments all;
  if (of.items) {
    all = *of.items;
  } else if (const std::string* text = letters_of(of)) {
    letters = characters_of(*text);
    all = letters;
  } else {
    return no_result(fmt::format("[ ] does not take {}", python_type(of)));
  }
  if (at.items || letters_of(at) || std::holds_alternative<double>(at.value))
    return no_result(fmt::format("[ ] needs a whole number, not {}", python_type(at)));
  const std::int64_t asked = std::get<std::int64_t>(TRY(python_sign(false, at)).value);
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t position = asked < 0 ? asked + size : asked;
  if (position < 0 || position >= size)
    return no_result(fmt::format("[{}] of what has {} values", asked, size));
  return all[static_cast<std::size_t>(position)];
}

}  // namespace kernelscape

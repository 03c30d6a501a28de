#include "core/project/python_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

using Arguments = PythonArguments;
using Failure = std::unexpected<std::string>;
using Form = PythonObject::Form;

namespace builtin {

PythonResult extreme(bool largest, Arguments arguments) {
  std::vector<PythonObject> items;
  Arguments all = arguments;
  if (arguments.size() == 1) {
    auto listed = python_items(arguments[0]);
    if (!listed) return Failure(fmt::format("{} of one value: {}", largest ? "max" : "min", listed.error()));
    items = *std::move(listed);
    all = items;
  }
  if (all.empty()) return Failure(fmt::format("{} of nothing", largest ? "max" : "min"));
  const PythonObject* best = &all[0];
  for (const PythonObject& next : all.subspan(1))
    if (TRY(python_compares(largest ? PythonOperator::Greater : PythonOperator::Less, next, *best)))
      best = &next;
  return *best;
}
PythonResult smallest(Arguments arguments) { return extreme(false, arguments); }
PythonResult largest(Arguments arguments) { return extreme(true, arguments); }

PythonResult magnitude(Arguments arguments) {
  const PythonObject& of = arguments[0];
  const auto real = python_real(of);
  if (!real) return Failure(fmt::format("abs does not take {}", python_type(of)));
  if (!python_whole(of)) return python_object(std::abs(*real));
  return python_sign(*python_whole(of) < 0, of);
}

PythonResult length(Arguments arguments) {
  const PythonObject& of = arguments[0];
  if (of.range) return python_integer(base::int128{of.range->count});
  if (of.items) return python_object(static_cast<std::int64_t>(of.items->size()));
  if (python_text(of) == nullptr) return Failure(fmt::format("len does not take {}", python_type(of)));
  return python_object(static_cast<std::int64_t>(TRY(python_items(of)).size()));
}

/**
 * Returns the digits without surrounding blanks, a leading plus and underscores between digits; nullopt if
 * these occur elsewhere.
 */
std::optional<std::string> plain_digits(std::string_view text) {
  text = base::trimmed(text, " \t\r\n\f\v");
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
    return Failure(fmt::format("{} finds no number in {}", function, base::quoted_line(text, 40)));
  };
  if (!digits || digits->contains('(')) return refused();
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), number);
  if (error == std::errc::result_out_of_range)
    return Failure(fmt::format("{} is out of range", base::quoted_line(text, 40)));
  if (error != std::errc{} || end != digits->data() + digits->size()) return refused();
  return python_object(number);
}

PythonResult whole_number(Arguments arguments) {
  if (arguments.empty()) return python_object(std::int64_t{0});
  const PythonObject& of = arguments[0];
  if (const std::string* text = python_text(of)) return number_of<std::int64_t>(*text, "int");
  if (!python_real(of)) return Failure(fmt::format("int does not take {}", python_type(of)));
  if (python_whole(of)) return python_sign(false, of);
  return python_integer_of(std::trunc(*python_real(of)), "int");
}

PythonResult real_number(Arguments arguments) {
  if (arguments.empty()) return python_object(0.0);
  const PythonObject& of = arguments[0];
  if (const std::string* text = python_text(of)) return number_of<double>(*text, "float");
  if (!python_real(of)) return Failure(fmt::format("float does not take {}", python_type(of)));
  return python_object(*python_real(of));
}

PythonResult truth(Arguments arguments) {
  return python_object(!arguments.empty() && python_truth(arguments[0]));
}

/** Adds the items from left to right, as + does. */
PythonResult folded(PythonOperator by, PythonObject start, const PythonObject& of,
                    std::string_view function) {
  for (const PythonObject& item : TRY(python_items(of))) {
    if (!python_real(item) || !python_real(start))
      return Failure(
          fmt::format("{} takes numbers, not {}", function, python_type(python_real(item) ? start : item)));
    start = TRY(python_arithmetic(by, start, item));
  }
  return start;
}
PythonResult sum(Arguments arguments) {
  const PythonObject zero = python_object(std::int64_t{0});
  return folded(PythonOperator::Add, arguments.size() > 1 ? arguments[1] : zero, arguments[0], "sum");
}
PythonResult product(Arguments arguments) {
  return folded(PythonOperator::Multiply, python_object(std::int64_t{1}), arguments[0], "prod");
}

PythonResult any(Arguments arguments) {
  return python_object(std::ranges::any_of(TRY(python_items(arguments[0])), python_truth));
}
PythonResult all(Arguments arguments) {
  return python_object(std::ranges::all_of(TRY(python_items(arguments[0])), python_truth));
}

PythonResult range(Arguments arguments) {
  for (const PythonObject& argument : arguments)
    if (!python_whole(argument))
      return Failure(fmt::format("range takes whole numbers, not {}", python_type(argument)));
  const bool from_zero = arguments.size() == 1;
  PythonRange made{.first = from_zero ? 0 : *python_whole(arguments[0])};
  const base::int128 end = *python_whole(arguments[from_zero ? 0 : 1]);
  if (arguments.size() == 3) made.step = *python_whole(arguments[2]);
  if (made.step == 0) return Failure("range has a step of 0");
  const base::int128 way = made.step > 0 ? end - made.first : base::int128{made.first} - end;
  const base::int128 step = made.step > 0 ? base::int128{made.step} : -base::int128{made.step};
  if (way > 0) made.count = static_cast<std::uint64_t>((way + step - 1) / step);
  return PythonObject{.range = std::make_shared<const PythonRange>(made), .form = Form::Range};
}

PythonResult row(Form form, Arguments arguments) {
  if (arguments.empty()) return python_row(form, {});
  if (python_unordered(arguments[0]) && form != Form::Set)
    return Failure("a set has no order: write sorted(...)");
  return python_row(form, TRY(python_items(arguments[0])));
}
PythonResult list(Arguments arguments) { return row(Form::List, arguments); }
PythonResult tuple(Arguments arguments) { return row(Form::Tuple, arguments); }
PythonResult set(Arguments arguments) { return row(Form::Set, arguments); }

PythonResult sorted(Arguments arguments) {
  std::vector<PythonObject> items = TRY(python_items(arguments[0]));
  const auto number = [](const PythonObject& item) {
    const auto real = python_real(item);
    return real && !std::isnan(*real);
  };
  const auto text = [](const PythonObject& item) { return python_text(item) != nullptr; };
  if (!std::ranges::all_of(items, number) && !std::ranges::all_of(items, text))
    return Failure("sorted takes numbers, or texts");
  std::ranges::stable_sort(items, [](const PythonObject& a, const PythonObject& b) {
    return python_compares(PythonOperator::Less, a, b).value_or(false);
  });
  return python_row(Form::List, std::move(items));
}

constexpr std::array functions{
    PythonFunction{"abs", 1, 1, magnitude},
    PythonFunction{"all", 1, 1, all},
    PythonFunction{"any", 1, 1, any},
    PythonFunction{"bool", 0, 1, truth},
    PythonFunction{"float", 0, 1, real_number},
    PythonFunction{"int", 0, 1, whole_number},
    PythonFunction{"len", 1, 1, length},
    PythonFunction{"list", 0, 1, list},
    PythonFunction{"max", 0, unlimited_arguments, largest},
    PythonFunction{"min", 0, unlimited_arguments, smallest},
    PythonFunction{"range", 1, 3, range},
    PythonFunction{"set", 0, 1, set},
    PythonFunction{"sorted", 1, 1, sorted},
    PythonFunction{"sum", 1, 2, sum},
    PythonFunction{"tuple", 0, 1, tuple},
    PythonFunction{"math.prod", 1, 1, product},
    PythonFunction{"np.abs", 1, 1, magnitude},
    PythonFunction{"np.max", 1, 1, largest},
    PythonFunction{"np.maximum", 2, 2, largest},
    PythonFunction{"np.min", 1, 1, smallest},
    PythonFunction{"np.minimum", 2, 2, smallest},
    PythonFunction{"np.prod", 1, 1, product},
    PythonFunction{"np.sum", 1, 1, sum},
};

}  // namespace builtin

const PythonFunction* find_function(std::string_view name) {
  for (const std::span<const PythonFunction> table :
       {std::span<const PythonFunction>(builtin::functions), python_math()})
    for (const PythonFunction& function : table)
      if (function.name == name) return &function;
  return nullptr;
}

}  // namespace

std::string_view python_function(std::string_view name) {
  constexpr std::string_view numpy = "numpy.";
  const std::string wanted =
      name.starts_with(numpy) ? "np." + std::string(name.substr(numpy.size())) : std::string(name);
  const PythonFunction* found = find_function(wanted);
  if (found == nullptr && !name.contains('.')) found = find_function("math." + wanted);
  return found != nullptr ? found->name : std::string_view();
}

std::string python_functions() {
  std::vector<std::string> names;
  for (const std::span<const PythonFunction> table :
       {std::span<const PythonFunction>(builtin::functions), python_math()})
    for (const PythonFunction& function : table)
      if (!function.name.starts_with("np.")) names.emplace_back(function.name);
  return base::join(names, ", ");
}

PythonResult python_call(std::string_view function, Arguments arguments) {
  const PythonFunction& found = *find_function(function);
  if (arguments.size() >= found.least && arguments.size() <= found.most) return found.compute(arguments);
  const std::string wanted = found.most == 1 ? "one value"
                             : found.least == found.most
                                 ? fmt::format("{} values", found.least)
                                 : fmt::format("{} to {} values", found.least, found.most);
  return Failure(fmt::format("{} takes {}, not {}", function, wanted, arguments.size()));
}

}  // namespace kernelscape::project

#include "core/project/value_list.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/base/visible_text.h"
#include "core/project/python_expression.h"

namespace kernelscape::project {
namespace {

std::unexpected<Error> wrong_value(const space::KnobValue& value, std::string_view wanted, std::string hint) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is no {}", base::quoted_line(space::to_string(value)), wanted),
              std::move(hint));
}

std::optional<std::int64_t> whole_number(const space::KnobValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  const auto* real = std::get_if<double>(&value);
  constexpr double most = 9.0e18;
  if (real != nullptr && std::abs(*real) <= most && std::trunc(*real) == *real)
    return static_cast<std::int64_t>(*real);
  return std::nullopt;
}

}  // namespace

Result<std::vector<space::KnobValue>> read_value_list(std::string_view text) {
  constexpr std::size_t max_bytes = std::size_t{1} << 24;
  const auto hinted = [](Error error) {
    if (error.hint.empty()) error.hint = "write a list such as \"[16, 32, 64]\", or \"list(range(1, 9))\"";
    return std::unexpected(std::move(error));
  };
  const auto expression = PythonExpression::parse(text, max_bytes);
  if (!expression) return hinted(expression.error());
  auto values = expression->evaluate_list(nullptr);
  if (!values) return hinted(std::move(values).error());
  return values;
}

Result<space::KnobValue> value_of_type(const space::KnobValue& value, std::string_view type) {
  if (type == "string") {
    if (!std::holds_alternative<std::string>(value))
      return wrong_value(value, "text", "put it between quotes, or name another type");
    return value;
  }
  if (type == "float") {
    if (const auto* real = std::get_if<double>(&value); real != nullptr && std::isfinite(*real)) return value;
    const auto whole = whole_number(value);
    if (!whole) return wrong_value(value, "finite number", "name the type that it has");
    return space::KnobValue(static_cast<double>(*whole));
  }
  const auto number = whole_number(value);
  if (!number) return wrong_value(value, "whole number", "use the type of the value: float, string");
  if (type == "uint" && *number < 0)
    return wrong_value(value, "whole number from 0", "use the type int, or remove the value");
  if (type != "bool") return space::KnobValue(*number);
  if (*number != 0 && *number != 1)
    return wrong_value(value, "truth value", "write True and False, or use the type int");
  return space::KnobValue(*number == 1);
}

}  // namespace kernelscape::project

#include "core/project/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/in_list.h"

namespace kernelscape::project {
namespace {

/**
 * Returns the names bound to lists: all values of every parameter, and ProblemSize. With `single`, the name
 * of a parameter with one value stands for that value.
 */
PythonNames list_names(const KernelProject& project, bool single) {
  return [&project, single](std::string_view name) -> std::optional<PythonBinding> {
    if (name == "ProblemSize") {
      PythonBinding sizes{{}, true};
      for (const std::int64_t size : project.problem_size) sizes.values.emplace_back(size);
      return sizes;
    }
    const auto found = std::ranges::find(project.parameters, name, &Parameter::name);
    if (found == project.parameters.end()) return std::nullopt;
    return PythonBinding{found->values, !single || found->values.size() > 1};
  };
}

}  // namespace

bool is_identifier(std::string_view text) {
  const auto fits = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  return !text.empty() && text.size() <= 128 && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, fits);
}

std::unexpected<Error> Reading::fail_at(const JsonPlace& place, std::string_view what,
                                        std::string hint) const {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} {}", text.name_of(place.path), what),
              std::move(hint));
}

std::unexpected<Error> Reading::placed(const JsonPlace& place, Error error) const {
  error.message = fmt::format("{}: {}", text.name_of(place.path), error.message);
  return std::unexpected(std::move(error));
}

void Reading::notice(const JsonPlace& place, std::string_view what) {
  project.notices.push_back(fmt::format("{} {}", text.name_of(place.path), what));
}

void Reading::notice_unknown(const JsonPlace& object, std::span<const std::string_view> known) {
  if (!object.exists() || !object.value->is_object()) return;
  for (const auto& [name, value] : object.value->items()) {
    if (name == "Comment" || name == "$schema" || in_list(known, std::string_view(name))) continue;
    notice(object[name], "is unknown and ignored");
  }
}

Result<std::string> Reading::text_of(const JsonPlace& place, std::optional<std::string> otherwise) const {
  if (!place.exists()) {
    if (otherwise) return *std::move(otherwise);
    return fail_at(place, "is missing", "T1 asks for it");
  }
  if (!place.value->is_string())
    return fail_at(place,
                   fmt::format("is {} instead of a text", base::one_line(space::to_text(*place.value))),
                   "put it between double quotes");
  return place.value->get<std::string>();
}

Result<std::int64_t> Reading::integer_at(const JsonPlace& place,
                                         std::optional<std::int64_t> otherwise) const {
  if (!place.exists() && otherwise) return *otherwise;
  const auto number = place.exists() ? space::integer_of(*place.value) : std::nullopt;
  if (number) return *number;
  return fail_at(place, place.exists() ? "is not a whole number" : "is missing");
}

Result<double> Reading::number_of(const JsonPlace& place, std::optional<double> otherwise) const {
  if (!place.exists() && otherwise) return *otherwise;
  if (place.exists() && place.value->is_number()) return place.value->get<double>();
  return fail_at(place, place.exists() ? "is not a number" : "is missing");
}

Result<PythonExpression> Reading::expression_of(const JsonPlace& place, std::string otherwise) const {
  std::string written = std::move(otherwise);
  if (place.exists() && (place.value->is_string() || place.value->is_number()))
    written = place.value->is_string() ? place.value->get<std::string>() : space::to_text(*place.value);
  else if (place.exists() || written.empty())
    return fail_at(place, place.exists() ? "is not an expression" : "is missing",
                   "write a number, or a text such as \"ProblemSize[0] // tile\"");
  Result<PythonExpression> parsed = PythonExpression::parse(written);
  if (!parsed) return placed(place, std::move(parsed).error());
  return parsed;
}

std::vector<std::string> Reading::known_names(bool problem_size) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : project.parameters) names.push_back(parameter.name);
  if (problem_size) names.emplace_back("ProblemSize");
  return names;
}

Status Reading::check_names(const JsonPlace& place, const PythonExpression& expression,
                            bool problem_size) const {
  const std::vector<std::string> known = known_names(problem_size);
  for (const std::string& name : expression.names()) {
    if (in_list(known, name)) continue;
    return fail_at(place,
                   fmt::format("names {} in {}, which is not a parameter", base::quoted_line(name),
                               base::quoted_line(expression.text())),
                   base::suggest(name, known));
  }
  return {};
}

Result<PythonValue> Reading::constant_value(const JsonPlace& place,
                                            const PythonExpression& expression) const {
  TRY(check_names(place, expression, true));
  Result<PythonValue> value = expression.evaluate(list_names(project, false));
  // A parameter with one value may be used without max() as well.
  if (Result<PythonValue> single = value ? std::move(value) : expression.evaluate(list_names(project, true));
      single)
    return single;
  else
    return placed(place, std::move(single).error());
}

Result<std::int64_t> Reading::constant_integer(const JsonPlace& place,
                                               const PythonExpression& expression) const {
  const PythonValue value = TRY(constant_value(place, expression));
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  constexpr double most = 9.0e18;
  const auto* real = std::get_if<double>(&value);
  if (real != nullptr && std::abs(*real) < most && std::trunc(*real) == *real)
    return static_cast<std::int64_t>(*real);
  return fail_at(
      place, fmt::format("is {}, which is not a whole number", base::quoted_line(space::to_string(value))),
      "use // for division to get a whole number");
}

PythonNames Reading::first_names() const {
  return [this](std::string_view name) -> std::optional<PythonBinding> {
    if (name == "ProblemSize") return list_names(project, false)(name);
    const auto found = std::ranges::find(project.parameters, name, &Parameter::name);
    if (found == project.parameters.end()) return std::nullopt;
    return PythonBinding{{found->values.front()}, false};
  };
}

}  // namespace kernelscape::project

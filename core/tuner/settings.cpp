#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/text.h"
#include "core/tuner/declaration.h"

namespace kernelscape::tuner {
namespace {

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return std::nullopt;
}

std::string describe_range(const HyperparameterDeclaration& declaration) {
  const std::string unit = declaration.unit.empty() ? "" : " " + declaration.unit;
  if (declaration.minimum && declaration.maximum) {
    return fmt::format("between {} and {}{}", *declaration.minimum, *declaration.maximum, unit);
  }
  if (declaration.minimum) return fmt::format("at least {}{}", *declaration.minimum, unit);
  if (declaration.maximum) return fmt::format("at most {}{}", *declaration.maximum, unit);
  return "any" + unit;
}

std::string describe_type(const HyperparameterDeclaration& declaration) {
  switch (declaration.default_value.index()) {
    case 0:
      return "a whole number " + describe_range(declaration);
    case 1:
      return "a number " + describe_range(declaration);
    case 2:
      return "true or false";
    default:
      return declaration.choices.empty() ? "a text" : "one of " + base::join(declaration.choices, ", ");
  }
}

bool in_range(const HyperparameterDeclaration& declaration, double value) {
  return std::isfinite(value) && value >= declaration.minimum.value_or(value) &&
         value <= declaration.maximum.value_or(value);
}

std::optional<SettingValue> parse_value(const HyperparameterDeclaration& declaration,
                                        const std::string& text) {
  switch (declaration.default_value.index()) {
    case 0: {
      const auto number = parse_number<std::int64_t>(text);
      if (!number || !in_range(declaration, static_cast<double>(*number))) return std::nullopt;
      return *number;
    }
    case 1: {
      const auto number = parse_number<double>(text);
      if (!number || !in_range(declaration, *number)) return std::nullopt;
      return *number;
    }
    case 2: {
      const auto boolean = parse_boolean(text);
      if (!boolean) return std::nullopt;
      return *boolean;
    }
    default:
      if (!declaration.choices.empty() &&
          std::ranges::find(declaration.choices, text) == declaration.choices.end()) {
        return std::nullopt;
      }
      return text;
  }
}

Error refuse_value(std::string_view owner, const HyperparameterDeclaration& declaration,
                   const std::string& text) {
  std::string hint = fmt::format("its default is {}", space::to_string(declaration.default_value));
  if (!declaration.choices.empty()) hint = base::suggest(text, declaration.choices);
  return Error{ErrorCode::InvalidArgument,
               fmt::format("hyperparameter {} of {} is {}, not \"{}\"", declaration.name, owner,
                           describe_type(declaration), text),
               hint};
}

Error refuse_name(std::string_view owner, std::span<const HyperparameterDeclaration> declarations,
                  const std::string& name) {
  std::vector<std::string> known;
  for (const auto& declaration : declarations) known.push_back(declaration.name);
  return Error{ErrorCode::InvalidArgument, fmt::format("{} has no hyperparameter \"{}\"", owner, name),
               base::suggest(name, known)};
}

}  // namespace

std::map<std::string, std::string> earlier_settings(const Declaration& tuner) {
  std::map<std::string, std::string> texts;
  for (const HyperparameterDeclaration& declaration : tuner.hyperparameters)
    if (declaration.before) texts[declaration.name] = space::to_string(*declaration.before);
  return texts;
}

trial::SeriesDescription predicted_mean_series(std::string maker) {
  return {.name = "predicted_mean",
          .title = "Predicted performance",
          .unit = trial::SeriesUnit::Fitness,
          .relation = trial::SeriesRelation::Estimate,
          .deviation = "predicted_deviation",
          .meaning =
              "The prediction of the tuner's model when the trial was proposed, with one standard deviation",
          .maker = std::move(maker)};
}

trial::SeriesDescription predicted_deviation_series(std::string maker) {
  return {.name = "predicted_deviation",
          .title = "Predicted standard deviation",
          .unit = trial::SeriesUnit::Fitness,
          .meaning = "The standard deviation of the prediction of the tuner's model",
          .maker = std::move(maker)};
}

trial::SeriesDescription predicted_score_series(std::string maker) {
  return {.name = "predicted_score",
          .title = "Predicted score",
          .relation = trial::SeriesRelation::Ranking,
          .meaning =
              "The score that the tuner's model gave the trial when it was planned, of which only the "
              "order can be compared",
          .maker = std::move(maker)};
}

Result<SettingValues> parse_settings(std::string_view owner,
                                     std::span<const HyperparameterDeclaration> declarations,
                                     const std::map<std::string, std::string>& texts) {
  SettingValues values;
  for (const auto& declaration : declarations) values[declaration.name] = declaration.default_value;
  for (const auto& [name, text] : texts) {
    const auto declaration = std::ranges::find(declarations, name, &HyperparameterDeclaration::name);
    if (declaration == declarations.end()) return std::unexpected(refuse_name(owner, declarations, name));
    auto value = parse_value(*declaration, text);
    if (!value) return std::unexpected(refuse_value(owner, *declaration, text));
    values[name] = std::move(*value);
  }
  return values;
}

Result<SettingValues> parse_settings(const Declaration& tuner,
                                     const std::map<std::string, std::string>& texts) {
  return parse_settings("tuner " + tuner.name, tuner.hyperparameters, texts);
}

}  // namespace kernelscape::tuner

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/media/shell_script.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/study/study.h"

namespace kernelscape {

Result<StudyArm> parse_arm(std::string_view text) {
  const std::vector<std::string> parts = split_text(text, ':');
  StudyArm arm;
  arm.tuner = parts.empty() ? std::string() : parts.front();
  if (arm.tuner.empty()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} names no tuner", quoted_line(text)),
                "write TUNER or TUNER:SETTING=VALUE; `kernelscape tuners` lists them");
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("{} of tuner {} is not SETTING=VALUE", quoted_line(parts[i]), quoted_line(text)),
          fmt::format("see `kernelscape tuners {}`", ShellScript::escaped(arm.tuner)));
    }
    const std::string name = parts[i].substr(0, equals);
    if (!arm.settings.emplace(name, parts[i].substr(equals + 1)).second) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("tuner {} sets {} twice", quoted_line(text), one_line(name)), "leave one out");
    }
  }
  arm.name = default_arm_name(arm.tuner, arm.settings);
  return arm;
}

std::string settings_text(const std::string& tuner, const std::map<std::string, std::string>& settings) {
  const Result<const TunerDeclaration*> declaration = find_tuner(tuner);
  std::vector<std::string> texts;
  for (const auto& [name, value] : settings) {
    if (declaration) {
      const Result<SettingValues> parsed = parse_settings(**declaration, {{name, value}});
      const Result<SettingValues> defaults = parse_settings(**declaration, {});
      if (parsed && defaults && parsed->all() == defaults->all()) continue;
    }
    texts.push_back(name + "=" + value);
  }
  return join(texts, ", ");
}

Result<MeasureOptions> parse_measuring(std::string_view text, const MeasureOptions& base) {
  const std::vector<std::string> known = measure_option_names();
  auto given = nlohmann::json::object();
  std::string separated(text);
  std::ranges::replace(separated, ' ', ',');
  for (const std::string& item : split_text(separated, ',')) {
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    if (std::ranges::find(known, name) == known.end()) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("there is no measuring option {}", quoted_line(name)), suggest(name, known));
    }
    if (equals == std::string::npos || given.contains(name)) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the measuring option {} stands there {}", name,
                              equals == std::string::npos ? "without a value" : "twice"),
                  fmt::format("write {}=VALUE once", name));
    }
    const std::string value = item.substr(equals + 1);
    given[name] = nlohmann::json::parse(value, nullptr, false);
    if (given[name].is_discarded()) given[name] = value;
  }
  return measure_options_from_json(given.dump(), base);
}

std::string measuring_text(const MeasureOptions& options, const MeasureOptions& base) {
  const auto differences = nlohmann::json::parse(measure_option_differences(options, base));
  std::vector<std::string> texts;
  for (const auto& [name, value] : differences.items()) {
    texts.push_back(fmt::format("{}={}", name, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return join(texts, ", ");
}

std::string arm_text(const StudyDefinition& study, const StudyArm& arm) {
  std::vector<std::string> texts;
  for (std::string text : {settings_text(arm.tuner, arm.settings),
                           measuring_text(arm.measuring.value_or(study.measuring), study.measuring)}) {
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return join(texts, ", ");
}

MeasureOptions measuring_of(const StudyDefinition& study, const StudyArm& arm) {
  MeasureOptions options = arm.measuring.value_or(study.measuring);
  options.search_time = study.search_time;
  return options;
}

std::string default_arm_name(const std::string& tuner, const std::map<std::string, std::string>& settings) {
  const std::string text = settings_text(tuner, settings);
  return text.empty() ? tuner : fmt::format("{} ({})", tuner, text);
}

}  // namespace kernelscape

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/study/study.h"

namespace kernelscape {

Result<StudyArm> parse_arm(std::string_view text) {
  const std::vector<std::string> parts = split_text(text, ':');
  StudyArm arm;
  arm.tuner = parts.empty() ? std::string() : parts.front();
  if (arm.tuner.empty()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" names no tuner", text),
                "write TUNER or TUNER:SETTING=VALUE; `kernelscape tuners` lists them");
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("\"{}\" of tuner \"{}\" is not SETTING=VALUE", parts[i], text),
                  fmt::format("see `kernelscape tuners {}`", arm.tuner));
    }
    const std::string name = parts[i].substr(0, equals);
    if (!arm.settings.emplace(name, parts[i].substr(equals + 1)).second) {
      return fail(ErrorCode::InvalidArgument, fmt::format("tuner \"{}\" sets {} twice", text, name),
                  "leave one out");
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

std::string default_arm_name(const std::string& tuner, const std::map<std::string, std::string>& settings) {
  const std::string text = settings_text(tuner, settings);
  return text.empty() ? tuner : fmt::format("{} ({})", tuner, text);
}

}  // namespace kernelscape

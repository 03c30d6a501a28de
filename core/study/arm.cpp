#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/media/shell_script.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/study/arm_settings.h"
#include "core/study/study.h"

namespace kernelscape::study {
namespace {

/** Reads "ga", or "ga@8". */
Status read_tuner_and_batch(std::string_view text, Arm& arm) {
  const std::size_t at = text.find('@');
  arm.tuner = text.substr(0, at);
  if (at == std::string_view::npos) return {};
  const std::string_view number = text.substr(at + 1);
  if (number == builders_batch) {
    arm.batch = tuner::batch_of_builders;
    return {};
  }
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), arm.batch);
  const bool whole = error == std::errc{} && end == number.data() + number.size();
  if (whole && arm.batch >= 1 && arm.batch <= max_batch) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is not a valid batch of tuner {}", base::quoted_line(number),
                          base::quoted_line(arm.tuner)),
              fmt::format("write TUNER@N with N from 1 to {} or \"{}\", or the tuner alone", max_batch,
                          builders_batch));
}

}  // namespace

std::string arm_batch_text(std::int64_t batch) {
  return batch == tuner::batch_of_builders ? std::string(builders_batch) : std::to_string(batch);
}

Result<Arm> parse_arm(std::string_view text) {
  const std::vector<std::string> parts = base::split_text(text, ':');
  Arm arm;
  if (!parts.empty()) TRY(read_tuner_and_batch(parts.front(), arm));
  if (arm.tuner.empty()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a tuner", base::quoted_line(text)),
                "write TUNER, TUNER@BATCH or TUNER:SETTING=VALUE; `kernelscape tuners` lists them");
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} of tuner {} is not SETTING=VALUE", base::quoted_line(parts[i]),
                              base::quoted_line(text)),
                  fmt::format("see `kernelscape tuners {}`", base::ShellScript::escaped(arm.tuner)));
    }
    const std::string name = parts[i].substr(0, equals);
    if (!arm.settings.emplace(name, parts[i].substr(equals + 1)).second) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("tuner {} sets {} twice", base::quoted_line(text), base::one_line(name)),
                  "remove one of them");
    }
  }
  arm.name = default_arm_name(arm.tuner, arm.settings, arm.batch);
  return arm;
}

std::string settings_text(const std::string& tuner, const std::map<std::string, std::string>& settings) {
  const Result<const tuner::Declaration*> declaration = tuner::find_tuner(tuner);
  std::vector<std::string> texts;
  for (const auto& [name, value] : settings) {
    if (declaration) {
      const Result<tuner::SettingValues> parsed = tuner::parse_settings(**declaration, {{name, value}});
      const Result<tuner::SettingValues> defaults = tuner::parse_settings(**declaration, {});
      if (parsed && defaults && *parsed == *defaults) continue;
    }
    texts.push_back(fmt::format("{}={}", name, value));
  }
  return base::join(texts, ", ");
}

Result<trial::MeasureOptions> parse_measuring(std::string_view text, const trial::MeasureOptions& base) {
  const std::vector<std::string> known = trial::measure_option_names();
  auto given = nlohmann::json::object();
  std::string separated(text);
  std::ranges::replace(separated, ' ', ',');
  for (const std::string& item : base::split_text(separated, ',')) {
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    if (std::ranges::find(known, name) == known.end()) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("there is no measuring option {}", base::quoted_line(name)),
                  base::suggest(name, known));
    }
    if (equals == std::string::npos || given.contains(name)) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the measuring option {} is given {}", name,
                              equals == std::string::npos ? "without a value" : "twice"),
                  fmt::format("write {}=VALUE once", name));
    }
    const std::string value = item.substr(equals + 1);
    given[name] = nlohmann::json::parse(value, nullptr, false);
    if (given[name].is_discarded()) given[name] = value;
  }
  return trial::measure_options_from_json(given.dump(), base);
}

std::string measuring_text(const trial::MeasureOptions& options, const trial::MeasureOptions& base) {
  const auto differences = nlohmann::json::parse(trial::measure_option_differences(options, base));
  std::vector<std::string> texts;
  for (const auto& [name, value] : differences.items()) {
    texts.push_back(fmt::format("{}={}", name, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return base::join(texts, ", ");
}

std::string arm_text(const Definition& study, const Arm& arm) {
  std::vector<std::string> texts = {settings_text(arm.tuner, arm.settings)};
  if (arm.batch != 0) texts.push_back("batch=" + arm_batch_text(arm.batch));
  if (arm.respect_limits) texts.push_back(fmt::format("respect_limits={}", *arm.respect_limits));
  if (arm.search_time) texts.push_back("search_time=" + trial::to_string(*arm.search_time));
  if (arm.warm_start > 0) texts.push_back(fmt::format("warm_start={}", arm.warm_start));
  for (const std::string& source : arm.learn_from) texts.push_back("learn_from=" + source);
  if (arm.chain_tasks) texts.emplace_back("chain_tasks=true");
  texts.push_back(measuring_text(arm.measuring.value_or(study.measuring), study.measuring));
  std::erase(texts, "");
  return base::join(texts, ", ");
}

trial::MeasureOptions measuring_of(const Definition& study, const Arm& arm) {
  trial::MeasureOptions options = arm.measuring.value_or(study.measuring);
  options.search_time = search_time_of(study, arm);
  options.clock = study.rules == first_study_rules ? trial::BatchClock::Batches : trial::BatchClock::Waves;
  return options;
}

std::string default_arm_name(const std::string& tuner, const std::map<std::string, std::string>& settings,
                             std::int64_t batch) {
  const std::string text = settings_text(tuner, settings);
  const std::string name = batch == 0 ? tuner : tuner + "@" + arm_batch_text(batch);
  return text.empty() ? name : fmt::format("{} ({})", name, text);
}

}  // namespace kernelscape::study

#include "tests/gpu/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/text.h"
#include "tests/gpu/parts.h"

namespace kernelscape::gpu_proof {
namespace {

namespace fs = std::filesystem;

constexpr double max_minutes = 24 * 60;

Result<double> minutes_of(const std::string& text) {
  char* end = nullptr;
  const double minutes = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(minutes > 0) || minutes > max_minutes)
    return fail(ErrorCode::InvalidArgument, fmt::format("--minutes {}: not a number of minutes", text));
  return minutes;
}

Status take_option(Settings& settings, const std::string& name, const std::string& value) {
  if (name == "--minutes") {
    settings.minutes = TRY(minutes_of(value));
  } else if (name == "--out") {
    settings.out = fs::absolute(value);
  } else if (name == "--work") {
    settings.work = fs::absolute(value);
  } else if (name == "--continue") {
    settings.continued = fs::absolute(value);
  } else if (name == "--device") {
    settings.device = value;
  } else if (name == "--seed") {
    settings.seed = std::strtoull(value.c_str(), nullptr, 10);
  } else {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is no option", name), usage());
  }
  return {};
}

Status take_part(Settings& settings, const std::string& name) {
  if (find_part(name) == nullptr)
    return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" is no part", name), usage());
  if (std::ranges::find(settings.parts, name) == settings.parts.end()) settings.parts.push_back(name);
  return {};
}

}  // namespace

Result<Settings> parse_settings(const std::vector<std::string>& words) {
  Settings settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--fake") {
      settings.fake = true;
    } else if (!word.starts_with("--")) {
      TRY(take_part(settings, word));
    } else if (i + 1 == words.size()) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{} is no option, or lacks its value", word),
                  usage());
    } else {
      TRY(take_option(settings, word, words[++i]));
    }
  }
  if (settings.parts.empty()) {
    settings.skip_complete = true;
    for (const Part& part : all_parts()) settings.parts.emplace_back(part.name);
  }
  return settings;
}

std::string usage() {
  std::string text =
      "gpu/run [--minutes N] [--out DIR] [--continue DIR] [--device cuda:N] [--seed S] [--work DIR] [--fake] "
      "[PART...]\nWithout names all parts run that are not complete yet, in this order:\n";
  for (const Part& part : all_parts()) text += fmt::format("  {:<11} {}\n", part.name, part.summary);
  return text;
}

}  // namespace kernelscape::gpu_proof

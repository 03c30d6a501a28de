#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace kernelscape::measure_tests {

/** "launch=700@3": 700 at 3. */
struct StubSetting {
  std::int64_t value = 0;
  std::int64_t at = 0;
};

/** What the environment variable, words apart by spaces, says of a key. */
inline std::optional<StubSetting> stub_setting(const char* variable, std::string_view key) {
  const char* text = std::getenv(variable);
  std::string_view rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != '=') continue;
    const std::string_view value = word.substr(key.size() + 1);
    const char* const last = value.data() + value.size();
    StubSetting found;
    const auto [after, error] = std::from_chars(value.data(), last, found.value);
    if (error == std::errc() && after != last && *after == '@') std::from_chars(after + 1, last, found.at);
    return found;
  }
  return std::nullopt;
}

}  // namespace kernelscape::measure_tests

#include "core/trial/search_time.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace kernelscape::trial {

Result<SearchTime> parse_search_time(std::string_view text) {
  constexpr double max_seconds = 86'400;
  if (text == "measured") return SearchTime{};
  if (text == "none") return SearchTime{SearchTime::Kind::None, 0};
  SearchTime time{SearchTime::Kind::Constant, 0};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, time.seconds_per_candidate);
  const bool number = error == std::errc{} && stopped == end && std::isfinite(time.seconds_per_candidate);
  if (number && time.seconds_per_candidate >= 0 && time.seconds_per_candidate <= max_seconds) return time;
  return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" is not a search time", text),
              "pass measured, none, or the seconds per candidate (0 to 86400)");
}

std::string to_string(const SearchTime& time) {
  switch (time.kind) {
    case SearchTime::Kind::Measured:
      return "measured";
    case SearchTime::Kind::None:
      return "none";
    case SearchTime::Kind::Constant:
      break;
  }
  return fmt::format("{}", time.seconds_per_candidate);
}

}  // namespace kernelscape::trial

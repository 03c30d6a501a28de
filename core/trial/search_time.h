#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::trial {

/** How the tuner's own time counts on the virtual clock of a replay. */
struct SearchTime {
  enum class Kind : std::uint8_t {
    Measured,  ///< CPU time of the thread that the single-threaded tuner runs on
    None,      ///< does not count: bit-reproducible
    Constant   ///< a constant number of seconds per candidate: bit-reproducible
  };
  Kind kind = Kind::Measured;
  double seconds_per_candidate = 0;

  bool operator==(const SearchTime&) const = default;
};

/** Parses "measured", "none", or seconds per candidate, as --search-time takes it. */
Result<SearchTime> parse_search_time(std::string_view text);
std::string to_string(const SearchTime& time);  ///< the text that `parse_search_time` reads

}  // namespace kernelscape::trial

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::exchange {

/**
 * The unit of a table's objective, and how its numbers become the seconds by which trials are ranked. A rate,
 * of which more is better, becomes the time for a fixed amount of work: 10^9 FLOP or bytes, or one item.
 */
struct ObjectiveUnit {
  std::string name{};     ///< "ms", "GFLOPS", "GB/s"
  bool is_rate = false;   ///< higher is better
  double scale = 1;       ///< seconds of one unit, or FLOP, bytes or items per second of one unit
  double amount = 1;      ///< work of a call of which `scale` counts: 10^9 FLOP or bytes, else 1
  bool of_flops = false;  ///< the amount is FLOP
  bool of_bytes = false;  ///< the amount is bytes

  /** Returns the seconds of a positive number. */
  double seconds(double number) const { return is_rate ? amount / (number * scale) : number * scale; }
};

/**
 * Parses a unit: a unit of time (logged_units.h), FLOPS with a prefix (GFLOPS, TFLOP/s), bytes per second
 * (GB/s, GiB/s), another rate (it/s), or "none" for a number of which less is better and which is shown as
 * seconds. InvalidArgument lists them.
 */
Result<ObjectiveUnit> parse_objective_unit(std::string_view text);

/**
 * Returns the words of a column's name in lower case: {"time", "ms"} for "time_ms", "Time (ms)" and "timeMs",
 * {"gb/s"} for "GB/s".
 */
std::vector<std::string> words_of_head(std::string_view head);

/**
 * Returns the unit that a column's name states: "time_ms", "Runtime [us]", "GFLOPS", "GB/s". "s" is
 * a unit only beside a word for time, because "tile_s" is not a time; "min" is a minimum.
 */
std::optional<ObjectiveUnit> unit_of_head(std::string_view head);

/** Returns true for a word for time: "time", "runtime", "latency", "elapsed", "duration". */
bool is_time_word(std::string_view word);

}  // namespace kernelscape::exchange

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelscape::base {

// Formats numbers for users: first the functions for the window and reports, then those for terminals and
// files, which use ASCII and aligned columns.

/** Shown in place of a missing number: an en dash. */
inline constexpr std::string_view no_number_text = "–";

/**
 * Returns a number with at most `digits` significant digits, grouped as in en_US, without trailing zeros:
 * "1,234", "0.68", "2.5e+12".
 */
std::string number_text(double value, int digits = 4);

/**
 * Returns a number with its unit. Times (s, ms, µs or us, ns) and speeds (FLOPS, GFLOPS, ...) are converted
 * to the usual prefix of their magnitude, so that 0.00068 s and 0.68 ms give the same text: "1,234 GFLOPS",
 * "12.3 ms", "0.68 ms", "231.2 MFLOP". Other units stay. NaN gives `no_number_text`.
 */
std::string quantity_text(double value, std::string_view unit);

/** Returns a duration: "3.2 s", "12 s", "4 min 10 s", "2 h 5 min", "3 d 4 h". */
std::string duration_text(double seconds);

/**
 * Returns the time left: "4 min 10 s left", "less than 1 s left"; "time left unknown" if it is not finite.
 */
std::string duration_left_text(double seconds);

/** Returns all digits, grouped: "1,234,567". */
std::string count_text(std::int64_t count);

/**
 * Returns a share as a percentage: "0.17 %", "96 %". Shares other than 1 and 0 are never shown as 100 % or 0
 * %: "> 99.9 %", "< 0.01 %".
 */
std::string percent_text(double fraction);

/** Returns a size with binary prefixes: "512 B", "1.5 KiB". */
std::string bytes_text(double bytes);

/** Returns an axis label with as many decimals as the distance to the next label needs. */
std::string tick_text(double value, double step);

/** Groups digits by three: "1234567.5" becomes "1,234,567.5". */
std::string with_thousands(std::string digits);

/** Returns a time with four significant digits: "1.234 ms", "12.3 us". */
std::string time_text(double seconds);
/** Returns a time as on a clock: "2:03:07" or "3:07". */
std::string clock_text(double seconds);
/** Returns the GFLOPS, or 0 if `flops` or `seconds` is unknown. */
double gflops_of(double flops, double seconds);
/** Returns "88.12 GFLOPS", or the time if the FLOP count is unknown, or "none" if there is no time. */
std::string speed_text(double flops, double seconds);
/**
 * Returns the median with quartiles, "88.12 GFLOPS [87.90, 88.40]", or times if the FLOP count is unknown.
 * The third quartile of time is the first quartile of speed.
 */
std::string speed_text(double flops, double first_quartile_seconds, double median_seconds,
                       double third_quartile_seconds);

}  // namespace kernelscape::base

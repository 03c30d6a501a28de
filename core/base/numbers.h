#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelscape {

// Numbers as users read them: first as the window and reports show them, then as terminals and files do,
// which have plain letters and columns that line up.

/** What stands where there is no number: an en dash. */
inline constexpr std::string_view no_number_text = "–";

/** At most `digits` significant digits, grouped as in en_US, without trailing zeros: "1,234", "0.68",
 * "2.5e+12". */
std::string number_text(double value, int digits = 4);

/**
 * A number with its unit. Times (s, ms, µs or us, ns) and speeds (FLOPS, GFLOPS, ...) are brought to the
 * prefix that is used for their size, so that 0.00068 s and 0.68 ms read the same: "1,234 GFLOPS", "12.3 ms",
 * "0.68 ms", "231.2 MFLOP". Other units stay. NaN gives `no_number_text`.
 */
std::string quantity_text(double value, std::string_view unit);

/** "3.2 s", "12 s", "4 min 10 s", "2 h 5 min", "3 d 4 h". */
std::string duration_text(double seconds);

/** "4 min 10 s left", "less than 1 s left"; "time left unknown" where it is not finite. */
std::string duration_left_text(double seconds);

/** All digits, grouped: "1,234,567". */
std::string count_text(std::int64_t count);

/** Of a share: "0.17 %", "96 %"; what is not all or nothing never reads 100 % or 0 %: "> 99.9 %", "< 0.01 %".
 */
std::string percent_text(double fraction);

/** Binary prefixes: "512 B", "1.5 KiB". */
std::string bytes_text(double bytes);

/** An axis label: as many decimals as the distance to the next label needs. */
std::string tick_text(double value, double step);

/** Digits in groups of three: "1234567.5" becomes "1,234,567.5". */
std::string with_thousands(std::string digits);

/** "1.234 ms", "12.3 us": four significant digits. */
std::string time_text(double seconds);
/** "2:03:07" or "3:07". */
std::string clock_text(double seconds);
/** 0 where either is unknown. */
double gflops_of(double flops, double seconds);
/** "88.12 GFLOPS", or the time where no FLOP count is known; "none" for no time. */
std::string speed_text(double flops, double seconds);
/** "88.12 GFLOPS [87.90, 88.40]", and the same for no FLOP count: faster is more, so the third quartile of
 * time is the first of speed. */
std::string speed_text(double flops, double first_quartile_seconds, double median_seconds,
                       double third_quartile_seconds);

}  // namespace kernelscape

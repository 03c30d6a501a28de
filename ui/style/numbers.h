#pragma once

#include <QString>
#include <cstdint>

namespace kernelscape {

inline constexpr double giga = 1e9;

/** What stands where there is no number: an en dash. */
QString no_number();

/** At most `digits` significant digits, grouped as in en_US, without trailing zeros: "1,234", "0.68",
 * "2.5e+12". */
QString format_number(double value, int digits = 4);

/**
 * A number with its unit. Times (s, ms, µs or us, ns) and speeds (FLOPS, GFLOPS, ...) are brought to the
 * prefix that the window uses for their size, so that 0.00068 s and 0.68 ms read the same: "1,234 GFLOPS",
 * "12.3 ms", "0.68 ms", "231.2 MFLOP". Other units stay. NaN gives `no_number()`.
 */
QString format_quantity(double value, const QString& unit);

/** "3.2 s", "12 s", "4 min 10 s", "2 h 5 min", "3 d 4 h". */
QString format_duration(double seconds);

/** "4 min 10 s left", "less than 1 s left"; "time left unknown" where it is not finite. */
QString format_duration_left(double seconds);

/** All digits, grouped: "1,234,567". */
QString format_count(std::int64_t count);

/** Of a share: "0.17 %", "96 %"; what is not all or nothing never reads 100 % or 0 %: "> 99.9 %", "< 0.01 %".
 */
QString format_percent(double fraction);

/** Binary prefixes: "512 B", "1.5 KiB". */
QString format_bytes(double bytes);

/** An axis label: as many decimals as the distance to the next label needs. */
QString format_tick(double value, double step);

}  // namespace kernelscape

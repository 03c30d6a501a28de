#include "core/exchange/formats/table_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/logged_units.h"

namespace kernelscape::exchange {
namespace {

constexpr double work_of_a_call = 1e9;  ///< so that a rate in GFLOPS or GB/s is shown unchanged

struct RatePrefix {
  std::string_view prefix;
  double scale;
};

/** In lower case; binary prefixes have an "i". */
constexpr std::array rate_prefixes{RatePrefix{"", 1},
                                   RatePrefix{"k", 1e3},
                                   RatePrefix{"m", 1e6},
                                   RatePrefix{"g", 1e9},
                                   RatePrefix{"t", 1e12},
                                   RatePrefix{"p", 1e15},
                                   RatePrefix{"ki", 1024.0},
                                   RatePrefix{"mi", 1048576.0},
                                   RatePrefix{"gi", 1073741824.0},
                                   RatePrefix{"ti", 1099511627776.0}};

constexpr std::array<std::string_view, 4> flops_endings{"flops", "flop/s", "flops/s", "flopps"};
constexpr std::array<std::string_view, 2> bytes_endings{"b/s", "bytes/s"};
constexpr std::array<std::string_view, 6> time_words{"time",    "runtime",  "latency",
                                                     "elapsed", "duration", "walltime"};

/** Returns the scale of a prefix before one of the endings, or nullopt. */
std::optional<double> scale_before(std::string_view unit, std::span<const std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (!unit.ends_with(ending)) continue;
    const std::string_view prefix = unit.substr(0, unit.size() - ending.size());
    const auto* const known = std::ranges::find(rate_prefixes, prefix, &RatePrefix::prefix);
    if (known != rate_prefixes.end()) return known->scale;
  }
  return std::nullopt;
}

std::optional<ObjectiveUnit> known_rate(std::string_view text) {
  const std::string unit = base::lower_case(base::trimmed(text));
  if (const auto scale = scale_before(unit, flops_endings))
    return ObjectiveUnit{.name = std::string(text),
                         .is_rate = true,
                         .scale = *scale,
                         .amount = work_of_a_call,
                         .of_flops = true};
  if (const auto scale = scale_before(unit, bytes_endings))
    return ObjectiveUnit{.name = std::string(text),
                         .is_rate = true,
                         .scale = *scale,
                         .amount = work_of_a_call,
                         .of_bytes = true};
  return std::nullopt;
}

bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

bool is_word_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80 || c == '/' || c == '%';
}

}  // namespace

Result<ObjectiveUnit> parse_objective_unit(std::string_view text) {
  const std::string_view unit = base::trimmed(text);
  if (base::lower_case(unit) == "none") return ObjectiveUnit{.name = "none"};
  if (const auto per_second = units_per_second(unit))
    return ObjectiveUnit{.name = std::string(unit), .scale = 1 / *per_second};
  if (auto rate = known_rate(unit)) return *std::move(rate);
  if (unit.size() > 2 && unit.ends_with("/s"))
    return ObjectiveUnit{.name = std::string(unit), .is_rate = true};
  return fail(
      ErrorCode::InvalidArgument, fmt::format("{} is not a known unit", base::quoted_line(text)),
      "known: s, ms, us, ns, min; MFLOPS, GFLOPS, TFLOPS; MB/s, GB/s, GiB/s; another rate such as it/s, "
      "of which more is better; none, for a number of which less is better");
}

bool is_time_word(std::string_view word) { return std::ranges::find(time_words, word) != time_words.end(); }

std::vector<std::string> words_of_head(std::string_view head) {
  std::vector<std::string> words;
  bool in_word = false;
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    // "timeMs" has two words, "GiB" one.
    const bool hump = i > 0 && is_lower(head[i - 1]) && std::isupper(byte) != 0 && i + 1 < head.size() &&
                      is_lower(head[i + 1]);
    if (!is_word_character(head[i])) {
      in_word = false;
      continue;
    }
    if (!in_word || hump) words.emplace_back();
    in_word = true;
    words.back() += static_cast<char>(std::tolower(byte));
  }
  return words;
}

std::optional<ObjectiveUnit> unit_of_head(std::string_view head) {
  const std::vector<std::string> words = words_of_head(head);
  if (words.empty()) return std::nullopt;
  for (const std::string& word : words)
    // "flops" alone is an amount.
    if (auto rate = known_rate(word); rate && word != "flops") return rate;
  std::string last = words.back();
  // "kernel_time/ms"
  if (const std::size_t slash = last.find('/'); slash != std::string::npos) last.erase(0, slash + 1);
  // "time_min" is the minimum of several times.
  if (!is_time_unit(last) || last == "min") return std::nullopt;
  if (last == "s" && std::ranges::none_of(words, is_time_word)) return std::nullopt;
  return ObjectiveUnit{.name = last, .scale = 1 / units_per_second(last).value_or(1)};
}

}  // namespace kernelscape::exchange

#include "tests/faults/mutation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/exchange/forged_recording.h"

namespace kernelscape::faults {
namespace {

constexpr std::uint64_t max_changes = 4;
constexpr std::size_t max_moved_bytes = 200;

bool is_of_value(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '+' || c == 'E' ||
         c == '_';
}

std::string hostile_value(base::Random& random) {
  using namespace std::string_literals;
  static const std::vector<std::string> values{"0",
                                               "-1",
                                               "1e-300",
                                               "1e308",
                                               "-1e308",
                                               "1e999",
                                               "NaN",
                                               "Infinity",
                                               "null",
                                               "true",
                                               "[]",
                                               "{}",
                                               "\"\"",
                                               "[[1,2],[3]]",
                                               "4294967296",
                                               "9223372036854775807",
                                               "-9223372036854775808",
                                               "18446744073709551615",
                                               "340282366920938463463374607431768211456",
                                               "0.1e-11",
                                               "1000000000",
                                               "\"\\u0000\"",
                                               "\"\\u001b]0;title\\u0007\"",
                                               "\"\\u202e\"",
                                               "\"\\ud800\"",
                                               "\"=cmd|' /C calc'!A0\"",
                                               "\"-fplugin=./x.so\"",
                                               "\"../../../../etc/passwd\"",
                                               "\"<script>\"",
                                               "\"a\\nb\"",
                                               "\xff\xfe"s,
                                               "\x00"s};
  return values[random.below(values.size())];
}

/** Where a random number, word or string stands: first byte and length. */
std::pair<std::size_t, std::size_t> random_value(base::Random& random, std::string_view text) {
  const std::size_t from = random.below(text.size());
  if (random.chance(0.5)) {
    const std::size_t begin = text.find('"', from);
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
    if (end != std::string_view::npos) return {begin, end + 1 - begin};
  }
  const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), is_of_value);
  const auto end = std::find_if_not(begin, text.end(), is_of_value);
  return {static_cast<std::size_t>(begin - text.begin()), static_cast<std::size_t>(end - begin)};
}

/** A piece of the text: at most so long, or in rare cases any length. */
std::pair<std::size_t, std::size_t> random_piece(base::Random& random, std::string_view text) {
  const std::size_t begin = random.below(text.size());
  const std::size_t left = text.size() - begin;
  return {begin, 1 + random.below(random.chance(0.1) ? left : std::min(left, max_moved_bytes))};
}

void change(base::Random& random, std::string& text) {
  if (text.empty()) {
    text = hostile_value(random);
    return;
  }
  const auto [at, length] = random_piece(random, text);
  switch (random.below(9)) {
    case 0:
    case 1:
    case 2: {
      const auto [begin, count] = random_value(random, text);
      text.replace(begin, count, hostile_value(random));
      return;
    }
    case 3: {
      // One value where another stood: of the right form, and wrong.
      const auto [from, from_count] = random_value(random, text);
      const std::string value = text.substr(from, from_count);
      const auto [begin, count] = random_value(random, text);
      text.replace(begin, count, value);
      return;
    }
    case 4:
      text.erase(at, length);
      return;
    case 5:
      text.insert(random.below(text.size()), text.substr(at, length));
      return;
    case 6:
      text[at] = static_cast<char>(random.below(256));
      return;
    case 7: {
      // Deep, or long: what a reader could run out of memory with.
      constexpr std::array openings{"[", "{\"a\":", "\"", "[0,", "(1,"};
      const std::string_view opening = openings[random.below(openings.size())];
      const std::size_t times = std::size_t{1} << random.below(18);
      std::string many;
      for (std::size_t i = 0; i < times; ++i) many += opening;
      text.insert(at, many);
      return;
    }
    default:
      text.resize(at);
  }
}

}  // namespace

std::string mutated_text(base::Random& random, std::string text) {
  const std::uint64_t changes = 1 + random.below(max_changes);
  for (std::uint64_t i = 0; i < changes; ++i) change(random, text);
  return text;
}

std::string mutated_recording(base::Random& random, const trial::Recording& recording) {
  if (random.chance(0.1)) return mutated_text(random, std::string(recording.bytes()));
  exchange_tests::ForgedRecording forged(recording);
  if (random.chance(0.6)) {
    const std::string text = mutated_text(random, forged.header().dump());
    nlohmann::json header = nlohmann::json::parse(text, nullptr, false);
    if (!header.is_discarded()) forged.header() = std::move(header);
  }
  std::string& columns = forged.columns();
  if (random.chance(0.6) && columns.size() >= sizeof(double)) {
    constexpr std::array values{0.0,   -1.0, 1e-300,   1e300,
                                1e-11, 0.5,  HUGE_VAL, std::numeric_limits<double>::quiet_NaN()};
    const double value = values[random.below(values.size())];
    std::memcpy(columns.data() + random.below(columns.size() / sizeof value) * sizeof value, &value,
                sizeof value);
  }
  if (random.chance(0.1)) columns.resize(random.below(columns.size() + 1));
  return forged.file();
}

}  // namespace kernelscape::faults

#include "core/base/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/visible_text.h"

namespace kernelscape::base {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

/** Names of knobs and columns come from files. */
std::string listed(std::span<const std::string> names) {
  std::vector<std::string> lines;
  for (const std::string& name : names) lines.push_back(one_line(name));
  return join(lines, ", ");
}

constexpr std::size_t max_suggestions = 3;
constexpr std::size_t max_listed = 24;

}  // namespace

std::vector<std::string> nearest_names(std::string_view wrong, std::span<const std::string> known) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wrong, name);
    const std::size_t tolerated = std::max<std::size_t>(2, name.size() / 3);
    const bool contains = wrong.size() >= 2 && name.find(wrong) != std::string::npos;
    if (distance <= tolerated || contains) ranked.emplace_back(distance, name);
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [distance, name] : ranked) {
    if (names.size() < max_suggestions) names.push_back(std::move(name));
  }
  return names;
}

std::string suggest(std::string_view wrong, std::span<const std::string> names) {
  std::vector<std::string> known(names.begin(), names.end());
  std::erase_if(known, [](const std::string& known_name) { return known_name.empty(); });
  if (known.empty()) return "there are none of that kind yet";
  const std::vector<std::string> near = nearest_names(wrong, known);
  if (!near.empty()) return fmt::format("did you mean {}?", listed(near));
  if (known.size() <= max_listed) return fmt::format("known: {}", listed(known));
  return fmt::format("known: {}, ... ({} in all)", listed(std::span(known).first(max_listed)), known.size());
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

std::string sentence(std::string_view text) {
  std::string made(trimmed(text));
  if (made.empty()) return made;
  const std::size_t end = std::min(made.find_first_of(" ,:;."), made.size());
  const std::string_view first = std::string_view(made).substr(0, end);
  const bool word = std::ranges::all_of(first, [](char letter) { return letter >= 'a' && letter <= 'z'; });
  if (word && !first.empty() && std::string_view(made).substr(end, 2) != " (")
    made.front() = static_cast<char>(made.front() - 'a' + 'A');
  if (!std::string_view(".!?").contains(made.back())) made += '.';
  return made;
}

std::vector<std::string> split_text(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string utc_text(std::time_t moment) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(moment)); }

std::string utc_now() { return utc_text(std::time(nullptr)); }

}  // namespace kernelscape::base

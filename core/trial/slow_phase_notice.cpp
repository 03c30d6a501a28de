#include "core/trial/slow_phase_notice.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

namespace kernelscape::trial {
namespace {

constexpr std::string_view marker = "; meanwhile: ";
constexpr std::string_view not_recovered = ", and had not recovered when the search ended";

/** Takes a word and the number behind it from the start of a text. */
std::optional<std::int64_t> take_trial(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + word.size(), end, number);
  if (error != std::errc()) return std::nullopt;
  text = std::string_view(rest, end);
  return number;
}

/** Returns what the notice of a phase calls the machine; empty if the text is no such notice. */
std::string_view machine_of(std::string_view text) {
  const std::size_t begin = text.find(": ");
  const std::size_t end = text.find(" ran at ");
  return begin < end && end != std::string_view::npos ? text.substr(begin, end - begin) : std::string_view();
}

/** Returns the first and the last trial that the notice of a phase names. */
std::optional<std::pair<std::int64_t, std::int64_t>> trials_of(std::string_view text) {
  const auto single = take_trial(text, "trial ");
  if (single) return std::pair{*single, *single};
  const auto first = take_trial(text, "trials ");
  const auto last = first ? take_trial(text, " to ") : std::nullopt;
  return last && text.starts_with(": ") ? std::optional(std::pair{*first, *last}) : std::nullopt;
}

}  // namespace

std::string slow_phase_notice(const SlowPhase& phase, std::string_view machine,
                              std::string_view explanation) {
  std::string text = describe(phase, machine);
  if (!phase.ended) text += not_recovered;
  if (!explanation.empty()) text.append(marker).append(explanation);
  return text;
}

std::string explanation_in(std::span<const SessionNotice> notices, const SlowPhase& phase) {
  for (const SessionNotice& notice : notices) {
    const std::size_t at = notice.text.find(marker);
    if (notice.kind != machine_notice || at == std::string::npos) continue;
    const auto trials = trials_of(notice.text);
    if (trials && trials->first <= phase.last_trial && phase.first_trial <= trials->second)
      return notice.text.substr(at + marker.size());
  }
  return {};
}

bool continues_phase(const SessionNotice& later, const SessionNotice& earlier) {
  if (later.kind != machine_notice || earlier.kind != machine_notice) return false;
  const auto later_trials = trials_of(later.text);
  const auto earlier_trials = trials_of(earlier.text);
  return later_trials && earlier_trials && earlier.text.contains(not_recovered) &&
         later_trials->first <= earlier_trials->second && later_trials->second >= earlier_trials->second &&
         machine_of(later.text) == machine_of(earlier.text);
}

}  // namespace kernelscape::trial

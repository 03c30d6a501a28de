#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/session/advice_rules.h"

namespace kernelscape::session {
namespace {

/** Returns the sampled shares; ShareKind::None if there are none. */
measure::LineShares sampled_shares_of(const AdviceFacts& facts) {
  if (facts.counters == nullptr || !facts.counters->samples) return {};
  return measure::sampled_shares(facts.insight->code, *facts.counters->samples);
}

/**
 * Returns ", most of it in line 45, `out[i] = sum;` (12 %)" for the line with the largest share; empty if no
 * line is known.
 */
std::string largest_line_text(const AdviceFacts& facts, const std::vector<double>& by_line) {
  if (by_line.empty()) return {};
  const auto largest = std::ranges::max_element(by_line);
  const auto place = static_cast<std::size_t>(std::distance(by_line.begin(), largest));
  const std::vector<std::string> source = base::split_text(facts.insight->source.text, '\n');
  const std::string_view text = place < source.size() ? base::trimmed(source[place]) : std::string_view();
  return fmt::format(", most of it in line {}{} ({})", place + 1,
                     text.empty() ? std::string() : fmt::format(", `{}`", text),
                     base::percent_text(*largest));
}

}  // namespace

std::optional<Advice> advise_on_other_loops(const AdviceFacts& facts) {
  const machine_code::MachineCode& code = facts.insight->code;
  const measure::LineShares shares = sampled_shares_of(facts);
  std::vector<double> by_line;
  double share = 0;
  for (std::size_t i = 0; i < shares.machine.size(); ++i) {
    const machine_code::MachineLine& line = code.lines[i];
    if (line.loop == code.hot_loop || !(shares.machine[i] > 0)) continue;
    share += shares.machine[i];
    if (line.source_line < 1) continue;
    const auto place = static_cast<std::size_t>(line.source_line) - 1;
    if (by_line.size() <= place) by_line.resize(place + 1);
    by_line[place] += shares.machine[i];
  }
  constexpr double noticeable_share = 0.2;
  if (share < noticeable_share) return std::nullopt;
  return Advice{.sentence = fmt::format(
                    "{} of the sampled time is spent in the kernel's lines outside of the hot loop{}; "
                    "choose tiles with which the hot loop runs longer, or that copy and store less.",
                    base::percent_text(share), largest_line_text(facts, by_line)),
                .effect = share};
}

std::optional<Advice> advise_on_waiting(const AdviceFacts& facts) {
  const measure::LineShares shares = sampled_shares_of(facts);
  constexpr double noticeable_share = 0.1;
  if (shares.kind != measure::ShareKind::Time || shares.outside < noticeable_share) return std::nullopt;
  const std::string cause = facts.schedule->threads > 1
                                ? "threads wait for each other, or a call is too short for so many threads; "
                                  "distribute the iterations evenly, or use fewer threads"
                                : "a call of the kernel is short, or it calls functions; compare "
                                  "it with the kernels of larger tasks";
  return Advice{.sentence = fmt::format("{} of the samples are outside of the kernel's lines: {}.",
                                        base::percent_text(shares.outside), cause),
                .effect = shares.outside};
}

}  // namespace kernelscape::session

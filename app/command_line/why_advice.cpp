#include "app/command_line/why_advice.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/command_line/console.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/measure/cpu/sampler.h"

namespace kernelscape::command_line {
namespace {

constexpr std::size_t max_shown_lines = 12;
constexpr double min_shown_share = 0.005;

/** A line of source with its share. */
struct SharedLine {
  int source_line = 0;
  double share = 0;
};

/** Returns the lines of source with a share, the largest first. */
std::vector<SharedLine> largest_lines(const measure::LineShares& shares) {
  std::vector<SharedLine> lines;
  for (std::size_t i = 0; i < shares.source.size(); ++i)
    if (shares.source[i] > 0) lines.push_back({static_cast<int>(i) + 1, shares.source[i]});
  std::ranges::stable_sort(lines, std::ranges::greater(), &SharedLine::share);
  return lines;
}

std::string source_text_of(const std::vector<std::string>& source, int line) {
  const auto place = static_cast<std::size_t>(line) - 1;
  return place < source.size() ? std::string(base::trimmed(source[place])) : std::string();
}

std::string nest_cell(int line) { return line > 0 ? std::to_string(line) : std::string("-"); }

}  // namespace

LinesAndAdvice lines_and_advice(const measure::KernelInsight& insight, const session::ScheduleFacts& schedule,
                                const trial::CounterReading* counters) {
  LinesAndAdvice known;
  known.shares = measure::line_shares(insight.shown_code(), counters);
  const session::AdviceFacts facts{.insight = &insight, .schedule = &schedule, .counters = counters};
  known.advice = session::advise(facts);
  if (known.advice.empty()) known.no_advice = session::no_advice_text(facts);
  if (counters != nullptr) {
    const auto missing =
        std::ranges::find(counters->missing, measure::samples_name, &trial::MissingCounter::name);
    if (missing != counters->missing.end()) known.missing = *missing;
  }
  return known;
}

nlohmann::json share_json(const measure::LineShares& shares, std::size_t machine_line) {
  if (machine_line >= shares.machine.size()) return nullptr;
  return shares.machine[machine_line];
}

std::string share_cell(const measure::LineShares& shares, std::size_t machine_line) {
  if (machine_line >= shares.machine.size() || shares.machine[machine_line] < min_shown_share) return {};
  return base::percent_text(shares.machine[machine_line]);
}

nlohmann::json lines_and_advice_json(const LinesAndAdvice& known, const measure::KernelInsight& insight) {
  const std::vector<std::string> source = base::split_text(insight.source.text, '\n');
  nlohmann::json lines = nlohmann::json::array();
  for (const SharedLine& line : largest_lines(known.shares))
    lines.push_back({{"source_line", line.source_line},
                     {"nest_line", insight.map.nest_line(line.source_line)},
                     {"share", line.share},
                     {"text", source_text_of(source, line.source_line)}});
  nlohmann::json advice = nlohmann::json::array();
  for (const session::Advice& each : known.advice)
    advice.push_back(
        {{"rule", each.rule}, {"sentence", each.sentence}, {"effect", each.effect}, {"source", each.source}});
  nlohmann::json fields = {{"line_shares",
                            {{"kind", measure::to_string(known.shares.kind)},
                             {"event", known.shares.event},
                             {"samples", known.shares.samples},
                             {"outside", known.shares.outside},
                             {"lines", lines}}},
                           {"advice", advice},
                           {"no_advice", known.no_advice},
                           {"sampling_problem", nullptr}};
  if (known.missing)
    fields["sampling_problem"] = {{"reason", known.missing->reason}, {"hint", known.missing->hint}};
  return fields;
}

base::TerminalText shares_text(const LinesAndAdvice& known, const measure::KernelInsight& insight) {
  if (known.shares.kind == measure::ShareKind::None) return {};
  const std::vector<std::string> source = base::split_text(insight.source.text, '\n');
  const bool time = known.shares.kind == measure::ShareKind::Time;
  TextTable table({time ? "time" : "instructions", "line of source", "of nest", "source"});
  std::vector<SharedLine> lines = largest_lines(known.shares);
  if (lines.size() > max_shown_lines) lines.resize(max_shown_lines);
  for (const SharedLine& line : lines)
    if (line.share >= min_shown_share)
      table.add({base::percent_text(line.share), std::to_string(line.source_line),
                 nest_cell(insight.map.nest_line(line.source_line)),
                 source_text_of(source, line.source_line)});
  base::TerminalText text = base::write<base::Terminal>("\nshare of {}\n", known.shares.text());
  if (known.missing)
    text +=
        base::write<base::Terminal>("time was not sampled: {}{}\n", known.missing->reason,
                                    known.missing->hint.empty() ? std::string() : "; " + known.missing->hint);
  return text + table.text();
}

base::TerminalText advice_text(const LinesAndAdvice& known) {
  if (known.advice.empty()) return base::write<base::Terminal>("\nadvice      {}\n", known.no_advice);
  base::TerminalText text = base::write<base::Terminal>("\nadvice, the largest estimated effect first\n");
  for (std::size_t i = 0; i < known.advice.size(); ++i)
    text += base::write<base::Terminal>("  {}. {}\n     source: {}\n", i + 1, known.advice[i].sentence,
                                        known.advice[i].source);
  return text;
}

}  // namespace kernelscape::command_line

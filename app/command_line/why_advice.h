#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/media/terminal.h"
#include "core/measure/line_shares.h"
#include "core/session/advice.h"

namespace kernelscape::command_line {

/** The shares of a kernel's lines and the advice on it, as `why` prints them. */
struct LinesAndAdvice {
  measure::LineShares shares;
  std::vector<session::Advice> advice;
  std::string no_advice;                           ///< what is said instead of advice; empty: there is advice
  std::optional<trial::MissingCounter> missing{};  ///< why no time was sampled; nullopt: it was, or not tried
};

/**
 * Computes shares and advice of a kernel.
 * @param counters null: it was not counted
 */
LinesAndAdvice lines_and_advice(const measure::KernelInsight& insight, const session::ScheduleFacts& schedule,
                                const trial::CounterReading* counters);

/** Returns the share of a machine line, or null in JSON if it is not known. */
nlohmann::json share_json(const measure::LineShares& shares, std::size_t machine_line);
/** Returns the share of a machine line as a cell of a table; empty if it is not known or 0. */
std::string share_cell(const measure::LineShares& shares, std::size_t machine_line);

/** Returns the fields `line_shares`, `advice`, `no_advice` and `sampling_problem` of the event `why`. */
nlohmann::json lines_and_advice_json(const LinesAndAdvice& known, const measure::KernelInsight& insight);

/** Returns the table of the lines with the largest shares, below a heading that says what they are. */
base::TerminalText shares_text(const LinesAndAdvice& known, const measure::KernelInsight& insight);
/** Returns the advice as a numbered list, or the sentence that nothing was found. */
base::TerminalText advice_text(const LinesAndAdvice& known);

}  // namespace kernelscape::command_line

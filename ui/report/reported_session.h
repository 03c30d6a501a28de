#pragma once

#include <filesystem>
#include <optional>

#include "core/exchange/kernels/exported_kernel.h"
#include "ui/figures/frequent_messages.h"
#include "ui/figures/registry.h"
#include "ui/report/document.h"

namespace kernelscape::report {

/** The data of a session that its report needs, read once. */
struct ReportedSession {
  workspace::Source source;
  figures::Shown shown;  ///< all trials
  figures::FrequentMessages messages = {};
  std::shared_ptr<const trial::Recording> recording = {};  ///< of replayed and recorded spaces
  Result<exchange::MeasuredConfiguration> best =
      fail(ErrorCode::NotFound, "no trial is valid");  ///< the best trial, with its confirmation
  std::string layouts = {};             ///< tensor layouts of the best kernel; empty: not known
  std::filesystem::path database = {};  ///< database that holds the machine's ceilings
};

/**
 * Reads trials, messages, recording and best configuration. Errors: those of the store; Refused if the job
 * was cancelled.
 */
Result<ReportedSession> read_reported_session(const store::Store& store, store::SessionId id,
                                              const workspace::JobControl& control);

/** Returns the title of a session: its name, such as "wide", or "resnet18/C6 nose" if it has none. */
QString reported_title(const workspace::SourceData& source);

/** Returns the line under the title: task, target, and date. */
QString reported_subtitle(const workspace::SourceData& source);

/** Converts bytes of files and of stored texts; invalid UTF-8 becomes U+FFFD. */
QString report_string(std::string_view text);

/** Returns the limits of a budget: "500 trials, 10 min". */
QString budget_text(const trial::Budget& budget);

/** Returns every member of a flat JSON object as text: "threads 2, repeats 7". */
QString flat_json_text(const std::string& json);

using Blocks = std::vector<Block>;

/**
 * The following functions append the parts of a session's report, in their order. This one appends the main
 * result.
 */
void append_answer(Blocks& blocks, const ReportedSession& session);
/**
 * Appends the fastest trials with configuration and quartiles, and the remeasured trials; nothing without a
 * valid trial.
 */
void append_best_trials(Blocks& blocks, const ReportedSession& session);
/** Appends the most frequent messages of failed trials; nothing if there are none. */
void append_failures(Blocks& blocks, const ReportedSession& session);
/**
 * Appends minimum, median and maximum of the device resources that built kernels use, beside those of the
 * best kernel; nothing if none is known.
 */
void append_resources(Blocks& blocks, const ReportedSession& session);
/** Appends note, machine, settings, knobs and interruptions. */
void append_setup(Blocks& blocks, const ReportedSession& session);
/** Appends the command that repeats the session, and the best configuration as JSON. */
void append_reproduction(Blocks& blocks, const ReportedSession& session);

/**
 * Appends the figures of a part of the report below a heading (empty: none); figures without data are left
 * out.
 * @return whether there are any
 */
bool append_figures(Blocks& blocks, const QString& heading, figures::ReportPart part,
                    const figures::Source& source, const workspace::JobControl& control);

/** Appends the figures of the space and of its knobs, as far as the trials support statements about them. */
void append_space_charts(Blocks& blocks, figures::Source source, const workspace::JobControl& control);

}  // namespace kernelscape::report

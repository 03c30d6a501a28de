#pragma once

#include <filesystem>
#include <optional>

#include "core/exchange/kernels/exported_kernel.h"
#include "ui/figures/frequent_messages.h"
#include "ui/figures/registry.h"
#include "ui/report/report_document.h"

namespace kernelscape {

/** All that is said of a session in a report, read once. */
struct ReportedSession {
  Source source;
  Shown shown;  ///< all trials
  FrequentMessages messages = {};
  std::shared_ptr<const Recording> recording = {};  ///< of replays and recorded spaces
  Result<MeasuredConfiguration> best =
      fail(ErrorCode::NotFound, "no trial is valid");  ///< with its confirmation
  std::string layouts = {};                            ///< of the best kernel; empty: not known
  std::filesystem::path database = {};                 ///< has the machine's ceilings
};

/**
 * Reads trials, messages, recording and best configuration. Errors are the store's; Refused where the job was
 * cancelled.
 */
Result<ReportedSession> read_reported_session(const Store& store, SessionId id, const JobControl& control);

/** "wide": its name; else "resnet18/C6 nose". */
QString reported_title(const SourceData& source);

/** A line under the title: task, target, and when. */
QString reported_subtitle(const SourceData& source);

/** Bytes of files and of stored texts; what is not UTF-8 is U+FFFD. */
QString report_string(std::string_view text);

/** "500 trials, 10 min": only what limits. */
QString budget_words(const Budget& budget);

/** "threads 2, repeats 7": every member of a flat JSON object. */
QString flat_json_text(const std::string& json);

using ReportBlocks = std::vector<ReportBlock>;

/** Parts of a session's report, in their order. */
void append_answer(ReportBlocks& blocks, const ReportedSession& session);
/**
 * The fastest trials with configuration and quartiles, and those that were measured again; nothing without a
 * valid trial.
 */
void append_best_trials(ReportBlocks& blocks, const ReportedSession& session);
/** The most frequent messages of failed trials; nothing where there are none. */
void append_failures(ReportBlocks& blocks, const ReportedSession& session);
/**
 * Least, median and most of what built kernels take on the device, beside the best; nothing where none is
 * known.
 */
void append_resources(ReportBlocks& blocks, const ReportedSession& session);
/** Note, machine, settings, knobs and interruptions. */
void append_setup(ReportBlocks& blocks, const ReportedSession& session);
/** The command that gives the session again, and the best configuration as JSON. */
void append_reproduction(ReportBlocks& blocks, const ReportedSession& session);

/** The figures of a part of the report below a heading (empty: none), but for those that have nothing to
 * draw.
 * @return whether there are any */
bool append_figures(ReportBlocks& blocks, const QString& heading, ReportPart part, const FigureSource& source,
                    const JobControl& control);

/** Figures of the space and of its knobs, as far as the trials say something of them. */
void append_space_charts(ReportBlocks& blocks, FigureSource source, const JobControl& control);

}  // namespace kernelscape

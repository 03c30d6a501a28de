#include "ui/figures/timeline_figure.h"

#include <algorithm>

#include "core/trial/measure_options.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int timeline_row_height = 26;
constexpr int timeline_axis_height = 90;
constexpr std::size_t max_timeline_rows = 24;

Result<std::vector<analysis::BatchSearch>> read_searches(const std::filesystem::path& database,
                                                         store::SessionId session) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  std::vector<analysis::BatchSearch> searches;
  for (const store::StoredBatch& batch : TRY(store.batches().of(session)))
    searches.push_back({batch.batch, batch.search_seconds});
  return searches;
}

/** Returns the number of builders of a session that this machine measured; 0: not known. */
std::size_t builders_of(const workspace::SourceData& source) {
  const Result<trial::MeasureOptions> options = trial::stored_measure_options(source.record().options_json);
  if (options && options->builders > 0) return static_cast<std::size_t>(options->builders);
  const std::optional<schedule::TargetDescription>& target = source.origin->target;
  const bool measured = source.record().kind == store::SessionKind::Measured && !source.origin->workers;
  // Of a GPU's session the cores of the machine that measured it are not stored.
  return measured && target && target->kind == schedule::TargetKind::Cpu && target->cores > 0
             ? static_cast<std::size_t>(target->cores)
             : 0;
}

/** Returns the session times at which the best trials had been confirmed. */
std::vector<double> confirmed_seconds(const workspace::SourceData& source) {
  std::vector<double> seconds;
  if (source.confirmations.empty()) return seconds;
  for (const store::SessionInterruption& interruption : source.interruptions)
    if (interruption.kind == "done") seconds.push_back(interruption.at_session_seconds);
  if (source.status.state == store::SessionState::Done) seconds.push_back(source.status.session_seconds);
  std::ranges::sort(seconds);
  return seconds;
}

/** Returns why there is no timeline; empty: there is one. */
QString timeline_notice(const workspace::SourceData& source, const analysis::Timeline& timeline) {
  if (source.trials.size() == 0)
    return source.running() ? figure_text("No trial yet: the first batch is being built")
                            : figure_text("This session has no trial: resume it, or start a new session");
  if (source.record().kind == store::SessionKind::Recorded)
    return figure_text(
        "This is a recorded space: its trials have no order in time. Replay it with a tuner to get a "
        "timeline.");
  return timeline.untimed == source.trials.size()
             ? figure_text(
                   "The trials of this session have no times of the session, so they have no place "
                   "on a timeline. Trials that are measured from now on have one.")
             : QString();
}

QString timeline_caption(const workspace::SourceData& source, const analysis::Timeline& timeline,
                         const Status& searches) {
  QStringList sentences{figure_text(
      "Durations are measured. The ends of runs and of failed builds are stored; the places of other "
      "builds, of searches and of waits are derived from them.")};
  switch (source.record().kind) {
    case store::SessionKind::Replayed:
      sentences.append(figure_text("Times are those of the replay's virtual clock."));
      break;
    case store::SessionKind::Imported:
      sentences.append(
          figure_text("Times are those of the imported file; if it has none, its trials follow each other."));
      break;
    case store::SessionKind::Measured:
    case store::SessionKind::Recorded:
      break;
  }
  if (timeline.untimed > 0)
    sentences.append(
        figure_text("%1 trials without a time are left out.").arg(style::format_count(timeline.untimed)));
  if (!searches)
    sentences.append(figure_text("The times of searches cannot be read (%1): they count as waits.")
                         .arg(QString::fromStdString(searches.error().message)));
  const auto of_worker = [](const trial::SlowPhase& phase) { return phase.worker != 0; };
  if (!std::ranges::all_of(source.slow_phases(), of_worker))
    sentences.append(figure_text("Shaded: the machine was slower than usual."));
  if (std::ranges::any_of(source.slow_phases(), of_worker))
    sentences.append(
        figure_text("A worker was slower than usual: its speed curve shows when, below its dotted line."));
  if (!source.interruptions.empty())
    sentences.append(figure_text("Vertical lines: pauses and interruptions, which are no session time."));
  return sentences.join(QLatin1Char(' '));
}

}  // namespace

FigureOf<charts::TimelineData> timeline_figure(const ShownTrials& shown,
                                               const std::filesystem::path& database,
                                               const workspace::JobControl& control) {
  const workspace::SourceData& source = *shown.source;
  Result<std::vector<analysis::BatchSearch>> searches = read_searches(database, source.id());
  const std::vector<double> confirmed = confirmed_seconds(source);
  analysis::TimelineInput input{
      .trials = source.trials,
      .session_seconds = source.status.session_seconds,
      .confirmed_seconds = confirmed,
      .builders = builders_of(source),
      .builds_beside_runs = source.origin->target && source.origin->target->builds_beside_runs()};
  if (searches) input.searches = *searches;
  charts::TimelineData data{.trials = source.trials,
                            .speeds = source.speeds,
                            .interruption_seconds = source.paused_seconds(),
                            .passing = passing_rows(shown)};
  if (source.record().kind != store::SessionKind::Recorded && control.proceed())
    data.timeline = std::make_shared<const analysis::Timeline>(analysis::make_timeline(input));
  if (source.origin->workers)
    for (const std::string& worker : *source.origin->workers)
      data.workers.push_back(QString::fromStdString(worker));
  Text text{.title = figure_text("Timeline"), .of = shown.origin_text()};
  text.notice = timeline_notice(source, *data.timeline);
  text.caption =
      timeline_caption(source, *data.timeline, searches ? Status() : std::unexpected(searches.error()));
  if (data.passing.filters())
    text.caption += QLatin1Char(' ') + figure_text("Faint blocks are trials that do not pass the filter.");
  return {std::move(text), std::move(data)};
}

namespace {

std::vector<Figure> timeline_figures(const Source& source, const workspace::JobControl& control) {
  FigureOf<charts::TimelineData> figure = timeline_figure(*source.shown, source.database, control);
  const std::size_t rows = figure.data.timeline->lanes.size() + figure.data.timeline->speeds.size();
  return {make_figure<charts::TimelineChart>(
      std::move(figure),
      timeline_axis_height +
          timeline_row_height * static_cast<int>(std::clamp(rows, std::size_t{4}, max_timeline_rows)))};
}

}  // namespace

Kind timeline_figure_kind() {
  return figure_kind<charts::TimelineChart>("timeline", Place::Explore, ReportPart::Outcomes,
                                            timeline_figures);
}

}  // namespace kernelscape::figures

#include "ui/figures/roofline_figure.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/session/machine_roofs.h"
#include "core/study/network_progress.h"
#include "core/study/network_roofline.h"
#include "ui/figures/network_figures.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int roofline_height = 420;

/** Returns why data are missing, with the error's hint. */
QString obstacle_text(const Error& error) { return QString::fromStdString(describe(error)); }

double seconds_of(const ShownTrials& shown, std::int64_t row) {
  const trial::Row trial = shown.source->trials.row(row);
  return trial.category == trial::ErrorCategory::NoError ? trial.median_seconds : 0;
}

/** Returns the timed rows whose traffic is estimated, ascending. */
std::vector<std::int64_t> rows_under_the_roof(const RooflineQuery& query, std::size_t& timed_rows) {
  const ShownTrials& shown = *query.shown;
  std::vector<std::pair<double, std::int64_t>> timed;
  for (const std::int64_t row : shown.rows)
    if (const double seconds = seconds_of(shown, row); seconds > 0) timed.emplace_back(seconds, row);
  timed_rows = timed.size();
  std::set<std::int64_t> rows;
  const std::size_t drawn = std::min(timed.size(), drawn_roofline_trials);
  for (std::size_t i = 0; i < drawn; ++i) rows.insert(timed[i * timed.size() / drawn].second);
  const auto best = static_cast<std::ptrdiff_t>(std::min(timed.size(), best_roofline_trials));
  std::partial_sort(timed.begin(), timed.begin() + best, timed.end());
  for (std::ptrdiff_t i = 0; i < best; ++i) rows.insert(timed[static_cast<std::size_t>(i)].second);
  const std::int64_t current = query.current_row;
  if (current >= 0 && current < shown.source->trials.size() && seconds_of(shown, current) > 0)
    rows.insert(current);
  return {rows.begin(), rows.end()};
}

RooflineParts roofline_parts(const RooflineQuery& query, const RooflineParts& before,
                             const std::vector<std::int64_t>& rows, const workspace::JobControl& control) {
  const workspace::SourceData& source = *query.shown->source;
  RooflineParts parts = before;
  if (before.session != source.id() || (!before.kernels && before.obstacle.empty())) {
    parts = {};
    parts.session = source.id();
    Result<session::RooflineSession> kernels = session::roofline_session(source.record());
    if (kernels) parts.kernels = std::make_shared<const session::RooflineSession>(std::move(*kernels));
    if (!kernels) parts.obstacle = describe(kernels.error());
  }
  if (!parts.kernels) return parts;
  auto traffic = parts.traffic ? *parts.traffic
                               : std::unordered_map<std::int64_t, base::PerLevel<analysis::LevelBytes>>{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!control.proceed()) break;
    control.report(static_cast<double>(i) / static_cast<double>(rows.size()));
    if (traffic.contains(rows[i])) continue;
    const auto kernel = session::roofline_kernel(*parts.kernels, source.trials.configuration(rows[i]),
                                                 seconds_of(*query.shown, rows[i]));
    // A configuration of another program's space has no loop nest here and is not shown.
    traffic[rows[i]] = kernel ? kernel->traffic : base::PerLevel<analysis::LevelBytes>{};
  }
  parts.traffic =
      std::make_shared<const std::unordered_map<std::int64_t, base::PerLevel<analysis::LevelBytes>>>(
          std::move(traffic));
  return parts;
}

/** Returns the trial's counted bytes if it was counted, otherwise the estimated ones. */
base::PerLevel<analysis::LevelBytes> counted_or_estimated(
    const store::Store& store, store::SessionId session, std::int64_t number,
    const base::PerLevel<analysis::LevelBytes>& estimated) {
  const auto json = store.trials().insight(session, number, session::counters_kind);
  if (!json || !*json) return estimated;
  const Result<trial::CounterReading> reading = trial::counter_reading_from_json(**json);
  return reading ? analysis::with_counted_traffic(estimated, *reading) : estimated;
}

std::vector<charts::RooflineTrial> roofline_trials(const RooflineQuery& query, const RooflineParts& parts,
                                                   const trial::MachineCeilings& ceilings,
                                                   const store::Store& store,
                                                   const std::vector<std::int64_t>& rows) {
  const workspace::SourceData& source = *query.shown->source;
  std::vector<charts::RooflineTrial> trials;
  for (const std::int64_t row : rows) {
    const auto traffic = parts.traffic->find(row);
    if (traffic == parts.traffic->end()) continue;
    charts::RooflineTrial trial;
    trial.row = row;
    trial.number = source.trials.row(row).number;
    analysis::RooflineKernel kernel{source.flops() * parts.kernels->needed, seconds_of(*query.shown, row),
                                    traffic->second, parts.kernels->peak};
    kernel.traffic = counted_or_estimated(store, source.id(), trial.number, kernel.traffic);
    trial.gflops = kernel.gflops();
    for (std::size_t level = 0; level < base::memory_level_count; ++level) {
      const std::optional<double>& bytes = kernel.traffic[level].bytes;
      if (bytes && *bytes > 0) trial.intensities[level] = kernel.flops / *bytes;
    }
    if (Result<analysis::RooflinePlace> place = analysis::roofline_place(ceilings, kernel))
      trial.place = std::move(*place);
    trial.selected = row < query.selection.size() && query.selection.test(row);
    trials.push_back(std::move(trial));
  }
  return trials;
}

/**
 * Returns null if the session is not part of a network, or if the network cannot be read: the session's
 * trials are shown in any case.
 */
std::shared_ptr<const RooflineNetwork> read_roofline_network(const store::Store& store,
                                                             store::SessionId session) {
  const Result<std::optional<store::StudyId>> study = study::network_study_of(store, session);
  if (!study || !*study) return {};
  const Result<study::NetworkOutcome> outcome = study::network_outcome(store, **study);
  if (!outcome) return {};
  const study::NetworkRoofline roofline = study::network_roofline(store, *outcome);
  auto network = std::make_shared<RooflineNetwork>();
  network->name = outcome->network;
  network->layers = roofline_layers(*outcome, roofline);
  network->caption = layers_caption(*outcome, roofline);
  for (const study::NetworkLayerOutcome& layer : outcome->layers)
    network->sessions.push_back(layer.trial < 0 ? 0 : layer.session.value_or(0));
  return network;
}

QString roofline_caption(const charts::RooflineData& data, double needed) {
  QStringList sentences{
      figure_text("A dot is a trial; the lines are the measured peaks of the machine."),
      figure_text("Bytes are an estimate from the loop nest unless a readout says that they were counted.")};
  if (needed < 1)
    sentences.append(figure_text("Only %1 of the task's FLOPs count here: the others multiply padding, or "
                                 "gaps of a transposed convolution, and need not be computed.")
                         .arg(style::format_percent(needed)));
  const auto stays = std::ranges::count_if(data.trials, [&](const charts::RooflineTrial& trial) {
    const auto point = std::ranges::find(trial.place.points, data.level, &analysis::RooflinePoint::level);
    return point != trial.place.points.end() && point->stays_nearer;
  });
  if (stays > 0) {
    sentences.append(figure_text("The data of %1 of %2 trials stay in a nearer cache from call to call: for "
                                 "these trials this level's line is not a bound.")
                         .arg(style::format_count(stays), style::format_count(std::ssize(data.trials))));
  }
  const auto above = std::ranges::count_if(
      data.trials, [](const charts::RooflineTrial& trial) { return trial.place.share_of_peak > 1; });
  if (above > 0) {
    sentences.append(
        figure_text("%1 trials lie above the measured peak, which no kernel can: it was measured while the "
                    "machine was slower. Press \"Measure this machine's ceilings\" to measure it again.")
            .arg(style::format_count(above)));
  }
  for (const std::string& notice : data.ceilings.notices)
    sentences.append(figure_text("Ceilings: %1.").arg(QString::fromStdString(notice)));
  return sentences.join(QLatin1Char(' '));
}

/** Returns the notice that replaces the data; empty: there are ceilings. */
QString missing_ceilings_text(const RooflineParts& parts,
                              const Result<std::optional<trial::MachineCeilings>>& ceilings) {
  if (!ceilings) return obstacle_text(ceilings.error());
  if (*ceilings && (*ceilings)->peak(parts.kernels->peak) > 0) return {};
  if (*ceilings) {
    return figure_text(
               "The %1 of %2 with %3 threads has not been measured yet. Press \"Measure this machine's "
               "ceilings\" above: this takes a second or two, while no run is in progress.")
        .arg(QString::fromUtf8(trial::to_string(parts.kernels->peak).data()),
             QString::fromStdString(parts.kernels->kernel.target().device),
             style::format_count(parts.kernels->threads));
  }
  return figure_text(
             "The ceilings of %1 with %2 threads have not been measured yet. Press \"Measure this machine's "
             "ceilings\" above: this takes a second or two, while no run is in progress.")
      .arg(QString::fromStdString(parts.kernels->kernel.target().device),
           style::format_count(parts.kernels->threads));
}

}  // namespace

RooflineOutcome roofline_of(const RooflineQuery& query, const RooflineParts& before,
                            const workspace::JobControl& control) {
  const ShownTrials& shown = *query.shown;
  std::size_t timed_rows = 0;
  const std::vector<std::int64_t> rows = rows_under_the_roof(query, timed_rows);
  RooflineOutcome outcome{roofline_parts(query, before, {}, control), {}, {}};
  Text& text = outcome.figure.text;
  text.title = figure_text("Roofline");
  text.of = shown.origin_text();
  outcome.figure.data.level = query.level;
  if (!outcome.parts.kernels) {
    text.notice = QString::fromStdString(outcome.parts.obstacle);
    return outcome;
  }
  const Result<store::Store> store = store::Store::open(query.database, store::OpenMode::ReadOnly);
  if (!store) {
    text.notice = obstacle_text(store.error());
    return outcome;
  }
  const auto ceilings = session::stored_ceilings(*store, outcome.parts.kernels->kernel.target(),
                                                 outcome.parts.kernels->threads);
  text.notice = missing_ceilings_text(outcome.parts, ceilings);
  if (!text.notice.isEmpty()) return outcome;
  outcome.ceilings = **ceilings;
  const std::int64_t trials = shown.source->trials.size();
  if (outcome.parts.network_trials != trials) {
    outcome.parts.network = read_roofline_network(*store, shown.source->id());
    outcome.parts.network_trials = trials;
  }
  const bool layers = query.layers && outcome.parts.network && !outcome.parts.network->layers.empty();
  if (layers) outcome.figure.data.layers = outcome.parts.network->layers;
  if (rows.empty() && !layers) {
    text.notice = figure_text(
        "None of the shown trials was timed, so the roofline has no points. Remove filters, or run more "
        "trials.");
    return outcome;
  }
  outcome.parts = roofline_parts(query, outcome.parts, rows, control);
  outcome.figure.data.ceilings = *outcome.ceilings;
  outcome.figure.data.trials = roofline_trials(query, outcome.parts, *outcome.ceilings, *store, rows);
  if (rows.size() < timed_rows) {
    text.of += figure_text("; %1 of %2 timed trials: drawn evenly, with the best %3")
                   .arg(style::format_count(std::ssize(rows)),
                        style::format_count(static_cast<std::int64_t>(timed_rows)),
                        style::format_count(static_cast<std::int64_t>(best_roofline_trials)));
  }
  text.caption = roofline_caption(outcome.figure.data, outcome.parts.kernels->needed);
  if (layers) {
    text.of += figure_text("; layers of %1").arg(QString::fromStdString(outcome.parts.network->name));
    text.caption += QLatin1Char(' ') + outcome.parts.network->caption;
  }
  return outcome;
}

namespace {

/** Returns the roofline of main memory; in a report only if the ceilings are known. */
std::vector<Figure> roofline_figures(const Source& source, const workspace::JobControl& control) {
  if (!source.shown || source.database.empty()) return {};
  return {make_figure<charts::RooflineChart>(roofline_of({source.shown, source.database}, {}, control).figure,
                                             roofline_height)};
}

}  // namespace

Kind roofline_figure_kind() {
  return figure_kind<charts::RooflineChart>("roofline", Place::Explore, ReportPart::Machine,
                                            roofline_figures);
}

}  // namespace kernelscape::figures

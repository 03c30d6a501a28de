#include "ui/workspace/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbers.h"
#include "core/fleet/target.h"
#include "core/session/kernels.h"
#include "core/store/stored_speeds.h"
#include "core/trial/measure_options.h"
#include "core/tuner/tuner.h"

namespace kernelscape::workspace {
namespace {

constexpr double bytes_per_gigabyte = 1e9;
constexpr double percent = 100;

/** Returns how a session's trials were chosen, as text. */
std::string choice_text(const store::SessionRecord& record) {
  switch (tuner::sampling_of(record.tuner)) {
    case tuner::Sampling::Uniform:
      return "chosen at random";
    case tuner::Sampling::InOrder:
      return "the first in index order, not at random";
    case tuner::Sampling::Guided:
      break;
  }
  if (record.tuner.empty()) return "chosen by an unknown tuner, not at random";
  return fmt::format("chosen by {}, not at random", record.tuner);
}

}  // namespace

bool SourceData::complete() const {
  return origin->members && static_cast<base::uint128>(trials.size()) == *origin->members;
}

bool SourceData::represents_space() const {
  return complete() || origin->record.kind == store::SessionKind::Recorded ||
         tuner::sampling_of(origin->record.tuner) == tuner::Sampling::Uniform;
}

bool SourceData::answer_unknown() const {
  const project::ProgramData* data = origin->project_family ? origin->project_family->data() : nullptr;
  return data != nullptr && data->answer.kind == project::AnswerKind::FirstValid;
}

double SourceData::bytes() const {
  const auto* generic = std::get_if<task::GenericProblem>(&origin->task.definition);
  return generic != nullptr ? generic->bytes : 0;
}

std::string SourceData::coverage_text() const {
  const std::string slow = speeds ? trial::slow_share_text(*speeds) : std::string();
  const std::string mark = slow.empty() ? slow : "; " + slow;
  const std::string made = base::count_text(trials.size());
  const base::uint128 all = origin->members.value_or(origin->space.size());
  const std::string of = base::with_thousands(base::to_string(all));
  if (complete()) {
    // For a recorded space that lists its configurations, the size of the whole space is unknown.
    const bool listed = origin->space.explicit_members() != nullptr;
    return fmt::format("all {} {}configurations{}", of, listed ? "recorded " : "", mark);
  }
  const double share = static_cast<double>(trials.size()) / static_cast<double>(all) * percent;
  const std::string percentage = share < 0.01 ? "< 0.01 %" : fmt::format("{:.2g} %", share);
  return fmt::format("{} of {}{} configurations ({}), {}{}", made, origin->members ? "" : "at most ", of,
                     percentage, choice_text(origin->record), mark);
}

std::vector<double> SourceData::paused_seconds() const {
  std::vector<double> seconds;
  for (const store::SessionInterruption& interruption : interruptions)
    if (interruption.kind != "done") seconds.push_back(interruption.at_session_seconds);
  return seconds;
}

bool same_status(const store::SessionStatus& a, const store::SessionStatus& b) {
  return a.state == b.state && a.state_reason == b.state_reason && a.trial_count == b.trial_count &&
         a.best_trial == b.best_trial && a.best_seconds == b.best_seconds &&
         a.session_seconds == b.session_seconds && a.vendor_json == b.vendor_json;
}

bool same_source(const SourceData& a, const SourceData& b) {
  return a.trials.size() == b.trials.size() && a.speeds == b.speeds &&
         a.series.value_count() == b.series.value_count() && same_status(a.status, b.status) &&
         a.owner == b.owner && a.annotation == b.annotation && a.confirmations == b.confirmations &&
         a.interruptions == b.interruptions && a.notices == b.notices && a.budget == b.budget;
}

namespace {

analysis::TrialColumns columns_of(const SourceOrigin& origin) {
  return {origin.space,          origin.task.flops(), origin.has_resources, origin.workers,
          origin.own_objectives, origin.with_probes,  origin.metrics,       task::task_bytes(origin.task)};
}

}  // namespace

double speed_of(const SourceData& source, double seconds) {
  if (seconds <= 0) return 0;
  return source.flops() > 0 ? source.flops() / seconds / bytes_per_gigabyte : 1 / seconds;
}

/**
 * Reads workers that joined since the last reading; they are added as labels of a column that exists from the
 * beginning.
 */
Status SourceReader::read_workers() {
  if (!origin_->workers) return {};
  std::vector<std::string> workers = TRY(store_.trials().workers(id_));
  if (workers.size() == origin_->workers->size()) return {};
  SourceOrigin origin = *origin_;
  origin.workers = std::move(workers);
  origin.columns = columns_of(origin);
  origin_ = std::make_shared<const SourceOrigin>(std::move(origin));
  return {};
}

/** Reads the speeds again if the usual times were stored or changed; a new session stores them late. */
void SourceReader::follow_usual_probe(const store::SessionRecord& record) {
  if (speeds_ && record.usual_probe == usual_probe_) return;
  usual_probe_ = record.usual_probe;
  speeds_.emplace(store::speed_reader_of(record));
  const trial::Snapshot trials = table_->snapshot();
  for (std::int64_t row = 0; row < trials.size(); ++row) speeds_->add(trials.row(row));
}

/** Called after the first reading of the machine's speed; columns before the metrics keep their positions. */
void SourceReader::add_probe_columns() {
  SourceOrigin origin = *origin_;
  origin.with_probes = true;
  origin.columns = columns_of(origin);
  origin_ = std::make_shared<const SourceOrigin>(std::move(origin));
}

/** Called after trials were read: metrics that occur for the first time become the last columns. */
Status SourceReader::read_metrics() {
  if (metric_count_ <= origin_->metrics.size()) return {};
  SourceOrigin origin = *origin_;
  origin.metrics = TRY(store_.trials().metrics(id_));
  origin.columns = columns_of(origin);
  origin_ = std::make_shared<const SourceOrigin>(std::move(origin));
  return {};
}

Status SourceReader::read_origin(const store::SessionSummary& session) {
  task::Task task = TRY(task::task_from_json(session.record.task_json));
  space::SearchSpace space = TRY(space::space_from_json(session.record.space_json));
  const double flops = task.flops();
  const double bytes = task::task_bytes(task);
  const bool has_resources = TRY(store_.trials().has_resources(id_));
  const bool own_objectives = TRY(store_.trials().has_own_objectives(id_));
  const bool with_probes = TRY(store_.trials().has_probes(id_));
  std::vector<trial::MetricName> metrics = TRY(store_.trials().metrics(id_));
  std::optional<std::vector<std::string>> workers = TRY(store_.trials().workers(id_));
  if (workers->empty() && !fleet::is_fleet_target(session.record.target_name)) workers.reset();
  SourceOrigin origin{.record = session.record,
                      .task = std::move(task),
                      .space = space,
                      .columns = analysis::TrialColumns(space, flops, has_resources, workers, own_objectives,
                                                        with_probes, metrics, bytes),
                      .target = {},
                      .members = {},
                      .has_resources = has_resources,
                      .own_objectives = own_objectives,
                      .with_probes = with_probes,
                      .metrics = std::move(metrics),
                      .workers = std::move(workers)};
  if (Result<schedule::TargetDescription> target = schedule::target_from_json(session.record.target_json);
      target)
    origin.target = std::move(*target);
  origin.members = space.member_count();
  if (const Result<trial::MeasureOptions> options =
          trial::stored_measure_options(session.record.options_json)) {
    origin.min_sample_seconds = options->min_sample_seconds();
    origin.calls_per_sample = options->calls_per_sample;
    origin.build_only = options->build_only;
  }
  // Errors in reading the project are reported when a kernel is requested.
  if (!session.record.project_hash.empty()) {
    if (auto family = session::family_of_session(store_, session.record))
      origin.project_family = std::move(*family);
  }
  origin_ = std::make_shared<const SourceOrigin>(std::move(origin));
  table_.emplace(space.knobs().size());
  return {};
}

Status SourceReader::append_rows() {
  double best = improvements_.empty() ? 0 : improvements_.back().median_seconds;
  std::int64_t index = table_->size();
  const std::size_t knobs = table_->snapshot().knob_count();
  bool fits = true;
  TRY(store_.trials().visit_rows(id_, index, [&](const store::ArrivedRow& row) {
    fits = fits && row.configuration.indices.size() == knobs;
    if (!fits) return;
    errors_.categories[static_cast<std::size_t>(row.category)] += {1, row.build_seconds, row.run_seconds};
    analysis::add_saved(saved_, row, origin_->min_sample_seconds, origin_->calls_per_sample);
    const bool valid = row.category == trial::ErrorCategory::NoError && row.sample_count > 0;
    if (valid && (best == 0 || row.median_seconds < best)) {
      best = row.median_seconds;
      improvements_.push_back({index, row.number, row.finished_seconds, row.median_seconds});
    }
    table_->append(row, row.configuration, row.metrics);
    metric_count_ = std::max(metric_count_, row.metrics.size());
    speeds_->add(row);
    ++index;
  }));
  if (fits) return {};
  return fail(ErrorCode::Corrupt, fmt::format("a trial of session {} does not fit the session's space", id_),
              "restore a copy of the database; the other sessions of this one can still be used");
}

Status SourceReader::append_series() {
  return store_.series().visit(id_, series_end_, [&](const store::StoredSeries& value) {
    series_.set(value.trial, value.series, value.value);
    series_end_ = value.trial + 1;
  });
}

analysis::BestResult SourceReader::make_headline(const SourceData& data) const {
  if (improvements_.empty()) return {};
  analysis::BestInput input{.confirmations = data.confirmations,
                            .speeds = data.baselines.confirmation_speeds,
                            .usual = data.speeds ? data.speeds->usual : usual_probe_};
  if (data.slow_phases().empty()) {
    const analysis::ImprovementPoint& best = improvements_.back();
    input.measured = {
        .trial = best.number, .row = best.row, .value = analysis::trial_value(data.trials.row(best.row))};
  } else {
    input.measured = analysis::best_measured(data.trials);
  }
  analysis::BestResult headline = analysis::best_result(input);
  if (headline.row == analysis::no_row) headline.row = analysis::row_of_trial(data.trials, headline.trial);
  return headline;
}

Result<Source> SourceReader::read() {
  // The status is read first, so that trials that arrive meanwhile are more than its count, never fewer.
  store::SessionSummary session = TRY(store_.sessions().get(id_));
  if (!origin_) TRY(read_origin(session));
  follow_usual_probe(session.record);
  TRY(append_rows());
  TRY(read_workers());
  TRY(read_metrics());
  TRY(append_series());
  auto data = std::make_shared<SourceData>();
  if (origin_->workers) speeds_->set_workers(*origin_->workers);
  data->speeds = speeds_->speeds();
  if (data->speeds && !origin_->with_probes) add_probe_columns();
  data->origin = origin_;
  data->annotation = std::move(session.annotation);
  data->owner = std::move(session.owner);
  data->trials = trial::with_speeds(table_->snapshot(), data->speeds);
  data->improvements = improvements_;
  data->errors = errors_;
  data->saved = saved_;
  data->series = series_.snapshot();
  data->budget = TRY(trial::budget_plan_from_json(session.record.budget_json));
  data->confirmations = TRY(store_.confirmations().of(id_));
  data->baselines = TRY(trial::baselines_from_json(session.status.vendor_json));
  data->interruptions = TRY(store_.interruptions().of(id_));
  data->notices = TRY(store_.notices().of(id_));
  data->headline = make_headline(*data);
  data->compared = session::compare_best(data->headline, data->confirmations, data->baselines, origin_->task,
                                         data->record().template_name);
  data->status = std::move(session.status);
  return Source(std::move(data));
}

}  // namespace kernelscape::workspace

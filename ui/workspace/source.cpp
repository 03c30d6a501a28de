#include "ui/workspace/source.h"

#include <fmt/format.h>

#include "core/base/numbers.h"
#include "core/fleet/fleet_target.h"
#include "core/session/confirmed_trials.h"
#include "core/session/session_kernels.h"
#include "core/trial/measure_options.h"
#include "core/tuner/tuner.h"

namespace kernelscape {
namespace {

constexpr double bytes_per_gigabyte = 1e9;
constexpr double percent = 100;

/** Returns how a session's trials were chosen, as text. */
std::string choice_text(const SessionRecord& record) {
  switch (sampling_of(record.tuner)) {
    case Sampling::Uniform:
      return "chosen at random";
    case Sampling::InOrder:
      return "the first in index order, not at random";
    case Sampling::Guided:
      break;
  }
  if (record.tuner.empty()) return "chosen by an unknown tuner, not at random";
  return fmt::format("chosen by {}, not at random", record.tuner);
}

std::int64_t row_of_trial(const TrialSnapshot& trials, std::int64_t number) {
  // Trials arrive almost in the order of their numbers: the search begins near the expected position.
  const std::int64_t size = trials.size();
  for (std::int64_t distance = 0; distance < size; ++distance) {
    const std::int64_t before = number - distance;
    const std::int64_t after = number + distance;
    if (before >= 0 && before < size && trials.row(before).number == number) return before;
    if (after >= 0 && after < size && trials.row(after).number == number) return after;
  }
  return no_row;
}

}  // namespace

bool SourceData::complete() const {
  return origin->members && static_cast<uint128>(trials.size()) == *origin->members;
}

bool SourceData::represents_space() const {
  return complete() || origin->record.kind == SessionKind::Recorded ||
         sampling_of(origin->record.tuner) == Sampling::Uniform;
}

bool SourceData::answer_unknown() const {
  const ProgramData* data = origin->project_family ? origin->project_family->data() : nullptr;
  return data != nullptr && data->answer.kind == AnswerKind::FirstValid;
}

double SourceData::bytes() const {
  const auto* generic = std::get_if<GenericProblem>(&origin->task.definition);
  return generic != nullptr ? generic->bytes : 0;
}

std::string SourceData::coverage_text() const {
  const std::string made = count_text(trials.size());
  const uint128 all = origin->members.value_or(origin->space.size());
  const std::string of = with_thousands(to_string(all));
  if (complete()) {
    // For a recorded space that lists its configurations, the size of the whole space is unknown.
    const bool listed = origin->space.explicit_members() != nullptr;
    return fmt::format("all {} {}configurations", of, listed ? "recorded " : "");
  }
  const double share = static_cast<double>(trials.size()) / static_cast<double>(all) * percent;
  const std::string percentage = share < 0.01 ? "< 0.01 %" : fmt::format("{:.2g} %", share);
  return fmt::format("{} of {}{} configurations ({}), {}", made, origin->members ? "" : "at most ", of,
                     percentage, choice_text(origin->record));
}

std::vector<double> SourceData::paused_seconds() const {
  std::vector<double> seconds;
  for (const SessionInterruption& interruption : interruptions)
    if (interruption.kind != "done") seconds.push_back(interruption.at_session_seconds);
  return seconds;
}

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
  std::vector<std::string> workers = TRY(store_.workers(id_));
  if (workers.size() == origin_->workers->size()) return {};
  SourceOrigin origin = *origin_;
  origin.columns =
      TrialColumns(origin.space, origin.task.flops(), origin.has_resources, workers, origin.own_objectives);
  origin.workers = std::move(workers);
  origin_ = std::make_shared<const SourceOrigin>(std::move(origin));
  return {};
}

Status SourceReader::read_origin(const SessionSummary& session) {
  Task task = TRY(task_from_json(session.record.task_json));
  SearchSpace space = TRY(space_from_json(session.record.space_json));
  const double flops = task.flops();
  const bool has_resources = TRY(store_.has_resources(id_));
  const bool own_objectives = TRY(store_.has_own_objectives(id_));
  std::optional<std::vector<std::string>> workers = TRY(store_.workers(id_));
  if (workers->empty() && !is_fleet_target(session.record.target_name)) workers.reset();
  SourceOrigin origin{.record = session.record,
                      .task = std::move(task),
                      .space = space,
                      .columns = TrialColumns(space, flops, has_resources, workers, own_objectives),
                      .target = {},
                      .members = {},
                      .has_resources = has_resources,
                      .own_objectives = own_objectives,
                      .workers = std::move(workers)};
  if (Result<TargetDescription> target = target_from_json(session.record.target_json); target)
    origin.target = std::move(*target);
  origin.members = space.member_count();
  if (const Result<MeasureOptions> options = stored_measure_options(session.record.options_json)) {
    origin.min_sample_seconds = options->min_sample_seconds();
    origin.calls_per_sample = options->calls_per_sample;
    origin.build_only = options->build_only;
  }
  // Errors in reading the project are reported when a kernel is requested.
  if (!session.record.project_hash.empty()) {
    if (auto family = family_of_session(store_, session.record)) origin.project_family = std::move(*family);
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
  TRY(store_.visit_rows(id_, index, [&](const Store::ArrivedRow& row) {
    fits = fits && row.configuration.indices.size() == knobs;
    if (!fits) return;
    errors_.categories[static_cast<std::size_t>(row.category)] += {1, row.build_seconds, row.run_seconds};
    add_saved(saved_, row, origin_->min_sample_seconds, origin_->calls_per_sample);
    const bool valid = row.category == ErrorCategory::NoError && row.sample_count > 0;
    if (valid && (best == 0 || row.median_seconds < best)) {
      best = row.median_seconds;
      improvements_.push_back({index, row.number, row.finished_seconds, row.median_seconds});
    }
    table_->append(row, row.configuration);
    ++index;
  }));
  if (fits) return {};
  return fail(ErrorCode::Corrupt, fmt::format("a trial of session {} does not fit the session's space", id_),
              "restore a copy of the database; the other sessions of this one can still be used");
}

Status SourceReader::append_series() {
  return store_.visit_series(id_, series_end_, [&](const StoredSeries& value) {
    series_.set(value.trial, value.series, value.value);
    series_end_ = value.trial + 1;
  });
}

Headline SourceReader::make_headline(const SessionStatus& status,
                                     const std::vector<Confirmation>& confirmations) const {
  Headline headline;
  if (improvements_.empty()) return headline;
  const TrialSnapshot trials = table_->snapshot();
  const std::vector<ConfirmedTrial> confirmed = last_confirmed(confirmations);
  if (const ConfirmedTrial* trial = confirmed_best(confirmed, status.best_trial))
    return {row_of_trial(trials, trial->trial), trial->trial, median_value(trial->seconds), true};
  const ImprovementPoint& best = improvements_.back();
  return {best.row, best.number, trial_value(trials.row(best.row)), false};
}

Result<Source> SourceReader::read() {
  // The status is read first, so that trials that arrive meanwhile are more than its count, never fewer.
  SessionSummary session = TRY(store_.session(id_));
  if (!origin_) TRY(read_origin(session));
  TRY(append_rows());
  TRY(read_workers());
  TRY(append_series());
  auto data = std::make_shared<SourceData>();
  data->origin = origin_;
  data->annotation = std::move(session.annotation);
  data->owner = std::move(session.owner);
  data->trials = table_->snapshot();
  data->improvements = improvements_;
  data->errors = errors_;
  data->saved = saved_;
  data->series = series_.snapshot();
  data->budget = TRY(budget_plan_from_json(session.record.budget_json));
  data->confirmations = TRY(store_.confirmations(id_));
  data->baselines = TRY(baselines_from_json(session.status.vendor_json));
  data->interruptions = TRY(store_.interruptions(id_));
  data->notices = TRY(store_.notices(id_));
  data->headline = make_headline(session.status, data->confirmations);
  data->status = std::move(session.status);
  return Source(std::move(data));
}

}  // namespace kernelscape

#include "core/session/measured_batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/session/steps.h"
#include "core/trial/observed_row.h"

namespace kernelscape::session {
namespace {

/** Returns true if the status has more than the best trial by own samples. */
bool was_surveyed(const store::SessionStatus& status) {
  if (status.vendor_json.empty()) return false;
  const Result<trial::Baselines> baselines = trial::baselines_from_json(status.vendor_json);
  if (!baselines || !baselines->measured_best) return true;
  trial::Baselines without_survey;
  without_survey.measured_best = baselines->measured_best;
  return *baselines != without_survey;
}

}  // namespace

bool MeasuredBatches::begin(const Batch& batch) {
  rows_.assign(batch.candidates.size(), std::nullopt);
  return std::ranges::all_of(
      batch.candidates, [this](const auto& candidate) { return session_.setup.space.contains(candidate); });
}

Result<bool> MeasuredBatches::take_stored(const Batch& batch, const store::StoredBatch& stored) {
  if (stored.batch != batch.number)
    return resume_mismatch(session_.id, fmt::format("trials of batch {} are missing", batch.number));
  TRY(compare_proposal(session_.id, session_.setup, batch.number, batch.candidates, stored.candidates));
  if (stored.batch == 0) TRY(load_stored());
  std::vector<std::pair<std::size_t, const StoredRow*>> arrived;  // positions, in order of arrival
  for (std::size_t position = 0; position < batch.candidates.size(); ++position) {
    const StoredRow* stored_row = this->stored_row(batch.first_trial + static_cast<std::int64_t>(position));
    if (stored_row == nullptr || rows_[position]) continue;
    const store::ArrivedRow& row = stored_row->row;
    if (row.configuration != batch.candidates[position]) {
      return resume_mismatch(session_.id,
                             fmt::format("trial {} has another configuration than its batch", row.number));
    }
    arrived.emplace_back(position, stored_row);
    TRY(take_stored_failure(row));
    best_.add({row.number, row.category == trial::ErrorCategory::NoError ? row.median_seconds : 0,
               row.configuration});
  }
  std::ranges::sort(arrived, {}, [](const auto& item) { return item.second->arrival; });
  for (const auto& [position, row] : arrived) add_row(position, row->row);
  return missing().empty();
}

void MeasuredBatches::add_row(std::size_t position, const trial::Row& row) {
  rows_[position] = BatchRow{row, tracks_.rows()};
  tracks_.add(trial::speed_reading(row), row.worker);
}

/** An earlier run of the session notified its user of the first failure. */
Status MeasuredBatches::take_stored_failure(const store::ArrivedRow& row) {
  const bool has_message =
      failures_.needs_message() && row.category != trial::ErrorCategory::NoError && row.message != 0;
  const std::string message = has_message ? TRY(session_.store.trials().message(row.message)) : std::string();
  failures_.add(row.configuration, row.category, message);
  return {};
}

Status MeasuredBatches::load_stored() {
  set_usual_probe(TRY(session_.store.sessions().get(session_.id)).record.usual_probe);
  for (const std::string& worker : TRY(session_.store.trials().workers(session_.id))) worker_number(worker);
  for (store::ArrivedRow& row : TRY(session_.store.trials().rows(session_.id))) {
    const std::int64_t arrival = std::ssize(stored_rows_);
    stored_rows_.push_back({std::move(row), arrival});
  }
  std::ranges::sort(stored_rows_, {}, [](const StoredRow& stored) { return stored.row.number; });
  return session_.store.series().visit(session_.id, 0, [this](const store::StoredSeries& value) {
    last_stored_series_ = std::max(last_stored_series_, value.trial);
  });
}

/** @return null: it was not measured */
const MeasuredBatches::StoredRow* MeasuredBatches::stored_row(std::int64_t trial) const {
  const auto number = [](const StoredRow& stored) { return stored.row.number; };
  const auto found = std::ranges::lower_bound(stored_rows_, trial, {}, number);
  return found != stored_rows_.end() && found->row.number == trial ? &*found : nullptr;
}

/** An earlier run of the session reported the slow phases that have ended. */
void MeasuredBatches::started() {
  stored_rows_ = std::vector<StoredRow>();
  for (const trial::SlowPhase& phase : tracks_.phases())
    if (phase.ended) reported_.push_back(phase);
}

/** Runs once per session. A failed survey loses the baselines, not the session. */
Status MeasuredBatches::survey() {
  store::SessionStatus& status = session_.status;
  if (session_.stop.level() == 0) TRY(find_usual_probe());
  if (!tools_.surveyor || was_surveyed(status) || session_.stop.level() > 0) return {};
  session_.observer.phase_changed(Phase::Surveying, status);
  Result<Survey> measured = tools_.surveyor(session_.stop);
  if (!measured) {
    if (session_.stop.level() == 0)
      session_.observer.message(
          {MessageKind::Problem, "there are no baselines: " + describe(measured.error())});
    return {};
  }
  trial::Baselines baselines = trial::baselines_from_json(status.vendor_json).value_or(trial::Baselines());
  baselines.limits = measured->limits;
  baselines.vendor = std::move(measured->vendor);
  status.vendor_json = trial::baselines_to_json(baselines);
  return session_.store.sessions().update_status(session_.id, status);
}

Status MeasuredBatches::store(const Batch& batch) {
  TRY(session_.store.batches().append(session_.id, batch.number, batch.candidates,
                                      accounting_.uncharged_search_seconds()));
  accounting_.charge_batch();
  return {};
}

/** Positions that were not measured, ascending. */
std::vector<std::size_t> MeasuredBatches::missing() const {
  std::vector<std::size_t> positions;
  for (std::size_t position = 0; position < rows_.size(); ++position) {
    if (!rows_[position]) positions.push_back(position);
  }
  return positions;
}

/** The machine's speed is that which the readings up to the end of the batch show. */
std::span<const trial::Observation> MeasuredBatches::observations(Batch& batch) {
  observations_.clear();
  for (std::size_t position = 0; position < rows_.size(); ++position) {
    BatchRow& measured = rows_[position].value();
    measured.row.machine = tracks_.of_row(measured.arrival);
    observations_.push_back(
        trial::observe_row(measured.row, std::move(batch.candidates[position]), session_.flops()));
  }
  return observations_;
}

Status MeasuredBatches::observed(const Batch&, std::vector<store::StoredSeries> series) {
  // A process that died between a batch's last trial and its series left these out.
  std::erase_if(series,
                [this](const store::StoredSeries& value) { return value.trial <= last_stored_series_; });
  return series.empty() ? Status() : session_.store.series().append(session_.id, series);
}

}  // namespace kernelscape::session

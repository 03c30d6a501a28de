#include "core/session/measured_batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/session/steps.h"
#include "core/trial/observed_row.h"

namespace kernelscape {

bool MeasuredBatches::begin(const Batch& batch) {
  observed_.assign(batch.candidates.size(), std::nullopt);
  return std::ranges::all_of(
      batch.candidates, [this](const auto& candidate) { return session_.setup.space.contains(candidate); });
}

Result<bool> MeasuredBatches::take_stored(const Batch& batch, const Store::StoredBatch& stored) {
  if (stored.batch != batch.number)
    return resume_mismatch(session_.id, fmt::format("trials of batch {} are missing", batch.number));
  TRY(compare_proposal(session_.id, session_.setup, batch.number, batch.candidates, stored.candidates));
  if (stored.batch == 0) TRY(load_stored());
  for (std::size_t position = 0; position < batch.candidates.size(); ++position) {
    const Store::ArrivedRow* row = stored_row(batch.first_trial + static_cast<std::int64_t>(position));
    if (row == nullptr) continue;
    if (row->configuration != batch.candidates[position]) {
      return resume_mismatch(session_.id,
                             fmt::format("trial {} has another configuration than its batch", row->number));
    }
    observed_[position] = observe_row(*row, row->configuration, session_.flops());
    TRY(take_stored_failure(*row));
    best_.add(
        {row->number, row->category == ErrorCategory::NoError ? row->median_seconds : 0, row->configuration});
  }
  return missing().empty();
}

/** An earlier run of the session notified its user of the first failure. */
Status MeasuredBatches::take_stored_failure(const Store::ArrivedRow& row) {
  const bool has_message =
      failures_.needs_message() && row.category != ErrorCategory::NoError && row.message != 0;
  const std::string message = has_message ? TRY(session_.store.message(row.message)) : std::string();
  failures_.add(row.configuration, row.category, message);
  return {};
}

Status MeasuredBatches::load_stored() {
  stored_rows_ = TRY(session_.store.rows(session_.id));
  std::ranges::sort(stored_rows_, {}, &Store::ArrivedRow::number);
  return session_.store.visit_series(session_.id, 0, [this](const StoredSeries& value) {
    last_stored_series_ = std::max(last_stored_series_, value.trial);
  });
}

/** @return null: it was not measured */
const Store::ArrivedRow* MeasuredBatches::stored_row(std::int64_t trial) const {
  const auto found = std::ranges::lower_bound(stored_rows_, trial, {}, &Store::ArrivedRow::number);
  return found != stored_rows_.end() && found->number == trial ? &*found : nullptr;
}

/** Runs once per session. A failed survey loses the baselines, not the session. */
Status MeasuredBatches::survey() {
  SessionStatus& status = session_.status;
  if (!tools_.surveyor || !status.vendor_json.empty() || session_.stop.level() > 0) return {};
  session_.observer.phase_changed(SessionPhase::Surveying, status);
  Result<Survey> measured = tools_.surveyor(session_.stop);
  if (!measured) {
    if (session_.stop.level() == 0)
      session_.observer.message(
          {MessageKind::Problem, "there are no baselines: " + describe(measured.error())});
    return {};
  }
  Baselines baselines;
  baselines.limits = measured->limits;
  baselines.vendor = std::move(measured->vendor);
  status.vendor_json = baselines_to_json(baselines);
  return session_.store.update_status(session_.id, status);
}

Status MeasuredBatches::store(const Batch& batch) {
  TRY(session_.store.append_batch(session_.id, batch.number, batch.candidates,
                                  accounting_.uncharged_search_seconds()));
  accounting_.charge_batch();
  return {};
}

/** Positions that were not measured, ascending. */
std::vector<std::size_t> MeasuredBatches::missing() const {
  std::vector<std::size_t> positions;
  for (std::size_t position = 0; position < observed_.size(); ++position) {
    if (!observed_[position]) positions.push_back(position);
  }
  return positions;
}

std::span<const Observation> MeasuredBatches::observations(Batch&) {
  observations_.clear();
  for (std::optional<Observation>& observation : observed_)
    observations_.push_back(std::move(observation).value());
  return observations_;
}

Status MeasuredBatches::observed(const Batch&, std::vector<StoredSeries> series) {
  // A process that died between a batch's last trial and its series left these out.
  std::erase_if(series, [this](const StoredSeries& value) { return value.trial <= last_stored_series_; });
  return series.empty() ? Status() : session_.store.append_series(session_.id, series);
}

}  // namespace kernelscape

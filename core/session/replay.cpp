#include <fmt/format.h>

#include <algorithm>

#include "core/session/session_run.h"
#include "core/session/setup.h"
#include "core/session/steps.h"
#include "core/trial/observed_row.h"

namespace kernelscape {
namespace {

std::int64_t last_series_trial(const std::vector<StoredSeries>& series) {
  std::int64_t last = -1;
  for (const StoredSeries& value : series) last = std::max(last, value.trial);
  return last;
}

}  // namespace

/** Rows by the number of their trial; none for what was not measured. */
class SessionRun::RowsByNumber {
 public:
  explicit RowsByNumber(std::vector<Store::ArrivedRow> rows) : rows_(std::move(rows)) {
    std::ranges::sort(rows_, {}, &Store::ArrivedRow::number);
  }
  const Store::ArrivedRow* find(std::int64_t number) const {
    const auto found = std::ranges::lower_bound(rows_, number, {}, &Store::ArrivedRow::number);
    return found != rows_.end() && found->number == number ? &*found : nullptr;
  }

 private:
  std::vector<Store::ArrivedRow> rows_;
};

Result<SessionRun::Replayed> SessionRun::replay() {
  Replayed replayed;
  if (stored_.empty()) return replayed;
  enter(SessionPhase::Replaying);
  std::vector<Store::ArrivedRow> arrived = TRY(store_.rows(id_));
  const std::vector<StoredSeries> stored_series = TRY(store_.series(id_));
  const std::int64_t series_end = last_series_trial(stored_series);
  const RowsByNumber rows(std::move(arrived));
  for (const Store::StoredBatch& stored : stored_) {
    if (tools_.stop.level() > 0) return Replayed{std::nullopt, true};
    Batch batch = TRY(replay_batch(stored, rows));
    if (!batch.missing().empty()) {
      if (&stored != &stored_.back())
        return resume_mismatch(id_, fmt::format("trials of batch {} are missing", batch.number));
      replayed.unfinished = std::move(batch);
      break;
    }
    TRY(replay_observation(batch, series_end));
  }
  return replayed;
}

Result<Batch> SessionRun::replay_batch(const Store::StoredBatch& stored, const RowsByNumber& rows) {
  Batch batch{batches_, proposed_, stored.candidates, {}};
  batch.observed.resize(batch.candidates.size());
  TRY(replay_proposal(batch));
  for (std::size_t position = 0; position < batch.candidates.size(); ++position) {
    const Store::ArrivedRow* row = rows.find(batch.first_trial + static_cast<std::int64_t>(position));
    if (row == nullptr) continue;
    if (row->configuration != batch.candidates[position]) {
      return resume_mismatch(id_,
                             fmt::format("trial {} has another configuration than its batch", row->number));
    }
    batch.observed[position] = observe_row(*row, row->configuration, flops());
    best_.add(
        {row->number, row->category == ErrorCategory::NoError ? row->median_seconds : 0, row->configuration});
  }
  proposed_ += std::ssize(batch.candidates);
  ++batches_;
  return batch;
}

Status SessionRun::replay_observation(const Batch& batch, std::int64_t series_end) {
  tuner_->observe(batch.observations());
  // A process that died between a batch's last trial and its series left these out.
  std::vector<StoredSeries> series = series_of(batch);
  std::erase_if(series, [&](const StoredSeries& value) { return value.trial <= series_end; });
  return series.empty() ? Status() : store_.append_series(id_, series);
}

/** Asks the tuner as then, and compares. */
Status SessionRun::replay_proposal(const Batch& batch) {
  const std::int64_t request = plan_.batch_request(batch.number, setup_.batch_size, proposed_);
  const Proposal proposal = TRY(tuner_->propose(static_cast<std::size_t>(request)));
  return compare_proposal(id_, setup_, batch.number, proposal, batch.candidates);
}

}  // namespace kernelscape

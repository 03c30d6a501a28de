#include "core/store/recorded_trials.h"

#include <algorithm>
#include <limits>
#include <ranges>

#include "core/store/connection.h"
#include "core/store/replayed_batches.h"

namespace kernelscape::store {
namespace {

constexpr int message_bits = 32;

/** Sets the samples that a replay took, and separates the row from the flag in its number. */
void take_replayed_samples(const trial::Recording& recording, const trial::MeasureOptions& options,
                           RecordedTrial& trial) {
  const bool given_up = (trial.row & trial::replayed_cut_short) != 0;
  trial.row = recorded_row(trial.row);
  const std::span<const double> samples = recording.samples(trial.row);
  trial.samples =
      given_up ? trial::given_up_samples(samples, options) : trial::replayed_samples(samples, options, 0);
}

}  // namespace

std::int64_t first_message_of(RecordingId id) { return -(id << message_bits); }

RecordingId recording_of_message(std::int64_t message) { return -(message >> message_bits); }

Status RecordedTrials::visit_replayed(const trial::Recording& recording, std::int64_t first, std::int64_t end,
                                      const Visitor& visit) const {
  return visit_replayed_batches(
      connection_, session_, place_, recording, first, end, [&](const ReplayedBatch& batch) {
        for (std::size_t position = 0; position < batch.rows.size(); ++position) {
          const std::int64_t number = batch.first_trial + static_cast<std::int64_t>(position);
          if (number < first || number >= end) continue;
          RecordedTrial trial{number, batch.batch, static_cast<std::int32_t>(position), batch.rows[position],
                              batch.finished_seconds[position]};
          if (place_.sampling) take_replayed_samples(recording, *place_.sampling, trial);
          visit(recording, trial);
        }
      });
}

Status RecordedTrials::visit(std::int64_t first, std::int64_t end, const Visitor& visit) const {
  const auto kept = TRY(connection_.kept_recording(place_.recording));
  const std::shared_ptr<const trial::Recording> recording = kept->recording;
  if (place_.kind == SessionKind::Replayed) return visit_replayed(*recording, first, end, visit);
  std::vector<double>& finished = kept->finished_seconds;
  if (finished.empty()) finished = trial::recorded_finished_seconds(*recording);
  for (std::int64_t number = first; number < std::min<std::int64_t>(end, recording->size()); ++number) {
    const auto row = static_cast<std::uint32_t>(number);
    visit(*recording, {number, 0, static_cast<std::int32_t>(number), row, finished[row]});
  }
  return {};
}

Status RecordedTrials::visit_rows(std::int64_t skip,
                                  const std::function<void(const ArrivedRow&)>& visit) const {
  const std::int64_t first_message = first_message_of(place_.recording);
  ArrivedRow row;
  return this->visit(std::max<std::int64_t>(skip, 0), std::numeric_limits<std::int64_t>::max(),
                     [&](const trial::Recording& recording, const RecordedTrial& trial) {
                       static_cast<trial::Row&>(row) = recording.trial_row(trial.row, first_message);
                       if (trial.samples)
                         trial::take_samples(row, recording.samples(trial.row), *trial.samples);
                       row.number = trial.number;
                       row.batch = trial.batch;
                       row.position = trial.position;
                       row.finished_seconds = trial.finished_seconds;
                       row.configuration = recording.configuration(trial.row);
                       recording.read_metrics(trial.row, row.metrics);
                       visit(row);
                     });
}

Result<std::vector<StoredBatch>> RecordedTrials::batches() const {
  const auto kept = TRY(connection_.kept_recording(place_.recording));
  const trial::Recording& recording = *kept->recording;
  std::vector<StoredBatch> batches;
  const auto configurations = [&](const auto& rows) {
    std::vector<space::Configuration> all;
    for (const std::uint32_t row : rows) all.push_back(recording.configuration(recorded_row(row)));
    return all;
  };
  if (place_.kind == SessionKind::Recorded)
    return std::vector{StoredBatch{0, configurations(std::views::iota(0U, recording.size())), 0}};
  const auto take = [&](const ReplayedBatch& batch) {
    batches.push_back({batch.batch, configurations(batch.rows), batch.search_seconds});
  };
  TRY(visit_replayed_batches(connection_, session_, place_, recording, 0,
                             std::numeric_limits<std::int64_t>::max(), take));
  return batches;
}

}  // namespace kernelscape::store

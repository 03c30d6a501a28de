#include "core/exchange/formats/varying_tasks.h"

#include <fmt/format.h>

#include "core/exchange/formats/logged_results.h"

namespace kernelscape::exchange {

Status VaryingLog::keep(VaryingTask& task, VaryingTrial trial, trial::Measurement measurement) {
  TRY(check_measurement(measurement));
  TRY(task.knobs.add(file_, std::move(trial)));
  TRY(file_.keep(kept_trial_bytes(measurement, 0)));
  failed_ += measurement.valid() ? 0U : 1U;
  task.measurements.push_back(std::move(measurement));
  return {};
}

Result<ImportedTrials> VaryingLog::part_of(VaryingTask& task, const std::string& shown,
                                           trial::RecordingHeader header,
                                           const std::vector<double>& finished_seconds) {
  if (task.knobs.structure_count() > 1)
    structures_.push_back(fmt::format("{} ({} trials, {} structures)", shown, task.knobs.trial_count(),
                                      task.knobs.structure_count()));
  LoggedSpace space = TRY(task.knobs.space(file_, numbers_left_));
  if (!space.notice.empty()) changed_.push_back(fmt::format("{}: {}", shown, space.notice));
  return logged_part(std::move(header), std::move(space), std::move(task.measurements), finished_seconds);
}

std::vector<std::string> VaryingLog::notices(std::string_view meaning) const {
  std::vector<std::string> notices = changed_;
  for (const std::string& task : structures_) notices.push_back(fmt::format("{}: {}", task, meaning));
  return notices;
}

}  // namespace kernelscape::exchange

#include "core/store/stored_speeds.h"

#include <utility>

namespace kernelscape::store {
namespace {

constexpr double compute_flops_per_byte = 40;
constexpr double memory_flops_per_byte = 1;

}  // namespace

trial::KernelBound bound_of(const task::Task& task) {
  const double flops = task.flops();
  const double bytes = task::task_bytes(task);
  if (flops <= 0 || bytes <= 0) return trial::KernelBound::Unknown;
  if (flops >= compute_flops_per_byte * bytes) return trial::KernelBound::Compute;
  return flops <= memory_flops_per_byte * bytes ? trial::KernelBound::Memory : trial::KernelBound::Unknown;
}

trial::SessionSpeedReader speed_reader_of(const SessionRecord& record) {
  const bool in_time_order = record.kind == SessionKind::Measured || record.kind == SessionKind::Imported;
  const Result<task::Task> task = task::task_from_json(record.task_json);
  return {record.usual_probe, task ? bound_of(*task) : trial::KernelBound::Unknown, in_time_order};
}

Result<TrialsWithSpeeds> read_trials(const Store& store, const SessionRecord& record) {
  trial::Table table(0);
  trial::SessionSpeedReader reader = speed_reader_of(record);
  TRY(store.trials().visit_rows(record.id, 0, [&](const ArrivedRow& row) {
    table.append(row, {});
    reader.add(row);
  }));
  reader.set_workers(TRY(store.trials().workers(record.id)));
  std::shared_ptr<const trial::SessionSpeeds> speeds = reader.speeds();
  trial::Snapshot trials = trial::with_speeds(table.snapshot(), speeds);
  return TrialsWithSpeeds{std::move(trials), std::move(speeds)};
}

}  // namespace kernelscape::store

#include "core/store/stored_speeds.h"

#include <variant>

#include "core/task/reference.h"

namespace kernelscape::store {
namespace {

constexpr double compute_flops_per_byte = 40;
constexpr double memory_flops_per_byte = 1;

/** Returns the bytes of the inputs and the output of a task as f32; 0: not known. */
double bytes_of(const task::Task& task) {
  if (const auto* generic = std::get_if<task::GenericProblem>(&task.definition)) return generic->bytes;
  return task.op ? task::reference_bytes(*task.op) * sizeof(float) / sizeof(double) : 0;
}

}  // namespace

trial::KernelBound bound_of(const task::Task& task) {
  const double flops = task.flops();
  const double bytes = bytes_of(task);
  if (flops <= 0 || bytes <= 0) return trial::KernelBound::Unknown;
  if (flops >= compute_flops_per_byte * bytes) return trial::KernelBound::Compute;
  return flops <= memory_flops_per_byte * bytes ? trial::KernelBound::Memory : trial::KernelBound::Unknown;
}

trial::SessionSpeedReader speed_reader_of(const SessionRecord& record) {
  const bool in_time_order = record.kind == SessionKind::Measured || record.kind == SessionKind::Imported;
  const Result<task::Task> task = task::task_from_json(record.task_json);
  return {record.usual_probe, task ? bound_of(*task) : trial::KernelBound::Unknown, in_time_order};
}

}  // namespace kernelscape::store

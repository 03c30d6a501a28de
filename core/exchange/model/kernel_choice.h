#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/schedule/target.h"
#include "core/schedule/template.h"
#include "core/task/task.h"

namespace kernelscape::exchange {

/** Chooses the kernel of each layer of a model: a tuned one, or one of a default configuration. */
class KernelChoice {
 public:
  /**
   * @param tuned kernels for the target's processor, at most one for each task
   * @param target of the kernels of layers that were not tuned
   */
  KernelChoice(std::span<const ExportedKernel> tuned, schedule::TargetDescription target);

  /** Returns the number of a task's kernel in kernels(). Errors are those of the template. */
  Result<std::size_t> kernel_of(const task::Task& task);

  const std::vector<ExportedKernel>& kernels() const { return kernels_; }  ///< in the order of the first use
  std::size_t tuned_count() const { return tuned_count_; }                 ///< of kernels() that were tuned

 private:
  Result<ExportedKernel> default_kernel(const task::Task& task, const std::string& name);

  std::span<const ExportedKernel> tuned_;
  schedule::TargetDescription target_;
  std::vector<ExportedKernel> kernels_;
  std::map<std::string, std::size_t> known_;  ///< by the task's text
  std::size_t tuned_count_ = 0;
};

/**
 * Returns a configuration that is estimated to be good: the best of some seeded draws by the use of the
 * vector registers and by the estimated traffic of the caches. The result depends on the task and the target
 * only. NotFound if no draw is within the limits.
 */
Result<space::Configuration> default_configuration(const schedule::ScheduledKernel& kernel, int threads);

}  // namespace kernelscape::exchange

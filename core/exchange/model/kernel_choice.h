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

/** Returns the rows and columns of the output tiles of a kernel of Winograd's algorithm; 0: another kernel.
 */
int winograd_tile(const ExportedKernel& kernel);

/** A kernel of a model's library, and how much of a layer it computes. */
struct FusedKernel {
  std::size_t number = 0;  ///< in KernelChoice::kernels()
  std::size_t steps = 0;   ///< number of steps of the layer's epilogue that the kernel applies
};

/** Chooses the kernel of each layer of a model: a tuned one, or one of a default configuration. */
class KernelChoice {
 public:
  /**
   * @param tuned kernels for the target's processor, at most one for each task
   * @param target of the kernels of layers that were not tuned
   * @param exact true: no kernel rounds in other places than the definition, as those of Winograd's algorithm
   */
  KernelChoice(std::span<const ExportedKernel> tuned, schedule::TargetDescription target, bool exact);

  /**
   * Returns the kernel that computes a task's sums and applies the first of these steps to them: those before
   * an Add if its operand would have to be copied into a layout with gaps, else all of them. Its
   * configuration is the tuned one of the task with these steps, else that of the task without steps, whose
   * space is the same, else a default. Errors are those of the template.
   *
   * @param computed_weights the weights are no constants, so that they cannot be transformed for Winograd's
   * algorithm when the library is written
   */
  Result<FusedKernel> kernel_of(const task::Task& sums, const std::vector<task::EpilogueStep>& steps,
                                bool computed_weights);

  /** Returns the kernels in the order of their first use; the multiplicity is the number of layers. */
  const std::vector<ExportedKernel>& kernels() const { return kernels_; }
  std::size_t tuned_count() const { return tuned_count_; }  ///< of kernels() that were tuned

 private:
  const ExportedKernel* tuned_kernel(const task::Task& task, bool exact) const;
  Result<ExportedKernel> make_kernel(const task::Task& sums, const task::Task& task, bool exact,
                                     const std::string& name);
  Result<ExportedKernel> default_kernel(const task::Task& task, bool exact, const std::string& name);

  std::span<const ExportedKernel> tuned_;
  schedule::TargetDescription target_;
  bool exact_;
  std::vector<ExportedKernel> kernels_;
  std::map<std::pair<std::string, bool>, FusedKernel>
      known_;  ///< by the task's text, and whether it is exact
  std::size_t tuned_count_ = 0;
};

/**
 * Returns a configuration that is estimated to be good: the best of some seeded draws by the use of the
 * vector registers and by the estimated traffic of the caches. The result depends on the task and the target
 * only. NotFound if no draw is within the limits.
 */
Result<space::Configuration> default_configuration(const schedule::ScheduledKernel& kernel, int threads);

}  // namespace kernelscape::exchange

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/kernel_family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"
#include "core/trial/vendor_result.h"

namespace kernelscape {

/** Repeated measurements, one per configuration, and those of the vendor's library. */
struct Confirmations {
  std::vector<Measurement> configurations;  ///< per configuration: samples of all rounds, or the first error
  VendorResult vendor;
  BusyTimes busy;
  int rounds = 0;            ///< rounds that were measured completely
  bool interrupted = false;  ///< stopped early: there are fewer samples, perhaps none
  bool out_of_time = false;  ///< the time limit was reached before all rounds were done
};

/**
 * Measures configurations and the vendor's library again, interleaved: in every round each of them is warmed
 * up and gives a sample, so that a change of the machine's state affects all of them. A round takes several
 * samples of each if there would be more than 20 rounds. No adaptive evaluator takes part. Both sides are
 * checked, use the same threads and the same timing, and contain no reordering of tensors.
 * @param samples number of samples of each configuration
 * @param stop called a few times per second; true stops the measurement; may be empty
 * @param max_seconds time limit, after which the rounds measured so far are the result; 0: no limit
 *
 * With options.build_only nothing is timed: there are no samples, and the vendor's result is a reason. Errors
 * are the machine's fault, or invalid options.
 */
Result<Confirmations> measure_interleaved(const KernelFamily& family, const TargetDescription& target,
                                          const MeasureOptions& options,
                                          std::span<const Configuration> configurations, int samples,
                                          const std::function<bool()>& stop = {}, double max_seconds = 0);

/** Returns the vendor result of a user's own kernel: no vendor library computes the same function. */
VendorResult no_vendor_of_program();

/** Measures the vendor's library alone, with options.repeats samples. */
Result<VendorResult> measure_vendor_baseline(const Task& task, const TargetDescription& target,
                                             const MeasureOptions& options,
                                             const std::function<bool()>& stop = {});

}  // namespace kernelscape

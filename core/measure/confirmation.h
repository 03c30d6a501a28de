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

/** Repeated measurements, one per configuration, and the vendor's. */
struct Confirmations {
  std::vector<Measurement> configurations;  ///< the samples of all rounds, or the first error
  VendorResult vendor;
  BusyTimes busy;
  int rounds = 0;            ///< that were measured whole
  bool interrupted = false;  ///< stopped early: there are fewer samples, none perhaps
  bool out_of_time = false;  ///< so many seconds were not enough for all rounds
};

/**
 * Measures configurations and the vendor's library again, interleaved: in every round each one is warmed up
 * and gives a sample, so that a change of the machine's state meets all of them; several samples where there
 * would be more than 20 rounds. No adaptive evaluator takes part. Both sides are checked, use the same
 * threads and the same timing, and contain no reordering of tensors.
 * @param samples of each
 * @param stop asked a few times per second; may be empty
 * @param most_seconds after which the rounds so far are what there is; 0: no limit
 * With options.build_only nothing is timed: there are no samples, and a reason instead of the vendor's.
 * Errors are the machine's fault, or options that make no sense.
 */
Result<Confirmations> measure_interleaved(const KernelFamily& family, const TargetDescription& target,
                                          const MeasureOptions& options,
                                          std::span<const Configuration> configurations, int samples,
                                          const std::function<bool()>& stop = {}, double most_seconds = 0);

/** A user's own kernel: no vendor's library computes the same. */
VendorResult no_vendor_of_program();

/** The vendor's library alone: options.repeats samples. */
Result<VendorResult> measure_vendor_baseline(const Task& task, const TargetDescription& target,
                                             const MeasureOptions& options,
                                             const std::function<bool()>& stop = {});

}  // namespace kernelscape

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/temporary_folder.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/study/latency_series.h"
#include "core/study/model_build.h"
#include "core/study/model_export.h"
#include "core/study/network_measurements.h"
#include "core/study/study.h"

namespace kernelscape::study {

/** Limits of the measurements of a whole model during its tuning. */
struct LatencyLimits {
  double share = 0.1;                    ///< of the tuning time so far that all measurements may take
  double bench_seconds = 0.4;            ///< of a measurement; as long again for the time of each step
  double first_seconds_per_layer = 0.5;  ///< expected cost of the first measurement
};

/**
 * Measures the latency of the whole model after the rounds in which a kernel got better, and stores it with
 * the study: see LatencySeries. The model is read, and its reference computed, before the first measurement;
 * later ones compile only the kernels that changed. Each library is checked against the reference before it
 * is measured. The device is leased while a library is built and run.
 *
 * New kernels that make the model slower, also when both are measured again in turns, are not kept in it: of
 * the changed layers, the one whose time in the model grew most is held back, and the others are tried again
 * after the next round. The first new library of a run is always kept: the libraries of earlier runs no
 * longer exist, so that there is none to compare it with.
 */
class LatencyMonitor final : public RoundMeasurement {
 public:
  /** @param stop outlives the monitor */
  LatencyMonitor(store::StudyId id, const Definition& study, const session::StopRequest& stop,
                 LatencyLimits limits = {})
      : id_(id), study_(study), stop_(stop), limits_(limits) {}

  void after_round(store::Store& store, const RoundState& state, const RoundEvents& events) override;
  /** Returns how many sources were compiled so far. */
  std::size_t compiled() const { return builder_ ? builder_->compiled() : 0; }

 private:
  /** The kernels that a measurement tries, beside those of the model. */
  struct Attempt {
    std::vector<exchange::ExportedKernel> kernels;
    std::vector<KernelOfTrial> by_layer;
    std::vector<std::size_t> changed;  ///< layers
  };

  Status load(const store::Store& store);
  double expected_seconds() const;
  void skip(const RoundEvents& events);
  Result<Attempt> read_kernels(const store::Store& store) const;
  Status measure_changes(store::Store& store, const RoundState& state, const RoundEvents& events);
  Status measure_kernels(const Attempt& attempt, const RoundState& state, const RoundEvents& events);
  Result<BuiltModel> build(const Attempt& attempt, std::vector<std::string>& step_tasks);
  Status open();
  Result<bool> is_slower(const BuiltModel& built, ModelBench& bench);
  LatencyPoint point_of(const RoundState& state, const ModelBench& bench,
                        const std::vector<std::string>& step_tasks) const;
  void hold_back(std::size_t layer, const Attempt& attempt, const LatencyPoint& point,
                 const RoundEvents& events);
  std::optional<std::size_t> layer_of(const std::string& task) const;

  store::StudyId id_;
  Definition study_;
  const session::StopRequest& stop_;
  LatencyLimits limits_;
  bool loaded_ = false;
  LatencySeries series_;
  std::vector<std::string> layer_tasks_;  ///< by layer: the text of its task
  std::vector<KernelOfTrial> seen_;       ///< the kernels of the last measurement
  int failures_ = 0;                      ///< measurements in a row that failed
  bool skip_reported_ = false;
  double last_seconds_ = 0;  ///< cost of the last measurement, without that of reading the model
  std::optional<OpenedModel> model_;
  std::optional<base::TemporaryFolder> folder_;
  std::optional<LibraryBuilder> builder_;
  std::optional<BuiltModel> in_place_;  ///< the library of the kernels that the model keeps
  LatencyTimes in_place_times_;
};

}  // namespace kernelscape::study

#include "tests/gpu/measuring.h"

#include "tests/gpu/child.h"

namespace kernelscape::gpu_proof {

trial::MeasureOptions checking_options() {
  trial::MeasureOptions options;
  options.repeats = 1;
  options.min_repeat_seconds = 0.0002;
  options.build_timeout_seconds = 20;
  options.run_timeout_seconds = 10;
  options.give_up_factor = 0;
  return options;
}

Result<std::vector<std::optional<trial::Measurement>>> measure_batch(
    measure::Measurer& measurer, const std::vector<space::Configuration>& batch, double limit_seconds) {
  constexpr std::chrono::milliseconds patience{500};
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> limit(limit_seconds);
  TRY(measurer.submit(batch));
  std::vector<std::optional<trial::Measurement>> measurements(batch.size());
  std::size_t finished = 0;
  while (finished < batch.size() && !stop_asked() && std::chrono::steady_clock::now() - start < limit) {
    for (measure::Completed& one : TRY(measurer.collect(patience))) {
      measurements[one.position] = std::move(one.measurement);
      ++finished;
    }
  }
  return measurements;
}

}  // namespace kernelscape::gpu_proof

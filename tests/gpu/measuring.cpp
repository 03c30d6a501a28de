#include "tests/gpu/measuring.h"

#include "tests/gpu/child.h"

namespace kernelscape::gpu_proof {

MeasureOptions checking_options() {
  MeasureOptions options;
  options.repeats = 1;
  options.min_repeat_seconds = 0.0002;
  options.build_timeout_seconds = 60;
  options.run_timeout_seconds = 30;
  options.give_up_factor = 0;
  return options;
}

Result<std::vector<Measurement>> measure_batch(Measurer& measurer, const std::vector<Configuration>& batch) {
  constexpr std::chrono::milliseconds patience{500};
  TRY(measurer.submit(batch));
  std::vector<Measurement> measurements(batch.size());
  std::size_t finished = 0;
  while (finished < batch.size()) {
    if (stop_asked()) return fail(ErrorCode::Refused, "the visitor asked to end");
    for (Completed& one : TRY(measurer.collect(patience))) {
      measurements[one.position] = std::move(one.measurement);
      ++finished;
    }
  }
  return measurements;
}

}  // namespace kernelscape::gpu_proof

#include "core/tuner/visited.h"

namespace kernelscape::tuner {
namespace {

class RandomTuner final : public Tuner {
 public:
  explicit RandomTuner(const Context& context)
      : visited_(context.space, context.random.fork("random members")) {}

  Result<Proposal> propose(std::size_t n) override {
    std::vector<space::Configuration> candidates;
    visited_.fill(candidates, n);
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const trial::Observation> /*observations*/) override {}

 private:
  Visited visited_;
};

}  // namespace

Declaration random_tuner() {
  return {.name = std::string(sampling_tuner),
          .summary = "random feasible configurations, none twice",
          .source = "baseline",
          .default_batch = 64,
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<RandomTuner>(context);
          },
          .sampling = Sampling::Uniform,
          .random_phase = [](const SettingValues& /*settings*/,
                             std::int64_t /*trial_budget*/) { return all_trials_random; }};
}

}  // namespace kernelscape::tuner

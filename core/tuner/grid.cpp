#include "core/space/member_walk.h"
#include "core/tuner/tuner.h"

namespace kernelscape {
namespace {

/// If members are rare, a proposal that has some members does not search much longer to be complete.
constexpr std::uint64_t most_steps_for_more = 1'000'000;

class GridTuner final : public Tuner {
 public:
  explicit GridTuner(const TunerContext& context) : walk_(context.space) {}

  Result<Proposal> propose(std::size_t n) override {
    std::vector<Configuration> candidates;
    while (candidates.size() < n && !walk_.done()) {
      auto member = walk_.next(most_steps_for_more);
      if (member) {
        candidates.push_back(std::move(*member));
      } else if (!candidates.empty()) {
        break;
      }
    }
    if (candidates.empty()) return Finished{"the whole space was visited"};
    return candidates;
  }

  void observe(std::span<const Observation> /*observations*/) override {}

 private:
  MemberWalk walk_;
};

}  // namespace

TunerDeclaration grid_tuner() {
  return {.name = std::string(sweeping_tuner),
          .summary = "all feasible configurations in the order of their indices: the exhaustive sweep",
          .source = "baseline",
          .default_batch = 64,
          .make = [](const TunerContext& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<GridTuner>(context);
          },
          .sampling = Sampling::InOrder};
}

}  // namespace kernelscape

#include "core/space/member_walk.h"
#include "core/tuner/tuner.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {
namespace {

/// If members are rare, a proposal that has some members does not search much longer to be complete.
constexpr std::uint64_t max_steps_for_more = 1'000'000;
/// Where the constraint solver gives up, members may still lie so near.
constexpr std::uint64_t max_steps_without_solver = std::uint64_t{1} << 24;

class GridTuner final : public Tuner {
 public:
  explicit GridTuner(const Context& context) : walk_(context.space) {}

  Result<Proposal> propose(std::size_t n) override {
    std::vector<space::Configuration> candidates;
    space::SolverLimits limits = further_member_limits;
    while (candidates.size() < n && !walk_.done()) {
      const bool gave_up = rare_ && !walk_.skip(limits);
      if (gave_up && !candidates.empty()) break;
      auto member = walk_.next(gave_up ? max_steps_without_solver : max_steps_for_more);
      if (member) {
        candidates.push_back(std::move(*member));
      } else if (gave_up && !walk_.done()) {
        return Finished{solver_gave_up_text()};
      } else {
        rare_ = true;
        if (!candidates.empty()) break;
      }
    }
    if (candidates.empty()) return Finished{"the whole space was visited"};
    return candidates;
  }

  void observe(std::span<const trial::Observation> /*observations*/) override {}

 private:
  space::MemberWalk walk_;
  bool rare_ = false;  ///< members lie so far apart that the constraint solver finds the next one
};

}  // namespace

Declaration grid_tuner() {
  return {.name = std::string(sweeping_tuner),
          .summary = "all feasible configurations in the order of their indices: the exhaustive sweep",
          .source = "baseline",
          .default_batch = 64,
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<GridTuner>(context);
          },
          .sampling = Sampling::InOrder};
}

}  // namespace kernelscape::tuner

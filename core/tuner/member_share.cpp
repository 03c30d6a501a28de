#include "core/tuner/member_share.h"

#include <utility>

#include "core/space/topology.h"

namespace kernelscape::tuner {

std::optional<double> DrawnChildren::share() const {
  if (drawn_ == 0) return std::nullopt;
  return static_cast<double>(members_) / static_cast<double>(drawn_);
}

void DrawnChildren::report(std::vector<trial::SeriesValue>& values) const {
  if (const std::optional<double> known = share()) values.push_back({std::string(member_share_name), *known});
}

std::optional<space::Configuration> draw_child(const space::SearchSpace& space, base::Random& random,
                                               const std::function<space::Configuration(base::Random&)>& draw,
                                               DrawnChildren& drawn) {
  int draws = 0;
  std::optional<space::Configuration> child =
      space::draw_member(space, random, [&](base::Random& random_of_draw) {
        ++draws;
        return draw(random_of_draw);
      });
  drawn.count(draws == 1);
  return child;
}

trial::SeriesDescription member_share_series(std::string maker) {
  return {.name = std::string(member_share_name),
          .title = "Valid offspring",
          .unit = trial::SeriesUnit::Share,
          .steps = true,
          .meaning =
              "The share of feasible configurations among those that the tuner drew before the trial, before "
              "a new draw or a repair (Heron, figures 2 and 12)",
          .maker = std::move(maker)};
}

}  // namespace kernelscape::tuner

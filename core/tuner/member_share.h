#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/space/search_space.h"
#include "core/trial/series.h"

namespace kernelscape::tuner {

/** The series of the share of drawn children that were members (Heron, figures 2 and 12). */
inline constexpr std::string_view member_share_name = "member_share";

/**
 * Counts children, neighbours and moves as they are drawn: each once, by whether it was a member before it
 * was drawn again, repaired or replaced. Each generation, plan or proposal starts a new count.
 */
class DrawnChildren {
 public:
  /** Counts one more drawn child. */
  void count(bool member) {
    ++drawn_;
    members_ += member ? 1 : 0;
  }

  std::int64_t drawn() const { return drawn_; }      ///< number of children so far
  std::int64_t members() const { return members_; }  ///< number of children that were members
  /** Returns the share of members, or nullopt before the first child. */
  std::optional<double> share() const;

  /** Appends the value of `member_share_series` if anything was drawn. */
  void report(std::vector<trial::SeriesValue>& values) const;

 private:
  std::int64_t drawn_ = 0;
  std::int64_t members_ = 0;
};

/**
 * Draws a member as `draw_member` of the topology does, and counts the first draw, before others replace it.
 */
std::optional<space::Configuration> draw_child(const space::SearchSpace& space, base::Random& random,
                                               const std::function<space::Configuration(base::Random&)>& draw,
                                               DrawnChildren& drawn);

/**
 * Returns the series of the share of members. @param maker which tuner draws what, as the middle of a
 * sentence
 */
trial::SeriesDescription member_share_series(std::string maker);

}  // namespace kernelscape::tuner

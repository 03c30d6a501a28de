#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/space/search_space.h"
#include "core/trial/series.h"

namespace kernelscape {

/** The series of the share of drawn children that were members (Heron, figures 2 and 12). */
inline constexpr std::string_view member_share_name = "member_share";

/**
 * Counts children, neighbours and moves as they are drawn: each once, by whether it was a member before it
 * was drawn again, repaired or replaced. A new one for each generation, plan or proposal.
 */
class DrawnChildren {
 public:
  /** One more was drawn. */
  void count(bool member) {
    ++drawn_;
    members_ += member ? 1 : 0;
  }

  std::int64_t drawn() const { return drawn_; }      ///< children so far
  std::int64_t members() const { return members_; }  ///< of them
  /** None before the first. */
  std::optional<double> share() const;

  /** The value of `member_share_series`, where anything was drawn. */
  void report(std::vector<SeriesValue>& values) const;

 private:
  std::int64_t drawn_ = 0;
  std::int64_t members_ = 0;
};

/** As `draw_member` of the topology; the first draw is counted, before others replace it. */
std::optional<Configuration> draw_child(const SearchSpace& space, Random& random,
                                        const std::function<Configuration(Random&)>& draw,
                                        DrawnChildren& drawn);

/** @param maker which tuner draws what, in the middle of a sentence */
SeriesDescription member_share_series(std::string maker);

}  // namespace kernelscape

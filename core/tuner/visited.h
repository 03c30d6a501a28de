#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/space/member_walk.h"
#include "core/space/search_space.h"
#include "core/space/solver_model.h"
#include "core/tuner/configuration_set.h"
#include "core/tuner/member_share.h"
#include "core/tuner/tuner.h"

namespace kernelscape::tuner {

/** Draws a configuration, which need not be a member. */
using Draw = std::function<space::Configuration(base::Random&)>;

/** What the constraint solver may take to find further members of a sparse space. */
inline constexpr space::SolverLimits further_member_limits{.nodes = 10'000};

/** Says that the constraint solver gave up the search for another member. */
std::string solver_gave_up_text();

/**
 * The configurations that a tuner has proposed, and functions that find unvisited members. To *take* a member
 * means to return an unvisited member and mark it as visited; nullopt is returned if there is none left.
 */
class Visited {
 public:
  Visited(space::SearchSpace space, base::Random random);

  /** Returns true if the configuration was taken or inserted, and not erased since. */
  bool contains(const space::Configuration& configuration) const { return visited_.contains(configuration); }
  std::size_t size() const { return visited_.size(); }  ///< configurations visited so far

  /** Marks a configuration as visited. @return false if it was visited before */
  bool insert(const space::Configuration& configuration) { return visited_.insert(configuration); }

  /** Marks a configuration that was taken but is not proposed as unvisited again. */
  void erase(const space::Configuration& configuration);

  /**
   * Takes a random member, like `SearchSpace::random_member`. If most members are visited, it takes one that
   * a walk from a random start finds. If the walk finds none in a space that is too large to be walked
   * through, it takes one that the constraint solver finds.
   */
  std::optional<space::Configuration> take_random();
  /** Appends random members until there are `count` configurations, or no member is left. */
  void fill(std::vector<space::Configuration>& configurations, std::size_t count);

  /** Draws up to 100 times until an unvisited member results, then takes a random one. */
  std::optional<space::Configuration> take_drawn(base::Random& random, const Draw& draw);

  /**
   * Takes a child as AutoTVM does: a child that is no member is bred again up to 100 times, then replaced by
   * a random member; a child that was visited gets random genes one after the other, at most 100, until it is
   * new, and is then replaced.
   */
  std::optional<space::Configuration> take_child(base::Random& random, const Draw& breed);

  /** Restarts the count of drawn candidates. */
  void begin_drawing() { drawn_ = {}; }
  /**
   * Returns the count of candidates that `take_drawn` and `take_child` drew: each once, as it was first
   * drawn.
   */
  const DrawnChildren& drawn() const { return drawn_; }

  /** Returns true if it is known that no member is left. */
  bool has_all() const { return whole_space_visited_; }

  /** Returns the reason to report when nothing could be taken. */
  Finished finished() const;

 private:
  std::optional<space::Configuration> take_listed();
  void list_unvisited();
  void list_walked(space::MemberWalk& walk);
  void list_solved(space::MemberWalk& walk);

  space::SearchSpace space_;
  base::Random random_;
  ConfigurationSet visited_;
  std::vector<space::Configuration> unvisited_;  ///< some of the unvisited members, filled once they are rare
  bool whole_space_visited_ = false;
  bool rare_ = false;            ///< a walk found none: from then on the constraint solver is asked
  bool solver_gave_up_ = false;  ///< in the last walk
  DrawnChildren drawn_;
};

}  // namespace kernelscape::tuner

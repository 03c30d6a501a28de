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

namespace kernelscape {

/** Draws a configuration, a member or not. */
using Draw = std::function<Configuration(Random&)>;

/** What the constraint solver may take to find further members of a sparse space. */
inline constexpr SolverLimits further_member_limits{.nodes = 10'000};

/** Says that the constraint solver gave up the search for another member. */
std::string solver_gave_up_text();

/**
 * What a tuner has proposed, and the way to members that it has not. What is *taken* is an unvisited member,
 * visited from then on; none is given where there is no more.
 */
class Visited {
 public:
  Visited(SearchSpace space, Random random);

  /** It was taken or inserted, and not erased since. */
  bool contains(const Configuration& configuration) const { return visited_.contains(configuration); }
  std::size_t size() const { return visited_.size(); }  ///< configurations visited so far

  /** @return false: it was visited before */
  bool insert(const Configuration& configuration) { return visited_.insert(configuration); }

  /** Takes back a configuration that was taken and is not proposed after all. */
  void erase(const Configuration& configuration);

  /**
   * A random member, like `SearchSpace::random_member`. Where most members are visited, one of those that a
   * walk from a random start finds; where it finds none and the space is too large to be walked through,
   * those that the constraint solver finds.
   */
  std::optional<Configuration> take_random();

  /** Draws up to 100 times until an unvisited member results, then takes a random one. */
  std::optional<Configuration> take_drawn(Random& random, const Draw& draw);

  /**
   * AutoTVM's way with children: a child that is no member is bred again up to 100 times, then replaced by a
   * random member; one that was visited gets random genes, one after the other, until it is new (at most
   * 100), then is replaced.
   */
  std::optional<Configuration> take_child(Random& random, const Draw& breed);

  /** What is drawn from here on is counted anew. */
  void begin_drawing() { drawn_ = {}; }
  /** What `take_drawn` and `take_child` drew: each candidate once, as it was drawn first. */
  const DrawnChildren& drawn() const { return drawn_; }

  /** Whether it is known that no member is left. */
  bool has_all() const { return whole_space_visited_; }

  /** What to say once nothing could be taken. */
  Finished finished() const;

 private:
  std::optional<Configuration> take_listed();
  void list_unvisited();
  void list_walked(MemberWalk& walk);
  void list_solved(MemberWalk& walk);

  SearchSpace space_;
  Random random_;
  ConfigurationSet visited_;
  std::vector<Configuration> unvisited_;  ///< some of them, once they have become rare
  bool whole_space_visited_ = false;
  bool rare_ = false;            ///< a walk found none: from then on the constraint solver is asked
  bool solver_gave_up_ = false;  ///< in the last walk
  DrawnChildren drawn_;
};

}  // namespace kernelscape

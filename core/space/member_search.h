#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/space/constraint_graph.h"
#include "core/space/search_space.h"
#include "core/space/value_range.h"

namespace kernelscape {

/** How a search ended. */
enum class SearchEnd : std::uint8_t {
  Complete,  ///< there is nothing more
  Stopped,   ///< the visitor had enough
  GaveUp     ///< its effort was used up
};

/** How many members were counted. */
struct MemberCount {
  uint128 count = 0;
  bool complete = false;  ///< false: the effort was used up, and there may be more
};

/**
 * Goes through the configurations that satisfy constraints, knob after knob: a constraint is asked as soon as
 * one of its knobs has a value, of the others by the ranges of their values, so that whole parts of the
 * product are left out at once or taken at once. Knobs come in an order by which constraints decide early.
 * Exact and deterministic. Refers to the knobs and the system, which have to be valid.
 */
class MemberSearch {
 public:
  MemberSearch(const std::vector<Knob>& knobs, const ConstraintSystem& system);

  /** Asked of every member, in no order; false ends the search. */
  using Visitor = std::function<bool(const Configuration&)>;
  /** @param effort names in rules that may be looked at: some hundred million take a second or two */
  SearchEnd visit(std::uint64_t effort, const Visitor& visitor);

  /** What visit() left of its effort. */
  std::uint64_t effort_left() const { return effort_; }

  /** Counts the members. Parts that are alike are counted once. @param effort as for visit() */
  MemberCount count(std::uint64_t effort);

 private:
  struct KnobState {
    std::vector<std::pair<VariableId, int>> elements;  ///< and their positions
    std::vector<ValueRange> open;                      ///< of each element, over all values
    std::vector<std::uint32_t> values;                 ///< that no constraint rules out alone
    std::vector<std::uint32_t> checks;                 ///< that depend on it
  };

  Truth ask(std::uint32_t check);
  void set(std::uint32_t knob, std::uint32_t value);
  void measure(std::uint32_t knob);
  void release(std::uint32_t knob);
  bool rule_out();
  void order_knobs();
  bool settle(std::uint32_t knob);
  void undo(std::size_t mark);
  SearchEnd visit_from(std::size_t depth, const Visitor& visitor);
  uint128 count_from(std::size_t depth);
  std::string key_of(std::size_t depth) const;

  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  std::vector<Check> checks_;
  std::vector<std::uint64_t> costs_;  ///< of asking each check
  std::vector<KnobState> states_;
  std::vector<std::uint32_t> order_;   ///< knobs, the outermost first
  std::vector<uint128> rest_;          ///< per depth, the product of the knobs from there on
  std::vector<ValueRange> ranges_;     ///< per variable, of what is set and what is open
  std::vector<std::uint8_t> decided_;  ///< per check: true whatever the open knobs are
  std::vector<std::uint32_t> trail_;   ///< checks in the order in which they were decided
  std::vector<std::unordered_map<std::string, uint128>> counted_;  ///< per depth, by what matters below it
  std::size_t remembered_ = 0;
  Configuration current_;
  std::uint64_t effort_ = 0;
  bool gave_up_ = false;
  bool empty_ = false;  ///< a knob has no value left, or a constraint never holds
};

/**
 * All members in the order of their indices, found by MemberSearch; none where they are over `most` or the
 * effort does not suffice.
 */
std::optional<std::vector<Configuration>> searched_members(const SearchSpace& space, std::size_t most,
                                                           std::uint64_t effort = 2'000'000'000);

/** Feasible configurations of a space to begin with. */
struct FirstMembers {
  std::vector<Configuration> members;   ///< in the order of their indices
  SearchEnd end = SearchEnd::Complete;  ///< Stopped: as many as were asked for, or up to `stop`
  bool in_order = true;  ///< no other member precedes the last of them; else they are random ones
};

/**
 * Returns the first members in the order of their indices, at most `max_count`: by a walk, and by the
 * constraint solver where they lie far from each other. Where the solver gives up without any, the members
 * are random ones, if it finds such. The search is limited by the values it tries, some seconds at most.
 * @param stop asked before each member; where it says yes, those that were found by then are returned
 */
FirstMembers first_members(const SearchSpace& space, std::size_t max_count,
                           const std::function<bool()>& stop = {});

/** Counts members with a limited effort, as for MemberSearch::count(). */
MemberCount counted_members(const SearchSpace& space, std::uint64_t effort);

/** Counts members in about a second; in a space of some ten million combinations or fewer, in up to twenty.
 */
MemberCount counted_members(const SearchSpace& space);

}  // namespace kernelscape

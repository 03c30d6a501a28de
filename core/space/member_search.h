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

namespace kernelscape::space {

/** How a search ended. */
enum class SearchEnd : std::uint8_t {
  Complete,  ///< all members were visited
  Stopped,   ///< the visitor ended the search
  GaveUp     ///< its effort was used up
};

/** Number of counted members. */
struct MemberCount {
  base::uint128 count = 0;
  bool complete = false;  ///< false: the effort was used up, and there may be more
};

/**
 * Enumerates the configurations that satisfy constraints, knob by knob: a constraint is evaluated as soon as
 * one of its knobs has a value, with ranges for the other knobs, so that whole parts of the product are
 * rejected or accepted at once. Knobs are ordered such that constraints decide early. Exact and
 * deterministic. Refers to the knobs and the system, which must be valid.
 */
class MemberSearch {
 public:
  MemberSearch(const std::vector<Knob>& knobs, const ConstraintSystem& system);

  /** Called with every member, in no order; returning false ends the search. */
  using Visitor = std::function<bool(const Configuration&)>;
  /**
   * Visits the members.
   * @param effort maximum number of evaluated names in rules: some hundred million take a second or two
   */
  SearchEnd visit(std::uint64_t effort, const Visitor& visitor);

  /** Returns the effort that visit() did not use. */
  std::uint64_t effort_left() const { return effort_; }

  /** Counts the members. Identical subproblems are counted once. @param effort as for visit() */
  MemberCount count(std::uint64_t effort);

 private:
  struct KnobState {
    std::vector<std::pair<VariableId, int>> elements;  ///< variables and element positions
    std::vector<ValueRange> open;                      ///< range of each element over all values
    std::vector<std::uint32_t> values;                 ///< values that no single constraint rules out
    std::vector<std::uint32_t> checks;                 ///< checks that depend on the knob
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
  base::uint128 count_from(std::size_t depth);
  std::string key_of(std::size_t depth) const;

  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  std::vector<Check> checks_;
  std::vector<std::uint64_t> costs_;  ///< cost of evaluating each check
  std::vector<KnobState> states_;
  std::vector<std::uint32_t> order_;   ///< knobs, the outermost first
  std::vector<base::uint128> rest_;    ///< per depth: the product of the remaining knobs
  std::vector<ValueRange> ranges_;     ///< per variable, over set and open knobs
  std::vector<std::uint8_t> decided_;  ///< per check: true for all values of the open knobs
  std::vector<std::uint32_t> trail_;   ///< checks in the order in which they were decided
  std::vector<std::unordered_map<std::string, base::uint128>>
      counted_;  ///< per depth, by the state that matters below it
  std::size_t remembered_ = 0;
  Configuration current_;
  std::uint64_t effort_ = 0;
  bool gave_up_ = false;
  bool empty_ = false;  ///< a knob has no value left, or a constraint never holds
};

/**
 * Returns all members in the order of their indices, found by MemberSearch, or nullopt if there are more than
 * `most` or the effort does not suffice.
 */
std::optional<std::vector<Configuration>> searched_members(const SearchSpace& space, std::size_t most,
                                                           std::uint64_t effort = 2'000'000'000);

/** The first feasible configurations of a space. */
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

}  // namespace kernelscape::space

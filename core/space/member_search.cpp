#include "core/space/member_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/random.h"
#include "core/space/member_walk.h"
#include "core/space/solver_model.h"

namespace kernelscape::space {
namespace {

constexpr std::size_t max_remembered = 1U << 17;  // some 20 MB
constexpr std::size_t max_asked_alone =
    4096;  // values of a knob, which are asked before any effort is counted

constexpr std::size_t max_random_members = 16;
// Nodes of the solver that first_members() may take: a node of a hard system takes a millisecond.
constexpr std::uint64_t max_nodes = 20'000;
constexpr std::uint64_t max_nodes_per_member = 2'000;

/** Different members in the order of their indices; fewer where drawing gives up or repeats itself. */
std::vector<Configuration> random_members(const SearchSpace& space, std::size_t max_count) {
  base::Random random(0);
  std::map<base::uint128, Configuration> drawn;
  for (std::size_t draw = 0; draw < max_count; ++draw) {
    const Result<Solution> solution =
        space.solver().solve({}, {}, base::Random(random.bits()), {.nodes = max_nodes_per_member});
    const auto* member = solution ? std::get_if<Configuration>(&*solution) : nullptr;
    if (member == nullptr) break;
    drawn.emplace(space.index_of(*member), *member);
  }
  std::vector<Configuration> members;
  for (auto& [index, member] : drawn) members.push_back(std::move(member));
  return members;
}

std::uint64_t cost_of(const ConstraintSystem& system, std::size_t constraint) {
  const Constraint& rule = system.constraints()[constraint];
  std::uint64_t cost = 1 + operands(rule).size();
  if (const auto* listed = std::get_if<InConstraint>(&rule.rule)) cost += listed->values.size();
  return cost;
}

}  // namespace

MemberSearch::MemberSearch(const std::vector<Knob>& knobs, const ConstraintSystem& system)
    : knobs_(knobs),
      system_(system),
      checks_(checks_of(system)),
      states_(knobs.size()),
      ranges_(system.variables().size()),
      decided_(checks_.size()) {
  for (VariableId id = 0; id < system.variables().size(); ++id) {
    const Variable& variable = system.variables()[id];
    if (variable.constant) ranges_[id] = {*variable.constant, *variable.constant};
    if (variable.element)
      states_[variable.element->knob].elements.emplace_back(id, variable.element->position);
  }
  for (std::uint32_t number = 0; number < checks_.size(); ++number) {
    std::uint64_t cost = cost_of(system, checks_[number].constraint);
    for (const std::size_t definition : checks_[number].definitions) cost += cost_of(system, definition);
    costs_.push_back(cost);
    for (const std::uint32_t knob : checks_[number].knobs) states_[knob].checks.push_back(number);
  }
  for (std::uint32_t knob = 0; knob < knobs.size(); ++knob) {
    states_[knob].values.resize(knobs[knob].count());
    std::iota(states_[knob].values.begin(), states_[knob].values.end(), 0U);
    measure(knob);
    release(knob);
  }
  current_.indices.resize(knobs.size());
  for (std::uint32_t number = 0; number < checks_.size() && !empty_; ++number) {
    const Truth truth = ask(number);
    empty_ = truth == Truth::False;
    decided_[number] = truth == Truth::True ? 1 : 0;
  }
  // Removed values narrow the ranges by which further values are removed; a few rounds give most of the
  // effect.
  for (int round = 0; round < 3 && !empty_ && rule_out(); ++round) {
  }
  order_knobs();
}

/**
 * Removes the knobs' values that contradict a single constraint.
 * @return true if any were removed
 */
bool MemberSearch::rule_out() {
  bool changed = false;
  for (std::uint32_t knob = 0; knob < knobs_.size() && !empty_; ++knob) {
    KnobState& state = states_[knob];
    if (state.checks.empty() || state.values.size() > max_asked_alone) continue;
    const std::size_t before = state.values.size();
    std::erase_if(state.values, [&](std::uint32_t value) {
      set(knob, value);
      return std::ranges::any_of(state.checks, [&](std::uint32_t check) {
        return decided_[check] == 0 && ask(check) == Truth::False;
      });
    });
    empty_ = state.values.empty();
    if (!empty_ && state.values.size() < before) measure(knob);
    release(knob);
    changed = changed || state.values.size() < before;
  }
  return changed;
}

/** Knobs of the constraint that the fewest combinations decide come first, and so on. */
void MemberSearch::order_knobs() {
  std::vector<std::uint8_t> placed(knobs_.size());
  std::vector<std::uint8_t> done(checks_.size());
  const auto open_product = [&](std::uint32_t check) {
    base::uint128 product = 1;
    for (const std::uint32_t knob : checks_[check].knobs)
      if (placed[knob] == 0) product = base::saturating_multiply(product, states_[knob].values.size());
    return product;
  };
  const auto rank = [&](std::uint32_t knob) {
    return std::tuple(~states_[knob].checks.size(), states_[knob].values.size(), knob);
  };
  for (std::size_t round = 0; round < checks_.size(); ++round) {
    std::uint32_t best = 0;
    base::uint128 least = std::numeric_limits<base::uint128>::max();
    for (std::uint32_t check = 0; check < checks_.size(); ++check) {
      if (done[check] != 0) continue;
      const base::uint128 product = open_product(check);
      if (product < least) {
        least = product;
        best = check;
      }
    }
    done[best] = 1;
    std::vector<std::uint32_t> next;
    std::ranges::copy_if(checks_[best].knobs, std::back_inserter(next),
                         [&](std::uint32_t knob) { return placed[knob] == 0; });
    std::ranges::sort(next, {}, rank);
    for (const std::uint32_t knob : next) {
      placed[knob] = 1;
      order_.push_back(knob);
    }
  }
  for (std::uint32_t knob = 0; knob < knobs_.size(); ++knob)
    if (placed[knob] == 0) order_.push_back(knob);
  rest_.assign(order_.size() + 1, 1);
  for (std::size_t depth = order_.size(); depth-- > 0;)
    rest_[depth] = base::saturating_multiply(rest_[depth + 1], states_[order_[depth]].values.size());
}

Truth MemberSearch::ask(std::uint32_t number) {
  const Check& check = checks_[number];
  effort_ = effort_ > costs_[number] ? effort_ - costs_[number] : 0;
  const auto& constraints = system_.constraints();
  for (const std::size_t definition : check.definitions)
    ranges_[*left_side(constraints[definition])] = range_of_left_side(constraints[definition], ranges_);
  return truth_of(constraints[check.constraint], system_.defines(check.constraint), ranges_);
}

void MemberSearch::set(std::uint32_t knob, std::uint32_t value) {
  current_.indices[knob] = value;
  for (const auto& [id, position] : states_[knob].elements) {
    const std::int64_t element = knobs_[knob].element(value, position);
    ranges_[id] = {element, element};
  }
}

/** The ranges of all its values. */
void MemberSearch::measure(std::uint32_t knob) {
  KnobState& state = states_[knob];
  state.open.clear();
  for (const auto& [id, position] : state.elements) {
    ValueRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const std::uint32_t value : state.values) {
      const std::int64_t element = knobs_[knob].element(value, position);
      range = {std::min(range.low, element), std::max(range.high, element)};
    }
    state.open.push_back(range);
  }
}

/** Unsets a knob: it may have any value again. */
void MemberSearch::release(std::uint32_t knob) {
  const KnobState& state = states_[knob];
  for (std::size_t i = 0; i < state.open.size(); ++i) ranges_[state.elements[i].first] = state.open[i];
}

/**
 * Evaluates the constraints that depend on a knob that was set.
 * @return true if none is violated
 */
bool MemberSearch::settle(std::uint32_t knob) {
  for (const std::uint32_t check : states_[knob].checks) {
    if (decided_[check] != 0) continue;
    const Truth truth = ask(check);
    if (truth == Truth::False) return false;
    if (truth == Truth::Unknown) continue;
    decided_[check] = 1;
    trail_.push_back(check);
  }
  if (effort_ == 0) gave_up_ = true;
  return !gave_up_;
}

void MemberSearch::undo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) decided_[trail_.back()] = 0;
}

SearchEnd MemberSearch::visit(std::uint64_t effort, const Visitor& visitor) {
  effort_ = effort;
  gave_up_ = false;
  return empty_ ? SearchEnd::Complete : visit_from(0, visitor);
}

SearchEnd MemberSearch::visit_from(std::size_t depth, const Visitor& visitor) {
  if (depth == order_.size()) {
    if (effort_ == 0) return SearchEnd::GaveUp;
    --effort_;
    return visitor(current_) ? SearchEnd::Complete : SearchEnd::Stopped;
  }
  const std::uint32_t knob = order_[depth];
  SearchEnd end = SearchEnd::Complete;
  for (const std::uint32_t value : states_[knob].values) {
    set(knob, value);
    const std::size_t mark = trail_.size();
    if (settle(knob)) end = visit_from(depth + 1, visitor);
    undo(mark);
    if (gave_up_) end = SearchEnd::GaveUp;
    if (end != SearchEnd::Complete) break;
  }
  release(knob);
  return end;
}

MemberCount MemberSearch::count(std::uint64_t effort) {
  if (empty_) return {0, true};
  effort_ = effort;
  gave_up_ = false;
  remembered_ = 0;
  counted_.assign(order_.size(), {});
  const base::uint128 total = count_from(0);
  counted_.clear();
  return {total, !gave_up_};
}

base::uint128 MemberSearch::count_from(std::size_t depth) {
  if (std::ranges::all_of(decided_, [](std::uint8_t decided) { return decided != 0; })) return rest_[depth];
  // The last constraint is decided where its last knob is: there is another knob.
  std::string key = key_of(depth);
  if (const auto known = counted_[depth].find(key); known != counted_[depth].end()) return known->second;
  const std::uint32_t knob = order_[depth];
  base::uint128 total = 0;
  for (const std::uint32_t value : states_[knob].values) {
    set(knob, value);
    const std::size_t mark = trail_.size();
    if (settle(knob)) total += count_from(depth + 1);
    undo(mark);
    if (gave_up_) break;
  }
  release(knob);
  if (!gave_up_ && remembered_ < max_remembered) {
    ++remembered_;
    counted_[depth].emplace(std::move(key), total);
  }
  return total;
}

/** What the number of members below depends on: the open constraints, and the values of their knobs that are
 * set. */
std::string MemberSearch::key_of(std::size_t depth) const {
  std::string key;
  std::vector<std::uint8_t> matters(knobs_.size());
  for (std::uint32_t check = 0; check < checks_.size(); ++check) {
    key += static_cast<char>(decided_[check]);
    if (decided_[check] != 0) continue;
    for (const std::uint32_t knob : checks_[check].knobs) matters[knob] = 1;
  }
  for (std::size_t i = 0; i < depth; ++i) {
    const std::uint32_t value = current_.indices[order_[i]];
    if (matters[order_[i]] != 0) key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return key;
}

std::optional<std::vector<Configuration>> searched_members(const SearchSpace& space, std::size_t most,
                                                           std::uint64_t effort) {
  if (const auto* listed = space.explicit_members()) {
    if (listed->size() > most) return std::nullopt;
    return *listed;
  }
  std::vector<base::uint128> found;
  MemberSearch search(space.knobs(), space.constraints());
  const SearchEnd end = search.visit(effort, [&](const Configuration& member) {
    if (found.size() == most) return false;
    found.push_back(space.index_of(member));
    return true;
  });
  if (end != SearchEnd::Complete) return std::nullopt;
  std::ranges::sort(found);
  std::vector<Configuration> members;
  members.reserve(found.size());
  for (const base::uint128 index : found) members.push_back(space.at(index));
  return members;
}

MemberCount counted_members(const SearchSpace& space, std::uint64_t effort) {
  if (const auto* listed = space.explicit_members()) return {listed->size(), true};
  return MemberSearch(space.knobs(), space.constraints()).count(effort);
}

MemberCount counted_members(const SearchSpace& space) {
  // So many combinations are soon looked at, whatever their conditions are.
  constexpr base::uint128 few_combinations = 1U << 25;
  constexpr std::uint64_t effort_for_few = 2'000'000'000;
  constexpr std::uint64_t effort_for_many = 100'000'000;
  return counted_members(space, space.size() <= few_combinations ? effort_for_few : effort_for_many);
}

FirstMembers first_members(const SearchSpace& space, std::size_t max_count,
                           const std::function<bool()>& stop) {
  constexpr std::uint64_t walked_between_members = 4096;
  FirstMembers first;
  MemberWalk walk(space);
  std::uint64_t nodes_left = max_nodes;
  for (bool rare = false; first.members.size() < max_count && !walk.done();) {
    if (stop && stop()) {
      first.end = SearchEnd::Stopped;
      break;
    }
    SolverLimits limits{.nodes = std::min(nodes_left, max_nodes_per_member)};
    nodes_left -= limits.nodes;
    if (rare && !walk.skip(limits)) {
      first.end = SearchEnd::GaveUp;
      break;
    }
    nodes_left += limits.nodes;
    if (auto member = walk.next(walked_between_members))
      first.members.push_back(std::move(*member));
    else
      rare = true;
  }
  if (first.members.size() == max_count) first.end = SearchEnd::Stopped;
  if (!first.members.empty() || first.end != SearchEnd::GaveUp) return first;
  first.in_order = false;
  first.members = random_members(space, std::min(max_count, max_random_members));
  return first;
}

}  // namespace kernelscape::space

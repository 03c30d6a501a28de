#include "core/analysis/landscape/space_variables.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "core/space/constraint_graph.h"
#include "core/space/member_walk.h"

namespace kernelscape::analysis {
namespace {

constexpr std::uint64_t max_walked = 1 << 20;
/** Number of configurations between two calls of `keep_going`. */
constexpr std::uint64_t walked_at_once = 1 << 12;
constexpr std::size_t solved_between_questions = 16;
/** Solving for a member takes as long as drawing this many. */
constexpr std::size_t drawn_per_solved = 4;

/** Explicit members have no constraints, but limits still apply to their knobs. */
space::ConstraintSystem system_of(const space::SearchSpace& space,
                                  const std::optional<space::ConstraintSystem>& limits) {
  if (!limits) return space::csp_of(space);
  space::ConstraintSystem both = space.constraints();
  both.append(*limits);
  return space::csp_of(space.knobs(), both);
}

bool can_be_walked(const space::SearchSpace& space) {
  const std::vector<space::Configuration>* listed = space.explicit_members();
  return listed != nullptr ? listed->size() <= max_walked : space.size() <= max_walked;
}

/** Collects the pairs that occur, and whether they are within the limits. */
class PairCollector {
 public:
  PairCollector(const SpaceVariables& variables, space::VariableId x, space::VariableId y)
      : variables_(variables), x_(x), y_(y), values_(variables.system().variables().size()) {}

  void add(const space::Configuration& member) {
    variables_.compute(member, values_);
    bool& within = met_[{values_[x_], values_[y_]}];
    within = within || variables_.within_limits(member);
    ++members_;
  }
  ValidRegion region(const RegionMembers& of) const {
    ValidRegion region{{}, members_, of.all, of.uniform};
    for (const auto& [pair, within] : met_) region.pairs.push_back({pair.first, pair.second, within});
    return region;
  }

 private:
  const SpaceVariables& variables_;
  space::VariableId x_;
  space::VariableId y_;
  std::vector<std::int64_t> values_;
  std::map<std::pair<std::int64_t, std::int64_t>, bool> met_;
  std::int64_t members_ = 0;
};

}  // namespace

SpaceVariables::SpaceVariables(space::SearchSpace space, std::optional<space::ConstraintSystem> limits)
    : space_(std::move(space)), system_(system_of(space_, limits)), values_(system_) {
  if (limits) limits_.emplace(*limits);
  std::set<std::string> names;
  for (space::VariableId id = 0; id < system_.variables().size(); ++id) {
    const space::Variable& variable = system_.variables()[id];
    if (!variable.constant && names.insert(variable.name).second) offered_.push_back(id);
  }
}

bool SpaceVariables::within_limits(const space::Configuration& configuration) const {
  return !limits_ || limits_->satisfied(space_.knobs(), configuration);
}

void SpaceVariables::compute(const space::Configuration& configuration,
                             std::span<std::int64_t> values) const {
  values_.compute(space_.knobs(), configuration, values);
}

/**
 * Returns true if both are the same variable: limits derive again what the space's own constraints derived.
 */
bool SpaceVariables::same(space::VariableId first, space::VariableId second) const {
  if (first == second) return true;
  const space::Variable& variable = system_.variables()[first];
  if (!variable.derived() || variable != system_.variables()[second]) return false;
  const auto definition = [&](space::VariableId id) {
    for (std::size_t constraint = 0; constraint < system_.constraints().size(); ++constraint)
      if (system_.defines(constraint) && space::left_side(system_.constraints()[constraint]) == id)
        return system_.describe(constraint);
    return std::string();
  };
  return definition(first) == definition(second);
}

/**
 * Returns the derived variables that an LE constraint bounds by a constant, those that depend on the most
 * elements first.
 */
std::vector<space::VariableId> SpaceVariables::bounded_derived() const {
  std::map<space::VariableId, std::size_t> elements;
  const auto bound = [&](space::VariableId bounded, std::size_t reached) {
    if (!system_.variables()[bounded].derived()) return;
    for (const space::VariableId id : offered_)
      if (same(id, bounded)) elements[id] = std::max(elements[id], reached);
  };
  for (const space::Check& check : space::checks_of(system_)) {
    const auto* le = std::get_if<space::LeConstraint>(&system_.constraints()[check.constraint].rule);
    if (le == nullptr) continue;
    if (system_.variables()[le->right].constant) bound(le->left, check.elements.size());
    if (system_.variables()[le->left].constant) bound(le->right, check.elements.size());
  }
  std::vector<space::VariableId> bounded;
  for (const space::VariableId id : offered_)
    if (elements.contains(id)) bounded.push_back(id);
  std::ranges::stable_sort(bounded, std::greater(), [&](space::VariableId id) { return elements[id]; });
  return bounded;
}

/** Returns the elements of the knob with the most values first, from its last one; then all others. */
std::vector<space::VariableId> SpaceVariables::first_elements() const {
  std::vector<space::VariableId> elements;
  for (const space::VariableId id : offered_)
    if (system_.variables()[id].element) elements.push_back(id);
  const auto rank = [&](space::VariableId id) {
    const space::KnobElement& element = *system_.variables()[id].element;
    const space::Knob& knob = space_.knobs()[element.knob];
    const bool several = knob.element_count() > 1;
    return std::tuple(!several, -static_cast<std::int64_t>(knob.count()), element.knob, -element.position);
  };
  std::ranges::stable_sort(elements, {}, rank);
  return elements;
}

std::optional<std::pair<space::VariableId, space::VariableId>> SpaceVariables::first_pair() const {
  std::vector<space::VariableId> chosen = bounded_derived();
  if (chosen.size() < 2) chosen = first_elements();
  if (chosen.size() < 2) return std::nullopt;
  return std::pair(chosen[0], chosen[1]);
}

std::vector<VariableBound> SpaceVariables::bounds(space::VariableId x, space::VariableId y) const {
  using enum VariableBound::Kind;
  std::vector<VariableBound> bounds;
  const auto add = [&](VariableBound bound) {
    if (std::ranges::find(bounds, bound) == bounds.end()) bounds.push_back(std::move(bound));
  };
  for (const space::Constraint& constraint : system_.constraints()) {
    const auto* le = std::get_if<space::LeConstraint>(&constraint.rule);
    if (le == nullptr) continue;
    const std::optional<std::int64_t>& least = system_.variables()[le->left].constant;
    const std::optional<std::int64_t>& most = system_.variables()[le->right].constant;
    if (most && same(x, le->left)) add({XAtMost, *most, constraint.reason});
    if (most && same(y, le->left)) add({YAtMost, *most, constraint.reason});
    if (least && same(x, le->right)) add({XAtLeast, *least, constraint.reason});
    if (least && same(y, le->right)) add({YAtLeast, *least, constraint.reason});
    if (same(x, y)) continue;
    if (same(x, le->left) && same(y, le->right)) add({XAtMostY, 0, constraint.reason});
    if (same(y, le->left) && same(x, le->right)) add({YAtMostX, 0, constraint.reason});
  }
  return bounds;
}

RegionMembers region_members(const space::SearchSpace& space, std::size_t sample, base::Random random,
                             const std::function<bool()>& keep_going) {
  RegionMembers members;
  members.all = can_be_walked(space);
  if (members.all) return members;
  members.uniform = space.samples_uniformly();
  const std::size_t wanted = members.uniform ? sample : sample / drawn_per_solved;
  while (members.sample.size() < wanted) {
    if (members.sample.size() % solved_between_questions == 0 && !keep_going()) return members;
    std::optional<space::Configuration> member = space.random_member(random);
    if (!member) return members;
    members.sample.push_back(std::move(*member));
  }
  return members;
}

ValidRegion valid_region(const SpaceVariables& variables, space::VariableId x, space::VariableId y,
                         const RegionMembers& members, const std::function<bool()>& keep_going) {
  PairCollector pairs(variables, x, y);
  if (!members.all) {
    for (std::size_t index = 0; index < members.sample.size(); ++index) {
      if (index % walked_at_once == 0 && !keep_going()) break;
      pairs.add(members.sample[index]);
    }
    return pairs.region(members);
  }
  space::MemberWalk walk(variables.space());
  for (std::uint64_t met = 0; !walk.done();) {
    // Either a member follows soon, or many configurations are skipped.
    const std::optional<space::Configuration> member = walk.next(walked_at_once);
    if ((!member || ++met % walked_at_once == 0) && !keep_going()) break;
    if (member) pairs.add(*member);
  }
  return pairs.region(members);
}

}  // namespace kernelscape::analysis

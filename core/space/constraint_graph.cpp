#include "core/space/constraint_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace kernelscape::space {
namespace {

/** Walks from a constraint back through the definitions of what it uses. */
Check trace(const ConstraintSystem& system, std::size_t constraint) {
  Check check{constraint, {}, {}, {}};
  std::set<VariableId> needed;
  const auto need_all = [&](const std::vector<VariableId>& ids) { needed.insert(ids.begin(), ids.end()); };
  need_all(operands(system.constraints()[constraint]));
  if (const auto left = left_side(system.constraints()[constraint]); left && !system.defines(constraint))
    needed.insert(*left);
  for (std::size_t i = constraint; i-- > 0;) {
    if (!system.defines(i) || !needed.contains(*left_side(system.constraints()[i]))) continue;
    check.definitions.push_back(i);
    need_all(operands(system.constraints()[i]));
  }
  std::ranges::reverse(check.definitions);
  std::set<std::uint32_t> knobs;
  for (const VariableId id : needed) {
    if (!system.variables()[id].element) continue;
    check.elements.push_back(id);
    knobs.insert(system.variables()[id].element->knob);
  }
  check.knobs.assign(knobs.begin(), knobs.end());
  return check;
}

/** Root of a knob in a forest of joined knobs. */
std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t knob) {
  while (parent[knob] != knob) knob = parent[knob] = parent[parent[knob]];
  return knob;
}

}  // namespace

std::vector<Check> checks_of(const ConstraintSystem& system) {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    const bool select = std::holds_alternative<SelectConstraint>(system.constraints()[i].rule);
    if (!system.defines(i) || select) checks.push_back(trace(system, i));
  }
  return checks;
}

std::vector<CheckGroup> independent_groups(std::size_t knob_count, const ConstraintSystem& system) {
  const std::vector<Check> checks = checks_of(system);
  std::vector<std::uint32_t> parent(knob_count);
  std::iota(parent.begin(), parent.end(), 0U);
  for (const Check& check : checks)
    for (const std::uint32_t knob : check.knobs)
      parent[root_of(parent, knob)] = root_of(parent, check.knobs[0]);

  // By root, constants apart: what each group keeps of the system.
  const auto constants = static_cast<std::uint32_t>(knob_count);
  std::map<std::uint32_t, std::pair<std::set<std::uint32_t>, std::set<std::size_t>>> kept;
  for (const Check& check : checks) {
    auto& [knobs, constraints] = kept[check.knobs.empty() ? constants : root_of(parent, check.knobs[0])];
    knobs.insert(check.knobs.begin(), check.knobs.end());
    constraints.insert(check.definitions.begin(), check.definitions.end());
    constraints.insert(check.constraint);
  }
  std::vector<CheckGroup> groups;
  for (const auto& [root, group] : kept) {
    const auto& [knobs, constraints] = group;
    groups.push_back(
        {{knobs.begin(), knobs.end()}, system.with_constraints({constraints.begin(), constraints.end()})});
  }
  return groups;
}

}  // namespace kernelscape::space

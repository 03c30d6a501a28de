#include "ui/charts/landscape/constraint_data.h"

#include <algorithm>
#include <set>

namespace kernelscape::charts {
namespace {

using SaidConstraint = std::pair<std::string, std::string>;

SaidConstraint said(const space::ConstraintSystem& system, std::size_t constraint) {
  return {system.describe(constraint), system.constraints()[constraint].reason};
}

std::set<SaidConstraint> all_said(const space::ConstraintSystem& system) {
  std::set<SaidConstraint> all;
  for (std::size_t i = 0; i < system.constraints().size(); ++i) all.insert(said(system, i));
  return all;
}

/** Adds the other elements of knobs of which some elements are named, so that whole knobs are drawn. */
void complete_knobs(const std::vector<space::Knob>& knobs, space::ConstraintSystem& system) {
  std::set<std::pair<std::uint32_t, int>> named;
  for (const space::Variable& variable : system.variables())
    if (variable.element) named.emplace(variable.element->knob, variable.element->position);
  for (std::uint32_t knob = 0; knob < knobs.size(); ++knob) {
    const auto first = named.lower_bound({knob, 0});
    if (first == named.end() || first->first != knob) continue;
    for (int position = 0; position < knobs[knob].element_count(); ++position)
      if (!named.contains({knob, position}))
        system.add_element(knobs[knob].name() + "." + std::to_string(position), knob, position);
  }
}

std::vector<ConstraintItem> items_of(const ConstraintScene& scene) {
  std::vector<ConstraintItem> items;
  for (std::size_t constraint = 0; constraint < scene.roles.size(); ++constraint)
    items.push_back({.constraint = constraint, .node = scene.net.of_constraint[constraint]});
  for (std::size_t node = scene.net.rim; node < scene.net.nodes.size(); ++node)
    if (const auto& variable = scene.net.nodes[node].variable)
      items.push_back({.variable = variable, .node = node});
  for (std::size_t node = 0; node < scene.net.rim; ++node)
    items.push_back({.variable = scene.net.nodes[node].variable, .node = node});
  return items;
}

}  // namespace

std::size_t ConstraintScene::count(ConstraintRole role) const {
  return static_cast<std::size_t>(std::ranges::count(roles, role));
}

ConstraintScene make_constraint_scene(const space::SearchSpace& space, const space::ConstraintSystem& limits,
                                      const QString& limits_unknown) {
  ConstraintScene scene;
  scene.system = space.constraints();
  scene.limits_unknown = limits_unknown;
  const std::set<SaidConstraint> of_limits = all_said(limits);
  const bool kept = !limits.empty() && std::ranges::includes(all_said(scene.system), of_limits);
  for (std::size_t i = 0; i < scene.system.constraints().size(); ++i)
    scene.roles.push_back(kept && of_limits.contains(said(scene.system, i)) ? ConstraintRole::KeptLimit
                                                                            : ConstraintRole::Membership);
  if (!kept) {
    scene.system.append(limits);
    scene.roles.resize(scene.system.constraints().size(), ConstraintRole::Limit);
  }
  complete_knobs(space.knobs(), scene.system);
  for (const space::Knob& knob : space.knobs())
    scene.knobs.push_back({QString::fromStdString(knob.name()), knob.element_count()});
  scene.net = analysis::make_constraint_net(scene.knobs.size(), scene.system);
  scene.items = items_of(scene);
  return scene;
}

bool ConstraintTrial::violates(std::size_t constraint) const {
  return std::ranges::binary_search(evaluation.violated, constraint);
}

ConstraintTrial make_constraint_trial(const ConstraintScene& scene, const space::SearchSpace& space,
                                      const space::Configuration& configuration, const QString& name) {
  ConstraintTrial trial{name, scene.system.evaluate(space.knobs(), configuration), {}};
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob)
    trial.knob_values.push_back(
        QString::fromStdString(space.knobs()[knob].describe(configuration.indices[knob])));
  return trial;
}

}  // namespace kernelscape::charts

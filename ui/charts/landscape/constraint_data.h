#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/landscape/constraint_net.h"
#include "core/space/search_space.h"

namespace kernelscape::charts {

/** The consequence of a violated constraint. */
enum class ConstraintRole : std::uint8_t {
  Membership,  ///< a configuration that violates it is not in the space
  KeptLimit,   ///< as Membership; the constraint was made from a limit of the target
  Limit,       ///< a limit of the target: a configuration of the space may exceed it, and then has no kernel
};

/** A knob at the rim. */
struct ConstraintKnob {
  QString name;
  int elements = 1;

  bool operator==(const ConstraintKnob&) const = default;
};

/** A row of the list beside the graph: a constraint, a variable, or a knob that no variable names. */
struct ConstraintItem {
  std::optional<std::size_t> constraint = {};
  std::optional<space::VariableId> variable = {};
  std::size_t node = 0;  ///< its node in the graph; a variable shares the node of its definition

  bool operator==(const ConstraintItem&) const = default;
};

/** The constraints of a space and the limits of its target, which all of its trials share. */
struct ConstraintScene {
  space::ConstraintSystem
      system;  ///< constraints and limits, with all elements of each knob that a rule names
  std::vector<ConstraintRole> roles;  ///< by constraint
  std::vector<ConstraintKnob> knobs;
  analysis::ConstraintNet net;
  std::vector<ConstraintItem> items;  ///< constraints, derived variables, then the rim
  QString limits_unknown;             ///< why the limits of the target are missing; empty: they are present

  /** Returns the number of constraints with this role. */
  std::size_t count(ConstraintRole role) const;
  bool operator==(const ConstraintScene&) const = default;
};

/**
 * Makes a scene.
 * @param limits of the target, over the knobs of the space; if the space has all of them as constraints, each
 * appears once
 */
ConstraintScene make_constraint_scene(const space::SearchSpace& space, const space::ConstraintSystem& limits,
                                      const QString& limits_unknown = {});

/** A configuration's values. */
struct ConstraintTrial {
  QString name;  ///< "trial 12"
  space::Evaluation evaluation;
  std::vector<QString> knob_values;  ///< by knob: "[4, 1, 8]"

  /** Returns true if the trial violates this constraint. */
  bool violates(std::size_t constraint) const;
};

/**
 * Returns the values of a configuration. @param configuration of the scene's space, which may violate
 * constraints
 */
ConstraintTrial make_constraint_trial(const ConstraintScene& scene, const space::SearchSpace& space,
                                      const space::Configuration& configuration, const QString& name);

struct ConstraintData {
  std::shared_ptr<const ConstraintScene> scene = {};  ///< null: not known yet
  std::optional<ConstraintTrial> trial = {};          ///< nullopt: rules without values
};

}  // namespace kernelscape::charts

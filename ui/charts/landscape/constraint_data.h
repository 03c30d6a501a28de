#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/landscape/constraint_net.h"
#include "core/space/search_space.h"

namespace kernelscape {

/** What a violated constraint means. */
enum class ConstraintRole : std::uint8_t {
  Membership,  ///< a configuration that violates it is no member
  KeptLimit,   ///< the same; what made it one is a limit of the target
  Limit,       ///< of the target: a member may be beyond it, and then has no kernel
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
  std::optional<VariableId> variable = {};
  std::size_t node = 0;  ///< where it stands in the graph; a variable shares it with its definition

  bool operator==(const ConstraintItem&) const = default;
};

/** The constraints of a space and the limits of its target: what is the same for all of its trials. */
struct ConstraintScene {
  ConstraintSystem system;            ///< of both, with all elements of each knob that a rule names
  std::vector<ConstraintRole> roles;  ///< by constraint
  std::vector<ConstraintKnob> knobs;
  ConstraintNet net;
  std::vector<ConstraintItem> items;  ///< constraints, derived variables, then the rim
  QString limits_unknown;             ///< why the limits of the target are missing; empty: they are not

  /** Constraints with this role. */
  std::size_t count(ConstraintRole role) const;
  bool operator==(const ConstraintScene&) const = default;
};

/** @param limits of the target, over the knobs of the space; where the space has them all as constraints, it
 * has them once */
ConstraintScene make_constraint_scene(const SearchSpace& space, const ConstraintSystem& limits,
                                      const QString& limits_unknown = {});

/** A configuration's values. */
struct ConstraintTrial {
  QString name;  ///< "trial 12"
  Evaluation evaluation;
  std::vector<QString> knob_values;  ///< by knob: "[4, 1, 8]"

  /** Whether it violates this constraint. */
  bool violates(std::size_t constraint) const;
};

/** @param configuration of the space that the scene was made of, a member or not */
ConstraintTrial make_constraint_trial(const ConstraintScene& scene, const SearchSpace& space,
                                      const Configuration& configuration, const QString& name);

struct ConstraintData {
  std::shared_ptr<const ConstraintScene> scene = {};  ///< null: nothing is known yet
  std::optional<ConstraintTrial> trial = {};          ///< none: rules without values
};

}  // namespace kernelscape

#pragma once

#include <QStringList>

#include "ui/charts/landscape/constraint_data.h"

namespace kernelscape::charts {

// The texts of constraints and their variables, shared by the graph, its list and files.

/** Returns the sign of a kind of rule: "×", "+", "=", "≤", "∈", "[i]" or "f". */
QString constraint_sign(const space::Constraint& constraint);
/** Returns the meaning of the sign: "product". */
QString constraint_sign_text(const space::Constraint& constraint);

/** Returns the label of a node in the graph, without values: "× threads", "≤ 1024". */
QString node_label(const ConstraintScene& scene, std::size_t node);
/**
 * Returns true if the node exists only because of a limit of the target, so that its rule does not restrict
 * the space.
 */
bool is_limit_node(const ConstraintScene& scene, std::size_t node);
/** Returns true if the trial violates the node's constraint. */
bool is_violated(const ConstraintData& data, std::size_t node);
/** Returns the value of the node's variable in the trial; nullopt if there is no trial or no variable. */
std::optional<std::int64_t> value_of_node(const ConstraintData& data, std::size_t node);

/**
 * Describes a node: its name or rule, why the rule exists, its values in the trial, and
 * ConstraintSystem::explain if the trial violates it.
 */
QStringList node_text(const ConstraintData& data, std::size_t node);

/** Returns the kind of an item: "derived variable", "device limit". */
QString item_kind(const ConstraintScene& scene, const ConstraintItem& item);
/** Returns the rule, or the variable's name. */
QString item_text(const ConstraintScene& scene, const ConstraintItem& item);
/** Returns the state of an item: "512", "violated", "holds"; empty without a trial. */
QString item_state(const ConstraintData& data, const ConstraintItem& item);
/** Returns why the rule exists; empty for variables and if no reason is stored. */
QString item_reason(const ConstraintScene& scene, const ConstraintItem& item);

/** Returns the counts: "constraints: 12, device limits: 6, derived variables: 9". */
QString count_text(const ConstraintScene& scene);
/**
 * Returns the state of the whole trial: "trial 12 exceeds 2 device limits"; empty without a trial.
 */
QString trial_text(const ConstraintData& data);
/** Returns the `explain` text of each violated constraint, in their order. */
QStringList violation_text(const ConstraintData& data);

}  // namespace kernelscape::charts

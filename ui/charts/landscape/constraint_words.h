#pragma once

#include <QStringList>

#include "ui/charts/landscape/constraint_data.h"

namespace kernelscape {

// What is said of constraints and their variables, in the graph, in its list and in files alike.

/** "×", "+", "=", "≤", "∈", "[i]" and "f": the kind of a rule. */
QString constraint_sign(const Constraint& constraint);
/** What the sign stands for: "product". */
QString constraint_sign_text(const Constraint& constraint);

/** In the graph, without values: "× threads", "≤ 1024". */
QString node_label(const ConstraintScene& scene, std::size_t node);
/** Whether the node is there because of the target alone, so that its rule is no membership. */
bool is_limit_node(const ConstraintScene& scene, std::size_t node);
/** Whether the trial violates the node's constraint. */
bool is_violated(const ConstraintData& data, std::size_t node);
/** The value of the node's variable in the trial; none without either. */
std::optional<std::int64_t> value_of_node(const ConstraintData& data, std::size_t node);

/**
 * All that is known of a node: its name or rule, why the rule exists, its values in the trial, and
 * ConstraintSystem::explain where the trial violates it.
 */
QStringList node_words(const ConstraintData& data, std::size_t node);

/** "derived variable", "limit of the target": what kind of thing it is. */
QString item_kind(const ConstraintScene& scene, const ConstraintItem& item);
/** The rule, or the variable's name. */
QString item_text(const ConstraintScene& scene, const ConstraintItem& item);
/** "512", "violated", "holds"; empty without a trial. */
QString item_state(const ConstraintData& data, const ConstraintItem& item);
/** Why the rule exists; empty where nobody said so, and of variables. */
QString item_reason(const ConstraintScene& scene, const ConstraintItem& item);

/** "12 constraints, 6 limits of the target, 9 derived variables". */
QString count_words(const ConstraintScene& scene);
/** "trial 12 violates 2 limits of the target": the trial as a whole; empty without one. */
QString trial_words(const ConstraintData& data);
/** Each violated constraint as `explain` says it, in their order. */
QStringList violation_words(const ConstraintData& data);

}  // namespace kernelscape

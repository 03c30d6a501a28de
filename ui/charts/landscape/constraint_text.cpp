#include "ui/charts/landscape/constraint_text.h"

#include <algorithm>
#include <set>

#include "ui/charts/landscape/constraint_chart.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr std::size_t max_values_said = 24;

QString worded(const char* text) { return ConstraintChart::tr(text); }

QString rule_text(const ConstraintScene& scene, std::size_t constraint) {
  return QString::fromStdString(scene.system.describe(constraint));
}

/** Returns the name of a variable; for a constant, its number. */
QString variable_text(const ConstraintScene& scene, space::VariableId id) {
  const space::Variable& variable = scene.system.variables()[id];
  return variable.constant ? QString::number(*variable.constant) : QString::fromStdString(variable.name);
}

/** Returns "≤ 1024" for a rule of one variable and a number, otherwise the whole rule. */
QString check_label(const ConstraintScene& scene, std::size_t constraint) {
  const space::Constraint& checked = scene.system.constraints()[constraint];
  const auto is_constant = [&](space::VariableId id) {
    return scene.system.variables()[id].constant.has_value();
  };
  if (const auto* most = std::get_if<space::LeConstraint>(&checked.rule)) {
    if (is_constant(most->right)) return QStringLiteral("≤ ") + variable_text(scene, most->right);
    if (is_constant(most->left)) return QStringLiteral("≥ ") + variable_text(scene, most->left);
  }
  if (const auto* equal = std::get_if<space::EqConstraint>(&checked.rule); equal && is_constant(equal->right))
    return QStringLiteral("= ") + variable_text(scene, equal->right);
  if (const auto* in = std::get_if<space::InConstraint>(&checked.rule))
    return QStringLiteral("∈") +
           rule_text(scene, constraint).mid(variable_text(scene, in->variable).size() + 3);
  return rule_text(scene, constraint);
}

QString role_text(ConstraintRole role) {
  switch (role) {
    case ConstraintRole::Membership:
      return worded("constraint of the space: a configuration that violates it is not in the space");
    case ConstraintRole::KeptLimit:
      return worded(
          "device limit that this space enforces: a configuration that violates it is not in the space");
    case ConstraintRole::Limit:
      break;
  }
  return worded("device limit, not a constraint of the space: a configuration that exceeds it has no kernel");
}

/** Returns the values of the rule's variables, each once, without constants: "tile.0 = 4, threads = 128". */
QString named_values(const ConstraintData& data, std::size_t constraint) {
  const ConstraintScene& scene = *data.scene;
  std::vector<space::VariableId> named = space::operands(scene.system.constraints()[constraint]);
  if (const auto left = space::left_side(scene.system.constraints()[constraint]))
    named.insert(named.begin(), *left);
  std::set<space::VariableId> said;
  QStringList values;
  for (const space::VariableId id : named) {
    if (scene.system.variables()[id].constant || !said.insert(id).second) continue;
    if (said.size() > max_values_said) {
      values.append(QStringLiteral("…"));
      break;
    }
    values.append(QStringLiteral("%1 = %2").arg(variable_text(scene, id),
                                                QString::number(data.trial->evaluation.values[id])));
  }
  return values.join(QStringLiteral(", "));
}

void add_constraint_words(const ConstraintData& data, std::size_t constraint, QStringList& lines) {
  const ConstraintScene& scene = *data.scene;
  const QString reason = QString::fromStdString(scene.system.constraints()[constraint].reason);
  if (!reason.isEmpty()) lines.append(worded("reason: %1").arg(reason));
  if (!scene.system.defines(constraint)) lines.append(role_text(scene.roles[constraint]));
  if (!data.trial) return;
  if (data.trial->violates(constraint)) {
    lines.append(worded("violated by %1:").arg(data.trial->name));
    lines.append(QString::fromStdString(scene.system.explain(constraint, data.trial->evaluation)));
    return;
  }
  const QString values = named_values(data, constraint);
  if (!values.isEmpty())
    lines.append((scene.system.defines(constraint) ? worded("%1: %2") : worded("holds in %1: %2"))
                     .arg(data.trial->name, values));
}

void add_knob_words(const ConstraintData& data, const analysis::ConstraintNode& node, QStringList& lines) {
  const ConstraintScene& scene = *data.scene;
  const QString& knob = scene.knobs[*node.knob].name;
  const QString value = data.trial ? data.trial->knob_values[*node.knob] : QString();
  if (!node.variable) {
    lines.append(value.isEmpty() ? knob : QStringLiteral("%1 = %2").arg(knob, value));
    lines.append(worded("no constraint uses this knob"));
    return;
  }
  const space::KnobElement& element = *scene.system.variables()[*node.variable].element;
  if (scene.knobs[*node.knob].elements > 1)
    lines.append(worded("element %1 of the knob %2").arg(QString::number(element.position), knob));
  if (!value.isEmpty()) lines.append(worded("%1: %2 = %3").arg(data.trial->name, knob, value));
  if (node.neighbours.empty()) {
    lines.append(worded("no constraint uses it"));
  } else {
    lines.append(worded("rules that use it: %1").arg(style::format_count(std::ssize(node.neighbours))));
  }
}

}  // namespace

QString constraint_sign(const space::Constraint& constraint) {
  struct Sign {
    QString operator()(const space::ProdConstraint&) const { return QStringLiteral("×"); }
    QString operator()(const space::SumConstraint&) const { return QStringLiteral("+"); }
    QString operator()(const space::EqConstraint&) const { return QStringLiteral("="); }
    QString operator()(const space::LeConstraint&) const { return QStringLiteral("≤"); }
    QString operator()(const space::InConstraint&) const { return QStringLiteral("∈"); }
    QString operator()(const space::SelectConstraint&) const { return QStringLiteral("[i]"); }
    QString operator()(const space::ExpressionConstraint&) const { return QStringLiteral("f"); }
  };
  return std::visit(Sign(), constraint.rule);
}

QString constraint_sign_text(const space::Constraint& constraint) {
  struct Name {
    QString operator()(const space::ProdConstraint&) const { return worded("product"); }
    QString operator()(const space::SumConstraint&) const { return worded("sum"); }
    QString operator()(const space::EqConstraint&) const { return worded("equal"); }
    QString operator()(const space::LeConstraint&) const { return worded("at most"); }
    QString operator()(const space::InConstraint&) const { return worded("one of"); }
    QString operator()(const space::SelectConstraint&) const { return worded("chosen by another"); }
    QString operator()(const space::ExpressionConstraint&) const { return worded("expression"); }
  };
  return std::visit(Name(), constraint.rule);
}

QString node_label(const ConstraintScene& scene, std::size_t index) {
  const analysis::ConstraintNode& node = scene.net.nodes[index];
  if (node.variable && node.constraint)
    return constraint_sign(scene.system.constraints()[*node.constraint]) + QLatin1Char(' ') +
           variable_text(scene, *node.variable);
  if (node.variable) return variable_text(scene, *node.variable);
  return node.constraint ? check_label(scene, *node.constraint) : scene.knobs[*node.knob].name;
}

bool is_limit_node(const ConstraintScene& scene, std::size_t index) {
  const auto& constraint = scene.net.nodes[index].constraint;
  return constraint && scene.roles[*constraint] == ConstraintRole::Limit;
}

bool is_violated(const ConstraintData& data, std::size_t index) {
  const auto& constraint = data.scene->net.nodes[index].constraint;
  return constraint && data.trial && data.trial->violates(*constraint);
}

std::optional<std::int64_t> value_of_node(const ConstraintData& data, std::size_t index) {
  const auto& variable = data.scene->net.nodes[index].variable;
  return variable && data.trial ? std::optional(data.trial->evaluation.values[*variable]) : std::nullopt;
}

QStringList node_text(const ConstraintData& data, std::size_t index) {
  const ConstraintScene& scene = *data.scene;
  const analysis::ConstraintNode& node = scene.net.nodes[index];
  QStringList lines;
  if (node.variable) {
    const auto value = value_of_node(data, index);
    const QString name = variable_text(scene, *node.variable);
    lines.append(value ? QStringLiteral("%1 = %2").arg(name, QString::number(*value)) : name);
  }
  if (node.knob) {
    add_knob_words(data, node, lines);
    return lines;
  }
  if (node.constraint) {
    lines.append(rule_text(scene, *node.constraint));
    add_constraint_words(data, *node.constraint, lines);
  } else {
    lines.append(worded("not defined and not used by any rule"));
  }
  return lines;
}

QString item_kind(const ConstraintScene& scene, const ConstraintItem& item) {
  if (item.constraint) {
    const bool limit = scene.roles[*item.constraint] == ConstraintRole::Limit;
    if (scene.system.defines(*item.constraint))
      return limit ? worded("definition for a device limit") : worded("definition");
    if (limit) return worded("device limit");
    return scene.roles[*item.constraint] == ConstraintRole::KeptLimit ? worded("enforced device limit")
                                                                      : worded("constraint");
  }
  if (!item.variable) return worded("knob");
  return scene.net.nodes[item.node].knob ? worded("element of a knob") : worded("derived variable");
}

QString item_text(const ConstraintScene& scene, const ConstraintItem& item) {
  if (item.constraint) return rule_text(scene, *item.constraint);
  return item.variable ? variable_text(scene, *item.variable)
                       : scene.knobs[*scene.net.nodes[item.node].knob].name;
}

QString item_state(const ConstraintData& data, const ConstraintItem& item) {
  if (!data.trial) return {};
  if (item.variable) return QString::number(data.trial->evaluation.values[*item.variable]);
  if (!item.constraint) return data.trial->knob_values[*data.scene->net.nodes[item.node].knob];
  return data.trial->violates(*item.constraint) ? worded("violated") : worded("holds");
}

QString item_reason(const ConstraintScene& scene, const ConstraintItem& item) {
  return item.constraint ? QString::fromStdString(scene.system.constraints()[*item.constraint].reason)
                         : QString();
}

QString count_text(const ConstraintScene& scene) {
  std::size_t checks = 0;
  std::size_t limits = 0;
  for (std::size_t i = 0; i < scene.roles.size(); ++i)
    if (!scene.system.defines(i)) ++(scene.roles[i] == ConstraintRole::Limit ? limits : checks);
  const auto derived = std::ranges::count_if(scene.system.variables(), &space::Variable::derived);
  QStringList parts{worded("constraints: %1").arg(style::format_count(static_cast<qint64>(checks)))};
  if (limits > 0)
    parts.append(worded("device limits: %1").arg(style::format_count(static_cast<qint64>(limits))));
  if (derived > 0) parts.append(worded("derived variables: %1").arg(style::format_count(derived)));
  return parts.join(QStringLiteral(", "));
}

QString trial_text(const ConstraintData& data) {
  if (!data.trial) return {};
  const auto limits = std::ranges::count_if(data.trial->evaluation.violated, [&](std::size_t constraint) {
    return data.scene->roles[constraint] == ConstraintRole::Limit;
  });
  const auto constraints = std::ssize(data.trial->evaluation.violated) - limits;
  QStringList parts;
  if (constraints > 0)
    parts.append(constraints == 1
                     ? worded("violates a constraint and is not in the space")
                     : worded("violates %1 constraints and is not in the space").arg(constraints));
  if (limits > 0)
    parts.append(limits == 1 ? worded("exceeds a device limit")
                             : worded("exceeds %1 device limits").arg(limits));
  if (parts.empty()) parts.append(worded("violates no constraint and no limit"));
  return data.trial->name + QLatin1Char(' ') + parts.join(worded(", and "));
}

QStringList violation_text(const ConstraintData& data) {
  QStringList lines;
  if (!data.trial) return lines;
  for (const std::size_t constraint : data.trial->evaluation.violated)
    lines.append(QString::fromStdString(data.scene->system.explain(constraint, data.trial->evaluation)));
  return lines;
}

}  // namespace kernelscape::charts

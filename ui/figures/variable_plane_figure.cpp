#include "ui/figures/variable_plane_figure.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/session/stored_limits.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int plane_height = 420;
constexpr std::size_t sampled_members = 20'000;
constexpr std::uint64_t member_seed = 11;
/** An axis is logarithmic if its values span more than this factor. */
constexpr std::int64_t decade = 10;

std::shared_ptr<const analysis::SpaceVariables> variables_of(const workspace::SourceData& source) {
  std::optional<space::ConstraintSystem> limits;
  if (const std::optional<schedule::TargetDescription>& target = source.origin->target)
    limits = session::stored_limits(source.record(), source.task(), *target, source.space());
  return std::make_shared<const analysis::SpaceVariables>(source.space(), std::move(limits));
}

std::optional<space::VariableId> find_variable(const analysis::SpaceVariables& variables,
                                               const QString& name) {
  for (const space::VariableId id : variables.offered())
    if (variables.system().variables()[id].name == name.toStdString()) return id;
  return std::nullopt;
}

std::optional<std::pair<space::VariableId, space::VariableId>> chosen_pair(
    const analysis::SpaceVariables& variables, const VariablePlaneQuery& query) {
  const std::optional<space::VariableId> x = find_variable(variables, query.x);
  const std::optional<space::VariableId> y = find_variable(variables, query.y);
  return x && y ? std::optional(std::pair(*x, *y)) : variables.first_pair();
}

std::vector<charts::VariablePoint> points_of(const VariablePlaneQuery& query, const VariablePlaneParts& parts,
                                             const workspace::JobControl& control) {
  const ShownTrials& shown = *query.shown;
  const trial::Snapshot& trials = shown.source->trials;
  const analysis::PerformanceColumn performance = shown.performance_values();
  const analysis::PerformanceColumn validity = shown.validity_values();
  std::vector<std::int64_t> values(parts.variables->system().variables().size());
  std::map<std::pair<std::int64_t, std::int64_t>, charts::VariablePoint> points;
  for (std::size_t place = 0; place < shown.rows.size(); ++place) {
    if (place % workspace::rows_at_once == 0 && !control.proceed()) return {};
    const std::int64_t row = shown.rows[place];
    parts.variables->compute(trials.configuration(row), values);
    charts::VariablePoint& point = points[{values[parts.x], values[parts.y]}];
    point.rows.push_back(row);
    if (row < query.selection.size() && query.selection.test(row)) ++point.selected;
    const bool valid = validity.valid(row);
    if (point.row < 0 || (valid && point.valid == 0)) point.row = row;
    if (valid) ++point.valid;
    if (!performance.valid(row)) continue;
    const double reached = performance.at(row);
    if (point.best && !performance.better(reached, *point.best)) continue;
    point.best = reached;
    point.row = row;
  }
  std::vector<charts::VariablePoint> listed;
  for (auto& [values_of, point] : points) {
    std::tie(point.x, point.y) = values_of;
    listed.push_back(std::move(point));
  }
  return listed;
}

/** @param coordinate returns the coordinate of a point and of a pair of the region */
template <typename Of>
charts::VariableAxis axis_of(const QString& name, const charts::VariablePlaneData& data,
                             const Of& coordinate) {
  std::vector<std::int64_t> values;
  for (const charts::VariablePoint& point : data.points) values.push_back(coordinate(point));
  for (const analysis::RegionPair& pair : data.region.pairs) values.push_back(coordinate(pair));
  if (values.empty()) return {name, false};
  const auto [least, most] = std::ranges::minmax(values);
  return {name, least > 0 && most / decade >= least};
}

QString region_caption(const analysis::ValidRegion& region) {
  const QString members = style::format_count(region.members);
  if (region.all) return figure_text("Shaded: the values of all %1 feasible configurations.").arg(members);
  if (region.uniform)
    return figure_text(
               "Shaded: values of feasible configurations, from %1 random feasible configurations; rare "
               "values may be missing.")
        .arg(members);
  return figure_text(
             "Shaded: values of feasible configurations, from %1 random feasible configurations found by the "
             "solver, which are not equally likely; rare values may be missing.")
      .arg(members);
}

QString plane_caption(const charts::VariablePlaneData& data) {
  QStringList sentences{figure_text("A dot stands for the trials with its two values, coloured by the best "
                                    "of them; a cross marks points without a valid trial."),
                        region_caption(data.region)};
  const bool beyond = std::ranges::any_of(
      data.region.pairs, [](const analysis::RegionPair& pair) { return !pair.within_limits; });
  if (beyond)
    sentences.append(
        figure_text("Hatched: all feasible configurations with these values exceed the device limits."));
  QStringList bounds;
  for (const analysis::VariableBound& bound : data.bounds) bounds.append(charts::bound_text(bound, data));
  if (!bounds.empty()) sentences.append(figure_text("Bounds: %1.").arg(bounds.join(QStringLiteral("; "))));
  sentences.append(figure_text("As Heron, figure 11."));
  return sentences.join(QLatin1Char(' '));
}

/** Recomputes the parts that are no longer valid; the result has no region if there are not two variables. */
VariablePlaneParts parts_of(const VariablePlaneQuery& query, const VariablePlaneParts& before,
                            const workspace::JobControl& control) {
  const workspace::SourceData& source = *query.shown->source;
  const auto keep_going = [&control] { return control.proceed(); };
  VariablePlaneParts parts = before;
  if (!before.variables || before.session != source.id()) {
    parts = {};
    parts.session = source.id();
    parts.variables = variables_of(source);
  }
  const auto pair = chosen_pair(*parts.variables, query);
  if (!pair || !control.proceed()) return parts;
  if (!parts.members)
    parts.members = std::make_shared<const analysis::RegionMembers>(
        analysis::region_members(source.space(), sampled_members, base::Random(member_seed), keep_going));
  if (parts.region && std::pair(parts.x, parts.y) == *pair) return parts;
  std::tie(parts.x, parts.y) = *pair;
  parts.region = std::make_shared<const analysis::ValidRegion>(
      analysis::valid_region(*parts.variables, parts.x, parts.y, *parts.members, keep_going));
  return parts;
}

}  // namespace

QString VariablePlaneParts::name_of(space::VariableId variable) const {
  return QString::fromStdString(variables->system().variables()[variable].name);
}

VariablePlaneOutcome variable_plane_of(const VariablePlaneQuery& query, const VariablePlaneParts& before,
                                       const workspace::JobControl& control) {
  const ShownTrials& shown = *query.shown;
  VariablePlaneOutcome outcome{parts_of(query, before, control), {}};
  const VariablePlaneParts& parts = outcome.parts;
  Text& text = outcome.figure.text;
  text.of = shown.origin_text();
  if (!parts.region) {
    text.title = figure_text("Variables");
    text.notice = figure_text(
        "This space has only one variable, but this figure needs two. See its effect on the page Knobs.");
    return outcome;
  }
  charts::VariablePlaneData& data = outcome.figure.data;
  data.quantity = shown.quantity();
  data.unit = shown.unit();
  data.higher_is_better = shown.higher_is_better;
  data.points = points_of(query, parts, control);
  data.region = *parts.region;
  data.bounds = parts.variables->bounds(parts.x, parts.y);
  data.x = axis_of(parts.name_of(parts.x), data, [](const auto& of) { return of.x; });
  data.y = axis_of(parts.name_of(parts.y), data, [](const auto& of) { return of.y; });
  text.title = figure_text("%1 and %2 against %3")
                   .arg(data.x.name, data.y.name,
                        shown.source->build_only() ? figure_text("validity") : data.quantity);
  if (!data.region.all)
    text.of += figure_text("; shaded from %1 random feasible configurations")
                   .arg(style::format_count(data.region.members));
  text.caption = plane_caption(data);
  return outcome;
}

namespace {

/** Returns the figure of the two default variables. */
std::vector<Figure> variable_plane_figures(const Source& source, const workspace::JobControl& control) {
  return {make_figure<charts::VariablePlaneChart>(variable_plane_of({source.shown, {}}, {}, control).figure,
                                                  plane_height)};
}

}  // namespace

Kind variable_plane_figure_kind() {
  return figure_kind<charts::VariablePlaneChart>("variable plane", Place::Explore, ReportPart::None,
                                                 variable_plane_figures);
}

}  // namespace kernelscape::figures

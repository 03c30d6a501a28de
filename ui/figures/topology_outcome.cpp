#include "ui/figures/topology_outcome.h"

#include <algorithm>

#include "core/analysis/order_statistics.h"
#include "ui/charts/curves/walk_distance_chart.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

/** Number of rows, or values, between two checks for cancellation. */
constexpr std::size_t steps_at_once = 1 << 12;
constexpr int topology_height = 360;

std::vector<char> members_of(const TopologyQuery& query, const workspace::JobControl& control) {
  const space::SearchSpace& space = query.shown->source->space();
  if (!query.base_row || !space.has_restrictions()) return {};
  space::Configuration configuration = query.shown->source->trials.configuration(*query.base_row);
  std::vector<char> members(space.knobs()[query.knob].count());
  for (std::size_t value = 0; value < members.size(); ++value) {
    if (value % steps_at_once == 0 && !control.proceed()) break;
    configuration.indices[query.knob] = static_cast<std::uint32_t>(value);
    members[value] = space.contains(configuration) ? 1 : 0;
  }
  return members;
}

/** Computes counts and performance of the shown trials, by node. */
void measure_nodes(const TopologyQuery& query, charts::TopologyData& data,
                   const workspace::JobControl& control) {
  const ShownTrials& shown = *query.shown;
  const trial::Snapshot& trials = shown.source->trials;
  const analysis::PerformanceColumn performance = shown.performance_values();
  const analysis::PerformanceColumn validity = shown.validity_values();
  constexpr std::size_t not_drawn = SIZE_MAX;
  std::vector<std::size_t> node_of(shown.source->space().knobs()[query.knob].count(), not_drawn);
  for (std::size_t node = 0; node < data.graph.nodes.size(); ++node)
    node_of[data.graph.nodes[node].value] = node;
  std::vector<std::vector<double>> measured(data.graph.nodes.size());
  for (std::size_t place = 0; place < shown.rows.size(); ++place) {
    if (place % steps_at_once == 0 && !control.proceed()) return;
    const std::int64_t row = shown.rows[place];
    const std::size_t node = node_of[trials.knob_index(row, query.knob)];
    if (node == not_drawn) continue;
    charts::TopologyValue& value = data.values[node];
    ++value.trials;
    if (row < query.selection.size() && query.selection.test(row)) ++value.selected;
    if (validity.valid(row)) ++value.valid;
    if (performance.valid(row)) measured[node].push_back(performance.at(row));
  }
  for (std::size_t node = 0; node < measured.size(); ++node) {
    const analysis::Quartiles summary = analysis::quartiles(measured[node]);
    charts::TopologyValue& value = data.values[node];
    value.median = summary.median;
    value.best = shown.higher_is_better ? summary.maximum : summary.minimum;
  }
}

QString trial_text(const TopologyQuery& query) {
  return query.base_row
             ? figure_text("trial %1")
                   .arg(style::format_count(query.shown->source->trials.row(*query.base_row).number))
             : QString();
}

charts::TopologyData describe_graph(const TopologyQuery& query, const std::vector<char>& members,
                                    const analysis::KnobTopology& topology,
                                    const workspace::JobControl& control) {
  const ShownTrials& shown = *query.shown;
  const space::Knob& knob = shown.source->space().knobs()[query.knob];
  charts::TopologyData data;
  data.knob = QString::fromStdString(knob.name());
  data.graph = analysis::make_knob_graph(knob, topology, query.start);
  data.quantity = shown.quantity();
  data.unit = shown.unit();
  data.higher_is_better = shown.higher_is_better;
  data.base = trial_text(query);
  for (const analysis::KnobNode& node : data.graph.nodes) {
    charts::TopologyValue value;
    value.text = QString::fromStdString(knob.describe(node.value));
    value.member = members.empty() || members[node.value] != 0;
    data.values.push_back(std::move(value));
  }
  if (query.current_row) {
    const std::size_t node =
        data.graph.node_of(shown.source->trials.knob_index(*query.current_row, query.knob));
    if (node < data.graph.nodes.size()) data.current = node;
  }
  measure_nodes(query, data, control);
  return data;
}

QString knob_name(const TopologyOutcome& outcome) {
  return QString::fromStdString(outcome.of.shown->source->space().knobs()[outcome.of.knob].name());
}

TopologyOutcome first_topology(const Source& source, const workspace::JobControl& control) {
  return topology_of(topology_query(source.shown, {}, 0, {}, {}), default_walk_rate, nullptr, control);
}

Result<std::shared_ptr<const analysis::KnobTopology>> topology_for(
    const TopologyQuery& query, const std::shared_ptr<const TopologyParts>& before) {
  if (before && before->of.shown->source->id() == query.shown->source->id() && before->of.knob == query.knob)
    return before->topology;
  analysis::KnobTopology made =
      TRY(analysis::KnobTopology::make(query.shown->source->space().knobs()[query.knob]));
  return std::make_shared<const analysis::KnobTopology>(std::move(made));
}

Result<std::shared_ptr<const TopologyParts>> parts_for(const TopologyQuery& query,
                                                       const std::shared_ptr<const TopologyParts>& before,
                                                       const workspace::JobControl& control) {
  if (before && before->of == query) return before;
  std::shared_ptr<const analysis::KnobTopology> topology = TRY(topology_for(query, before));
  TopologyParts parts;
  parts.of = query;
  parts.topology = topology;
  parts.distances = parts.topology->distances_from(query.start);
  parts.members = members_of(query, control);
  parts.data = describe_graph(query, parts.members, *parts.topology, control);
  return std::make_shared<const TopologyParts>(std::move(parts));
}

}  // namespace

TopologyQuery topology_query(const Shown& shown, const analysis::RowSet& selection, std::size_t knob,
                             std::optional<std::int64_t> current_row, std::optional<std::uint32_t> start) {
  TopologyQuery query{shown, selection, knob, 0, current_row, current_row};
  const std::int64_t best = shown->source->headline.row;
  if (!current_row && best != analysis::no_row) query.base_row = best;
  if (query.base_row) query.start = shown->source->trials.knob_index(*query.base_row, knob);
  if (start && *start < shown->source->space().knobs()[knob].count()) query.start = *start;
  return query;
}

QString obstacle_of(const TopologyQuery& query) {
  const space::Knob& knob = query.shown->source->space().knobs()[query.knob];
  const QString name = QString::fromStdString(knob.name());
  if (knob.count() == 1)
    return figure_text("%1 has only one value, so there are no moves. Choose another knob.").arg(name);
  if (knob.kind() != space::KnobKind::Categorical && knob.count() > analysis::max_walk_values)
    return figure_text(
               "%1 has %2 values. The end of a walk is computed exactly, which takes too long for more than "
               "%3 values. Choose another knob, or restrict this knob's values when a run is set up.")
        .arg(name, style::format_count(knob.count()), style::format_count(analysis::max_walk_values));
  return {};
}

TopologyOutcome topology_of(const TopologyQuery& query, double q,
                            const std::shared_ptr<const TopologyParts>& before,
                            const workspace::JobControl& control) {
  TopologyOutcome outcome;
  outcome.of = query;
  outcome.problem = obstacle_of(query);
  if (!outcome.problem.isEmpty() || !control.proceed()) return outcome;
  const auto parts = parts_for(query, before, control);
  if (!parts) {
    outcome.problem = QString::fromStdString(describe(parts.error()));
    return outcome;
  }
  outcome.parts = *parts;
  const auto walk =
      outcome.parts->topology->walk_from(query.start, q, [&control] { return control.proceed(); });
  if (!walk) {
    outcome.problem = QString::fromStdString(describe(walk.error()));
    return outcome;
  }
  outcome.data = outcome.parts->data;
  outcome.data.q = q;
  double drawn = 0;
  for (std::size_t node = 0; node < outcome.data.values.size(); ++node) {
    const double probability = (*walk)[outcome.data.graph.nodes[node].value];
    outcome.data.values[node].probability = probability;
    drawn += probability;
  }
  outcome.data.further_probability = std::max(0.0, 1 - drawn);
  outcome.masses = analysis::mass_by_distance(outcome.parts->distances, *walk, outcome.parts->members);
  return outcome;
}

FigureOf<charts::TopologyData> topology_figure(const TopologyOutcome& outcome,
                                               charts::TopologyColour colour) {
  FigureOf<charts::TopologyData> figure{{.title = figure_text("Moves of %1").arg(knob_name(outcome)),
                                         .of = outcome.of.shown->origin_text(),
                                         .notice = outcome.problem},
                                        outcome.data};
  charts::TopologyData& data = figure.data;
  data.colour = colour;
  if (data.values.empty()) return figure;
  figure.text.title = figure_text("Moves of %1 from %2, q = %3")
                          .arg(data.knob, data.values[0].text, style::format_number(data.q));
  const std::int64_t nodes = std::ssize(data.graph.nodes);
  if (data.graph.further > 0)
    figure.text.of =
        figure_text("the nearest %1 of %2 values; %3")
            .arg(style::format_count(nodes),
                 style::format_count(nodes + static_cast<qint64>(data.graph.further)), figure.text.of);
  return figure;
}

FigureOf<std::vector<analysis::DistanceMass>> walk_figure(const TopologyOutcome& outcome) {
  const QString knob = knob_name(outcome);
  const QString title =
      outcome.problem.isEmpty()
          ? figure_text("Where a walk over %1 ends, q = %2").arg(knob, style::format_number(outcome.data.q))
          : figure_text("Walk over %1").arg(knob);
  return {{.title = title, .notice = outcome.problem}, outcome.masses};
}

namespace {

/** Returns the topology of the first knob, from the best trial's value. */
std::vector<Figure> topology_figures(const Source& source, const workspace::JobControl& control) {
  return {make_figure<charts::TopologyChart>(
      topology_figure(first_topology(source, control), charts::TopologyColour::Probability),
      topology_height)};
}

std::vector<Figure> walk_figures(const Source& source, const workspace::JobControl& control) {
  return {
      make_figure<charts::WalkDistanceChart>(walk_figure(first_topology(source, control)), topology_height)};
}

}  // namespace

Kind topology_figure_kind() {
  return figure_kind<charts::TopologyChart>("topology", Place::Explore, ReportPart::None, topology_figures);
}

Kind walk_figure_kind() {
  return figure_kind<charts::WalkDistanceChart>("walk", Place::Explore, ReportPart::None, walk_figures);
}

}  // namespace kernelscape::figures

#include "ui/models/network_layers.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/measure/cpu/machine_limits.h"
#include "core/schedule/template.h"
#include "core/task/title.h"

namespace kernelscape::models {
namespace {

QString layer_text(const char* text) { return QCoreApplication::translate("NetworkLayers", text); }

NetworkLayerRow row_of(const task::WholeLayer& layer, double all_flops) {
  NetworkLayerRow row;
  row.title = QString::fromStdString(task::task_title(layer.task));
  row.text = QString::fromStdString(layer.task.text);
  row.multiplicity = layer.multiplicity;
  const auto times = static_cast<double>(layer.multiplicity);
  row.flops = times * layer.task.flops();
  row.bytes = times * task::task_bytes(layer.task);
  row.share = all_flops > 0 ? row.flops / all_flops : 0;
  for (const std::string& node : layer.nodes) row.nodes.append(QString::fromStdString(node));
  return row;
}

/** Returns the row of a layer of a study whose network can't be read any more. */
NetworkLayerRow row_of_outcome(const study::NetworkLayerOutcome& outcome,
                               const study::NetworkLayerFacts& facts) {
  NetworkLayerRow row;
  row.title = QString::fromStdString(outcome.task);
  row.text = QString::fromStdString(outcome.text.empty() ? outcome.task : outcome.text);
  row.multiplicity = outcome.multiplicity;
  row.flops = static_cast<double>(outcome.multiplicity) * facts.flops;
  row.share = facts.share_of_flops;
  return row;
}

std::optional<std::size_t> place_of(const task::WholeLayer& layer,
                                    const std::vector<study::NetworkLayerOutcome>& layers) {
  const auto found = std::ranges::find_if(layers, [&](const study::NetworkLayerOutcome& outcome) {
    return outcome.task == layer.task.name || outcome.task == layer.task.text;
  });
  if (found == layers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - layers.begin());
}

void take_progress(const study::NetworkProgress& progress, std::size_t place, NetworkLayerRow& row) {
  const study::NetworkLayerFacts& facts = progress.layers[place];
  row.layer = place;
  row.outcome = progress.outcome.layers[place];
  if (const study::LatencyPoint* latency = progress.outcome.latencies.current())
    row.share_of_latency = latency->share_of(place);
  row.limit_seconds = facts.limit_seconds;
  row.limit_name = QString::fromStdString(facts.limit_name);
  row.maker = QString::fromStdString(facts.template_name);
  row.tuned_now = progress.running && progress.in_round && !progress.rounds.empty() &&
                  progress.rounds.back().layer == place;
}

void take_left_out(const study::NetworkProgress& progress, const task::WholeLayer& layer,
                   NetworkLayerRow& row) {
  const auto found = std::ranges::find_if(progress.left_out, [&](const study::LeftOutLayer& left) {
    return left.task == layer.task.name || left.task == layer.task.text;
  });
  row.obstacle = found == progress.left_out.end() || found->reason.empty()
                     ? layer_text("no template fits")
                     : QString::fromStdString(found->reason);
}

}  // namespace

double NetworkLayerRow::all_seconds() const {
  return has_kernel() ? static_cast<double>(multiplicity) * outcome->seconds : 0;
}

std::vector<NetworkLayerRow> network_layer_rows(const task::WholeNetwork& network,
                                                const schedule::TargetDescription& target,
                                                const study::NetworkRequest& request) {
  std::vector<NetworkLayerRow> rows;
  const double all = network.flops();
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const task::WholeLayer& layer = network.layers[i];
    NetworkLayerRow& row = rows.emplace_back(row_of(layer, all));
    const Result<schedule::ScheduledKernel> kernel =
        schedule::apply_template(layer.task, target, study::layer_template(request, network, i, target));
    if (kernel) {
      row.maker = QString::fromStdString(kernel->template_name());
    } else {
      row.obstacle = QString::fromStdString(kernel.error().message);
    }
  }
  return rows;
}

std::vector<NetworkLayerRow> network_layer_rows(const workspace::NetworkSnapshot& snapshot) {
  const study::NetworkProgress& progress = *snapshot.progress;
  const std::vector<study::NetworkLayerOutcome>& outcomes = progress.outcome.layers;
  std::vector<NetworkLayerRow> rows;
  if (snapshot.network == nullptr) {
    for (std::size_t place = 0; place < outcomes.size(); ++place) {
      NetworkLayerRow& row = rows.emplace_back(row_of_outcome(outcomes[place], progress.layers[place]));
      take_progress(progress, place, row);
    }
    return rows;
  }
  const double all = snapshot.network->flops();
  for (const task::WholeLayer& layer : snapshot.network->layers) {
    NetworkLayerRow& row = rows.emplace_back(row_of(layer, all));
    if (const std::optional<std::size_t> place = place_of(layer, outcomes)) {
      take_progress(progress, *place, row);
    } else {
      take_left_out(progress, layer, row);
    }
  }
  return rows;
}

QString layer_state_text(const NetworkLayerRow& row) {
  if (!row.obstacle.isEmpty()) return row.obstacle;
  if (!row.outcome) return {};
  if (row.tuned_now) return layer_text("tuned now");
  if (row.has_kernel() && (row.outcome->kind == analysis::BestKind::ConfirmedSlow ||
                           row.outcome->kind == analysis::BestKind::ConfirmedLoaded ||
                           row.outcome->kind == analysis::BestKind::MeasuredSlow))
    return QString::fromStdString(row.outcome->mark);
  if (row.has_kernel()) return row.outcome->confirmed ? layer_text("confirmed") : layer_text("not confirmed");
  if (!row.outcome->session && row.outcome->trials == 0 &&
      row.outcome->missing == "it has not been tuned yet")
    return layer_text("waiting");
  return QString::fromStdString(row.outcome->missing);
}

}  // namespace kernelscape::models

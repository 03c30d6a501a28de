#include "core/study/network_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/schedule/template.h"
#include "core/session/session_report.h"
#include "core/study/study_execution.h"

namespace kernelscape {
namespace {

Result<const Network*> find_network(const Catalogue& catalogue, const std::string& name) {
  const auto found = std::ranges::find(catalogue.networks(), name, &Network::name);
  if (found != catalogue.networks().end()) return &*found;
  std::vector<std::string> known;
  for (const Network& network : catalogue.networks()) known.push_back(network.name);
  return fail(ErrorCode::NotFound, fmt::format("there is no network {}", quoted_line(name)),
              suggest(name, known));
}

/** A task that stands in the network twice is one layer. */
std::vector<NetworkLayer> distinct_layers(const Network& network) {
  std::vector<NetworkLayer> layers;
  for (const NetworkLayer& layer : network.layers) {
    const auto same = std::ranges::find(layers, layer.task, &NetworkLayer::task);
    if (same == layers.end())
      layers.push_back(layer);
    else
      same->multiplicity += layer.multiplicity;
  }
  return layers;
}

std::string about_network(const NetworkRequest& request, const NetworkPlan& plan) {
  std::string text = fmt::format("The layers of {} on {}, each with {}.", request.network, request.target,
                                 plan.study.arms.front().name);
  std::vector<std::string> names;
  for (const LeftOutLayer& layer : plan.left_out)
    names.push_back(fmt::format("{} (times {})", layer.task, layer.multiplicity));
  if (!names.empty()) text += fmt::format(" Left out, since no template fits: {}.", join(names, ", "));
  return text;
}

/** Takes a run's kernel where it is better than what the layer has. */
void take_run(const SessionReport& report, NetworkLayerOutcome& layer) {
  layer.flops = report.task.flops();
  if (!report.best_trial) return;
  const bool better =
      layer.trial < 0 || (report.best_confirmed && !layer.confirmed) ||
      (report.best_confirmed == layer.confirmed && report.best_seconds.median < layer.seconds.median);
  if (!better) return;
  layer.session = report.session.record.id;
  layer.trial = *report.best_trial;
  layer.seconds = report.best_seconds;
  layer.confirmed = report.best_confirmed;
  layer.vendor_name = report.baselines.vendor.name;
  layer.vendor_seconds = report.vendor_seconds.count > 0 ? report.vendor_seconds.median : 0;
  layer.missing.clear();
}

void add_run(const Store& store, const StudyRun& run, NetworkLayerOutcome& layer) {
  if (!run.session) {
    if (layer.trial < 0 && !run.error.empty()) layer.missing = run.error;
    return;
  }
  layer.trials += run.status.trial_count;
  layer.session_seconds += run.status.session_seconds;
  if (layer.trial < 0) {
    layer.session = run.session;
    layer.missing = run.error.empty() ? "no valid kernel was found" : run.error;
  }
  // One that is damaged hides no other layer.
  if (const Result<SessionReport> report = make_session_report(store, *run.session); report)
    take_run(*report, layer);
  else if (layer.trial < 0)
    layer.missing = report.error().message;
}

void add_up(NetworkOutcome& outcome) {
  for (const NetworkLayerOutcome& layer : outcome.layers) {
    outcome.tuning_seconds += layer.session_seconds;
    if (layer.trial < 0) {
      ++outcome.missing;
      continue;
    }
    const double seconds = static_cast<double>(layer.multiplicity) * layer.seconds.median;
    outcome.seconds += seconds;
    if (layer.vendor_seconds <= 0) continue;
    outcome.seconds_beside_vendor += seconds;
    outcome.vendor_seconds += static_cast<double>(layer.multiplicity) * layer.vendor_seconds;
  }
}

std::unexpected<Error> other_purpose(StudyId id, StudyPurpose purpose) {
  return fail(ErrorCode::InvalidArgument, fmt::format("study {} is a {}", id, to_string(purpose)),
              "name one that `kernelscape tune --network` made; `kernelscape study --list` says which are");
}

}  // namespace

std::optional<double> NetworkLayerOutcome::share_of_vendor() const {
  if (trial < 0 || vendor_seconds <= 0 || !(seconds.median > 0)) return std::nullopt;
  return vendor_seconds / seconds.median;
}

Result<NetworkPlan> plan_network(const NetworkRequest& request, const Catalogue& catalogue,
                                 const TargetDescription& target) {
  const Network* network = TRY(find_network(catalogue, request.network));
  if (!request.template_name.empty()) std::ignore = TRY(find_template(request.template_name, target.kind));
  NetworkPlan plan;
  StudyDefinition& study = plan.study;
  for (const NetworkLayer& layer : distinct_layers(*network)) {
    const Task task = TRY(catalogue.find(layer.task));
    const Result<ScheduledKernel> kernel = apply_template(task, target, request.template_name);
    if (!kernel) {
      plan.left_out.push_back({layer.task, layer.multiplicity, kernel.error().message});
      continue;
    }
    StudyTask& wanted = study.tasks.emplace_back();
    wanted.task = layer.task;
    wanted.target = request.target;
    wanted.template_name = request.template_name;
    wanted.multiplicity = layer.multiplicity;
  }
  if (study.tasks.empty()) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("no template fits a layer of {}: {}", request.network, plan.left_out.front().reason),
        "choose another template or target; `kernelscape templates` lists them");
  }
  StudyArm arm{.name = default_arm_name(request.tuner, request.settings),
               .tuner = request.tuner,
               .settings = request.settings};
  study.purpose = StudyPurpose::Network;
  study.network = request.network;
  study.name = request.name.empty() ? fmt::format("{} with {}", request.network, arm.name) : request.name;
  study.arms = {std::move(arm)};
  study.budget = request.budget;
  study.measuring = request.measuring;
  study.seed = request.seed;
  study.about = about_network(request, plan);
  TRY(check_study(study));
  return plan;
}

Result<NetworkOutcome> network_outcome(const Store& store, StudyId id) {
  const StudyDefinition study = TRY(stored_study(store, id));
  if (study.purpose != StudyPurpose::Network) return other_purpose(id, study.purpose);
  const std::vector<StudyRun> runs = TRY(store.study_runs(id));
  NetworkOutcome outcome;
  outcome.network = study.network;
  for (const StudyTask& task : study.tasks) {
    NetworkLayerOutcome& layer = outcome.layers.emplace_back();
    layer.task = task.task;
    layer.multiplicity = task.multiplicity;
    layer.missing = "it was not tuned yet";
  }
  const std::vector<PlannedRun> plan = plan_runs(study);
  for (std::size_t i = 0; i < std::min(plan.size(), runs.size()); ++i)
    add_run(store, runs[i], outcome.layers[plan[i].task]);
  add_up(outcome);
  return outcome;
}

Result<StudyId> find_network_study(const Store& store, const std::string& name) {
  const Result<StudyId> named = store.find_study(name);
  if (named) {
    const StudySummary study = TRY(store.study(*named));
    const StudyPurpose purpose = purpose_of(study.record);
    if (purpose != StudyPurpose::Network) return other_purpose(*named, purpose);
    return *named;
  }
  // Newest first.
  for (const StudySummary& summary : TRY(store.studies())) {
    const Result<StudyDefinition> study = stored_study(store, summary.record.id);
    if (study && study->purpose == StudyPurpose::Network && study->network == name) return summary.record.id;
  }
  Error error = named.error();
  error.hint = fmt::format("`kernelscape tune --network {}` tunes a network; {}", name, error.hint);
  return std::unexpected(std::move(error));
}

}  // namespace kernelscape

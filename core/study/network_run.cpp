#include "core/study/network_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "core/base/media/shell_script.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/schedule/template.h"
#include "core/session/report.h"
#include "core/session/setup.h"
#include "core/study/execution.h"

namespace kernelscape::study {
namespace {

/** Returns the name of a layer's task in the study: its name in the catalogue, else its text. */
std::string study_task_name(const task::Task& task, const task::Catalogue& catalogue) {
  const auto known = std::ranges::find(catalogue.tasks(), task.name, &task::Task::name);
  return known != catalogue.tasks().end() && *known == task ? task.name : task.text;
}

bool is_of_catalogue(const task::WholeNetwork& network, const task::Catalogue& catalogue) {
  const Result<task::WholeNetwork> known = task::find_whole_network(catalogue, network.name);
  return known && *known == network;
}

std::string about_network(const NetworkRequest& request, const NetworkPlan& plan) {
  std::string text =
      fmt::format("The layers of {} on {}, {} with {}.", plan.study.network, request.target,
                  request.scheduler.empty() ? "each" : "under one budget", plan.study.arms.front().name);
  std::vector<std::string> names;
  for (const LeftOutLayer& layer : plan.left_out)
    names.push_back(fmt::format("{} (times {})", layer.task, layer.multiplicity));
  if (!names.empty())
    text += fmt::format(" Left out because no template supports them: {}.", base::join(names, ", "));
  return text;
}

/**
 * Returns true if every call of a layer, as far as the calls are known, has constant weights: only these can
 * be transformed before the network runs.
 */
bool has_constant_weights(const task::WholeNetwork& network, std::size_t layer) {
  return std::ranges::all_of(network.calls, [&](const task::LayerCall& call) {
    return call.layer != layer || call.operands[1].constant;
  });
}

constexpr std::int64_t max_first_trials = 4;

/**
 * Returns the number of kernels that are built at the same time, limited on machines that build many, since
 * kernels run one by one.
 */
std::int64_t first_trials_of(const NetworkRequest& request, const schedule::TargetDescription& target) {
  const int builders =
      request.measuring.builders > 0 ? request.measuring.builders : schedule::host_cores(target);
  return std::clamp<std::int64_t>(builders, 1, max_first_trials);
}

/** Takes a run's kernel if it is better than that of the layer. */
void take_run(const session::Report& report, NetworkLayerOutcome& layer) {
  layer.flops = report.task.flops();
  layer.text = report.task.text;
  if (!report.best_trial) return;
  // Confirmations of an imported file do not count.
  const analysis::BestKind kind =
      report.result.confirmed() && !report.best_confirmed ? analysis::BestKind::Measured : report.result.kind;
  const bool better = layer.trial < 0 || std::pair(analysis::compared_kind(kind), report.best.seconds) <
                                             std::pair(analysis::compared_kind(layer.kind), layer.seconds);
  if (!better) return;
  layer.session = report.session.record.id;
  layer.trial = *report.best_trial;
  layer.seconds = report.best.seconds;
  layer.confirmed = report.best_confirmed;
  layer.kind = kind;
  layer.mark = exchange::result_mark(report.session.record, report.result);
  layer.limit_withheld = report.compared.limit.withheld;
  layer.vendor_name = report.baselines.vendor.name;
  layer.vendor_algorithm = report.baselines.vendor.algorithm;
  layer.vendor_seconds = report.compared.vendor.share > 0 ? report.compared.vendor.seconds : 0;
  layer.missing.clear();
}

/** The kernel of the session it started with may be better: resuming must not lose it. */
void take_earlier(const store::Store& store, const store::SessionRecord& record, NetworkLayerOutcome& layer) {
  const Result<std::vector<session::HistorySource>> sources = session::history_from_json(record.history_json);
  if (!sources) return;
  for (const session::HistorySource& source : *sources) {
    if (source.by_features) continue;
    const Result<session::Report> earlier = session::make_session_report(store, source.session);
    if (earlier && earlier->session.record.target_json == record.target_json &&
        earlier->task.text == layer.text)
      take_run(*earlier, layer);
  }
}

void add_run(const store::Store& store, const store::StudyRun& run, NetworkLayerOutcome& layer) {
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
  // A damaged session hides no other layer.
  const Result<session::Report> report = session::make_session_report(store, *run.session);
  if (report) {
    take_run(*report, layer);
    take_earlier(store, report->session.record, layer);
  } else if (layer.trial < 0) {
    layer.missing = report.error().message;
  }
}

void add_up(NetworkOutcome& outcome) {
  std::vector<trial::ComparedVendor> vendors;
  for (const NetworkLayerOutcome& layer : outcome.layers) {
    outcome.tuning_seconds += layer.session_seconds;
    if (layer.trial < 0) {
      ++outcome.missing;
      continue;
    }
    const double seconds = static_cast<double>(layer.multiplicity) * layer.seconds;
    outcome.seconds += seconds;
    if (layer.vendor_seconds <= 0) continue;
    outcome.seconds_beside_vendor += seconds;
    outcome.vendor_seconds += static_cast<double>(layer.multiplicity) * layer.vendor_seconds;
    vendors.push_back(layer.compared_with());
  }
  outcome.vendor_title = trial::common_vendor_title(vendors);
  outcome.vendor_notice = trial::vendor_difference_text(vendors, {"layer", "layers"});
}

std::unexpected<Error> other_purpose(store::StudyId id, Purpose purpose) {
  return fail(
      ErrorCode::InvalidArgument, fmt::format("study {} is a {}", id, to_string(purpose)),
      "name a network study, made by `kernelscape tune --network`; `kernelscape study --list` lists them");
}

}  // namespace

std::optional<double> NetworkLayerOutcome::share_of_vendor() const {
  if (trial < 0 || vendor_seconds <= 0 || !(seconds > 0)) return std::nullopt;
  return vendor_seconds / seconds;
}

trial::ComparedVendor NetworkLayerOutcome::compared_with() const {
  if (trial < 0 || vendor_seconds <= 0) return {};
  return {vendor_name, vendor_algorithm, text};
}

std::string layer_template(const NetworkRequest& request, const task::WholeNetwork& network,
                           std::size_t layer, const schedule::TargetDescription& target) {
  if (!request.template_name.empty()) return request.template_name;
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(request.tuner);
  const bool predicts = tuner && (*tuner)->uses_predictor;
  const bool exact = request.exact || predicts || !has_constant_weights(network, layer);
  return schedule::default_template(network.layers[layer].task, target, exact);
}

Result<NetworkPlan> plan_network(const NetworkRequest& request, const task::Catalogue& catalogue,
                                 const schedule::TargetDescription& target) {
  return plan_network(request, TRY(task::find_whole_network(catalogue, request.network)), catalogue, target);
}

Result<NetworkPlan> plan_network(const NetworkRequest& request, const task::WholeNetwork& network,
                                 const task::Catalogue& catalogue,
                                 const schedule::TargetDescription& target) {
  if (!request.template_name.empty()) {
    const schedule::TemplateDeclaration* declaration =
        TRY(schedule::find_template(request.template_name, target.kind));
    if (request.exact && !declaration->exact) return session::inexact_template(request.template_name);
  }
  NetworkPlan plan;
  Definition& study = plan.study;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const task::WholeLayer& layer = network.layers[i];
    const std::string name = study_task_name(layer.task, catalogue);
    const std::string template_name = layer_template(request, network, i, target);
    const Result<schedule::ScheduledKernel> kernel =
        schedule::apply_template(layer.task, target, template_name);
    if (!kernel) {
      plan.left_out.push_back({name, layer.multiplicity, kernel.error().message});
      continue;
    }
    Task& wanted = study.tasks.emplace_back();
    wanted.task = name;
    wanted.target = request.target;
    wanted.template_name = template_name;
    wanted.multiplicity = layer.multiplicity;
  }
  if (study.tasks.empty()) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("no template supports a layer of {}: {}", network.name, plan.left_out.front().reason),
        "choose another template or target; `kernelscape templates` lists them");
  }
  Arm arm{.name = default_arm_name(request.tuner, request.settings),
          .tuner = request.tuner,
          .settings = request.settings};
  study.purpose = Purpose::Network;
  study.network = network.name;
  study.name = request.name.empty() ? fmt::format("{} with {}", network.name, arm.name) : request.name;
  study.scheduler = request.scheduler;
  study.objective = request.objective;
  if (!session::is_recorded_target(request.target)) study.first_trials = first_trials_of(request, target);
  if (!is_of_catalogue(network, catalogue)) study.network_json = task::whole_network_to_json(network);
  study.arms = {std::move(arm)};
  study.budget = request.budget;
  study.measuring = request.measuring;
  study.seed = request.seed;
  study.model_source = request.model_source;
  study.about = about_network(request, plan);
  TRY(check_study(study));
  return plan;
}

Result<task::WholeNetwork> network_of_study(const Definition& study) {
  if (!study.network_json.empty()) return task::whole_network_from_json(study.network_json);
  return task::find_whole_network(TRY(task::Catalogue::load_default()), study.network);
}

std::vector<std::optional<std::size_t>> layers_of_study(const task::WholeNetwork& network,
                                                        const Definition& study) {
  std::vector<std::optional<std::size_t>> places;
  for (const task::WholeLayer& layer : network.layers) {
    const auto found = std::ranges::find_if(study.tasks, [&](const Task& task) {
      return task.task == layer.task.name || task.task == layer.task.text;
    });
    places.push_back(found == study.tasks.end()
                         ? std::nullopt
                         : std::optional(static_cast<std::size_t>(found - study.tasks.begin())));
  }
  return places;
}

Result<NetworkOutcome> network_outcome(const store::Store& store, store::StudyId id) {
  const Definition study = TRY(stored_study(store, id));
  if (study.purpose != Purpose::Network) return other_purpose(id, study.purpose);
  const std::vector<store::StudyRun> runs = TRY(store.studies().runs(id));
  NetworkOutcome outcome;
  outcome.network = study.network;
  for (const Task& task : study.tasks) {
    NetworkLayerOutcome& layer = outcome.layers.emplace_back();
    layer.task = task.task;
    layer.multiplicity = task.multiplicity;
    layer.missing = "it has not been tuned yet";
  }
  const std::vector<PlannedRun> plan = plan_runs(study);
  for (std::size_t i = 0; i < std::min(plan.size(), runs.size()); ++i)
    add_run(store, runs[i], outcome.layers[plan[i].task]);
  add_up(outcome);
  outcome.pass = TRY(stored_network_pass(store, id));
  outcome.latency = TRY(stored_model_latency(store, id));
  outcome.latencies = TRY(stored_latency_series(store, id));
  // Layers are named by their positions.
  std::erase_if(outcome.latencies.points, [&](const LatencyPoint& point) {
    return point.layer_seconds.size() != outcome.layers.size();
  });
  if (const Result<task::WholeNetwork> network = network_of_study(study)) {
    for (const task::WholeLayer& layer : network->layers) outcome.calls += layer.multiplicity;
    outcome.others = network->others;
  }
  return outcome;
}

Result<store::StudyId> find_network_study(const store::Store& store, const std::string& name) {
  const Result<store::StudyId> named = store.studies().find(name);
  if (named) {
    const store::StudySummary study = TRY(store.studies().get(*named));
    const Purpose purpose = purpose_of(study.record);
    if (purpose != Purpose::Network) return other_purpose(*named, purpose);
    return *named;
  }
  // Newest first.
  const std::filesystem::path file(name);
  const std::string of_file =
      file.extension() == ".onnx" || file.extension() == ".json" ? file.stem().string() : name;
  std::optional<store::StudyId> replayed;  // has no kernels to export, but must not hide other studies
  for (const store::StudySummary& summary : TRY(store.studies().all())) {
    const Result<Definition> study = stored_study(store, summary.record.id);
    if (!study || study->purpose != Purpose::Network) continue;
    if (study->network != name && study->network != of_file) continue;
    const bool recorded = std::ranges::any_of(study->tasks, &Task::recorded);
    if (!recorded) return summary.record.id;
    if (!replayed) replayed = summary.record.id;
  }
  if (replayed) return *replayed;
  Error error = named.error();
  error.hint = fmt::format("`kernelscape tune --network {}` tunes a network; {}",
                           base::ShellScript::escaped(name), error.hint);
  return std::unexpected(std::move(error));
}

}  // namespace kernelscape::study

#include "app/command_line/group_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/study/network_progress.h"
#include "core/study/sum_caveats.h"

namespace kernelscape::command_line {
namespace {

constexpr double flop_per_gflop = 1e9;

std::string task_state(const study::DataSetTask& task) {
  if (!task.error.empty()) return task.error;
  return task.session ? std::string(store::to_string(task.status.state)) : "not begun";
}

std::string best_text(double flops, double seconds) {
  return seconds > 0 ? base::speed_text(flops, seconds) : std::string("-");
}

std::vector<std::string> layer_cells(const study::NetworkLayerOutcome& layer) {
  if (layer.trial < 0)
    return {layer.task, std::to_string(layer.multiplicity), "-", "-", "-", "-", layer.missing};
  const std::optional<double> share = layer.share_of_vendor();
  return {layer.task,
          std::to_string(layer.multiplicity),
          base::time_text(layer.seconds),
          best_text(layer.flops, layer.seconds),
          share ? base::percent_text(*share) : "-",
          std::to_string(layer.trials),
          layer.mark};
}

/** Returns the latencies of a model during its tuning, or null if there is none. */
nlohmann::json latencies_object(const study::LatencySeries& series) {
  return series.points.empty() ? nlohmann::json()
                               : nlohmann::json::parse(study::latency_series_to_json(series));
}

/** Returns a number, or null if it is unknown. */
nlohmann::json positive_or_null(double value) { return value > 0 ? nlohmann::json(value) : nlohmann::json(); }

}  // namespace

base::TerminalText drawn_text(const study::DataSetPlan& plan) {
  TextTable table({"task", "GFLOP"});
  for (const task::Task& task : plan.sampled.tasks)
    table.add({task.text, fmt::format("{:.3f}", task.flops() / flop_per_gflop)});
  return table.text() + base::write<base::Terminal>("\n{}\n", study::sampling_text(plan));
}

nlohmann::json drawn_event(const study::DataSetPlan& plan) {
  const task::SampledTasks& sampled = plan.sampled;
  nlohmann::json tasks = nlohmann::json::array();
  for (const task::Task& task : sampled.tasks)
    tasks.push_back({{"task", task.text}, {"flops", task.flops()}});
  return {{"event", "drawn"},
          {"name", plan.study.name},
          {"tasks", std::move(tasks)},
          {"layers", plan.layers},
          {"not_in_table", sampled.not_in_table},
          {"draws", sampled.drawn},
          {"repeated", sampled.repeated},
          {"held_out", sampled.refused_held_out},
          {"not_accepted", sampled.not_accepted},
          {"impossible", sampled.impossible}};
}

base::TerminalText data_set_text(std::span<const study::DataSetTask> tasks) {
  TextTable table({"task", "trials", "valid", "before a model", "best", "time", "state"});
  std::int64_t trials = 0;
  std::int64_t valid = 0;
  double seconds = 0;
  for (const study::DataSetTask& task : tasks) {
    trials += task.status.trial_count;
    valid += task.valid;
    seconds += task.status.session_seconds;
    table.add({task.task, std::to_string(task.status.trial_count),
               task.status.trial_count > 0 ? base::percent_text(task.valid_share()) : "-",
               std::to_string(task.before_model), best_text(task.flops, task.status.best_seconds),
               base::clock_text(task.status.session_seconds), task_state(task)});
  }
  return table.text() + base::write<base::Terminal>("\n{} tasks, {} trials, {} valid, in {}\n", tasks.size(),
                                                    base::count_text(trials), base::count_text(valid),
                                                    base::clock_text(seconds));
}

nlohmann::json data_set_task_event(store::StudyId study, const study::DataSetTask& task) {
  return {{"event", "task"},
          {"study", study},
          {"task", task.task},
          {"session", task.session ? nlohmann::json(*task.session) : nlohmann::json()},
          {"state", task.session ? nlohmann::json(store::to_string(task.status.state)) : nlohmann::json()},
          {"reason", task.error},
          {"trials", task.status.trial_count},
          {"valid", task.valid},
          {"before_model", task.before_model},
          {"best_seconds", positive_or_null(task.status.best_seconds)},
          {"flops", task.flops},
          {"session_seconds", task.status.session_seconds}};
}

base::TerminalText pass_text(const study::MeasuredPass& pass) {
  base::TerminalText text;
  for (const std::string& sentence : study::pass_sentences(pass))
    text += base::write<base::Terminal>("{}\n", message_text(sentence));
  return text;
}

base::TerminalText latency_text(const study::ModelLatency& latency) {
  base::TerminalText text;
  for (const std::string& sentence : study::latency_sentences(latency))
    text += base::write<base::Terminal>("{}\n", message_text(sentence));
  return text;
}

nlohmann::json latency_object(const study::ModelLatency& latency) {
  return nlohmann::json::parse(study::model_latency_to_json(latency));
}

nlohmann::json latency_point_object(const study::LatencyPoint& point) {
  return nlohmann::json::parse(study::latency_point_to_json(point));
}

nlohmann::json pass_object(const study::MeasuredPass& pass) {
  return nlohmann::json::parse(study::network_pass_to_json(pass));
}

namespace {

/** States which part of the network the layers are, so that the sum is not mistaken for the whole. */
base::TerminalText others_text(const study::NetworkOutcome& outcome) {
  std::int64_t count = 0;
  double bytes = 0;
  std::set<std::string> hidden;
  for (const task::OtherOperators& other : outcome.others) {
    if (other.once) continue;
    count += other.count;
    bytes += other.bytes;
    if (!other.reason.empty()) hidden.insert(other.name);
  }
  if (count == 0) return {};
  base::TerminalText text = base::write<base::Terminal>(
      "the layers are {} of the network's {} operators; the other {}, which read and write {}, are in no "
      "number "
      "here\n",
      outcome.calls, outcome.calls + count, count, base::bytes_text(bytes));
  if (!hidden.empty()) {
    text += base::write<base::Terminal>(
        "these include convolutions or multiplications that cannot be tuned: {}\n",
        base::join(std::vector<std::string>(hidden.begin(), hidden.end()), ", "));
  }
  return text;
}

/** Explains why the sum is not the network's time, and what to do. */
base::TerminalText missing_layers_text(const study::NetworkOutcome& outcome) {
  std::vector<std::string> untried;
  std::vector<std::string> failed;
  for (const study::NetworkLayerOutcome& layer : outcome.layers)
    if (layer.trial < 0) (layer.trials == 0 ? untried : failed).push_back(study::layer_title(layer));
  base::TerminalText text;
  if (!untried.empty())
    text += base::write<base::Terminal>(
        "the network has no time, since these layers have not been tuned: {}. Resume it if it was stopped; "
        "else tune it again with more --minutes or --trials.\n",
        message_text(base::join(untried, "; ")));
  if (!failed.empty())
    text += base::write<base::Terminal>(
        "these layers have no valid kernel: {}. `kernelscape show SESSION` says why trials failed; more "
        "--minutes or --trials may find one.\n",
        message_text(base::join(failed, "; ")));
  return text;
}

}  // namespace

base::TerminalText network_text(const study::NetworkOutcome& outcome) {
  TextTable table({"layer", "times", "time", "speed", "% of vendor", "trials", "state"});
  for (const study::NetworkLayerOutcome& layer : outcome.layers) table.add(layer_cells(layer));
  base::TerminalText text =
      table.text() + base::write<base::Terminal>(
                         "\n{}: {} over {} layers, each counted as often as it occurs in the network",
                         outcome.network, base::time_text(outcome.seconds),
                         std::ssize(outcome.layers) - outcome.missing);
  if (outcome.missing > 0)
    text += base::write<base::Terminal>(", without {} layers that have no kernel", outcome.missing);
  if (outcome.seconds_beside_vendor > 0) {
    text += base::write<base::Terminal>(
        "; {} of the speed of {} ({} for what took {})",
        base::percent_text(outcome.vendor_seconds / outcome.seconds_beside_vendor),
        outcome.vendor_title.empty() ? "the vendor's library" : outcome.vendor_title,
        base::time_text(outcome.vendor_seconds), base::time_text(outcome.seconds_beside_vendor));
  }
  text += "\n";
  if (outcome.missing > 0) text += missing_layers_text(outcome);
  if (!outcome.vendor_notice.empty())
    text += base::write<base::Terminal>("{}\n", message_text(outcome.vendor_notice));
  for (const std::string& caveat : study::sum_caveats(outcome))
    text += base::write<base::Terminal>("{}\n", message_text(caveat));
  if (outcome.pass) text += pass_text(*outcome.pass);
  if (outcome.latency) text += latency_text(*outcome.latency);
  for (const std::string& sentence : study::latency_series_sentences(outcome.latencies))
    text += base::write<base::Terminal>("{}\n", message_text(sentence));
  return text + others_text(outcome) +
         base::write<base::Terminal>("tuned in {}\n", base::clock_text(outcome.tuning_seconds));
}

nlohmann::json network_layer_event(store::StudyId study, const study::NetworkLayerOutcome& layer) {
  const bool there = layer.trial >= 0;
  const std::optional<double> share = layer.share_of_vendor();
  return {{"event", "layer"},
          {"study", study},
          {"layer", layer.task},
          {"multiplicity", layer.multiplicity},
          {"session", layer.session ? nlohmann::json(*layer.session) : nlohmann::json()},
          {"trial", there ? nlohmann::json(layer.trial) : nlohmann::json()},
          {"median_seconds", there ? nlohmann::json(layer.seconds) : nlohmann::json()},
          {"confirmed", layer.confirmed},
          {"mark", layer.mark},
          {"limit_withheld",
           layer.limit_withheld.empty() ? nlohmann::json() : nlohmann::json(layer.limit_withheld)},
          {"vendor", layer.vendor_name},
          {"algorithm", layer.vendor_algorithm},
          {"vendor_seconds", positive_or_null(layer.vendor_seconds)},
          {"share_of_vendor", share ? nlohmann::json(*share) : nlohmann::json()},
          {"trials", layer.trials},
          {"session_seconds", layer.session_seconds},
          {"missing", layer.missing}};
}

nlohmann::json network_event(store::StudyId study, const study::NetworkOutcome& outcome) {
  return {{"event", "network"},
          {"study", study},
          {"network", outcome.network},
          {"layers", outcome.layers.size()},
          {"missing", outcome.missing},
          {"seconds", outcome.seconds},
          {"vendor_seconds", positive_or_null(outcome.vendor_seconds)},
          {"seconds_beside_vendor", positive_or_null(outcome.seconds_beside_vendor)},
          {"vendor", outcome.vendor_title},
          {"vendor_notice",
           outcome.vendor_notice.empty() ? nlohmann::json() : nlohmann::json(outcome.vendor_notice)},
          {"caveats", study::sum_caveats(outcome)},
          {"tuning_seconds", outcome.tuning_seconds},
          {"pass", outcome.pass ? pass_object(*outcome.pass) : nlohmann::json()},
          {"model_latency", outcome.latency ? latency_object(*outcome.latency) : nlohmann::json()},
          {"latencies", latencies_object(outcome.latencies)}};
}

}  // namespace kernelscape::command_line

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/group_text.h"
#include "app/command_line/json_output.h"
#include "app/command_line/network_graph.h"
#include "app/command_line/network_options.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/stop_signals.h"
#include "core/base/numbers.h"
#include "core/base/output_file.h"
#include "core/network/open_network.h"
#include "core/schedule/template.h"
#include "core/session/targets.h"
#include "core/study/network_pass.h"
#include "core/study/network_run.h"
#include "core/task/title.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

struct NetworkArguments {
  std::string action;
  NetworkChoice choice;
  std::string target = "cpu";
  std::string architecture;
  std::string out;
  int rounds = study::default_pass_rounds;
  std::string database;
  bool force = false;
  bool vendor_where_faster = false;
  bool external_data_anywhere = false;
  bool json = false;
};

constexpr double per_giga = 1e9;

void print_layers(const task::WholeNetwork& network, const std::vector<network::LayerShare>& shares) {
  TextTable table({"layer", "times", "GFLOP", "share", "memory", "template"});
  for (const network::LayerShare& share : shares) {
    table.add({task::task_title(share.layer->task), std::to_string(share.layer->multiplicity),
               fmt::format("{:.3f}", share.flops / per_giga),
               (network.all_flops_known() ? "" : "at most ") + base::percent_text(share.share),
               base::bytes_text(share.bytes), share.template_name.empty() ? "none" : share.template_name});
  }
  print("{}: {}\n\n{}\n", network.name, network.description, table.text());
  std::int64_t calls = 0;
  double bytes = 0;
  for (const network::LayerShare& share : shares) {
    calls += share.layer->multiplicity;
    bytes += share.bytes;
  }
  print("{} layers, {} calls, {:.3f} GFLOP, {} read and written\n", shares.size(), calls,
        network.flops() / per_giga, base::bytes_text(bytes));
}

void print_reasons(const std::vector<network::LayerShare>& shares) {
  for (const network::LayerShare& share : shares)
    if (share.template_name.empty()) print("{}\n", message_text(share.reason));
}

void print_others(const task::WholeNetwork& network) {
  if (network.others.empty()) return;
  TextTable table({"operator", "count", "GFLOP", "memory", "why"});
  for (const task::OtherOperators& other : network.others) {
    std::string bytes = base::bytes_text(other.bytes);
    if (other.unknown > 0) bytes += fmt::format(", {} unknown", other.unknown);
    const std::string flops = other.flops > 0        ? fmt::format("{:.3f}", other.flops / per_giga)
                              : other.reason.empty() ? ""
                                                     : "unknown";
    table.add({other.name, std::to_string(other.count), other.once ? "" : flops, bytes,
               other.once ? "computed once, before the network runs" : other.reason});
  }
  print("\nNot among the layers, so that their sum is not the whole network:\n\n{}", table.text());
}

void print_events(const task::WholeNetwork& network, const std::vector<network::LayerShare>& shares) {
  for (const network::LayerShare& share : shares) {
    const bool fits = !share.template_name.empty();
    print_json_line({{"event", "layer"},
                     {"network", network.name},
                     {"name", share.layer->task.name},
                     {"text", share.layer->task.text},
                     {"multiplicity", share.layer->multiplicity},
                     {"flops", share.layer->task.flops()},
                     {"bytes", share.bytes / static_cast<double>(share.layer->multiplicity)},
                     {"share", share.share},
                     {"template", fits ? json(share.template_name) : json()},
                     {"reason", fits ? json() : json(share.reason)},
                     {"nodes", share.layer->nodes}});
  }
  for (const task::OtherOperators& other : network.others) {
    print_json_line({{"event", "operator"},
                     {"network", network.name},
                     {"name", other.name},
                     {"count", other.count},
                     {"bytes", other.bytes},
                     {"unknown", other.unknown},
                     {"once", other.once},
                     {"flops", other.flops > 0 ? json(other.flops) : json()},
                     {"reason", other.reason.empty() ? json() : json(other.reason)}});
  }
  print_json_line({{"event", "network"},
                   {"network", network.name},
                   {"description", network.description},
                   {"layers", shares.size()},
                   {"flops", network.flops()},
                   {"other_flops", network.hidden_flops()},
                   {"all_flops_known", network.all_flops_known()},
                   {"notices", network.notices}});
}

Status save_network(const NetworkArguments& arguments, const task::WholeNetwork& network) {
  base::OutputRequest request;
  request.path = arguments.out;
  request.kind.name = "network";
  request.kind.recognises_own = [](std::string_view head) {
    return head.starts_with("{") && head.contains("\"networks\"");
  };
  request.force = arguments.force;
  request.sources = {arguments.choice.name};
  return base::write_output(std::move(request), task::whole_network_to_json(network));
}

Status check_network_arguments(const NetworkArguments& arguments) {
  const bool saves = arguments.action == "save";
  if (saves && arguments.out.empty())
    return fail(ErrorCode::InvalidArgument, "network save: no output file is given", "add --out FILE");
  if (arguments.action != "pass" && arguments.vendor_where_faster)
    return fail(ErrorCode::InvalidArgument, "network: --vendor-where-faster applies only to pass",
                "leave it out");
  if (arguments.action != "graph" && arguments.external_data_anywhere)
    return fail(ErrorCode::InvalidArgument, "network: --external-data-anywhere applies only to graph",
                "leave it out");
  if (arguments.action == "graph" && !arguments.out.empty())
    return fail(ErrorCode::InvalidArgument, "network graph: a graph cannot be saved", "leave --out out");
  if (!saves && arguments.force && arguments.out.empty())
    return fail(ErrorCode::InvalidArgument, "network: --force requires --out", "leave it out");
  return {};
}

/** The kernels of a stored network once more, all calls in their order. */
Result<int> run_pass(const NetworkArguments& arguments) {
  store::Store store = TRY(open_store(arguments.database, store::OpenMode::Existing));
  const store::StudyId id = TRY(study::find_network_study(store, arguments.choice.name));
  const study::MeasuredPass pass = TRY(study::measure_network_pass(
      store, id, arguments.rounds, stop_on_signals(), arguments.vendor_where_faster));
  if (arguments.json) {
    print_json_line({{"event", "pass"}, {"study", id}, {"pass", pass_object(pass)}});
  } else {
    print(pass_text(pass));
  }
  return exit_done;
}

/** Measures the model of a stored network once more. */
Result<int> run_latency(const NetworkArguments& arguments) {
  store::Store store = TRY(open_store(arguments.database, store::OpenMode::Existing));
  const store::StudyId id = TRY(study::find_network_study(store, arguments.choice.name));
  const study::ModelLatency latency = TRY(study::measure_model_latency(store, id, stop_on_signals()));
  if (arguments.json) {
    print_json_line({{"event", "latency"}, {"study", id}, {"model_latency", latency_object(latency)}});
  } else {
    print(latency_text(latency));
  }
  return exit_done;
}

Result<int> run_network(const NetworkArguments& arguments) {
  TRY(check_network_arguments(arguments));
  if (arguments.action == "pass") return run_pass(arguments);
  if (arguments.action == "latency") return run_latency(arguments);
  if (arguments.action == "graph")
    return print_graph(arguments.choice, {arguments.external_data_anywhere, arguments.json});
  const task::WholeNetwork network = TRY(open_chosen_network(arguments.choice));
  if (!arguments.out.empty()) TRY(save_network(arguments, network));
  if (arguments.action == "save") {
    for (const std::string& notice : network.notices) print_note(notice);
    return exit_done;
  }
  const schedule::TargetDescription target =
      TRY(session::resolve_target(arguments.target, measure::CompilerNeed::Optional, arguments.architecture));
  const std::vector<network::LayerShare> shares = network::layer_shares(network, target);
  if (arguments.json) {
    print_events(network, shares);
    return exit_done;
  }
  print_layers(network, shares);
  print_reasons(shares);
  print_others(network);
  for (const std::string& notice : network.notices) print_note(notice);
  return exit_done;
}

}  // namespace

Command add_network_command(CLI::App& program) {
  auto arguments = std::make_shared<NetworkArguments>();
  CLI::App* app = program.add_subcommand(
      "network", "The layers of a network from the catalogue, a saved file, or an ONNX model");
  app->add_option("ACTION", arguments->action,
                  "show: print its layers; save: write them to a file; pass: run the kernels that `tune "
                  "--network` found, all calls in order, and the vendor's library for comparison; "
                  "latency: measure the whole model with these kernels, and beside onnxruntime where that is "
                  "installed; graph: print all operators of an ONNX model with their shapes")
      ->required()
      ->check(CLI::IsMember({"show", "save", "pass", "latency", "graph"}));
  app->add_option(
         "NETWORK", arguments->choice.name,
         "A name in the catalogue, an .onnx file, or a saved network; pass and latency: the network, "
         "or the number or name of its study")
      ->required();
  app->add_option("--rounds", arguments->rounds,
                  fmt::format("pass: number of passes (default: {})", study::default_pass_rounds))
      ->type_name("N")
      ->check(whole_in_range(1, 1000));
  app->add_flag("--vendor-where-faster", arguments->vendor_where_faster,
                "pass: use oneDNN's kernel for each layer where it is significantly faster; lists the kernel "
                "used for each layer, and stores nothing");
  app->add_flag("--external-data-anywhere", arguments->external_data_anywhere,
                "graph: read weights that the model keeps in files outside of its folder");
  add_database_option(*app, arguments->database);
  add_dimension_option(*app, arguments->choice);
  app->add_option("--target", arguments->target, "Target whose templates are considered (default: cpu)")
      ->type_name("TARGET");
  add_architecture_option(*app, arguments->architecture);
  app->add_option("--out", arguments->out,
                  "Write the network to this file, which can be used instead of the model")
      ->type_name("FILE");
  add_force_option(*app, arguments->force);
  add_json_option(*app, arguments->json);
  return {app, [arguments] { return run_network(*arguments); }};
}

}  // namespace kernelscape::command_line

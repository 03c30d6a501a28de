#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/base/text.h"
#include "core/task/catalogue.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

struct TasksOptions {
  std::string network;
  bool json = false;
};

constexpr double gigaflop = 1e9;

void print_tasks(const task::Catalogue& catalogue, bool as_json) {
  TextTable table({"task", "GFLOP", "operator"});
  for (const task::Task& task : catalogue.tasks()) {
    if (as_json) {
      print_json_line({{"name", task.name}, {"text", task.text}, {"flops", task.flops()}});
    } else {
      table.add({task.name, fmt::format("{:.3f}", task.flops() / gigaflop), task.text});
    }
  }
  if (as_json) return;
  print("{}\nnetworks (`kernelscape tasks --network NAME` lists the layers of one):\n", table.text());
  for (const task::Network& network : catalogue.networks())
    print("  {}: {}\n", network.name, network.description);
}

Result<const task::Network*> find_network(const task::Catalogue& catalogue, const std::string& name) {
  std::vector<std::string> names;
  for (const task::Network& network : catalogue.networks()) {
    if (network.name == name) return &network;
    names.push_back(network.name);
  }
  return fail(ErrorCode::NotFound, fmt::format("unknown network \"{}\"", name), base::suggest(name, names));
}

Status print_network(const task::Catalogue& catalogue, const std::string& name, bool as_json) {
  const task::Network* network = TRY(find_network(catalogue, name));
  TextTable table({"task", "times", "GFLOP", "operator"});
  double total = 0;
  for (const task::NetworkLayer& layer : network->layers) {
    const task::Task task = TRY(catalogue.find(layer.task));
    total += task.flops() * static_cast<double>(layer.multiplicity);
    if (as_json) {
      const json row = {{"network", network->name},
                        {"name", task.name},
                        {"multiplicity", layer.multiplicity},
                        {"text", task.text},
                        {"flops", task.flops()}};
      print_json_line(row);
    } else {
      table.add({task.name, std::to_string(layer.multiplicity),
                 fmt::format("{:.3f}", task.flops() / gigaflop), task.text});
    }
  }
  if (!as_json) {
    print("{}: {}\n\n{}\n{:.3f} GFLOP in total\n", network->name, network->description, table.text(),
          total / gigaflop);
  }
  return {};
}

}  // namespace

Command add_tasks_command(CLI::App& program) {
  auto options = std::make_shared<TasksOptions>();
  CLI::App* app = program.add_subcommand("tasks", "List the tasks and networks of the catalogue");
  app->add_option("--network", options->network, "The layers of a network")->type_name("NAME");
  add_json_option(*app, options->json);
  return {app, [options]() -> Result<int> {
            const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
            if (options->network.empty()) {
              print_tasks(catalogue, options->json);
              return exit_done;
            }
            TRY(print_network(catalogue, options->network, options->json));
            return exit_done;
          }};
}

}  // namespace kernelscape::command_line

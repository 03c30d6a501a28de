#include "core/study/data_set_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/task/layer_table.h"

namespace kernelscape::study {
namespace {

constexpr double flop_per_gigaflop = 1e9;

/** Lists of multiplications that are not layers of a network of the catalogue. */
constexpr std::array multiplication_lists = {"heron/", "opevo-cpu/", "transformer/"};

/** The settings of One-Shot Tuner's data generation, section 5. */
const std::map<std::string, std::string> exploring_settings = {{"features", "curve"}, {"loss", "regression"}};

std::vector<std::string> network_names(const task::Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const task::Network& network : catalogue.networks()) names.push_back(network.name);
  return names;
}

bool is_network(const task::Catalogue& catalogue, std::string_view name) {
  return std::ranges::find(catalogue.networks(), name, &task::Network::name) != catalogue.networks().end();
}

/** Returns the part before the slash in the names of tasks: "heron". */
std::set<std::string> task_lists(const task::Catalogue& catalogue) {
  std::set<std::string> lists;
  for (const task::Task& task : catalogue.tasks())
    if (const std::size_t slash = task.name.find('/'); slash != std::string::npos)
      lists.insert(task.name.substr(0, slash));
  return lists;
}

Result<task::LayerTable> default_layers(const task::Catalogue& catalogue) {
  task::LayerTable table = TRY(task::LayerTable::of_networks(catalogue));
  const std::set<std::string> lists = task_lists(catalogue);
  std::vector<std::string> prefixes;
  for (const std::string prefix : multiplication_lists)
    if (lists.contains(prefix.substr(0, prefix.size() - 1))) prefixes.push_back(prefix);
  if (prefixes.empty()) return table;
  const task::LayerTable listed = TRY(task::LayerTable::of_tasks(catalogue, prefixes));
  // The convolutions of these lists are not layers of networks.
  TRY(table.add(listed.only(task::LayerKind::MatrixMultiplication)));
  return table;
}

Result<task::LayerTable> layers_of(const std::string& name, const task::Catalogue& catalogue) {
  if (is_network(catalogue, name))
    return task::LayerTable::of_networks(catalogue, std::vector<std::string>{name});
  const std::set<std::string> lists = task_lists(catalogue);
  const std::string list = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
  if (lists.contains(list))
    return task::LayerTable::of_tasks(catalogue, std::vector<std::string>{list + "/"});
  std::error_code error;
  const bool file_name = name.ends_with(".csv") || name.ends_with(".json");
  if (file_name || std::filesystem::is_regular_file(name, error)) return task::LayerTable::read(name);
  std::vector<std::string> known = network_names(catalogue);
  known.insert(known.end(), lists.begin(), lists.end());
  return fail(ErrorCode::NotFound,
              fmt::format("{} is neither a network, a list of tasks nor a file", base::quoted_line(name)),
              base::suggest(name, known) + "; or name a file of layers (.csv, .json)");
}

Result<task::LayerTable> all_layers(const DataSetRequest& request, const task::Catalogue& catalogue) {
  if (request.layers.empty()) return default_layers(catalogue);
  task::LayerTable table;
  for (const std::string& name : request.layers) TRY(table.add(TRY(layers_of(name, catalogue))));
  return table;
}

/** Returns the layers of the kind of which the template supports more. */
Result<task::LayerTable> fitting_kind(const task::LayerTable& table,
                                      const schedule::TemplateDeclaration& declaration,
                                      const schedule::TargetDescription& target) {
  std::int64_t convolutions = 0;
  std::int64_t multiplications = 0;
  for (const task::LayerRow& row : table.rows()) {
    const task::Task task = TRY(task::parse_task(row.text));
    if (!declaration.fits(task, target)) continue;
    ++(row.kind() == task::LayerKind::Convolution ? convolutions : multiplications);
  }
  if (convolutions + multiplications == 0) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("template {} supports none of the {} layers", declaration.name, table.rows().size()),
        "name other layers, or a template for them; `kernelscape templates` lists them");
  }
  return table.only(convolutions >= multiplications ? task::LayerKind::Convolution
                                                    : task::LayerKind::MatrixMultiplication);
}

/** Returns the texts of the held-out tasks. */
Result<std::vector<std::string>> held_out_texts(const DataSetRequest& request,
                                                const task::Catalogue& catalogue) {
  std::vector<std::string> texts;
  for (const std::string& name : request.held_out) {
    const auto network = std::ranges::find(catalogue.networks(), name, &task::Network::name);
    if (network == catalogue.networks().end()) {
      const task::Task task = TRY(catalogue.find(name));
      texts.push_back(task.text);
      continue;
    }
    for (const task::NetworkLayer& layer : network->layers) {
      const task::Task task = TRY(catalogue.find(layer.task));
      texts.push_back(task.text);
    }
  }
  return texts;
}

Arm exploring_arm(const DataSetRequest& request) {
  Arm arm;
  arm.tuner = request.tuner;
  if (request.tuner == data_set_tuner) arm.settings = exploring_settings;
  for (const auto& [name, value] : request.settings) arm.settings[name] = value;
  arm.name = default_arm_name(arm.tuner, arm.settings);
  return arm;
}

std::string about_text(const DataSetRequest& request, const DataSetPlan& plan) {
  std::string text =
      fmt::format("Tasks for {} drawn by {}, seed {}, from {}: {}.", request.template_name,
                  task::to_string(request.sampling), request.seed,
                  request.layers.empty() ? "the networks of the catalogue" : base::join(request.layers, ", "),
                  sampling_text(plan));
  if (!request.held_out.empty()) text += fmt::format(" Held out: {}.", base::join(request.held_out, ", "));
  if (request.max_gflop > 0) text += fmt::format(" At most {} GFLOP per task.", request.max_gflop);
  return text;
}

Status check_request(const DataSetRequest& request) {
  if (request.tasks < 1 || static_cast<std::int64_t>(request.tasks) > store::max_study_runs) {
    return fail(ErrorCode::InvalidArgument, fmt::format("a data set cannot have {} tasks", request.tasks),
                fmt::format("choose 1 to {}", store::max_study_runs));
  }
  if (request.trials < 1) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a data set cannot have {} trials per task", request.trials),
                "choose at least 1");
  }
  return {};
}

}  // namespace

Result<DataSetPlan> plan_data_set(const DataSetRequest& request, const task::Catalogue& catalogue,
                                  const schedule::TargetDescription& target) {
  TRY(check_request(request));
  const schedule::TemplateDeclaration* declaration =
      TRY(schedule::find_template(request.template_name, target.kind));
  const task::LayerTable all = TRY(all_layers(request, catalogue));
  const task::LayerTable table = TRY(fitting_kind(all, *declaration, target));
  task::SamplingRequest sampling;
  sampling.method = request.sampling;
  sampling.count = request.tasks;
  sampling.seed = request.seed;
  sampling.held_out = TRY(held_out_texts(request, catalogue));
  sampling.accepts = [&](const task::Task& task) -> Status {
    if (request.max_gflop > 0 && task.flops() > request.max_gflop * flop_per_gigaflop)
      return fail(ErrorCode::Refused, "it has more FLOPs than requested");
    return declaration->fits(task, target);
  };
  DataSetPlan plan;
  plan.layers = table.rows().size();
  plan.sampled = TRY(task::sample_tasks(table, sampling));
  Definition& study = plan.study;
  study.purpose = Purpose::DataSet;
  study.name = request.name.empty() ? request.template_name + " tasks" : request.name;
  study.about = about_text(request, plan);
  study.arms = {exploring_arm(request)};
  for (const task::Task& task : plan.sampled.tasks) {
    Task& wanted = study.tasks.emplace_back();
    wanted.task = task.text;
    wanted.target = request.target;
    wanted.template_name = request.template_name;
  }
  study.budget.trials = request.trials;
  study.measuring = request.measuring;
  study.seed = request.seed;
  TRY(check_study(study));
  return plan;
}

std::string sampling_text(const DataSetPlan& plan) {
  const task::SampledTasks& sampled = plan.sampled;
  return fmt::format(
      "{} tasks from {} layers, {} of them not among these layers; {} draws, of which {} repeated a task, "
      "{} were held out, {} were not wanted, {} gave no task",
      sampled.tasks.size(), plan.layers, sampled.not_in_table, sampled.drawn, sampled.repeated,
      sampled.refused_held_out, sampled.not_accepted, sampled.impossible);
}

}  // namespace kernelscape::study

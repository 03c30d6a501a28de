#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/store/store.h"
#include "core/study/layer_scheduler.h"
#include "core/study/study.h"
#include "core/task/data_folder.h"

namespace kernelscape::study {
namespace {

std::unexpected<Error> wrong(std::string message, std::string hint) {
  return fail(ErrorCode::InvalidArgument, std::move(message), std::move(hint));
}

/** Checks the options of an arm. Chains require tasks that are run in one order. */
Status check_arm_run(const Definition& study, const Arm& arm) {
  const std::string what = fmt::format("tuner {} of the study", base::quoted_line(arm.name));
  if ((arm.batch < 0 && arm.batch != tuner::batch_of_builders) || arm.batch > max_batch) {
    return wrong(
        fmt::format("{} cannot have batches of {}", what, arm.batch),
        fmt::format("write 1 to {} or \"{}\", or 0 for the tuner's default", max_batch, builders_batch));
  }
  if (arm.warm_start < 0) {
    return wrong(fmt::format("{} cannot start with the trials of session {}", what, arm.warm_start),
                 "write the number of a session; `kernelscape sessions` lists them");
  }
  if (arm.control && (arm.tuner != tuner::sampling_tuner || study.purpose != Purpose::Comparison)) {
    return wrong(fmt::format("{} is marked as a control, but it is not one", what),
                 "controls are random search in comparisons and are added automatically; remove \"control\"");
  }
  if (arm.respect_limits.value_or(false) && arm.measuring.value_or(study.measuring).beyond_limits) {
    return wrong(fmt::format("{} enforces the device limits (respect_limits), and builds what they refuse "
                             "(beyond_limits)",
                             what),
                 "remove one of them");
  }
  const auto replays = std::ranges::count_if(study.tasks, &Task::recorded);
  if (!arm.chain_tasks || replays == 0 || replays == std::ssize(study.tasks)) return {};
  return wrong(fmt::format("{} chains its tasks, but only some of the tasks are "
                           "recorded spaces",
                           what),
               "split the study in two: recorded spaces are replayed before kernels are measured");
}

Status check_arms(const Definition& study) {
  std::set<std::string> names;
  for (const Arm& arm : study.arms) {
    if (arm.tuner.empty()) {
      return wrong(fmt::format("tuner {} of the study has no tuning algorithm", base::quoted_line(arm.name)),
                   "`kernelscape tuners` lists them");
    }
    if (arm.name.empty()) return wrong("a tuner of the study has an empty name", "give it a name");
    if (!names.insert(arm.name).second) {
      return wrong(fmt::format("two tuners of the study have the name {}", base::quoted_line(arm.name)),
                   R"(give each a different name: {"tuner": "ga", "name": "small ga", "settings": {...}})");
    }
    TRY(check_arm_run(study, arm));
  }
  if (study.baseline.empty() || names.contains(study.baseline)) return {};
  return wrong(
      fmt::format("the baseline {} is not one of the study's tuners", base::quoted_line(study.baseline)),
      base::suggest(study.baseline, std::vector<std::string>(names.begin(), names.end())));
}

Status check_task(const Task& task, std::size_t position) {
  const std::string what = fmt::format("task {} of the study", position + 1);
  if (task.task.empty() && !task.recorded()) {
    return wrong(fmt::format("{} has neither a task nor a recorded space", what),
                 R"(write "resnet18/C6", or {"target": "recorded:FILE"})");
  }
  if (task.target.empty() || task.target == session::recorded_target_prefix)
    return wrong(fmt::format("{} has an empty target", what), "write cpu, or recorded:FILE");
  if (task.optional && !task.recorded())
    return wrong(fmt::format("{} is optional, but it is not a recorded space", what), "remove \"optional\"");
  for (const std::string& text : task.restrictions) {
    if (const Result<session::KnobRestriction> restriction = session::parse_restriction(text); !restriction)
      return wrong(fmt::format("{}: {}", what, restriction.error().message), restriction.error().hint);
  }
  return {};
}

/** The number of samples of a recording, and of calls per sample, is known only once it is opened. */
trial::MeasureOptions checked_alone(trial::MeasureOptions options) {
  if (options.replay_samples) options.adaptive_batch = 0;
  return options;
}

/** Only recorded spaces have samples of which a replay can take fewer. */
Status check_sampling(const Definition& study, const trial::MeasureOptions& options,
                      const std::string& what) {
  const auto measured = std::ranges::find_if_not(study.tasks, &Task::recorded);
  if (!options.replay_samples || measured == study.tasks.end()) return {};
  return wrong(fmt::format("{} takes fewer of the recorded samples (replay_samples), but the task {} is "
                           "measured, not recorded",
                           what, base::quoted_line(measured->task)),
               "remove replay_samples, or create a separate study of the recorded spaces");
}

/**
 * Checks the measuring options of the study and of its arms. A recorded space cannot be measured with other
 * options.
 */
Status check_measuring(const Definition& study) {
  if (const Status good = trial::check_measure_options(checked_alone(study.measuring)); !good)
    return wrong(fmt::format("\"measuring\" of the study: {}", good.error().message), good.error().hint);
  TRY(check_sampling(study, study.measuring, "\"measuring\" of the study"));
  const auto recorded = std::ranges::find_if(study.tasks, &Task::recorded);
  for (const Arm& arm : study.arms) {
    if (!arm.measuring) continue;
    const std::string what = fmt::format("\"measuring\" of the tuner \"{}\"", arm.name);
    if (const Status good = trial::check_measure_options(checked_alone(*arm.measuring)); !good)
      return wrong(fmt::format("{}: {}", what, good.error().message), good.error().hint);
    TRY(check_sampling(study, *arm.measuring, what));
    if (recorded == study.tasks.end() || arm.measuring->replay_samples) continue;
    return wrong(fmt::format("{} is not possible: the task {} is a recorded space, which was measured before",
                             what, recorded->target),
                 "remove it, create a separate study of the recorded spaces, or take fewer of their samples "
                 "(replay_samples)");
  }
  return {};
}

Status check_tasks(const Definition& study) {
  const auto precedes = [](const Task* one, const Task* other) {
    const auto members = [](const Task& task) {
      return std::tie(task.task, task.target, task.template_name, task.restrictions, task.optional);
    };
    return members(*one) < members(*other);
  };
  std::set<const Task*, decltype(precedes)> known;  // a file may have a million
  for (std::size_t position = 0; position < study.tasks.size(); ++position) {
    const Task& task = study.tasks[position];
    TRY(check_task(task, position));
    if (!known.insert(&task).second) {
      return wrong(fmt::format("task {} of the study occurs twice: {}", position + 1,
                               task.task.empty() ? task.target : task.task),
                   "use \"repeats\" for more runs of a task");
    }
  }
  return {};
}

Status check_budget(const Definition& study) {
  const trial::Budget& budget = study.budget;
  if (study.repeats < 1)
    return wrong(fmt::format("the study has {} repeats", study.repeats), "write at least 1");
  if (budget.trials < 0 || budget.patience < 0 || !(budget.minutes >= 0) || !(budget.target_gflops >= 0))
    return wrong("a limit of the study's budget is negative", "write 0 for no limit");
  if (study.jobs < 0 || study.jobs > max_replays_at_once) {
    return wrong(fmt::format("the study cannot run {} replays at the same time", study.jobs),
                 fmt::format("write 1 to {}, or 0 for the default", max_replays_at_once));
  }
  const auto runs = static_cast<double>(study.arms.size()) * static_cast<double>(study.tasks.size()) *
                    static_cast<double>(study.repeats);
  if (runs <= static_cast<double>(store::max_study_runs)) return {};
  const bool controlled = std::ranges::any_of(study.arms, &Arm::control);
  return wrong(
      fmt::format("the study would have {:.0f} runs{}", runs,
                  controlled ? ", including those of its controls" : ""),
      fmt::format("reduce them to at most {}{}", store::max_study_runs,
                  controlled ? R"(; "controls": false omits random search in the same batches)" : ""));
}

Status check_first_trials(const Definition& study) {
  if (study.first_trials < 0 || study.first_trials > max_batch) {
    return wrong(fmt::format("the first round of a layer cannot have {} trials", study.first_trials),
                 fmt::format("write 0 to {}", max_batch));
  }
  if (study.first_trials == 0) return {};
  if (study.purpose != Purpose::Network)
    return wrong("the study has first trials of layers, but it is not of a network",
                 R"(remove "first_trials")");
  if (std::ranges::any_of(study.tasks, &Task::recorded))
    return wrong("the study has first trials of layers, but a layer is a recorded space",
                 R"(remove "first_trials": recorded layers need no first kernel)");
  return {};
}

/** Checks the objective: a latency needs the model, a processor that runs it, and gains that it can change.
 */
Status check_objective(const Definition& study) {
  if (study.objective == NetworkObjective::Layers) return {};
  if (study.purpose != Purpose::Network || !study.model_source)
    return wrong("the objective is the latency of the whole model, but the study is not of a model's file",
                 R"(remove "objective", or tune the .onnx file)");
  if (study.scheduler != to_string(LayerScheduler::Gradient))
    return wrong("the objective is the latency of the whole model, which only the scheduler gradient reduces",
                 R"(remove "objective", or write "scheduler": "gradient")");
  if (std::ranges::all_of(study.tasks, [](const Task& task) { return task.target == "cpu"; })) return {};
  return wrong("the objective is the latency of the whole model, which is measured on the target cpu only",
               R"(remove "objective", or write "target": "cpu")");
}

/** Checks the budget that layers share. Only layers of a network can, either all measured or all recorded. */
Status check_shared_budget(const Definition& study) {
  if (study.purpose != Purpose::Network && !study.network_json.empty())
    return wrong("the study has a model, but it is not of a network", R"(remove "model")");
  if (study.purpose != Purpose::Network && study.model_source)
    return wrong("the study has a model's file, but it is not of a network", R"(remove "model_file")");
  if (study.layers_at_once < 1 || study.layers_at_once > max_layers_at_once) {
    return wrong(fmt::format("the study cannot tune {} layers at the same time", study.layers_at_once),
                 fmt::format("write 1 to {}", max_layers_at_once));
  }
  TRY(check_first_trials(study));
  TRY(check_objective(study));
  if (study.scheduler.empty() && study.first_trials == 0 && study.layers_at_once > 1)
    return wrong("the study has a number of layers at the same time, but its layers have separate budgets",
                 R"(remove "layers_at_once", or name a "scheduler")");
  if (study.scheduler.empty()) return {};
  std::ignore = TRY(parse_layer_scheduler(study.scheduler));
  if (study.purpose != Purpose::Network)
    return wrong("the study has a scheduler, but it is not of a network", R"(remove "scheduler")");
  if (study.repeats != 1)
    return wrong("layers that share a budget cannot have repeats", R"(write "repeats": 1)");
  const auto recorded = std::ranges::count_if(study.tasks, &Task::recorded);
  if (recorded > 0 && recorded < std::ssize(study.tasks))
    return wrong("only some of the layers that share a budget are recorded spaces",
                 "split the study in two: recorded spaces have a different clock");
  if (study.budget.target_gflops > 0)
    return wrong("layers that share a budget cannot have a common target speed", R"(remove "target_gflops")");
  return {};
}

/**
 * Checks the purpose: a data set and a network have one tuner; only a network has a name and layers with
 * multiplicities.
 */
Status check_purpose(const Definition& study) {
  const bool network = study.purpose == Purpose::Network;
  if (study.network.empty() == network) {
    return wrong(network ? std::string("the study is of a network, but it does not name the network")
                         : fmt::format("the study names the network {}, but its purpose is not \"network\"",
                                       study.network),
                 R"(write "purpose": "network" and "network": "resnet-18", or neither)");
  }
  TRY(check_shared_budget(study));
  for (const Task& task : study.tasks) {
    if (task.multiplicity >= 1 && (network || task.multiplicity == 1)) continue;
    return wrong(fmt::format("the task {} cannot have a multiplicity of {}", base::quoted_line(task.task),
                             task.multiplicity),
                 "only layers of a network have one; it is at least 1");
  }
  if (study.purpose == Purpose::Comparison || study.arms.size() == 1) return {};
  return wrong(
      fmt::format("the study is a {}, but it has {} tuners", to_string(study.purpose), study.arms.size()),
      "name one tuner; a study without a purpose compares several");
}

Status check_analysis(const Definition& study) {
  if (!study.arms.empty() || !study.tasks.empty()) {
    return wrong("the study analyses recorded spaces, but it also has tuners or tasks",
                 "split the study in two");
  }
  const std::set<std::string> files(study.analysed.begin(), study.analysed.end());
  if (files.size() == study.analysed.size()) return {};
  return wrong("a file to analyse occurs twice in the study", "remove one of them");
}

/** Checks a collection, which was created by an import and has no runs. */
Status check_collection(const Definition& study) {
  if (study.arms.empty() && study.tasks.empty() && study.analysed.empty() && study.network.empty()) return {};
  return wrong("the study is a collection, but it has tuners or tasks",
               R"(remove "purpose"; `kernelscape import` creates collections)");
}

bool looks_like_file(const std::string& name) {
  return name.contains('/') ||
         std::ranges::any_of(std::array{".ksrec", ".json", ".gz", ".log"},
                             [&](const char* suffix) { return name.ends_with(suffix); });
}

/** Returns the file's name without folder, compression and format. */
std::string short_name(const Task& task) {
  if (!task.recorded()) return task.task;
  std::filesystem::path name =
      std::filesystem::path(task.target.substr(session::recorded_target_prefix.size())).filename();
  for (const char* suffix : {".gz", ".json", ".ksrec", ".log"}) {
    if (name.extension() == suffix) name = name.stem();
  }
  return name.string();
}

}  // namespace

std::string_view to_string(NetworkObjective objective) {
  return objective == NetworkObjective::Latency ? "latency" : "layers";
}

Result<NetworkObjective> parse_network_objective(std::string_view text) {
  for (const NetworkObjective objective : {NetworkObjective::Layers, NetworkObjective::Latency})
    if (to_string(objective) == text) return objective;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is not an objective of networks", base::quoted_line(text)),
              base::suggest(text, network_objective_names()));
}

std::vector<std::string> network_objective_names() {
  return {std::string(to_string(NetworkObjective::Layers)),
          std::string(to_string(NetworkObjective::Latency))};
}

std::string_view to_string(Purpose purpose) {
  switch (purpose) {
    case Purpose::Comparison:
      return "comparison";
    case Purpose::DataSet:
      return "data-set";
    case Purpose::Network:
      return "network";
    case Purpose::Collection:
      break;
  }
  return "collection";
}

Status check_study(const Definition& study) {
  if (study.name.find_first_not_of(" \t\n") == std::string::npos)
    return wrong("the study has no name", "give it a name");
  if (study.purpose == Purpose::Collection) return check_collection(study);
  if (!study.analysed.empty() && study.purpose == Purpose::Comparison) return check_analysis(study);
  if (!study.analysed.empty()) {
    return wrong(
        fmt::format("the study analyses recorded spaces, but its purpose is {}", to_string(study.purpose)),
        R"(remove "purpose" or "analyse")");
  }
  if (study.arms.empty()) return wrong("the study has no tuners", "add at least one, such as random");
  if (study.tasks.empty()) return wrong("the study has no tasks", "add at least one, such as resnet18/C6");
  TRY(check_arms(study));
  TRY(check_purpose(study));
  TRY(check_tasks(study));
  TRY(check_measuring(study));
  TRY(check_budget(study));
  return {};
}

std::filesystem::path resolve_file(const std::filesystem::path& file, const std::filesystem::path& folder) {
  return (file.is_absolute() ? file : folder / file).lexically_normal();
}

std::string resolve_recorded_target(const std::string& target, const std::filesystem::path& folder) {
  if (!target.starts_with(session::recorded_target_prefix)) return target;
  const std::string name = target.substr(session::recorded_target_prefix.size());
  const std::filesystem::path file = resolve_file(name, folder);
  std::error_code error;
  const bool is_file =
      looks_like_file(name) || (!name.empty() && std::filesystem::is_regular_file(file, error));
  return is_file ? std::string(session::recorded_target_prefix) + file.string() : target;
}

std::vector<std::string> task_labels(const Definition& study) {
  std::vector<std::string> labels;
  std::set<std::string> known;
  std::map<std::string, int> last_numbers;  // by what is the same, which a million tasks may be
  for (const Task& task : study.tasks) {
    std::string same = short_name(task);
    if (!task.template_name.empty()) same += " " + task.template_name;
    if (!task.restrictions.empty()) same += " " + base::join(task.restrictions, " ");
    int& number = last_numbers[same];
    std::string label;
    do label = ++number == 1 ? same : fmt::format("{} #{}", same, number);
    while (!known.insert(label).second);
    labels.push_back(std::move(label));
  }
  return labels;
}

namespace {

std::vector<std::filesystem::path> bundled_files(const char* folder, const char* extension) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator file(task::data_folder() / folder, error), end;
       !error && file != end; file.increment(error)) {
    if (file->path().extension() == extension) files.push_back(file->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<std::filesystem::path> bundled_studies() { return bundled_files("studies", ".json"); }

std::vector<std::filesystem::path> bundled_recordings() { return bundled_files("recorded", ".ksrec"); }

}  // namespace kernelscape::study

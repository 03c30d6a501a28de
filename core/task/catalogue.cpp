#include "core/task/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/task/checks.h"
#include "core/task/data_folder.h"
#include "core/task/file.h"
#include "core/task/json_reading.h"

namespace kernelscape::task {
namespace {

using nlohmann::json;

constexpr std::uintmax_t largest_file_bytes = 16 << 20;

/** Returns the error with the place where it was found. */
std::unexpected<Error> at(std::string_view place, Error error) {
  error.message = fmt::format("{}: {}", place, error.message);
  return std::unexpected(std::move(error));
}

/** Reads a list of texts; a missing list is empty. */
Result<std::vector<std::string>> read_texts(const json& object, std::string_view what, const char* member) {
  std::vector<std::string> texts;
  const auto list = object.find(member);
  if (list == object.end()) return texts;
  const bool all_texts = list->is_array() && std::ranges::all_of(*list, &json::is_string);
  if (!all_texts) {
    return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" of {} is not a list of texts", member, what),
                R"(write ["a", "b"])");
  }
  return list->get<std::vector<std::string>>();
}

/** Reads a number of at least 0; a missing number is `otherwise`. */
Result<double> read_amount(const json& object, std::string_view what, const char* member, double otherwise) {
  const auto found = object.find(member);
  if (found == object.end()) return otherwise;
  if (found->is_number() && found->get<double>() >= 0 && found->get<double>() <= 1e300)
    return found->get<double>();
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" of {} is {}", member, what, base::one_line(found->dump())),
              "write a number of at least 0");
}

Result<OtherOperators> read_other(const json& object) {
  const std::string_view what = "another operator";
  TRY(check_object(object, what, {"operator", "count", "bytes", "unknown", "once", "reason", "flops"}));
  OtherOperators other;
  other.name = TRY(text_member(object, what, "operator"));
  other.reason = TRY(text_member(object, what, "reason"));
  other.bytes = TRY(read_amount(object, what, "bytes", 0));
  other.flops = TRY(read_amount(object, what, "flops", 0));
  constexpr double most = 1e15;
  other.count = static_cast<std::int64_t>(std::min(TRY(read_amount(object, what, "count", 1)), most));
  other.unknown = static_cast<std::int64_t>(std::min(TRY(read_amount(object, what, "unknown", 0)), most));
  if (const auto once = object.find("once"); once != object.end()) {
    if (!once->is_boolean())
      return fail(ErrorCode::InvalidArgument, R"("once" of another operator is neither true nor false)",
                  "write true or false");
    other.once = once->get<bool>();
  }
  return other;
}

Result<NetworkLayer> read_layer(const json& object) {
  TRY(check_object(object, "a layer", {"task", "multiplicity", "nodes"}));
  std::string task = TRY(text_member(object, "a layer", "task"));
  std::vector<std::string> nodes = TRY(read_texts(object, "a layer", "nodes"));
  NetworkLayer layer{std::move(task), 1, std::move(nodes)};
  if (const auto found = object.find("multiplicity"); found != object.end()) {
    constexpr std::uint64_t most = 1'000'000;
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() < 1 ||
        found->get<std::uint64_t>() > most) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the multiplicity of layer {} is {}", base::one_line(layer.task),
                              base::one_line(found->dump())),
                  fmt::format("it must be a whole number from 1 to {}", most));
    }
    layer.multiplicity = found->get<std::int64_t>();
  }
  return layer;
}

/** Reads an operand. Null: weights; else the numbers of earlier calls. */
Result<CallOperand> read_operand(const json& object, const char* member, std::size_t call) {
  const auto found = object.find(member);
  if (found == object.end() || found->is_null()) return CallOperand{.constant = true};
  CallOperand operand;
  const auto is_earlier = [&](const json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() < call;
  };
  if (!found->is_array() || !std::ranges::all_of(*found, is_earlier)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("\"{}\" of call {} is {}", member, call, base::one_line(found->dump())),
                "write the numbers of earlier calls, [] for the network's input, or null for weights");
  }
  operand.calls = found->get<std::vector<std::size_t>>();
  return operand;
}

/** Reads the calls of a network whose layers are already read. */
Status read_calls(const json& object, Network& network) {
  const auto list = object.find("calls");
  if (list == object.end()) return {};
  if (!list->is_array())
    return fail(ErrorCode::InvalidArgument, R"("calls" of a network is no list)",
                "write it in square brackets");
  std::vector<std::int64_t> counts(network.layers.size(), 0);
  for (const json& value : *list) {
    TRY(check_object(value, "a call", {"layer", "first", "second"}));
    const auto layer = value.find("layer");
    const bool known = layer != value.end() && layer->is_number_unsigned() &&
                       layer->get<std::uint64_t>() < network.layers.size();
    if (!known)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("call {} does not name a layer of the network", network.calls.size()),
                  "write the layer's index in \"layers\", from 0");
    LayerCall call{layer->get<std::size_t>()};
    call.operands = {TRY(read_operand(value, "first", network.calls.size())),
                     TRY(read_operand(value, "second", network.calls.size()))};
    ++counts[call.layer];
    network.calls.push_back(std::move(call));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == network.layers[i].multiplicity) continue;
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("layer {} has the multiplicity {}, and {} calls", base::one_line(network.layers[i].task),
                    network.layers[i].multiplicity, counts[i]),
        "make them equal, or omit \"calls\"");
  }
  return {};
}

Result<Network> read_network(const json& object) {
  TRY(check_object(object, "a network", {"name", "description", "layers", "calls", "others", "notices"}));
  Network network;
  for (const auto& [member, target] :
       {std::pair{"name", &network.name}, {"description", &network.description}}) {
    *target = TRY(text_member(object, "a network", member));
  }
  const auto layers = object.find("layers");
  if (network.name.empty() || layers == object.end() || !layers->is_array() || layers->empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the network {} has no name or no layers", base::quoted_line(network.name)),
                R"(write "layers": [{"task": "resnet18/C1", "multiplicity": 1}])");
  }
  for (const json& value : *layers) {
    Result<NetworkLayer> layer = read_layer(value);
    if (!layer) return at(fmt::format("network {}", base::one_line(network.name)), layer.error());
    network.layers.push_back(std::move(*layer));
  }
  if (Status status = read_calls(object, network); !status)
    return at(fmt::format("network {}", base::one_line(network.name)), status.error());
  network.notices = TRY(read_texts(object, "a network", "notices"));
  if (const auto others = object.find("others"); others != object.end()) {
    if (!others->is_array())
      return fail(ErrorCode::InvalidArgument, R"("others" of a network is no list)",
                  "write it in square brackets");
    for (const json& value : *others) network.others.push_back(TRY(read_other(value)));
  }
  return network;
}

/** Returns the name of an entry of a catalogue file in messages. */
std::string entry_name(const json& entry, const char* member, std::size_t position) {
  if (entry.is_object() && entry.contains("name") && entry["name"].is_string())
    return fmt::format("entry {}", base::quoted_line(entry["name"].get<std::string>()));
  return fmt::format("entry {} of {}", position + 1, member);
}

/** Reads every entry of the list `member` into `target`. */
template <typename T>
Status read_list(const json& file, const char* member, Result<T> (*read)(const json&),
                 std::vector<T>& target) {
  const auto list = file.find(member);
  if (list == file.end()) return {};
  if (!list->is_array())
    return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" is not a list", member),
                "write it in square brackets");
  for (std::size_t i = 0; i < list->size(); ++i) {
    Result<T> value = read(list->at(i));
    if (!value) return at(entry_name(list->at(i), member, i), value.error());
    target.push_back(std::move(*value));
  }
  return {};
}

Result<Task> read_named_task(const json& object) {
  if (object.is_object() && !object.contains("name"))
    return fail(ErrorCode::InvalidArgument, "a task of the catalogue has no name", "give it a name");
  return task_from_json_value(object);
}

Status read_catalogue(const json& file, std::vector<Task>& tasks, std::vector<Network>& networks) {
  TRY(check_object(file, "the file", {"description", "tasks", "networks"}));
  TRY(read_list(file, "tasks", read_named_task, tasks));
  return read_list(file, "networks", read_network, networks);
}

Status read_catalogue_file(const std::filesystem::path& path, std::vector<Task>& tasks,
                           std::vector<Network>& networks) {
  const std::string text = TRY(read_task_file(path, largest_file_bytes));
  const Result<json> file = parse_json(text, "the file");
  if (!file) return at(path.string(), file.error());
  if (Status status = read_catalogue(*file, tasks, networks); !status)
    return at(path.string(), status.error());
  return {};
}

/** Checks that names are unique and that layers name existing tasks. */
Status check_names(const std::vector<Task>& tasks, const std::vector<Network>& networks) {
  std::set<std::string, std::less<>> names;
  const auto twice = [](const std::string& name) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the name {} occurs twice in the catalogue", base::one_line(name)),
                "rename one of them");
  };
  for (const Task& task : tasks) {
    if (!names.insert(task.name).second) return twice(task.name);
  }
  std::set<std::string, std::less<>> network_names;
  for (const Network& network : networks) {
    if (!network_names.insert(network.name).second) return twice(network.name);
    for (const NetworkLayer& layer : network.layers) {
      if (names.contains(layer.task)) continue;
      return fail(ErrorCode::NotFound,
                  fmt::format("network {} names an unknown task {}", base::one_line(network.name),
                              base::quoted_line(layer.task)),
                  base::suggest(layer.task, std::vector<std::string>(names.begin(), names.end())));
    }
  }
  return {};
}

/** Reads a single task from a file of the user. */
Result<Task> read_user_file(const std::filesystem::path& path) {
  const std::string text = TRY(read_task_file(path, largest_file_bytes));
  Result<Task> task = task_from_json(text);
  if (!task) return at(path.string(), task.error());
  return task;
}

}  // namespace

Result<Catalogue> Catalogue::load(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (error || files.empty()) {
    return fail(ErrorCode::NotFound,
                fmt::format("no task catalogue (*.json) in {}{}", folder.string(),
                            error ? ": " + error.message() : std::string()),
                "reinstall, or set KERNELSCAPE_DATA to the folder that holds tasks/");
  }
  std::ranges::sort(files);
  Catalogue catalogue;
  for (const std::filesystem::path& file : files)
    TRY(read_catalogue_file(file, catalogue.tasks_, catalogue.networks_));
  if (Status status = check_names(catalogue.tasks_, catalogue.networks_); !status)
    return at(folder.string(), status.error());
  return catalogue;
}

Result<Catalogue> Catalogue::load_file(const std::filesystem::path& path) {
  return read_text(TRY(read_task_file(path, largest_file_bytes)), path.string());
}

Result<Catalogue> Catalogue::read_text(std::string_view text, std::string_view name) {
  const Result<json> file = parse_json(text, "the file");
  if (!file) return at(name, file.error());
  Catalogue catalogue;
  if (file->is_object() && (file->contains("task") || file->contains("generic"))) {
    Result<Task> task = task_from_json_value(*file);
    if (!task) return at(name, task.error());
    catalogue.tasks_.push_back(std::move(*task));
    return catalogue;
  }
  if (Status status = read_catalogue(*file, catalogue.tasks_, catalogue.networks_); !status)
    return at(name, status.error());
  if (Status status = check_names(catalogue.tasks_, catalogue.networks_); !status)
    return at(name, status.error());
  return catalogue;
}

Result<Catalogue> Catalogue::load_default() { return load(data_folder() / "tasks"); }

Result<Task> Catalogue::find(std::string_view name_or_text) const {
  if (const auto named = std::ranges::find(tasks_, name_or_text, &Task::name); named != tasks_.end())
    return *named;
  std::error_code error;
  if (name_or_text.ends_with(".json") || std::filesystem::is_regular_file(name_or_text, error))
    return read_user_file(name_or_text);
  if (const std::size_t epilogue = name_or_text.find('+'); epilogue != std::string_view::npos) {
    const std::string_view name = base::trimmed(name_or_text.substr(0, epilogue));
    if (const auto named = std::ranges::find(tasks_, name, &Task::name); named != tasks_.end()) {
      const std::vector<EpilogueStep> steps = TRY(parse_epilogue(name_or_text.substr(epilogue)));
      TRY(check_column_vectors(*named, steps));
      return with_epilogue(*named, steps);
    }
  }
  // Names have no spaces; the text of a task has spaces.
  if (name_or_text.find_first_of(" \t\n") != std::string_view::npos || name_or_text.empty())
    return parse_task(name_or_text);
  std::vector<std::string> names;
  for (const Task& task : tasks_) names.push_back(task.name);
  for (const Network& network : networks_) {
    if (network.name == name_or_text)
      return fail(ErrorCode::InvalidArgument, fmt::format("{} is a network, not a task", network.name),
                  fmt::format("name one of its tasks, such as {}", network.layers.front().task));
  }
  return fail(
      ErrorCode::NotFound, fmt::format("unknown task {}", base::quoted_line(name_or_text)),
      fmt::format(
          "{}; or write the task: conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 f32; or name a .json file",
          base::suggest(name_or_text, names)));
}

}  // namespace kernelscape::task

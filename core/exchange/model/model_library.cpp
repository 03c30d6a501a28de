#include "core/exchange/model/model_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <variant>

#include "core/base/output_file.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/configuration_json.h"
#include "core/exchange/kernels/c_text.h"
#include "core/exchange/model/kernel_choice.h"
#include "core/exchange/model/model_files.h"
#include "core/exchange/model/model_steps.h"
#include "core/exchange/model/operators.h"
#include "core/exchange/model/tensor_file.h"
#include "core/graph/layer_task.h"
#include "core/space/knob_json.h"
#include "core/task/winograd.h"

namespace kernelscape::exchange {
namespace {

constexpr std::int64_t arena_alignment = 64;

/**
 * Words of which a name of the library would be that of another function or macro: start_threads and
 * find_tensor of the runtime, pthread_create, sem_destroy and R_OK of the system.
 */
constexpr std::array<std::string_view, 18> words_of_other_names{
    "start", "stop", "join", "find", "read", "pthread", "timer", "sem", "mtx",
    "thrd",  "cnd",  "tss",  "clnt", "svc",  "R",       "W",     "X",   "F"};

bool is_type_of_libraries(graph::ElementType type) {
  using enum graph::ElementType;
  return type == F32 || type == F64 || type == I8 || type == U8 || type == I32 || type == I64 || type == Bool;
}

Status check_types(const graph::Graph& graph) {
  std::set<std::size_t> used(graph.outputs.begin(), graph.outputs.end());
  used.insert(graph.inputs.begin(), graph.inputs.end());
  for (const graph::Node& node : graph.nodes) {
    used.insert(node.inputs.begin(), node.inputs.end());
    used.insert(node.outputs.begin(), node.outputs.end());
  }
  used.erase(graph::absent);
  for (const std::size_t number : used) {
    const graph::Value& value = graph.values[number];
    if (is_type_of_libraries(value.type)) continue;
    return fail(
        ErrorCode::Refused,
        fmt::format("no library can be written for the model: its tensor {} is of type {}, and only f32, "
                    "f64, i8, u8, i32, i64 and bool are supported",
                    base::quoted_line(value.name), graph::to_string(value.type)),
        "export the model in single precision");
  }
  return {};
}

Status check_operators(const graph::Graph& graph) {
  const std::vector<std::string> missing = missing_operators(graph);
  if (missing.empty()) return {};
  return fail(ErrorCode::Refused,
              fmt::format("no library can be written for the model: operators without an implementation: {}",
                          base::join(missing, ", ")),
              "tune the model's layers with `tune --network`, and export their kernels with --network STUDY");
}

template <typename T>
void append_elements(std::vector<std::byte>& bytes, const std::vector<double>& elements) {
  for (const double element : elements) {
    const auto number = static_cast<T>(element);
    const auto* begin = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), begin, begin + sizeof number);
  }
}

/** Appends a tensor as the caller of the library passes it, padded to 8 bytes. */
void append_tensor(std::vector<std::byte>& bytes, const graph::Tensor& tensor, graph::ElementType type) {
  switch (type) {
    case graph::ElementType::F64:
      append_elements<double>(bytes, tensor.elements);
      break;
    case graph::ElementType::I32:
      append_elements<std::int32_t>(bytes, tensor.elements);
      break;
    case graph::ElementType::I64:
      append_elements<std::int64_t>(bytes, tensor.elements);
      break;
    case graph::ElementType::I8:
      append_elements<std::int8_t>(bytes, tensor.elements);
      break;
    case graph::ElementType::U8:
    case graph::ElementType::Bool:
      append_elements<std::uint8_t>(bytes, tensor.elements);
      break;
    default:
      append_elements<float>(bytes, tensor.elements);
      break;
  }
  bytes.resize((bytes.size() + 7) / 8 * 8);
}

std::string reference_file(const graph::Graph& graph, const ModelReference& reference) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    append_tensor(bytes, reference.inputs[i], graph.values[graph.inputs[i]].type);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    append_tensor(bytes, reference.outputs[i], graph.values[graph.outputs[i]].type);
  return tensor_file(bytes);
}

/**
 * Returns the tolerance of the check: that of sums as they are defined, and what the layers of Winograd's
 * algorithm and roundings to integers add. A layer's bound is relative to its result, whose elements have the
 * variance of its channels for the inputs of the bound, and the errors of layers are independent, as the
 * roundings within one.
 *
 * A small difference moves some numbers to another step of a QuantizeLinear, and after a few layers two
 * computations have roundings that have nothing in common: each of a variance of 1 / 12 of a squared step.
 */
double tolerance_of(const graph::Graph& graph, const std::vector<ExportedKernel>& kernels) {
  constexpr double direct = 1e-4;
  constexpr double steps_of_a_number = 64;  // in the mean of squares, where the largest has 255
  const auto roundings = static_cast<double>(
      std::ranges::count(graph.nodes, std::string("QuantizeLinear"), &graph::Node::operation));
  double squares = roundings * 2 / 12 / (steps_of_a_number * steps_of_a_number);
  for (const ExportedKernel& kernel : kernels) {
    const int tile = winograd_tile(kernel);
    if (tile == 0) continue;
    const std::int64_t channels = std::get<task::Convolution>(kernel.measured.task.definition).input_channels;
    const double bound = task::winograd_error_bound(tile, channels);
    squares += static_cast<double>(kernel.multiplicity) * bound * bound / static_cast<double>(channels);
  }
  return direct + std::sqrt(squares);
}

std::string model_manifest(const ModelTexts& texts, const std::vector<ExportedFile>& files) {
  space::Json manifest{{"format", kernel_manifest_format},
                       {"format_version", 1},
                       {"name", texts.name},
                       {"model", texts.graph.name}};
  for (const ExportedFile& file : files) {
    manifest["files"].push_back(file.name);
    manifest[written_files_name].push_back(written_file(file));
  }
  manifest["kernels"] = space::Json::array();
  for (const ExportedKernel& kernel : texts.kernels) {
    space::Json entry = configuration_object(kernel.measured);
    entry["name"] = kernel.name;
    entry["flags"] = kernel.source.flags.words();
    manifest["kernels"].push_back(std::move(entry));
  }
  return manifest.dump(2, ' ', false, space::Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<ModelReference> make_model_reference(const graph::Graph& graph, std::uint64_t seed) {
  base::Random random(seed);
  ModelReference reference;
  for (const std::size_t input : graph.inputs) {
    const graph::Value& value = graph.values[input];
    graph::Tensor tensor{value.type, value.shape, {}};
    const bool real = value.type == graph::ElementType::F32 || value.type == graph::ElementType::F64;
    for (std::int64_t i = 0; i < graph::element_count(value.shape); ++i) {
      const double number = random.uniform() * 2 - 1;
      tensor.elements.push_back(real ? static_cast<double>(static_cast<float>(number)) : number > 0 ? 1 : 0);
    }
    reference.inputs.push_back(std::move(tensor));
  }
  reference.outputs = TRY(graph::interpret(graph, reference.inputs));
  return reference;
}

std::string model_library_name(const std::filesystem::path& model) {
  const std::string name = kernel_name(model.stem().string());
  // Every name that the library exports begins with it and '_', so that a whole word is a good name.
  constexpr std::string_view added = "_kernel";
  const std::string word = name.ends_with(added) ? name.substr(0, name.size() - added.size()) : name;
  if (std::ranges::find(words_of_other_names, word) != words_of_other_names.end()) return name;
  const auto begins = [&](std::string_view prefix) { return word.starts_with(prefix); };
  const bool taken = word == "model" || word == "bench" || word == "bench_onnxruntime" || begins("step_") ||
                     begins("op_") || begins("layer_");
  return is_c_name(word) && !taken ? word : name;
}

bool has_instructions_of(const schedule::TargetDescription& processor,
                         const schedule::TargetDescription& kernel) {
  // Each of them has the instructions of those before it.
  static constexpr std::array<std::string_view, 3> sets{"sse2", "avx2", "avx512"};
  const auto own = std::ranges::find(sets, processor.isa);
  const bool smaller = own != sets.end() && std::find(sets.begin(), own, kernel.isa) != own;
  return processor.kind == schedule::TargetKind::Cpu && kernel.kind == schedule::TargetKind::Cpu &&
         !kernel.isa.empty() && (smaller || kernel.isa == processor.isa) &&
         std::ranges::all_of(kernel.extensions, [&](const std::string& extension) {
           return std::ranges::find(processor.extensions, extension) != processor.extensions.end();
         });
}

std::vector<std::string> missing_operators(const graph::Graph& graph) {
  std::set<std::string> known;
  std::vector<std::string> missing;
  for (const graph::Node& node : graph.nodes)
    if (find_operator(node.operation) == nullptr && known.insert(node.operation).second)
      missing.push_back(about_node(node));
  return missing;
}

Result<ModelLibrary> make_model_library(const graph::Graph& graph, const std::string& name,
                                        std::span<const ExportedKernel> tuned,
                                        const schedule::TargetDescription& target,
                                        const ModelReference& reference, bool exact) {
  if (!is_c_name(name))
    return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" is not a valid name in C and CMake", name),
                "use letters, digits and underscores");
  TRY(check_types(graph));
  TRY(check_operators(graph));
  KernelChoice kernels(tuned, target, exact);
  const LayerPlan plan = TRY(plan_layers(graph, kernels));
  ModelSteps steps(graph, kernels, plan);
  for (const graph::Node& node : graph.nodes) TRY(write_node(steps, node));
  std::vector<ValueForm> outputs;
  for (const std::size_t output : graph.outputs) outputs.push_back(TRY(steps.plain_form(output)));
  std::vector<graph::BufferUse> buffers = steps.buffers();
  // Outputs are copied after the last step.
  for (const ValueForm& output : outputs)
    if (output.memory == ModelMemory::Arena) buffers[output.place].last_step = steps.steps().size();
  const graph::MemoryPlan memory = graph::plan_memory(buffers, arena_alignment);

  ModelLibrary library;
  library.summary = {.kernels = kernels.kernels().size(),
                     .tuned_kernels = kernels.tuned_count(),
                     .steps = steps.steps().size(),
                     .conversions = static_cast<std::size_t>(
                         std::ranges::count(steps.steps(), StepKind::Conversion, &ModelStep::kind)),
                     .arena_bytes = memory.arena_bytes,
                     .weight_bytes = static_cast<std::int64_t>(steps.weights().size())};
  const ModelTexts texts{.name = name,
                         .graph = graph,
                         .steps = steps,
                         .kernels = kernels.kernels(),
                         .memory = memory,
                         .outputs = outputs,
                         .summary = library.summary,
                         .tolerance = tolerance_of(graph, kernels.kernels())};
  library.files = model_text_files(texts, tensor_checksum(steps.weights()));
  library.files.insert(library.files.begin(),
                       {std::string(kernel_manifest_name), model_manifest(texts, library.files)});
  library.sources = model_sources(texts);
  for (const ModelStep& step : steps.steps()) library.step_tasks.push_back(step.task);
  library.tensors.push_back({name + "_weights.tensors", tensor_file(steps.weights())});
  library.tensors.push_back({name + "_reference.tensors", reference_file(graph, reference)});
  return library;
}

Status write_model_library(const ModelLibrary& library, const std::filesystem::path& folder, bool force) {
  TRY(write_kernel_folder(library.files, folder, force));
  for (const ExportedFile& file : library.tensors)
    TRY(base::write_output({.path = folder / file.name,
                            .kind = {.name = "file of a model's tensors", .recognises_own = is_tensor_file},
                            .force = force},
                           file.text));
  return {};
}

}  // namespace kernelscape::exchange

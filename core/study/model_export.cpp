#include "core/study/model_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>

#include "core/base/numbers.h"
#include "core/base/read_file.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/graph/float_arithmetic.h"
#include "core/graph/optimise.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/study/latency_series.h"
#include "core/study/network_export.h"

namespace kernelscape::study {
namespace {

Status begin_step(const ModelExport& wanted, ModelExportStep step) {
  if (!wanted.proceed || wanted.proceed(step)) return {};
  return fail(ErrorCode::Refused, "cancelled; nothing was written");
}

/** Removes the kernels that the target cannot run, with a notice for each. */
void keep_runnable(std::vector<exchange::ExportedKernel>& kernels, const schedule::TargetDescription& target,
                   std::vector<std::string>& notices) {
  std::erase_if(kernels, [&](const exchange::ExportedKernel& kernel) {
    const schedule::TargetDescription& tuned = kernel.measured.target;
    if (exchange::has_instructions_of(target, tuned)) return false;
    notices.push_back(fmt::format("the kernel of {} is left out: it was tuned for {}{}{}, and {} has {}",
                                  kernel.measured.task.text, tuned.device, tuned.isa.empty() ? "" : ", ",
                                  tuned.instructions(), target.device, target.instructions()));
    return true;
  });
}

/** Returns the kernel that replaces one which makes the whole model slower. */
Result<exchange::ExportedKernel> kernel_in_place(const store::Store& store, const HeldBackKernel& held,
                                                 const exchange::ExportedKernel& fastest) {
  exchange::MeasuredConfiguration measured =
      TRY(exchange::read_measured_configuration(store, held.used.session, held.used.trial));
  exchange::ExportedKernel kernel = TRY(exchange::make_exported_kernel(std::move(measured), fastest.name));
  kernel.multiplicity = fastest.multiplicity;
  kernel.nodes = fastest.nodes;
  return kernel;
}

/** Replaces the kernels that made the whole model slower, with a notice for each. */
void replace_held_back(const store::Store& store, const std::vector<HeldBackKernel>& held_back,
                       std::vector<exchange::ExportedKernel>& kernels, std::vector<std::string>& notices) {
  for (exchange::ExportedKernel& kernel : kernels) {
    const exchange::Provenance& of = kernel.measured.provenance;
    const KernelOfTrial fastest{of.session, of.trial};
    const auto held = std::ranges::find(held_back, fastest, &HeldBackKernel::kernel);
    if (held == held_back.end()) continue;
    Result<exchange::ExportedKernel> used = kernel_in_place(store, *held, kernel);
    if (!used) continue;  // its session was deleted
    notices.push_back(fmt::format(
        "the kernel of {} that is the fastest alone (trial {} of session {}) makes the whole model slower: "
        "trial {} of session {} is used",
        kernel.measured.task.text, of.trial, of.session, held->used.trial, held->used.session));
    kernel = std::move(*used);
  }
}

/** Returns the files other than the model that hold its constants. */
std::vector<std::filesystem::path> external_files(const graph::Graph& graph,
                                                  const std::filesystem::path& model) {
  std::set<std::filesystem::path> files;
  for (const graph::Value& value : graph.values)
    if (const auto* range = std::get_if<graph::FileRange>(&value.data)) files.insert(range->file);
  std::error_code unknown;
  files.erase(std::filesystem::canonical(model, unknown));
  files.erase(model);
  return {files.begin(), files.end()};
}

}  // namespace

std::optional<ModelSource> model_source_of(const std::string& network,
                                           const std::vector<measure::ModelDimension>& dimensions) {
  const std::filesystem::path path(network);
  std::error_code unknown;
  if (path.extension() != ".onnx" || !std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  const Result<std::filesystem::path> absolute = base::absolute_path(path);
  if (!absolute) return std::nullopt;
  ModelSource source{absolute->string()};
  for (const measure::ModelDimension& dimension : dimensions)
    source.dimensions[dimension.name] = dimension.value;
  return source;
}

std::vector<measure::ModelDimension> dimensions_of(const ModelSource& source) {
  std::vector<measure::ModelDimension> dimensions;
  for (const auto& [name, length] : source.dimensions) dimensions.push_back({name, length});
  return dimensions;
}

Result<std::vector<exchange::ExportedKernel>> model_kernels(const store::Store& store, store::StudyId study,
                                                            std::vector<std::string>& notices) {
  Result<NetworkKernels> network = network_kernels(store, study);
  if (!network && network.error().code != ErrorCode::NotFound) return std::unexpected(network.error());
  if (!network) {
    notices.push_back(describe(network.error()));
    return {};
  }
  notices.insert(notices.end(), network->notices.begin(), network->notices.end());
  replace_held_back(store, TRY(stored_latency_series(store, study)).held_back, network->kernels, notices);
  std::erase_if(network->kernels, [](const exchange::ExportedKernel& kernel) {
    return kernel.measured.target.kind != schedule::TargetKind::Cpu || !exchange::is_of_floats(kernel);
  });
  return std::move(network->kernels);
}

std::string_view to_string(ModelExportStep step) {
  constexpr std::array<std::string_view, model_export_steps> texts{
      "reading the model", "computing reference outputs in double precision", "planning the library",
      "writing the library"};
  return texts[static_cast<std::size_t>(step)];
}

std::string library_text(const exchange::ModelLibrarySummary& summary) {
  return fmt::format(
      "{} kernels ({} tuned), {} steps, of which {} change a layout; {} of weights, {} of other memory",
      summary.kernels, summary.tuned_kernels, summary.steps, summary.conversions,
      base::bytes_text(static_cast<double>(summary.weight_bytes)),
      base::bytes_text(static_cast<double>(summary.arena_bytes)));
}

Result<OpenedModel> open_model(const ModelExport& wanted) {
  constexpr std::uint64_t reference_seed = 1;
  TRY(begin_step(wanted, ModelExportStep::Reading));
  OpenedModel model;
  model.name = exchange::model_library_name(wanted.model);
  model.graph =
      TRY(network::open_graph(wanted.model, wanted.dimensions, wanted.interruption, wanted.external));
  model.target = TRY(measure::describe_cpu_target());
  TRY(begin_step(wanted, ModelExportStep::Reference));
  model.reference = TRY(exchange::make_model_reference(model.graph, reference_seed));
  model.notices = model.graph.notices;
  model.data_files = external_files(model.graph, wanted.model);
  if (const std::size_t layers = TRY(graph::compute_in_floats(model.graph)); layers > 0)
    model.notices.push_back(fmt::format(
        "{} quantised layer{} in single precision, with the model's roundings between them: kernels of int8 "
        "are not used",
        layers, layers == 1 ? " computes" : "s compute"));
  std::ignore = TRY(graph::optimise(model.graph));
  return model;
}

Result<PlannedModel> plan_library(const OpenedModel& model, std::vector<exchange::ExportedKernel> tuned,
                                  bool exact) {
  PlannedModel planned{model.name, {}, model.notices, model.data_files};
  keep_runnable(tuned, model.target, planned.notices);
  planned.library = TRY(
      exchange::make_model_library(model.graph, planned.name, tuned, model.target, model.reference, exact));
  return planned;
}

Result<PlannedModel> plan_model(const ModelExport& wanted, std::vector<exchange::ExportedKernel> tuned) {
  const OpenedModel model = TRY(open_model(wanted));
  TRY(begin_step(wanted, ModelExportStep::Planning));
  return plan_library(model, std::move(tuned), wanted.exact);
}

int model_threads(const std::vector<exchange::ExportedKernel>& kernels,
                  const schedule::TargetDescription& target) {
  const int cores = static_cast<int>(target.cores);
  return kernels.empty() ? cores : std::min(exchange::max_threads(kernels), cores);
}

Result<ExportedModel> export_model(const ModelExport& wanted, std::vector<exchange::ExportedKernel> tuned) {
  TRY(exchange::check_kernel_folder(wanted.folder));
  PlannedModel planned = TRY(plan_model(wanted, std::move(tuned)));
  TRY(begin_step(wanted, ModelExportStep::Writing));
  TRY(exchange::write_model_library(planned.library, wanted.folder, wanted.force));
  return ExportedModel{std::move(planned.name), planned.library.summary, std::move(planned.notices)};
}

}  // namespace kernelscape::study

#include "app/command_line/export_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/base/numbers.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/exchange/model/model_library.h"
#include "core/graph/optimise.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/network/open_graph.h"
#include "core/network/open_network.h"
#include "core/study/network_export.h"
#include "core/study/network_run.h"

namespace kernelscape::command_line {
namespace {

/** Prints what happens next, for people only: reading and checking a large model takes seconds. */
void report(const ModelExportOptions& options, std::string_view what) {
  if (options.json) return;
  print("{}\n", message_text(what));
  flush_printed();
}

Result<graph::Graph> read_model(const ModelExportOptions& options) {
  std::vector<measure::ModelDimension> dimensions;
  for (const std::string& text : options.dimensions)
    dimensions.push_back(TRY(network::parse_dimension(text)));
  return network::open_graph(options.model, dimensions, {},
                             options.external_data_anywhere ? network::ExternalData::Anywhere
                                                            : network::ExternalData::InModelFolder);
}

using Kernels = std::vector<exchange::ExportedKernel>;

/** Returns no kernels after an error of the database: the error if the user named the database, else a note.
 */
Result<Kernels> no_kernels(const ModelExportOptions& options, const Error& error) {
  if (!options.database.empty()) return std::unexpected(error);
  print_note(fmt::format("the library has no tuned kernels: {}", describe(error)));
  return Kernels();
}

/** Removes the kernels that the target cannot run, with a note. */
void keep_runnable(Kernels& kernels, const schedule::TargetDescription& target) {
  std::erase_if(kernels, [&](const exchange::ExportedKernel& kernel) {
    const schedule::TargetDescription& tuned = kernel.measured.target;
    const bool runs = exchange::has_instructions_of(target, tuned);
    if (!runs)
      print_note(fmt::format("the kernel of {} is left out: it was tuned for {}{}{}, and {} has {}",
                             kernel.measured.task.text, tuned.device, tuned.isa.empty() ? "" : ", ",
                             tuned.instructions(), target.device, target.instructions()));
    return !runs || !exchange::is_of_floats(kernel);
  });
}

/**
 * Returns the kernels that a study found for the model's layers and that the target can run; none if there is
 * no such study.
 */
Result<Kernels> tuned_kernels(const ModelExportOptions& options, const schedule::TargetDescription& target) {
  const Result<store::Store> store = open_store(options.database);
  if (!store) return no_kernels(options, store.error());
  const Result<store::StudyId> study = study::find_network_study(*store, options.model);
  if (!study && study.error().code == ErrorCode::NotFound) return Kernels();
  if (!study) return no_kernels(options, study.error());
  Result<study::NetworkKernels> network = study::network_kernels(*store, *study);
  if (!network && network.error().code == ErrorCode::NotFound) {
    print_note(describe(network.error()));
    return Kernels();
  }
  if (!network) return no_kernels(options, network.error());
  for (const std::string& notice : network->notices) print_note(notice);
  keep_runnable(network->kernels, target);
  return std::move(network->kernels);
}

nlohmann::json summary_object(const exchange::ModelLibrarySummary& summary) {
  return {{"kernels", summary.kernels},
          {"tuned_kernels", summary.tuned_kernels},
          {"steps", summary.steps},
          {"conversions", summary.conversions},
          {"arena_bytes", summary.arena_bytes},
          {"weight_bytes", summary.weight_bytes}};
}

void print_summary(const ModelExportOptions& options, const std::string& name,
                   const exchange::ModelLibrarySummary& summary) {
  if (options.json) {
    nlohmann::json object = summary_object(summary);
    object.update({{"event", "model_library"}, {"name", name}, {"folder", options.out}});
    print_json_line(object);
    return;
  }
  print(
      "wrote {} to {}: {} kernels ({} tuned), {} steps, of which {} change a layout; {} of weights, {} of "
      "other "
      "memory\n",
      name, options.out, summary.kernels, summary.tuned_kernels, summary.steps, summary.conversions,
      base::bytes_text(static_cast<double>(summary.weight_bytes)),
      base::bytes_text(static_cast<double>(summary.arena_bytes)));
  if (summary.tuned_kernels < summary.kernels)
    print_note(
        fmt::format("{} layers have kernels of a default configuration: `kernelscape tune --network` with "
                    "the model finds faster ones, and a later export takes them",
                    summary.kernels - summary.tuned_kernels));
}

}  // namespace

bool is_model_file(const std::string& network) {
  std::error_code unknown;
  return std::filesystem::path(network).extension() == ".onnx" &&
         std::filesystem::is_regular_file(network, unknown);
}

Result<int> export_model(const ModelExportOptions& options) {
  constexpr std::uint64_t reference_seed = 1;
  TRY(exchange::check_kernel_folder(options.out));
  report(options, "reading the model");
  graph::Graph graph = TRY(read_model(options));
  for (const std::string& notice : graph.notices) print_note(notice);
  const schedule::TargetDescription target = TRY(measure::describe_cpu_target());
  report(options, "computing reference outputs in double precision");
  const exchange::ModelReference reference = TRY(exchange::make_model_reference(graph, reference_seed));
  report(options, "planning and writing the library");
  const graph::OptimisationReport optimised = TRY(graph::optimise(graph));
  const Kernels tuned = TRY(tuned_kernels(options, target));
  const std::string name = exchange::model_library_name(options.model);
  const exchange::ModelLibrary library =
      TRY(exchange::make_model_library(graph, name, tuned, target, reference));
  TRY(exchange::write_model_library(library, options.out, options.force));
  print_summary(options, name, library.summary);
  return exit_done;
}

}  // namespace kernelscape::command_line

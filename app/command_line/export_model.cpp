#include "app/command_line/export_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/network/open_network.h"
#include "core/study/model_export.h"
#include "core/study/network_run.h"

namespace kernelscape::command_line {
namespace {

/** Prints what happens next, for people only: reading and checking a large model takes seconds. */
void report(const ModelExportOptions& options, std::string_view what) {
  if (options.json) return;
  print("{}\n", message_text(what));
  flush_printed();
}

using Kernels = std::vector<exchange::ExportedKernel>;

/** Returns no kernels after an error of the database: the error if the user named the database, else a note.
 */
Result<Kernels> no_kernels(const ModelExportOptions& options, const Error& error) {
  if (!options.database.empty()) return std::unexpected(error);
  print_note(fmt::format("the library has no tuned kernels: {}", describe(error)));
  return Kernels();
}

/** Returns the kernels that a study found for the model's layers; none if there is no such study. */
Result<Kernels> tuned_kernels(const ModelExportOptions& options) {
  const Result<store::Store> store = open_store(options.database);
  if (!store) return no_kernels(options, store.error());
  const Result<store::StudyId> study = study::find_network_study(*store, options.model);
  if (!study && study.error().code == ErrorCode::NotFound) return Kernels();
  if (!study) return no_kernels(options, study.error());
  std::vector<std::string> notices;
  Result<Kernels> kernels = study::model_kernels(*store, *study, notices);
  for (const std::string& notice : notices) print_note(notice);
  return kernels ? std::move(kernels) : no_kernels(options, kernels.error());
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
  print("wrote {} to {}: {}\n", name, options.out, study::library_text(summary));
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
  std::vector<measure::ModelDimension> dimensions;
  for (const std::string& text : options.dimensions)
    dimensions.push_back(TRY(network::parse_dimension(text)));
  const auto proceed = [&](study::ModelExportStep step) {
    report(options, study::to_string(step));
    return true;
  };
  const study::ExportedModel exported = TRY(
      study::export_model({.model = options.model,
                           .dimensions = std::move(dimensions),
                           .external = options.external_data_anywhere ? network::ExternalData::Anywhere
                                                                      : network::ExternalData::InModelFolder,
                           .folder = options.out,
                           .force = options.force,
                           .exact = options.exact,
                           .proceed = proceed},
                          TRY(tuned_kernels(options))));
  for (const std::string& notice : exported.notices) print_note(notice);
  print_summary(options, exported.name, exported.summary);
  return exit_done;
}

}  // namespace kernelscape::command_line

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/model/model_library.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/model_messages.h"
#include "core/network/open_graph.h"
#include "core/store/store.h"
#include "core/study/study.h"

namespace kernelscape::study {

/**
 * Returns the source of a network that a user named: an ONNX model's file with the lengths of its open
 * dimensions. Returns nullopt if the name is not that of an existing file with the extension .onnx.
 */
std::optional<ModelSource> model_source_of(const std::string& network,
                                           const std::vector<measure::ModelDimension>& dimensions);

/** Returns the lengths of a model's open dimensions as its reader takes them. */
std::vector<measure::ModelDimension> dimensions_of(const ModelSource& source);

/**
 * Returns the kernels of a network's study that the library of the whole model can take: those for a CPU and
 * of f32, the best of each layer. A kernel that made the whole model slower is replaced by the one that was
 * in its place, with a notice: see LatencySeries::held_back. Returns none, with a notice, if the study has no
 * kernel; other errors are those of the store.
 */
Result<std::vector<exchange::ExportedKernel>> model_kernels(const store::Store& store, store::StudyId study,
                                                            std::vector<std::string>& notices);

/** The parts of an export of a whole model, in their order. */
enum class ModelExportStep : std::uint8_t {
  Reading,    ///< the model is read
  Reference,  ///< reference outputs are computed in double precision
  Planning,   ///< layouts, conversions and memory are planned
  Writing,    ///< the files are written
};
inline constexpr int model_export_steps = 4;

/** Returns what a step does, for users: "reading the model". */
std::string_view to_string(ModelExportStep step);

/** What is exported, and where to. */
struct ModelExport {
  std::filesystem::path model;                           ///< an ONNX file
  std::vector<measure::ModelDimension> dimensions = {};  ///< lengths of its open dimensions
  network::ExternalData external = network::ExternalData::InModelFolder;
  std::filesystem::path folder;  ///< of the library
  bool force = false;            ///< replaces files that no export wrote: see write_kernel_folder()
  bool exact = false;            ///< no kernels of Winograd's algorithm
  /** Is called before each step; false ends the export, which has written nothing then. Null: not called. */
  std::function<bool(ModelExportStep)> proceed = {};
  measure::Interruption interruption = {};  ///< ends the reading of the model
};

/** A model that was read, with what every library of it needs. */
struct OpenedModel {
  std::string name;                    ///< of the library
  graph::Graph graph;                  ///< after graph::optimise()
  schedule::TargetDescription target;  ///< this machine's processor
  exchange::ModelReference reference = {};
  std::vector<std::string> notices = {};  ///< of the model's reader
  std::vector<std::filesystem::path> data_files =
      {};  ///< that the model names for its weights, without links
};

/** Reads a model and computes reference outputs. Returns Refused if `proceed` returned false. */
Result<OpenedModel> open_model(const ModelExport& wanted);

/** The library of a model before it is written. */
struct PlannedModel {
  std::string name;  ///< of the library
  exchange::ModelLibrary library;
  std::vector<std::string> notices;  ///< of the model's reader, and kernels that this machine cannot run
  std::vector<std::filesystem::path> data_files;  ///< that the model names for its weights, without links
};

/**
 * Plans the library of a model: see exchange::make_model_library(). Layers without a tuned kernel that this
 * machine can run get one of a default configuration.
 */
Result<PlannedModel> plan_library(const OpenedModel& model, std::vector<exchange::ExportedKernel> tuned,
                                  bool exact = false);

/**
 * Opens a model and plans its library. Returns Refused if `proceed` returned false.
 * @param wanted its folder is not read
 */
Result<PlannedModel> plan_model(const ModelExport& wanted, std::vector<exchange::ExportedKernel> tuned);

/** Returns the number of threads of a model: that of its kernels, which may come from a larger machine. */
int model_threads(const std::vector<exchange::ExportedKernel>& kernels,
                  const schedule::TargetDescription& target);

/** The result of an export of a whole model. */
struct ExportedModel {
  std::string name;  ///< of the library
  exchange::ModelLibrarySummary summary;
  std::vector<std::string> notices;  ///< of the model's reader, and kernels that this machine cannot run
};

/** Returns the numbers of a library for users: "12 kernels (10 tuned), 40 steps, of which 3 ...". */
std::string library_text(const exchange::ModelLibrarySummary& summary);

/**
 * Writes the library that plan_model() makes. Returns Refused if the folder has files that no export wrote,
 * unless `force` is set.
 */
Result<ExportedModel> export_model(const ModelExport& wanted, std::vector<exchange::ExportedKernel> tuned);

}  // namespace kernelscape::study

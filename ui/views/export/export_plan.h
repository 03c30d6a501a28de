#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/study/study.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::views {

/** The kinds of export. */
enum class ExportKind {
  BestConfiguration,   ///< JSON
  TrialConfiguration,  ///< JSON
  AllTrials,           ///< CSV
  ShownTrials,         ///< CSV of the trials that pass the filters
  BestKernel,          ///< a folder that builds on its own
  TrialKernel,
  KernelLibrary,  ///< several kernels in one such folder
  ModelLibrary    ///< a folder with a library that computes a whole model
};

constexpr std::size_t export_kind_count = 8;

/** Returns true if this kind writes a folder; false if it writes one file. */
bool writes_folder(ExportKind kind);

/** A kernel, identified by its trial. */
struct KernelChoice {
  store::SessionId session = 0;
  std::int64_t trial = 0;
  std::string task_name;

  bool operator==(const KernelChoice&) const = default;
};

/** A network whose layers' kernels are exported together, or whose model is exported as a whole. */
struct ExportedNetwork {
  std::optional<store::StudyId> study;           ///< nullopt: it was not tuned
  QString name;                                  ///< of the network
  std::int64_t kernels = 0;                      ///< number of layers that have a kernel
  std::optional<study::ModelSource> model = {};  ///< its model; nullopt: none, or its file is not known
};

/** An export with all the data that it needs to run on another thread. */
struct ExportPlan {
  ExportKind kind = ExportKind::BestConfiguration;
  std::filesystem::path database;
  store::SessionId session = 0;
  std::int64_t trial = -1;            ///< for a configuration or a kernel
  std::string filter;                 ///< for ShownTrials
  std::vector<KernelChoice> kernels;  ///< for KernelLibrary
  std::optional<store::StudyId>
      network;  ///< for KernelLibrary: the network whose layers' kernels replace `kernels`; for ModelLibrary:
                ///< the study whose kernels are used, nullopt: the newest of this model, if there is one
  std::optional<study::ModelSource> model;  ///< for ModelLibrary
  bool vendor_where_faster = false;         ///< for a network: use oneDNN's kernels where they are faster
  std::string library_name;                 ///< for KernelLibrary
  std::filesystem::path path;               ///< absolute
  bool force = false;                       ///< the user agreed to replace the existing files
};

/** A command that does something with an export, and what it does. */
struct ExportCommand {
  QString title;  ///< "Build it"
  QString text;
};

constexpr std::size_t max_export_commands = 3;

/** The result of an export. */
struct ExportOutcome {
  QString path;
  QString folder;                       ///< the folder to open
  std::vector<ExportCommand> commands;  ///< at most max_export_commands that build, check and time it
  QString summary{};                    ///< numbers of the export; may be empty
  QStringList
      notices{};  ///< what was left out, and where the numbers come from if they were not measured here
};

/**
 * Writes the export and creates missing parent folders. The progress counts the kernels of a library,
 * or the steps of the export of a model. Error
 * Occupied: the destination holds something else, which only `force` replaces.
 */
Result<ExportOutcome> run_export(const ExportPlan& plan, const workspace::JobControl& control);

/** What is at the destination of an export. */
struct Destination {
  bool usable = false;
  bool occupied = false;      ///< by something else: usable, but the user is asked before it is replaced
  QString text{};             ///< what will be created or replaced, or why nothing can be written
  QStringList completions{};  ///< paths that start with `path`
};

/** Inspects the destination on disk; for background jobs. */
Destination look_at_destination(ExportKind kind, const QString& path);

/** Returns the names of the kernels in a library, derived from their tasks; each name is unique. */
std::vector<std::string> library_kernel_names(const std::vector<KernelChoice>& kernels);

}  // namespace kernelscape::views

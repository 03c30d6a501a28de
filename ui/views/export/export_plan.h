#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/store.h"
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
  KernelLibrary  ///< several kernels in one such folder
};

constexpr std::size_t export_kind_count = 7;

/** Returns true if this kind writes a folder; false if it writes one file. */
bool writes_folder(ExportKind kind);

/** A kernel, identified by its trial. */
struct KernelChoice {
  store::SessionId session = 0;
  std::int64_t trial = 0;
  std::string task_name;

  bool operator==(const KernelChoice&) const = default;
};

/** The study of a network whose layers' kernels are exported together. */
struct ExportedNetwork {
  store::StudyId study = 0;
  QString name;              ///< of the network
  std::int64_t kernels = 0;  ///< number of layers that have a kernel
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
      network;  ///< for KernelLibrary: the network whose layers' kernels replace `kernels`
  bool vendor_where_faster = false;  ///< for a network: use oneDNN's kernels where they are faster
  std::string library_name;          ///< for KernelLibrary
  std::filesystem::path path;        ///< absolute
  bool force = false;                ///< the user agreed to replace the existing files
};

/** The result of an export. */
struct ExportOutcome {
  QString path;
  QString folder;        ///< the folder to open
  QStringList commands;  ///< commands that build the kernels, and check and time them
  QStringList
      notices{};  ///< what was left out, and where the numbers come from if they were not measured here
};

/**
 * Writes the export and creates missing parent folders. The progress counts the kernels of a library. Error
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

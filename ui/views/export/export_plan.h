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

namespace kernelscape {

/** What is taken home. */
enum class ExportKind {
  BestConfiguration,   ///< JSON
  TrialConfiguration,  ///< JSON
  AllTrials,           ///< CSV
  ShownTrials,         ///< CSV of those that pass the filters
  BestKernel,          ///< a folder that builds on its own
  TrialKernel,
  KernelLibrary  ///< several kernels in one such folder
};

constexpr std::size_t export_kind_count = 7;

/** Whether a folder is written, else one file. */
bool writes_folder(ExportKind kind);

/** A kernel by the trial it comes from. */
struct KernelChoice {
  SessionId session = 0;
  std::int64_t trial = 0;
  std::string task_name;

  bool operator==(const KernelChoice&) const = default;
};

/** The study of a network whose layers' kernels are taken home together. */
struct ExportedNetwork {
  StudyId study = 0;
  QString name;              ///< of the network
  std::int64_t kernels = 0;  ///< layers that have one
};

/** An export with all that it needs to be done on another thread. */
struct ExportPlan {
  ExportKind kind = ExportKind::BestConfiguration;
  std::filesystem::path database;
  SessionId session = 0;
  std::int64_t trial = -1;            ///< of a configuration or a kernel
  std::string filter;                 ///< ShownTrials
  std::vector<KernelChoice> kernels;  ///< KernelLibrary
  std::optional<StudyId> network;     ///< KernelLibrary of a network's layers, in place of `kernels`
  bool vendor_where_faster = false;   ///< of a network: oneDNN's kernels where they are faster
  std::string library_name;           ///< KernelLibrary
  std::filesystem::path path;         ///< absolute
  bool force = false;                 ///< the user said that what stands there may go
};

/** What was written. */
struct ExportOutcome {
  QString path;
  QString folder;        ///< to open
  QStringList commands;  ///< that build the kernels, and check and time them
  QStringList
      notices{};  ///< what was left out, and where the numbers come from if they were not measured here
};

/**
 * Writes it, and the folders above that are missing. The report counts the kernels of a library. Occupied:
 * something else stands there, which only `force` replaces.
 */
Result<ExportOutcome> run_export(const ExportPlan& plan, const JobControl& control);

/** What stands where an export would go. */
struct Destination {
  bool usable = false;
  bool occupied = false;      ///< by something else: usable, but a question comes before it is replaced
  QString text{};             ///< what will be made or replaced, or why nothing can be
  QStringList completions{};  ///< paths that go on as `path` begins
};

/** Looks at the disk: for a background job. */
Destination look_at_destination(ExportKind kind, const QString& path);

/** The names that the kernels get in a library: by their tasks, each once. */
std::vector<std::string> library_kernel_names(const std::vector<KernelChoice>& kernels);

}  // namespace kernelscape

#include "ui/views/export/export_plan.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <iterator>

#include "core/base/media/shell_script.h"
#include "core/base/output_file.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/study/model_export.h"
#include "core/study/network_export.h"
#include "core/study/network_run.h"
#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

constexpr int max_completions = 50;
constexpr int max_entries = 2000;

QString translated(const char* text) { return QCoreApplication::translate("ExportPlan", text); }

std::string format_of(ExportKind kind) {
  switch (kind) {
    case ExportKind::BestConfiguration:
    case ExportKind::TrialConfiguration:
      return "configuration";
    case ExportKind::AllTrials:
    case ExportKind::ShownTrials:
      return "csv";
    default:
      return "kernel";
  }
}

Status make_folders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail(ErrorCode::Environment,
              fmt::format("cannot make the folder {}: {}", folder.string(), error.message()),
              "choose a folder that you may write to");
}

Status write_library(const ExportPlan& plan, const store::Store& store, const workspace::JobControl& control,
                     std::vector<std::string>& notices) {
  const std::vector<std::string> names = library_kernel_names(plan.kernels);
  std::vector<exchange::ExportedKernel> kernels;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    if (!control.proceed()) return fail(ErrorCode::Refused, "cancelled; nothing was written");
    const KernelChoice& choice = plan.kernels[i];
    exchange::MeasuredConfiguration measured =
        TRY(exchange::read_measured_configuration(store, choice.session, choice.trial));
    kernels.push_back(TRY(exchange::make_exported_kernel(std::move(measured), names[i])));
    std::ranges::copy(exchange::export_notices(kernels.back()), std::back_inserter(notices));
    control.report(static_cast<double>(i + 1) / static_cast<double>(plan.kernels.size()));
  }
  return exchange::write_kernel_library(kernels, plan.path, plan.library_name, plan.force);
}

Status write_network(const ExportPlan& plan, const store::Store& store, const workspace::JobControl& control,
                     std::vector<std::string>& notices) {
  study::NetworkKernels network = TRY(study::network_kernels(store, *plan.network));
  if (plan.vendor_where_faster) TRY(study::take_vendor_where_faster(network));
  if (!control.proceed()) return fail(ErrorCode::Refused, "cancelled; nothing was written");
  notices = network.notices;
  std::ranges::copy(study::choice_texts(network), std::back_inserter(notices));
  return exchange::write_kernel_library(network.kernels, plan.path, plan.library_name, plan.force,
                                        &network.network);
}

Status write_kernels(const ExportPlan& plan, const store::Store& store, const workspace::JobControl& control,
                     std::vector<std::string>& notices) {
  return plan.network ? write_network(plan, store, control, notices)
                      : write_library(plan, store, control, notices);
}

/** Returns the kernels of the plan's study, or of the newest study of the model. */
Result<std::vector<exchange::ExportedKernel>> kernels_of_model(const ExportPlan& plan,
                                                               const store::Store& store,
                                                               std::vector<std::string>& notices) {
  std::optional<store::StudyId> study = plan.network;
  if (!study)
    if (const Result<store::StudyId> found = study::find_network_study(store, plan.model->file))
      study = *found;
  if (!study) return std::vector<exchange::ExportedKernel>();
  return study::model_kernels(store, *study, notices);
}

Status write_model(const ExportPlan& plan, const store::Store& store, const workspace::JobControl& control,
                   ExportOutcome& outcome, std::vector<std::string>& notices) {
  const study::ModelExport wanted{
      .model = plan.model->file,
      .dimensions = study::dimensions_of(*plan.model),
      .folder = plan.path,
      .force = plan.force,
      .proceed =
          [&control](study::ModelExportStep step) {
            control.report((static_cast<double>(step) + 0.5) / study::model_export_steps);
            return control.proceed();
          },
      .interruption = {.requested = [&control] { return !control.proceed(); }}};
  const study::ExportedModel exported =
      TRY(study::export_model(wanted, TRY(kernels_of_model(plan, store, notices))));
  std::ranges::copy(exported.notices, std::back_inserter(notices));
  const exchange::ModelLibrarySummary& summary = exported.summary;
  if (summary.tuned_kernels < summary.kernels)
    notices.push_back(fmt::format(
        "{} layers have kernels of a default configuration: tune the network, and a later export uses the "
        "faster ones",
        summary.kernels - summary.tuned_kernels));
  outcome.summary = QString::fromStdString(study::library_text(summary));
  return {};
}

Status write_session(const ExportPlan& plan, const store::Store& store, std::vector<std::string>& notices) {
  const exchange::ExportFormat* format = TRY(exchange::find_export_format(format_of(plan.kind)));
  exchange::ExportRequest request{.store = store, .session = plan.session};
  if (format->one_trial) request.trial = plan.trial;
  request.filter = plan.filter;
  request.path = plan.path.string();
  request.notices = &notices;
  request.force = plan.force;
  return exchange::export_session(*format, request);
}

ExportCommand program_command(const QString& title, const std::filesystem::path& program) {
  return {title, QString::fromStdString(base::ShellScript::word(program.string()).text())};
}

std::vector<ExportCommand> build_commands(ExportKind kind, const std::filesystem::path& folder) {
  const std::filesystem::path build = folder / "build";
  const base::ShellText built = base::write<base::ShellScript>("cmake -S {0} -B {1} && cmake --build {1}",
                                                               folder.string(), build.string());
  std::vector<ExportCommand> commands{{translated("Build it"), QString::fromStdString(built.text())}};
  if (kind == ExportKind::ModelLibrary) {
    commands.push_back(program_command(translated("Check it"), build / "check"));
    commands.push_back(program_command(translated("Measure its latency"), build / "bench"));
  } else {
    commands.push_back(program_command(translated("Check and time it"), build / "check"));
  }
  return commands;
}

/** Returns the entries of the typed path's folder that complete the path. */
QStringList completions_of(ExportKind kind, const QString& path) {
  const qsizetype slash = path.lastIndexOf(QLatin1Char('/'));
  if (slash < 0) return {};
  const QString start = path.left(slash + 1);
  const QString begun = path.mid(slash + 1);
  QDir::Filters filters = QDir::Dirs | QDir::NoDotAndDotDot;
  if (!writes_folder(kind)) filters |= QDir::Files;
  QStringList names = QDir(start).entryList(filters, QDir::Name).mid(0, max_entries);
  QStringList paths;
  for (const QString& name : names) {
    if (name.startsWith(begun) && name != begun) paths.append(start + name);
    if (paths.size() == max_completions) break;
  }
  return paths;
}

/** Returns the nearest existing parent folder. */
QFileInfo existing_above(const QString& path) {
  QFileInfo above(QFileInfo(path).absolutePath());
  while (!above.exists() && !above.isRoot()) above = QFileInfo(above.absolutePath());
  return above;
}

/** Checks by its content whether an export of this kind may replace a file. */
Status check_file(ExportKind kind, const QString& path) {
  const exchange::ExportFormat* format = TRY(exchange::find_export_format(format_of(kind)));
  return base::check_output({.path = path.toStdString(), .kind = exchange::output_kind(*format)});
}

Destination look_at_file(ExportKind kind, const QString& path) {
  const QFileInfo file(path);
  if (file.isDir()) return {.text = translated("This is a folder: add the name of a file.")};
  if (file.exists()) {
    if (!file.isWritable()) return {.text = translated("This file can't be written: choose another.")};
    const Status free = check_file(kind, path);
    if (!free && free.error().code == ErrorCode::Occupied)
      return {
          .usable = true,
          .occupied = true,
          .text =
              translated("Asks before it replaces: %1.").arg(QString::fromStdString(free.error().message))};
    if (!free) return {.text = QString::fromStdString(describe(free.error()))};
    return {.usable = true,
            .text = translated("Replaces the file of %1 from %2.")
                        .arg(style::format_bytes(static_cast<double>(file.size())),
                             file.lastModified().toString(QStringLiteral("yyyy-MM-dd HH:mm")))};
  }
  const bool folder_there = QFileInfo(file.absolutePath()).isDir();
  if (!folder_there) return {.usable = true, .text = translated("Creates the folder and a file in it.")};
  if (const Status free = check_file(kind, path); !free)
    return {.text = QString::fromStdString(describe(free.error()))};
  return {.usable = true, .text = translated("Writes a new file.")};
}

Destination look_at_folder(const QString& path) {
  const QFileInfo folder(path);
  const QString files =
      translated("the kernels' sources, a header, a check program, CMakeLists.txt, README.md");
  if (folder.exists() && !folder.isDir()) return {.text = translated("This is a file: name a folder.")};
  if (!folder.exists()) return {.usable = true, .text = translated("Creates the folder with %1.").arg(files)};
  if (QDir(path).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot))
    return {.usable = true, .text = translated("Writes %1 into the empty folder.").arg(files)};
  if (exchange::check_kernel_folder(path.toStdString()))
    return {.usable = true, .text = translated("Replaces the earlier export in this folder.")};
  return {.text = translated("The folder is not empty and holds no earlier export: name a new one.")};
}

}  // namespace

bool writes_folder(ExportKind kind) { return format_of(kind) == "kernel"; }

std::vector<std::string> library_kernel_names(const std::vector<KernelChoice>& kernels) {
  std::vector<std::string> tasks;
  for (const KernelChoice& kernel : kernels) tasks.push_back(kernel.task_name);
  return exchange::kernel_names(tasks);
}

Result<ExportOutcome> run_export(const ExportPlan& plan, const workspace::JobControl& control) {
  const store::Store store = TRY(store::Store::open(plan.database, store::OpenMode::ReadOnly));
  const bool folder = writes_folder(plan.kind);
  if (!control.proceed()) return fail(ErrorCode::Refused, "cancelled; nothing was written");
  if (!folder) TRY(make_folders(plan.path.parent_path()));
  std::vector<std::string> notices;
  const std::filesystem::path shown = folder ? plan.path : plan.path.parent_path();
  ExportOutcome outcome{.path = QString::fromStdString(plan.path.string()),
                        .folder = QString::fromStdString(shown.string()),
                        .commands = {}};
  if (folder) outcome.commands = build_commands(plan.kind, plan.path);
  TRY(plan.kind == ExportKind::KernelLibrary  ? write_kernels(plan, store, control, notices)
      : plan.kind == ExportKind::ModelLibrary ? write_model(plan, store, control, outcome, notices)
                                              : write_session(plan, store, notices));
  for (const std::string& notice : notices) outcome.notices << QString::fromStdString(notice);
  return outcome;
}

Destination look_at_destination(ExportKind kind, const QString& path) {
  if (path.trimmed().isEmpty()) return {.text = translated("Enter where to write the export.")};
  if (!QDir::isAbsolutePath(path)) return {.text = translated("Begin the path with /: it must be absolute.")};
  Destination found = writes_folder(kind) ? look_at_folder(path) : look_at_file(kind, path);
  const QFileInfo above = existing_above(path);
  if (found.usable && !QFileInfo::exists(path) && (!above.isDir() || !above.isWritable())) {
    found = {.text = translated("%1 can't be written: choose another place.").arg(above.absoluteFilePath())};
  }
  found.completions = completions_of(kind, path);
  return found;
}

}  // namespace kernelscape::views

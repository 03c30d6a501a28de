#include "ui/views/export/export_offer.h"

#include "core/analysis/filter/filter.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/model/model_library.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

QString best_text(const workspace::SourceData& source) {
  return ExportOffer::tr("trial %1: %2, %3")
      .arg(source.headline.trial)
      .arg(models::speed_or_time_text(source, source.headline.value.seconds),
           models::trust_text(source.record(), source.headline));
}

QString trial_text(const workspace::SourceData& source, const trial::Row& row) {
  if (row.category != trial::ErrorCategory::NoError) {
    const std::string_view category = trial::to_string(row.category);
    return ExportOffer::tr("trial %1: %2")
        .arg(row.number)
        .arg(QString::fromUtf8(category.data(), static_cast<qsizetype>(category.size())));
  }
  return ExportOffer::tr("trial %1: %2")
      .arg(row.number)
      .arg(models::speed_or_time_text(source, row.median_seconds));
}

/** Returns "resnet18/C6, resnet18/C7, and 3 more". */
QString names_text(const std::vector<KernelChoice>& kernels) {
  constexpr std::size_t max_named = 3;
  QStringList names;
  for (const KernelChoice& kernel : kernels) {
    if (std::ssize(kernels) > static_cast<std::ptrdiff_t>(max_named) + 1 &&
        static_cast<std::size_t>(names.size()) == max_named)
      break;
    names.append(QString::fromStdString(kernel.task_name));
  }
  const auto left = std::ssize(kernels) - names.size();
  if (left > 0) names.append(ExportOffer::tr("and %1 more").arg(style::format_count(left)));
  return names.join(QStringLiteral(", "));
}

QString layers_text(const ExportedNetwork& network) {
  return network.kernels == 1 ? ExportOffer::tr("the kernel of one layer of %1").arg(network.name)
                              : ExportOffer::tr("the kernels of %1 layers of %2")
                                    .arg(style::format_count(network.kernels), network.name);
}

/** Returns true unless the task is known only from a log: the program has no templates for its kernels. */
bool has_kernels(const workspace::Source& source) { return !source || source->task().op.has_value(); }

}  // namespace

QString ExportOffer::missing_source() const {
  return workspace_.opened().value_or(-1) >= 0 ? tr("the session is being read") : tr("no session is open");
}

trial::Row ExportOffer::current_trial() const {
  const workspace::Source& source = workspace_.source();
  const bool current = source && workspace_.current_row() != analysis::no_row;
  return current ? source->trials.row(workspace_.current_row()) : trial::Row();
}

ExportOffer::Choice ExportOffer::best_choice() const {
  const workspace::Source& source = workspace_.source();
  if (!source) return {false, missing_source()};
  if (source->headline.trial >= 0) return {true, best_text(*source)};
  return {false, source->build_only() ? tr("build only: there is no best trial; choose a trial")
                                      : tr("there is no valid trial yet")};
}

ExportOffer::Choice ExportOffer::trial_choice() const {
  const workspace::Source& source = workspace_.source();
  if (!source) return {false, missing_source()};
  if (workspace_.current_row() == analysis::no_row) return {false, tr("no trial is chosen")};
  return {true, trial_text(*source, current_trial())};
}

/** Returns the choice of the kernel of a configuration. */
ExportOffer::Choice ExportOffer::kernel_of(Choice configuration, bool has_kernel) const {
  if (!has_kernels(workspace_.source()))
    return {false, tr("the task is known only from its log, which has no kernels")};
  configuration.available = configuration.available && has_kernel;
  return configuration;
}

ExportOffer::Choice ExportOffer::trials_choice() const {
  const workspace::Source& source = workspace_.source();
  if (!source) return {false, missing_source()};
  return {source->trials.size() > 0,
          tr("%1 trials with their messages").arg(style::format_count(source->trials.size()))};
}

ExportOffer::Choice ExportOffer::shown_trials_choice() const {
  const workspace::Source& source = workspace_.source();
  if (!source) return {false, missing_source()};
  if (source->trials.size() == 0 || workspace_.active_filters().isEmpty())
    return {false, tr("no filter is set: all trials are shown")};
  return {true, tr("%1 trials that pass: %2")
                    .arg(style::format_count(std::ssize(workspace_.shown_rows())),
                         workspace_.active_filters().join(tr(" and ")))};
}

ExportOffer::Choice ExportOffer::library_choice() const {
  if (network_ && network_->kernels == 0)
    return {false, tr("no layer of %1 has a kernel yet").arg(network_->name)};
  if (network_) return {network_->kernels > 0, layers_text(*network_)};
  if (kernels_.empty()) return {false, tr("select them in Library, Kernels")};
  return {true, names_text(kernels_)};
}

ExportOffer::Choice ExportOffer::model_choice() const {
  if (!network_) return {false, tr("open a network that is read from an ONNX model")};
  if (!network_->model) return {false, tr("the file of this network's model is not known")};
  return {true, tr("%1: all operators and weights, in C without dependencies")
                    .arg(QString::fromStdString(network_->model->file))};
}

ExportOffer::Choice ExportOffer::choice(ExportKind kind) const {
  switch (kind) {
    case ExportKind::BestConfiguration:
      return best_choice();
    case ExportKind::TrialConfiguration:
      return trial_choice();
    case ExportKind::AllTrials:
      return trials_choice();
    case ExportKind::ShownTrials:
      return shown_trials_choice();
    case ExportKind::BestKernel:
      return kernel_of(best_choice(), true);
    case ExportKind::TrialKernel:
      return kernel_of(trial_choice(), current_trial().category == trial::ErrorCategory::NoError);
    case ExportKind::KernelLibrary:
      return library_choice();
    case ExportKind::ModelLibrary:
      return model_choice();
  }
  return {};
}

QString ExportOffer::origin(ExportKind kind) const {
  if (kind == ExportKind::ModelLibrary && network_)
    return network_->study ? tr("From the model of study %1: %2").arg(*network_->study).arg(network_->name)
                           : tr("From a model: %1").arg(network_->name);
  if (kind == ExportKind::KernelLibrary && network_)
    return tr("From study %1: %2").arg(network_->study.value_or(0)).arg(layers_text(*network_));
  if (kind == ExportKind::KernelLibrary)
    return kernels_.size() == 1 ? tr("From the Library: the best kernel of %1").arg(names_text(kernels_))
                                : tr("From the Library: the best kernels of %1 tasks")
                                      .arg(style::format_count(std::ssize(kernels_)));
  if (const workspace::Source& source = workspace_.source())
    return tr("From %1 (session %2): %3")
        .arg(models::session_title(source->record()))
        .arg(source->id())
        .arg(QString::fromStdString(source->coverage_text()));
  return workspace_.opened().value_or(-1) >= 0
             ? tr("The session is being read\u2026")
             : tr("No session is open: open one in the Library or in Sessions.");
}

QString ExportOffer::file_name(ExportKind kind, const QString& library) const {
  if (kind == ExportKind::KernelLibrary) return library;
  if (kind == ExportKind::ModelLibrary && network_ && network_->model)
    return QString::fromStdString(exchange::model_library_name(network_->model->file));
  const workspace::Source& source = workspace_.source();
  if (!source) return QStringLiteral("kernelscape");
  QString task = QString::fromStdString(exchange::kernel_name(source->record().task_name));
  switch (kind) {
    case ExportKind::BestConfiguration:
      return task + QStringLiteral("-best.json");
    case ExportKind::TrialConfiguration:
      return task + QStringLiteral("-trial-%1.json").arg(current_trial().number);
    case ExportKind::AllTrials:
      return QStringLiteral("%1-session-%2.csv").arg(task).arg(source->id());
    case ExportKind::ShownTrials:
      return QStringLiteral("%1-session-%2-shown.csv").arg(task).arg(source->id());
    default:
      return task;
  }
}

std::optional<ExportPlan> ExportOffer::plan(ExportKind kind) const {
  ExportPlan made;
  made.kind = kind;
  made.database = workspace_.database();
  if (kind == ExportKind::KernelLibrary) {
    made.kernels = kernels_;
    if (network_) made.network = network_->study;
    return made;
  }
  if (kind == ExportKind::ModelLibrary) {
    if (!network_ || !network_->model) return std::nullopt;
    made.network = network_->study;
    made.model = network_->model;
    return made;
  }
  const workspace::Source& source = workspace_.source();
  if (!source) return std::nullopt;
  made.session = source->id();
  made.trial = source->headline.trial;
  if (kind == ExportKind::TrialConfiguration || kind == ExportKind::TrialKernel) {
    if (workspace_.current_row() == analysis::no_row) return std::nullopt;
    made.trial = current_trial().number;
  }
  if (kind == ExportKind::ShownTrials) {
    std::vector<std::string> filters;
    for (const QString& filter : workspace_.active_filters()) filters.push_back(filter.toStdString());
    made.filter = analysis::conjunction(filters);
  }
  return made;
}

}  // namespace kernelscape::views

#include "ui/views/export/export_dialog.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QCompleter>
#include <QDir>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QStandardPaths>
#include <QStringListModel>
#include <QTimer>
#include <algorithm>

#include "core/analysis/filter/filter.h"
#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/model/model_library.h"
#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

QString best_text(const workspace::SourceData& source) {
  return ExportDialog::tr("trial %1: %2, %3")
      .arg(source.headline.trial)
      .arg(models::speed_or_time_text(source, source.headline.value.seconds),
           models::trust_text(source.record(), source.headline));
}

QString trial_text(const workspace::SourceData& source, const trial::Row& row) {
  if (row.category != trial::ErrorCategory::NoError) {
    const std::string_view category = trial::to_string(row.category);
    return ExportDialog::tr("trial %1: %2")
        .arg(row.number)
        .arg(QString::fromUtf8(category.data(), static_cast<qsizetype>(category.size())));
  }
  return ExportDialog::tr("trial %1: %2")
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
  if (left > 0) names.append(ExportDialog::tr("and %1 more").arg(style::format_count(left)));
  return names.join(QStringLiteral(", "));
}

QString network_text(const ExportedNetwork& network) {
  return network.kernels == 1 ? ExportDialog::tr("the kernel of one layer of %1").arg(network.name)
                              : ExportDialog::tr("the kernels of %1 layers of %2")
                                    .arg(style::format_count(network.kernels), network.name);
}

}  // namespace

ExportDialog::ExportDialog(workspace::Workspace& workspace, QWidget* parent)
    : QDialog(parent), workspace_(workspace) {
  setAttribute(Qt::WA_DeleteOnClose);
  build();
  connect(&workspace_, &workspace::Workspace::source_changed, this, &ExportDialog::update_choices);
  connect(&workspace_, &workspace::Workspace::source_updated, this, &ExportDialog::update_choices);
  connect(&workspace_, &workspace::Workspace::current_row_changed, this, &ExportDialog::update_choices);
  connect(&workspace_, &workspace::Workspace::filters_changed, this, &ExportDialog::update_choices);
  connect(export_button_, &QPushButton::clicked, this, &ExportDialog::start);
  connect(close_button_, &QPushButton::clicked, this, &ExportDialog::cancel_or_close);
  connect(&export_job_, &workspace::JobTracker::busy_changed, this, &ExportDialog::update_buttons);
  connect(&export_job_, &workspace::JobTracker::progressed, this, [this](double fraction) {
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(fraction * 1000));
  });
  update_choices();
}

void ExportDialog::set_kernels(std::vector<KernelChoice> kernels) {
  kernels_ = std::move(kernels);
  update_choices();
  choose(ExportKind::KernelLibrary);
}

void ExportDialog::set_network(const ExportedNetwork& network) {
  network_ = network;
  library_name_->setText(QString::fromStdString(exchange::kernel_name(network.name.toStdString())));
  update_choices();
  choose(ExportKind::ModelLibrary);
  choose(ExportKind::KernelLibrary);
}

void ExportDialog::choose(ExportKind kind) {
  QRadioButton* button = choices_[static_cast<std::size_t>(kind)].button;
  if (!button->isEnabled()) return;
  user_chose_ = true;
  button->setChecked(true);
  kind_changed();
}

void ExportDialog::set_path(const QString& path) { path_->setText(path); }

ExportKind ExportDialog::kind() const { return static_cast<ExportKind>(std::max(0, kinds_->checkedId())); }

QString ExportDialog::path() const { return path_->text(); }

void ExportDialog::set_choice(ExportKind kind, bool available, const QString& explanation) {
  const Choice& choice = choices_[static_cast<std::size_t>(kind)];
  choice.button->setEnabled(available);
  choice.explanation->setText(explanation);
}

void ExportDialog::update_choices() {
  const workspace::Source& source = workspace_.source();
  const bool best = source && source->headline.trial >= 0;
  const bool reading = !source && workspace_.opened().value_or(-1) >= 0;
  const QString no_source = reading ? tr("the session is being read") : tr("no session is open");
  const QString best_line = best ? best_text(*source)
                            : source && source->build_only()
                                ? tr("build only: there is no best trial; choose a trial")
                            : source ? tr("there is no valid trial yet")
                                     : no_source;
  set_choice(ExportKind::BestConfiguration, best, best_line);
  // A log contains only configurations; the program has no templates for their kernels.
  const bool has_kernels = !source || source->task().op.has_value();
  const QString no_kernels = tr("the task is known only from its log, which has no kernels");
  set_choice(ExportKind::BestKernel, best && has_kernels, has_kernels ? best_line : no_kernels);
  const bool current = source && workspace_.current_row() != analysis::no_row;
  const trial::Row row = current ? source->trials.row(workspace_.current_row()) : trial::Row();
  const QString trial_line = current  ? trial_text(*source, row)
                             : source ? tr("no trial is chosen")
                                      : no_source;
  set_choice(ExportKind::TrialConfiguration, current, trial_line);
  set_choice(ExportKind::TrialKernel, current && has_kernels && row.category == trial::ErrorCategory::NoError,
             has_kernels ? trial_line : no_kernels);
  const bool trials = source && source->trials.size() > 0;
  set_choice(ExportKind::AllTrials, trials,
             source ? tr("%1 trials with their messages").arg(style::format_count(source->trials.size()))
                    : no_source);
  const bool filtered = trials && !workspace_.active_filters().isEmpty();
  set_choice(ExportKind::ShownTrials, filtered,
             filtered ? tr("%1 trials that pass: %2")
                            .arg(style::format_count(std::ssize(workspace_.shown_rows())),
                                 workspace_.active_filters().join(tr(" and ")))
             : source ? tr("no filter is set: all trials are shown")
                      : no_source);
  set_choice(ExportKind::KernelLibrary, network_ ? network_->kernels > 0 : !kernels_.empty(),
             network_ && network_->kernels == 0 ? tr("no layer of %1 has a kernel yet").arg(network_->name)
             : network_                         ? network_text(*network_)
             : kernels_.empty()                 ? tr("select them in Library, Kernels")
                                                : names_text(kernels_));
  set_choice(ExportKind::ModelLibrary, network_ && network_->model,
             network_ && network_->model ? tr("%1: all operators and weights, in C without dependencies")
                                               .arg(QString::fromStdString(network_->model->file))
             : network_ ? tr("the file of this network's model is not known")
                        : tr("open a network that is read from an ONNX model"));
  const QAbstractButton* checked = kinds_->checkedButton();
  if (!user_chose_ || checked == nullptr || !checked->isEnabled()) {
    for (const Choice& choice : choices_) {
      if (!choice.button->isEnabled()) continue;
      choice.button->setChecked(true);
      kind_changed();
      break;
    }
  }
  show_origin();
  suggest_path();
  update_buttons();
}

QString ExportDialog::default_name() const {
  if (kind() == ExportKind::KernelLibrary) return library_name_->text();
  if (kind() == ExportKind::ModelLibrary && network_ && network_->model)
    return QString::fromStdString(exchange::model_library_name(network_->model->file));
  const workspace::Source& source = workspace_.source();
  if (!source) return QStringLiteral("kernelscape");
  QString task = QString::fromStdString(exchange::kernel_name(source->record().task_name));
  switch (kind()) {
    case ExportKind::BestConfiguration:
      return task + QStringLiteral("-best.json");
    case ExportKind::TrialConfiguration:
      return task + QStringLiteral("-trial-%1.json").arg(source->trials.row(workspace_.current_row()).number);
    case ExportKind::AllTrials:
      return QStringLiteral("%1-session-%2.csv").arg(task).arg(source->id());
    case ExportKind::ShownTrials:
      return QStringLiteral("%1-session-%2-shown.csv").arg(task).arg(source->id());
    default:
      return task;
  }
}

QString ExportDialog::default_folder() const {
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return (documents.isEmpty() ? QDir::homePath() : documents) + QStringLiteral("/kernelscape");
}

/** Shows where the results come from; kernels of the library are from other sessions than the open one. */
void ExportDialog::show_origin() {
  const workspace::Source& source = workspace_.source();
  const bool reading = !source && workspace_.opened().value_or(-1) >= 0;
  const bool library = kind() == ExportKind::KernelLibrary && kinds_->checkedButton() != nullptr;
  const bool model = kind() == ExportKind::ModelLibrary && network_;
  if (model) {
    origin_->setText(network_->study
                         ? tr("From the model of study %1: %2").arg(*network_->study).arg(network_->name)
                         : tr("From a model: %1").arg(network_->name));
  } else if (library && network_) {
    origin_->setText(tr("From study %1: %2").arg(network_->study.value_or(0)).arg(network_text(*network_)));
  } else if (library) {
    origin_->setText(kernels_.size() == 1
                         ? tr("From the Library: the best kernel of %1").arg(names_text(kernels_))
                         : tr("From the Library: the best kernels of %1 tasks")
                               .arg(style::format_count(std::ssize(kernels_))));
  } else if (source) {
    origin_->setText(tr("From %1 (session %2): %3")
                         .arg(models::session_title(source->record()))
                         .arg(source->id())
                         .arg(QString::fromStdString(source->coverage_text())));
  } else {
    origin_->setText(reading ? tr("The session is being read\u2026")
                             : tr("No session is open: open one in the Library or in Sessions."));
  }
}

void ExportDialog::kind_changed() {
  show_origin();
  library_row_->setVisible(kind() == ExportKind::KernelLibrary);
  vendor_where_faster_->setVisible(kind() == ExportKind::KernelLibrary && network_);
  suggest_path();
  inputs_changed();
}

/**
 * Suggests a path. The user's folder stays; the file name follows the kind of export until the user enters
 * one.
 */
void ExportDialog::suggest_path() {
  if (kinds_->checkedButton() == nullptr) return;
  const QString typed = path_->text();
  if (!typed.isEmpty() && typed.section(QLatin1Char('/'), -1) != suggested_name_) return;
  suggested_name_ = default_name();
  const QString folder = typed.isEmpty() ? default_folder() : typed.section(QLatin1Char('/'), 0, -2);
  path_->setText(folder + QLatin1Char('/') + suggested_name_);
}

void ExportDialog::inputs_changed() {
  error_->hide();
  destination_.usable = false;
  look_timer_->start();
  update_buttons();
}

void ExportDialog::look() {
  look_job_.start([kind = kind(), path = path_->text()](
                      const workspace::JobControl&) { return look_at_destination(kind, path); },
                  [this](Destination destination) {
                    destination_ = std::move(destination);
                    destination_text_->setText(destination_.text);
                    destination_text_->set_colour(destination_.usable && !destination_.occupied
                                                      ? &style::Colours::muted_text
                                                      : &style::Colours::warning);
                    if (completions_->stringList() != destination_.completions)
                      completions_->setStringList(destination_.completions);
                    update_buttons();
                  });
}

void ExportDialog::browse() {
  const bool folder = writes_folder(kind());
  QFileDialog* dialog =
      files::make_file_dialog(this, folder ? tr("Folder to write") : tr("File to write"), path_->text());
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::AnyFile);
  // The text below the path describes what exists there.
  dialog->setOption(QFileDialog::DontConfirmOverwrite);
  connect(dialog, &QFileDialog::fileSelected, this, &ExportDialog::set_path);
  dialog->open();
}

std::optional<ExportPlan> ExportDialog::plan() const {
  const workspace::Source& source = workspace_.source();
  const ExportKind chosen = kind();
  const bool of_session = chosen != ExportKind::KernelLibrary && chosen != ExportKind::ModelLibrary;
  if (of_session && !source) return std::nullopt;
  ExportPlan made;
  made.kind = chosen;
  made.database = workspace_.database();
  made.path = path_->text().toStdString();
  if (chosen == ExportKind::KernelLibrary) {
    made.kernels = kernels_;
    if (network_) made.network = network_->study;
    made.vendor_where_faster = network_ && vendor_where_faster_->isChecked();
    made.library_name = library_name_->text().toStdString();
    return made;
  }
  if (chosen == ExportKind::ModelLibrary) {
    if (!network_ || !network_->model) return std::nullopt;
    made.network = network_->study;
    made.model = network_->model;
    return made;
  }
  made.session = source->id();
  made.trial = source->headline.trial;
  if (chosen == ExportKind::TrialConfiguration || chosen == ExportKind::TrialKernel) {
    if (workspace_.current_row() == analysis::no_row) return std::nullopt;
    made.trial = source->trials.row(workspace_.current_row()).number;
  }
  if (chosen == ExportKind::ShownTrials) {
    std::vector<std::string> filters;
    for (const QString& filter : workspace_.active_filters()) filters.push_back(filter.toStdString());
    made.filter = analysis::conjunction(filters);
  }
  return made;
}

void ExportDialog::start() {
  if (const std::optional<ExportPlan> chosen = plan(); chosen && !export_job_.busy()) run(*chosen);
}

void ExportDialog::run(const ExportPlan& plan) {
  error_->hide();
  result_->hide();
  progress_->setRange(0, 0);
  export_job_.start([plan](const workspace::JobControl& control) { return run_export(plan, control); },
                    [this, plan](const Result<ExportOutcome>& outcome) {
                      if (outcome || outcome.error().code != ErrorCode::Occupied)
                        return show_outcome(outcome);
                      ExportPlan forced = plan;
                      forced.force = true;
                      files::ask_to_replace(*this, outcome.error(), [this, forced] {
                        if (!export_job_.busy()) run(forced);
                      });
                    });
}

void ExportDialog::show_outcome(const Result<ExportOutcome>& outcome) {
  if (!outcome) {
    show_error(QString::fromStdString(outcome.error().message), QString::fromStdString(outcome.error().hint));
    look();
    return;
  }
  folder_ = outcome->folder;
  result_text_->setText(outcome->summary.isEmpty() ? tr("Wrote %1").arg(outcome->path)
                                                   : tr("Wrote %1: %2").arg(outcome->path, outcome->summary));
  QStringList warnings = outcome->notices;
  warnings.removeDuplicates();  // the layers of a network were often measured on the same loaded machine
  warnings_text_->setText(warnings.join(QLatin1Char('\n')));
  warnings_->setVisible(!warnings.isEmpty());
  for (std::size_t i = 0; i < commands_.size(); ++i)
    show_command(i, i < outcome->commands.size() ? outcome->commands[i] : ExportCommand());
  result_->show();
  adjustSize();
  look();
  emit exported(outcome->path);
}

void ExportDialog::show_error(const QString& message, const QString& hint) {
  error_->setText(hint.isEmpty() ? message : tr("%1\n%2").arg(message, hint));
  error_->show();
  adjustSize();
}

void ExportDialog::update_buttons() {
  const bool busy = export_job_.busy();
  const QAbstractButton* checked = kinds_->checkedButton();
  const bool named =
      kind() != ExportKind::KernelLibrary || exchange::is_c_name(library_name_->text().toStdString());
  export_button_->setEnabled(!busy && checked != nullptr && checked->isEnabled() && destination_.usable &&
                             named);
  close_button_->setText(busy ? tr("Cancel") : tr("Close"));
  progress_->setVisible(busy);
  if (!named)
    show_error(tr("Use only letters, digits and underscores in a library's name, such as tuned_kernels."),
               {});
}

void ExportDialog::cancel_or_close() {
  if (!export_job_.busy()) {
    close();
    return;
  }
  export_job_.cancel();
  show_error(tr("The export was cancelled."), {});
}

/** Handles Esc, which cancels a running export or else closes the dialog. */
void ExportDialog::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return cancel_or_close();
  QDialog::keyPressEvent(event);
}

}  // namespace kernelscape::views

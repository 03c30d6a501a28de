#include "ui/views/export/export_dialog.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "ui/files/replace_question.h"
#include "ui/style/theme.h"
#include "ui/views/export/destination_fields.h"
#include "ui/views/export/export_choices.h"
#include "ui/views/export/export_result.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int min_width = 75 * style::grid_pixels;

}  // namespace

ExportDialog::ExportDialog(workspace::Workspace& workspace, QWidget* parent)
    : QDialog(parent), offer_(workspace) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Export"));
  setMinimumWidth(min_width);
  origin_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  origin_->setWordWrap(true);
  choices_ = new ExportChoices;
  error_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::warning);
  error_->setWordWrap(true);
  error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  error_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2 * style::grid_pixels, 2 * style::grid_pixels, 2 * style::grid_pixels,
                             2 * style::grid_pixels);
  layout->setSpacing(2 * style::grid_pixels);
  layout->addWidget(origin_);
  layout->addWidget(choices_);
  layout->addWidget(make_place());
  layout->addWidget(error_);
  result_ = new ExportResult;
  layout->addWidget(result_);
  layout->addStretch(1);
  layout->addLayout(make_buttons());
  connect_inputs(workspace);
  update_choices();
}

QWidget* ExportDialog::make_place() {
  auto* place = new QWidget;
  auto* form = new QFormLayout(place);
  form->setContentsMargins(0, 0, 0, 0);
  form->setSpacing(style::grid_pixels);
  library_name_ = new QLineEdit(QStringLiteral("tuned_kernels"));
  library_name_->setAccessibleName(tr("Name of the library"));
  library_row_ = new QWidget;
  auto* library = new QHBoxLayout(library_row_);
  library->setContentsMargins(0, 0, 0, 0);
  auto* library_label = new QLabel(tr("Library &name"));
  library_label->setBuddy(library_name_);
  library->addWidget(library_label);
  library->addWidget(library_name_, 1);
  form->addRow(library_row_);
  vendor_where_faster_ = new QCheckBox(tr("Use the &vendor's kernel where it is faster"));
  vendor_where_faster_->setToolTip(
      tr("For each layer where oneDNN is faster beyond measurement noise. The library then builds only with "
         "oneDNN, and lists which kernel each layer uses"));
  vendor_where_faster_->hide();
  form->addRow(vendor_where_faster_);
  destination_ = new DestinationFields(*form, *this);
  return place;
}

QLayout* ExportDialog::make_buttons() {
  progress_ = new QProgressBar;
  progress_->setAccessibleName(tr("Progress of the export"));
  progress_->setTextVisible(false);
  progress_->hide();
  export_button_ = new QPushButton(tr("&Export"));
  export_button_->setDefault(true);
  close_button_ = new QPushButton(tr("Close"));
  close_button_->setAutoDefault(false);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(progress_, 1);
  buttons->addStretch(1);
  buttons->addWidget(close_button_);
  buttons->addWidget(export_button_);
  connect(export_button_, &QPushButton::clicked, this, &ExportDialog::start);
  connect(close_button_, &QPushButton::clicked, this, &ExportDialog::cancel_or_close);
  return buttons;
}

void ExportDialog::connect_inputs(const workspace::Workspace& workspace) {
  connect(&workspace, &workspace::Workspace::source_changed, this, &ExportDialog::update_choices);
  connect(&workspace, &workspace::Workspace::source_updated, this, &ExportDialog::update_choices);
  connect(&workspace, &workspace::Workspace::current_row_changed, this, &ExportDialog::update_choices);
  connect(&workspace, &workspace::Workspace::filters_changed, this, &ExportDialog::update_choices);
  connect(choices_, &ExportChoices::chosen, this, &ExportDialog::kind_changed);
  connect(destination_, &DestinationFields::edited, this, &ExportDialog::inputs_changed);
  connect(destination_, &DestinationFields::looked, this, &ExportDialog::update_buttons);
  connect(library_name_, &QLineEdit::textChanged, this, [this] {
    suggest_path();
    inputs_changed();
  });
  connect(&job_, &workspace::JobTracker::busy_changed, this, &ExportDialog::update_buttons);
  connect(&job_, &workspace::JobTracker::progressed, this, [this](double fraction) {
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(fraction * 1000));
  });
}

void ExportDialog::set_kernels(std::vector<KernelChoice> kernels) {
  offer_.set_kernels(std::move(kernels));
  update_choices();
  choose(ExportKind::KernelLibrary);
}

void ExportDialog::set_network(const ExportedNetwork& network) {
  offer_.set_network(network);
  library_name_->setText(QString::fromStdString(exchange::kernel_name(network.name.toStdString())));
  update_choices();
  choose(ExportKind::ModelLibrary);
  choose(ExportKind::KernelLibrary);
}

void ExportDialog::choose(ExportKind kind) {
  if (choices_->choose(kind)) kind_changed();
}

void ExportDialog::set_path(const QString& path) { destination_->set_path(path); }

ExportKind ExportDialog::kind() const { return choices_->kind(); }

QString ExportDialog::path() const { return destination_->path(); }

void ExportDialog::update_choices() {
  for (std::size_t i = 0; i < export_kind_count; ++i) {
    const auto kind = static_cast<ExportKind>(i);
    const ExportOffer::Choice choice = offer_.choice(kind);
    choices_->set(kind, choice.available, choice.explanation);
  }
  if (choices_->choose_first()) kind_changed();
  show_origin();
  suggest_path();
  update_buttons();
}

void ExportDialog::show_origin() { origin_->setText(offer_.origin(kind())); }

void ExportDialog::kind_changed() {
  show_origin();
  destination_->set_kind(kind());
  library_row_->setVisible(kind() == ExportKind::KernelLibrary);
  vendor_where_faster_->setVisible(kind() == ExportKind::KernelLibrary && offer_.network());
  suggest_path();
  inputs_changed();
}

void ExportDialog::suggest_path() {
  if (choices_->any()) destination_->suggest(offer_.file_name(kind(), library_name_->text()));
}

void ExportDialog::inputs_changed() {
  error_->hide();
  destination_->look_soon();
  update_buttons();
}

std::optional<ExportPlan> ExportDialog::plan() const {
  std::optional<ExportPlan> made = offer_.plan(kind());
  if (!made) return made;
  made->path = path().toStdString();
  if (kind() != ExportKind::KernelLibrary) return made;
  made->library_name = library_name_->text().toStdString();
  made->vendor_where_faster = offer_.network() && vendor_where_faster_->isChecked();
  return made;
}

void ExportDialog::start() {
  if (const std::optional<ExportPlan> chosen = plan(); chosen && !job_.busy()) run(*chosen);
}

void ExportDialog::run(const ExportPlan& plan) {
  error_->hide();
  result_->hide();
  progress_->setRange(0, 0);
  job_.start([plan](const workspace::JobControl& control) { return run_export(plan, control); },
             [this, plan](const Result<ExportOutcome>& outcome) {
               if (outcome || outcome.error().code != ErrorCode::Occupied) return show_outcome(outcome);
               ExportPlan forced = plan;
               forced.force = true;
               files::ask_to_replace(*this, outcome.error(), [this, forced] {
                 if (!job_.busy()) run(forced);
               });
             });
}

void ExportDialog::show_outcome(const Result<ExportOutcome>& outcome) {
  if (!outcome) {
    show_error(QString::fromStdString(outcome.error().message), QString::fromStdString(outcome.error().hint));
    destination_->look();
    return;
  }
  result_->show_outcome(*outcome);
  adjustSize();
  destination_->look();
  emit exported(outcome->path);
}

void ExportDialog::show_error(const QString& message, const QString& hint) {
  error_->setText(hint.isEmpty() ? message : tr("%1\n%2").arg(message, hint));
  error_->show();
  adjustSize();
}

void ExportDialog::update_buttons() {
  const bool busy = job_.busy();
  const bool named =
      kind() != ExportKind::KernelLibrary || exchange::is_c_name(library_name_->text().toStdString());
  export_button_->setEnabled(!busy && choices_->available() && destination_->usable() && named);
  close_button_->setText(busy ? tr("Cancel") : tr("Close"));
  progress_->setVisible(busy);
  if (!named)
    show_error(tr("Use only letters, digits and underscores in a library's name, such as tuned_kernels."),
               {});
}

void ExportDialog::cancel_or_close() {
  if (!job_.busy()) {
    close();
    return;
  }
  job_.cancel();
  show_error(tr("The export was cancelled."), {});
}

/** Handles Esc, which cancels a running export or else closes the dialog. */
void ExportDialog::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return cancel_or_close();
  QDialog::keyPressEvent(event);
}

}  // namespace kernelscape::views

#include <QApplication>
#include <QButtonGroup>
#include <QCheckBox>
#include <QClipboard>
#include <QCompleter>
#include <QDesktopServices>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QStringListModel>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/views/export/export_dialog.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int min_width = 75 * style::grid_pixels;

}  // namespace

void ExportDialog::build() {
  setWindowTitle(tr("Export"));
  setMinimumWidth(min_width);
  origin_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  origin_->setWordWrap(true);
  error_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::warning);
  error_->setWordWrap(true);
  error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  error_->hide();
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
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2 * style::grid_pixels, 2 * style::grid_pixels, 2 * style::grid_pixels,
                             2 * style::grid_pixels);
  layout->setSpacing(2 * style::grid_pixels);
  layout->addWidget(origin_);
  layout->addWidget(make_choices());
  layout->addWidget(make_place());
  layout->addWidget(error_);
  layout->addWidget(make_result());
  layout->addStretch(1);
  layout->addLayout(buttons);
}

void ExportDialog::add_choice(QVBoxLayout& layout, ExportKind kind, const QString& text) {
  Choice& choice = choices_[static_cast<std::size_t>(kind)];
  choice.button = new QRadioButton(text);
  choice.explanation = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  choice.explanation->setTextFormat(Qt::PlainText);
  choice.explanation->setWordWrap(true);
  choice.explanation->setContentsMargins(3 * style::grid_pixels, 0, 0, style::grid_pixels / 2);
  kinds_->addButton(choice.button, static_cast<int>(kind));
  layout.addWidget(choice.button);
  layout.addWidget(choice.explanation);
}

QWidget* ExportDialog::make_choices() {
  auto* choices = new QWidget;
  auto* layout = new QVBoxLayout(choices);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  kinds_ = new QButtonGroup(this);
  add_choice(*layout, ExportKind::BestConfiguration, tr("&Best configuration as JSON"));
  add_choice(*layout, ExportKind::TrialConfiguration, tr("Current &trial as JSON"));
  add_choice(*layout, ExportKind::AllTrials, tr("&All trials as CSV"));
  add_choice(*layout, ExportKind::ShownTrials, tr("&Shown trials as CSV"));
  add_choice(*layout, ExportKind::BestKernel, tr("Best &kernel as a folder that builds on its own"));
  add_choice(*layout, ExportKind::TrialKernel, tr("Kernel of the &current trial as a folder"));
  add_choice(*layout, ExportKind::KernelLibrary, tr("Several kernels as one CMake &library"));
  add_choice(*layout, ExportKind::ModelLibrary, tr("Library of the whole &model"));
  connect(kinds_, &QButtonGroup::idClicked, this, [this] {
    user_chose_ = true;
    kind_changed();
  });
  return choices;
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

  path_ = new QLineEdit;
  path_->setAccessibleName(tr("Where to write"));
  path_->setClearButtonEnabled(true);
  completions_ = new QStringListModel(this);
  path_->setCompleter(new QCompleter(completions_, path_));
  auto* choose_button = new QPushButton(tr("C&hoose\u2026"));
  choose_button->setAutoDefault(false);
  choose_button->setAccessibleName(tr("Choose where to write"));
  auto* row = new QHBoxLayout;
  row->setSpacing(style::grid_pixels);
  auto* path_label = new QLabel(tr("&Where"));
  path_label->setBuddy(path_);
  row->addWidget(path_label);
  row->addWidget(path_, 1);
  row->addWidget(choose_button);
  form->addRow(row);
  destination_text_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  destination_text_->setWordWrap(true);
  form->addRow(destination_text_);

  look_timer_ = new QTimer(this);
  look_timer_->setSingleShot(true);
  look_timer_->setInterval(100);
  connect(look_timer_, &QTimer::timeout, this, &ExportDialog::look);
  connect(path_, &QLineEdit::textChanged, this, &ExportDialog::inputs_changed);
  connect(library_name_, &QLineEdit::textChanged, this, [this] {
    suggest_path();
    inputs_changed();
  });
  connect(choose_button, &QPushButton::clicked, this, &ExportDialog::browse);
  return place;
}

QWidget* ExportDialog::make_result() {
  result_ = new QWidget;
  auto* layout = new QVBoxLayout(result_);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(style::grid_pixels);
  result_text_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::accent);
  result_text_->setWordWrap(true);
  result_text_->setAccessibleName(tr("Result of the export"));
  auto* open = new QPushButton(tr("&Open folder"));
  open->setAutoDefault(false);
  auto* head = new QHBoxLayout;
  head->addWidget(result_text_, 1);
  head->addWidget(open);
  layout->addLayout(head);
  layout->addWidget(make_warnings());
  for (CommandRow& row : commands_) {
    row = make_command_row();
    layout->addWidget(row.widget);
  }
  connect(open, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_)); });
  result_->hide();
  return result_;
}

ExportDialog::CommandRow ExportDialog::make_command_row() {
  CommandRow made{new QWidget, new QLabel, new QLineEdit, new QToolButton};
  auto* row = new QHBoxLayout(made.widget);
  row->setContentsMargins(0, 0, 0, 0);
  made.title->setMinimumWidth(fontMetrics().horizontalAdvance(tr("Measure its latency")) +
                              style::grid_pixels);
  made.text->setReadOnly(true);
  made.text->setFont(style::fixed_font_of(style::TextSize::Small));
  made.copy->setIcon(style::icon(QStringLiteral("copy")));
  made.copy->setToolTip(tr("Copy"));
  row->addWidget(made.title);
  row->addWidget(made.text, 1);
  row->addWidget(made.copy);
  connect(made.copy, &QToolButton::clicked, this,
          [field = made.text] { QApplication::clipboard()->setText(field->text()); });
  return made;
}

/** Makes the list of warnings about the exported results, which scrolls: a network can have many. */
QWidget* ExportDialog::make_warnings() {
  constexpr int max_lines = 6;
  warnings_text_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::warning);
  warnings_text_->setAccessibleName(tr("Warnings of the export"));
  warnings_text_->setTextFormat(Qt::PlainText);
  warnings_text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  warnings_text_->setWordWrap(true);
  warnings_text_->setAlignment(Qt::AlignTop);
  warnings_ = new QScrollArea;
  warnings_->setWidget(warnings_text_);
  warnings_->setWidgetResizable(true);
  warnings_->setFrameShape(QFrame::NoFrame);
  warnings_->setMaximumHeight(max_lines * fontMetrics().lineSpacing());
  warnings_->setAccessibleName(tr("Warnings of the export"));
  return warnings_;
}

void ExportDialog::show_command(std::size_t place, const ExportCommand& command) {
  const CommandRow& row = commands_[place];
  row.title->setText(command.title);
  row.text->setText(command.text);
  row.text->setCursorPosition(0);
  row.text->setAccessibleName(command.title);
  row.copy->setAccessibleName(tr("Copy the command: %1").arg(command.title));
  row.widget->setVisible(!command.text.isEmpty());
}

}  // namespace kernelscape::views

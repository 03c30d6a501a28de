#include "ui/views/export/export_result.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {

ExportResult::ExportResult(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(style::grid_pixels);
  text_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::accent);
  text_->setWordWrap(true);
  text_->setAccessibleName(tr("Result of the export"));
  auto* open = new QPushButton(tr("&Open folder"));
  open->setAutoDefault(false);
  auto* head = new QHBoxLayout;
  head->addWidget(text_, 1);
  head->addWidget(open);
  layout->addLayout(head);
  layout->addWidget(make_warnings());
  for (CommandRow& row : commands_) {
    row = make_command_row();
    layout->addWidget(row.widget);
  }
  connect(open, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_)); });
  hide();
}

/** Makes the list of warnings about the exported results, which scrolls: a network can have many. */
QWidget* ExportResult::make_warnings() {
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

ExportResult::CommandRow ExportResult::make_command_row() {
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

void ExportResult::show_command(const CommandRow& row, const ExportCommand& command) {
  row.title->setText(command.title);
  row.text->setText(command.text);
  row.text->setCursorPosition(0);
  row.text->setAccessibleName(command.title);
  row.copy->setAccessibleName(tr("Copy the command: %1").arg(command.title));
  row.widget->setVisible(!command.text.isEmpty());
}

void ExportResult::show_outcome(const ExportOutcome& outcome) {
  folder_ = outcome.folder;
  text_->setText(outcome.summary.isEmpty() ? tr("Wrote %1").arg(outcome.path)
                                           : tr("Wrote %1: %2").arg(outcome.path, outcome.summary));
  QStringList warnings = outcome.notices;
  warnings.removeDuplicates();  // the layers of a network were often measured on the same loaded machine
  warnings_text_->setText(warnings.join(QLatin1Char('\n')));
  warnings_->setVisible(!warnings.isEmpty());
  for (std::size_t i = 0; i < commands_.size(); ++i)
    show_command(commands_[i], i < outcome.commands.size() ? outcome.commands[i] : ExportCommand());
  show();
}

}  // namespace kernelscape::views

#include "ui/views/export/destination_fields.h"

#include <QCompleter>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QStringListModel>

#include "ui/files/dialog.h"
#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int look_delay_milliseconds = 100;

QString default_folder() {
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return (documents.isEmpty() ? QDir::homePath() : documents) + QStringLiteral("/kernelscape");
}

}  // namespace

DestinationFields::DestinationFields(QFormLayout& rows, QWidget& window) : QObject(&window), window_(window) {
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
  rows.addRow(row);
  text_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  text_->setWordWrap(true);
  rows.addRow(text_);
  timer_.setSingleShot(true);
  timer_.setInterval(look_delay_milliseconds);
  connect(&timer_, &QTimer::timeout, this, &DestinationFields::look);
  connect(path_, &QLineEdit::textChanged, this, &DestinationFields::edited);
  connect(choose_button, &QPushButton::clicked, this, &DestinationFields::browse);
}

void DestinationFields::set_path(const QString& path) { path_->setText(path); }

QString DestinationFields::path() const { return path_->text(); }

void DestinationFields::suggest(const QString& name) {
  const QString typed = path_->text();
  if (!typed.isEmpty() && typed.section(QLatin1Char('/'), -1) != suggested_name_) return;
  suggested_name_ = name;
  const QString folder = typed.isEmpty() ? default_folder() : typed.section(QLatin1Char('/'), 0, -2);
  path_->setText(folder + QLatin1Char('/') + suggested_name_);
}

void DestinationFields::look_soon() {
  destination_.usable = false;
  timer_.start();
}

void DestinationFields::look() {
  job_.start([kind = kind_,
              path = path_->text()](const workspace::JobControl&) { return look_at_destination(kind, path); },
             [this](Destination destination) { show_destination(std::move(destination)); });
}

void DestinationFields::show_destination(Destination destination) {
  destination_ = std::move(destination);
  text_->setText(destination_.text);
  text_->set_colour(destination_.usable && !destination_.occupied ? &style::Colours::muted_text
                                                                  : &style::Colours::warning);
  if (completions_->stringList() != destination_.completions)
    completions_->setStringList(destination_.completions);
  emit looked();
}

void DestinationFields::browse() {
  const bool folder = writes_folder(kind_);
  QFileDialog* dialog =
      files::make_file_dialog(&window_, folder ? tr("Folder to write") : tr("File to write"), path_->text());
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::AnyFile);
  // The text below the path describes what exists there.
  dialog->setOption(QFileDialog::DontConfirmOverwrite);
  connect(dialog, &QFileDialog::fileSelected, this, &DestinationFields::set_path);
  dialog->open();
}

}  // namespace kernelscape::views

#include "ui/frame/preferences/preferences_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <cmath>

#include "core/store/store.h"
#include "ui/files/dialog.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::frame {
namespace {

constexpr int max_threads = 1024;
constexpr int percent = 100;
constexpr int narrowest = 560;
constexpr int widest_path = 640;  ///< a longer path is scrolled in its field

}  // namespace

PreferencesDialog::PreferencesDialog(PreferencesFile& preferences, QWidget* parent)
    : QDialog(parent),
      preferences_(preferences),
      theme_(new QComboBox(this)),
      text_scale_(new QSpinBox(this)),
      notifications_(new QCheckBox(tr("Desktop notification when a run ends"), this)),
      compiler_(new QLineEdit(this)),
      threads_(new QSpinBox(this)),
      database_(new QLineEdit(this)) {
  setWindowTitle(tr("Preferences"));
  setMinimumWidth(narrowest);
  auto* form = new QFormLayout(this);
  form->setContentsMargins(16, 16, 16, 16);
  form->setVerticalSpacing(8);
  add_appearance(*form);
  add_runs(*form);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  form->addRow(buttons);
  connect(&preferences_, &PreferencesFile::changed, this, &PreferencesDialog::show_values);
  show_values();
}

bool PreferencesDialog::event(QEvent* event) {
  const bool handled = QDialog::event(event);
  const bool resized = event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show;
  if (resized && isVisible()) fit_to_content();
  return handled;
}

/** Makes the paths readable, and the dialog high enough for the notes, whose lines depend on the width. */
void PreferencesDialog::fit_to_content() {
  const int frame = 4 * fontMetrics().averageCharWidth();
  for (QLineEdit* path : {compiler_, database_}) {
    const QString& shown = path->text().isEmpty() ? path->placeholderText() : path->text();
    path->setMinimumWidth(std::min(fontMetrics().horizontalAdvance(shown) + frame, widest_path));
  }
  const int fitting = std::max({narrowest, width(), layout()->totalMinimumSize().width()});
  const int needed = layout()->totalHeightForWidth(fitting);
  setMinimumSize(std::max(narrowest, layout()->totalMinimumSize().width()), needed);
  if (width() < fitting || height() < needed) resize(fitting, std::max(height(), needed));
}

template <typename Change>
void PreferencesDialog::change(Change change) {
  preferences_.change(std::move(change));
}

void PreferencesDialog::add_note(QFormLayout& form, const QString& text) {
  auto* note = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::muted_text, this);
  note->setText(text);
  form.addRow(QString(), note);
}

void PreferencesDialog::add_appearance(QFormLayout& form) {
  theme_->addItem(tr("System"), static_cast<int>(style::ThemeChoice::System));
  theme_->addItem(tr("Light"), static_cast<int>(style::ThemeChoice::Light));
  theme_->addItem(tr("Dark"), static_cast<int>(style::ThemeChoice::Dark));
  theme_->setAccessibleName(tr("Theme"));
  text_scale_->setRange(50, 300);
  text_scale_->setSingleStep(10);
  text_scale_->setSuffix(tr(" %"));
  text_scale_->setAccessibleName(tr("Text size"));
  form.addRow(tr("Theme:"), theme_);
  form.addRow(tr("Text size:"), text_scale_);
  form.addRow(QString(), notifications_);
  connect(theme_, &QComboBox::activated, this, [this] {
    change(
        [this](Preferences& p) { p.theme = static_cast<style::ThemeChoice>(theme_->currentData().toInt()); });
  });
  connect(text_scale_, &QSpinBox::valueChanged, this, [this](int value) {
    change([value](Preferences& p) { p.text_scale = static_cast<double>(value) / percent; });
  });
  connect(notifications_, &QCheckBox::toggled, this,
          [this](bool on) { change([on](Preferences& p) { p.notifications = on; }); });
}

void PreferencesDialog::add_runs(QFormLayout& form) {
  compiler_->setPlaceholderText(tr("cc"));
  compiler_->setAccessibleName(tr("Compiler"));
  threads_->setRange(0, max_threads);
  threads_->setSpecialValueText(tr("all cores"));
  threads_->setAccessibleName(tr("Threads of a kernel"));
  database_->setPlaceholderText(QString::fromStdString(store::Store::default_path().string()));
  database_->setAccessibleName(tr("Database"));
  auto* browse = new QPushButton(tr("Browse..."), this);
  browse->setAccessibleName(tr("Browse for a database"));
  auto* database_row = new QHBoxLayout;
  database_row->addWidget(database_, 1);
  database_row->addWidget(browse);
  form.addRow(tr("Compiler:"), compiler_);
  add_note(form, tr("Builds the kernels; applies from the next start. Empty: $CC, else cc."));
  form.addRow(tr("Threads of a kernel:"), threads_);
  form.addRow(tr("Database:"), database_row);
  add_note(form, tr("Opened at the next start, unless --db names another database. File > Open database "
                    "opens a database now."));
  connect(compiler_, &QLineEdit::editingFinished, this,
          [this] { change([this](Preferences& p) { p.compiler = compiler_->text().trimmed(); }); });
  connect(threads_, &QSpinBox::valueChanged, this,
          [this](int value) { change([value](Preferences& p) { p.threads = value; }); });
  connect(database_, &QLineEdit::editingFinished, this,
          [this] { change([this](Preferences& p) { p.database = database_->text().trimmed(); }); });
  connect(browse, &QPushButton::clicked, this, [this] {
    QFileDialog* dialog = files::make_file_dialog(this, tr("Database"), database_->text(),
                                                  tr("Databases (*.db);;All files (*)"));
    dialog->setFileMode(QFileDialog::AnyFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { change([&](Preferences& p) { p.database = path; }); });
    dialog->open();
  });
}

void PreferencesDialog::show_values() {
  const Preferences& values = preferences_.get();
  theme_->setCurrentIndex(theme_->findData(static_cast<int>(values.theme)));
  text_scale_->setValue(static_cast<int>(std::lround(values.text_scale * percent)));
  notifications_->setChecked(values.notifications);
  compiler_->setText(values.compiler);
  threads_->setValue(values.threads);
  database_->setText(values.database);
}

}  // namespace kernelscape::frame

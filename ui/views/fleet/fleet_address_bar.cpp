#include "ui/views/fleet/fleet_address_bar.h"

#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "core/fleet/secret.h"
#include "ui/files/dialog.h"
#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"

namespace kernelscape::views {
namespace {

constexpr int address_characters = 30;
constexpr int file_characters = 22;

QLineEdit* make_line(QWidget* parent, const QString& name, const QString& hint, int characters) {
  auto* line = new QLineEdit(parent);
  line->setAccessibleName(name);
  line->setPlaceholderText(hint);
  line->setClearButtonEnabled(true);
  line->setMinimumWidth(characters * line->fontMetrics().averageCharWidth());
  return line;
}

}  // namespace

FleetAddressBar::FleetAddressBar(const QList<QAction*>& actions, QWidget* parent) : QWidget(parent) {
  auto* line = new widgets::FlowLayout(style::grid_pixels);
  line->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels,
                           style::grid_pixels / 2);
  setLayout(line);
  address_ = make_line(this, tr("Address of the fleet's Redis"), QStringLiteral("redis://host:6379/0"),
                       address_characters);
  password_file_ =
      make_line(this, tr("File that holds Redis's password"),
                QStringLiteral("$%1").arg(QLatin1String(fleet::password_variable)), file_characters);
  password_file_->setToolTip(
      tr("The first line of the file is the password, and no other user may be allowed to read the file. "
         "Without a file the password comes from $%1, or from the file that $%2 names. The password itself "
         "is never stored.")
          .arg(QLatin1String(fleet::password_variable), QLatin1String(fleet::password_file_variable)));
  auto* choose = new QPushButton(tr("Choose…"), this);
  choose->setAccessibleName(tr("Choose the file that holds Redis's password"));
  auto* connect_button = new QPushButton(tr("Connect"), this);
  connect_button->setAccessibleName(tr("Connect to this fleet"));
  const auto add_label = [&](const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text, this);
    label->setBuddy(buddy);
    line->addWidget(label);
    line->addWidget(buddy);
  };
  add_label(tr("Redis"), address_);
  add_label(tr("Password file"), password_file_);
  line->addWidget(choose);
  line->addWidget(connect_button);
  for (QAction* action : actions) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setAccessibleName(action->text());
    line->addWidget(button);
  }
  connect(address_, &QLineEdit::returnPressed, this, &FleetAddressBar::connect_requested);
  connect(password_file_, &QLineEdit::returnPressed, this, &FleetAddressBar::connect_requested);
  connect(choose, &QPushButton::clicked, this, &FleetAddressBar::choose_password_file);
  connect(connect_button, &QPushButton::clicked, this, &FleetAddressBar::connect_requested);
}

void FleetAddressBar::set_place(const workspace::FleetPlace& place) {
  address_->setText(QString::fromStdString(place.address));
  password_file_->setText(QString::fromStdString(place.password_file));
}

workspace::FleetPlace FleetAddressBar::place() const {
  return {.address = address_->text().trimmed().toStdString(),
          .password_file = password_file_->text().trimmed().toStdString()};
}

void FleetAddressBar::focus_address() {
  address_->setFocus(Qt::ShortcutFocusReason);
  address_->selectAll();
}

void FleetAddressBar::choose_password_file() {
  QFileDialog* dialog =
      files::make_file_dialog(this, tr("The file that holds Redis's password"), password_file_->text());
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    password_file_->setText(path);
    emit connect_requested();
  });
  dialog->open();
}

}  // namespace kernelscape::views

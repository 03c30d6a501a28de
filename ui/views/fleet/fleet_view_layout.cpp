#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/fleet/secret.h"
#include "ui/style/theme.h"
#include "ui/views/fleet/fleet_tables.h"
#include "ui/views/fleet/fleet_view.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"

// Builds the widgets of the fleet view and connects their signals.

namespace kernelscape::views {
namespace {

constexpr int fleet_layout_version = 1;
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

FleetView::FleetView(ViewContext context)
    : View(context, QStringLiteral("Fleet"), QStringLiteral("fleet"), fleet_layout_version) {
  auto* center = new QWidget(this);
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  make_actions();
  make_address_row(*column);
  make_body(*column);
  set_content(center);
  remember_default_layout();
  connect_watch();
  show_fleet();
}

void FleetView::make_address_row(QVBoxLayout& column) {
  auto* row = new QWidget(this);
  auto* line = new widgets::FlowLayout(style::grid_pixels);
  line->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels,
                           style::grid_pixels / 2);
  row->setLayout(line);
  address_ = make_line(row, tr("Address of the fleet's Redis"), QStringLiteral("redis://host:6379/0"),
                       address_characters);
  password_file_ =
      make_line(row, tr("File that holds Redis's password"),
                QStringLiteral("$%1").arg(QLatin1String(fleet::password_variable)), file_characters);
  password_file_->setToolTip(
      tr("The first line of the file is the password, and no other user may be allowed to read the file. "
         "Without a file the password comes from $%1, or from the file that $%2 names. The password itself "
         "is never stored.")
          .arg(QLatin1String(fleet::password_variable), QLatin1String(fleet::password_file_variable)));
  auto* choose = new QPushButton(tr("Choose…"), row);
  choose->setAccessibleName(tr("Choose the file that holds Redis's password"));
  connect_button_ = new QPushButton(tr("Connect"), row);
  connect_button_->setAccessibleName(tr("Connect to this fleet"));
  const auto add_label = [&](const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text, row);
    label->setBuddy(buddy);
    line->addWidget(label);
    line->addWidget(buddy);
  };
  add_label(tr("Redis"), address_);
  add_label(tr("Password file"), password_file_);
  line->addWidget(choose);
  line->addWidget(connect_button_);
  for (QAction* action : {tune_action_, drain_action_, copy_action_}) {
    auto* button = new QToolButton(row);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setAccessibleName(action->text());
    line->addWidget(button);
  }
  column.addWidget(row);
  connect(address_, &QLineEdit::returnPressed, this, &FleetView::look);
  connect(password_file_, &QLineEdit::returnPressed, this, &FleetView::look);
  connect(choose, &QPushButton::clicked, this, &FleetView::choose_password_file);
  connect(connect_button_, &QPushButton::clicked, this, &FleetView::look);
}

void FleetView::make_body(QVBoxLayout& column) {
  problem_ = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::warning, this);
  problem_->setAccessibleName(tr("Why the fleet can't be read"));
  problem_->setContentsMargins(style::grid_pixels, 0, style::grid_pixels, style::grid_pixels / 2);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  headline_ = new HeadlineBar(this);
  tables_ = new FleetTables(this);
  tables_->set_actions({tune_action_, drain_action_, copy_action_});
  empty_ = new widgets::EmptyState(this);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(tables_);
  stack_->addWidget(empty_);
  column.addWidget(problem_);
  column.addWidget(headline_);
  column.addWidget(stack_, 1);
}

void FleetView::make_actions() {
  actions().add(
      {.id = QStringLiteral("fleet.look"),
       .text = tr("Show a fleet"),
       .menu = QStringLiteral("Tools"),
       .shortcut = QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F),
       .icon = QStringLiteral("fleet"),
       .help = tr(
           "Shows the machines that measure for this one, or asks for the address of their Redis server.")},
      [this] {
        emit view_requested(name());
        look();
      });
  const auto add = [this](const char* id, const QString& text, const QString& short_text,
                          const char* icon_name, const QString& help, std::function<void()> triggered) {
    QAction* action = actions().add({.id = QLatin1String(id),
                                     .text = text,
                                     .menu = QStringLiteral("Tools"),
                                     .icon = QLatin1String(icon_name),
                                     .help = help,
                                     .scope = this},
                                    std::move(triggered));
    action->setStatusTip(help);
    action->setIconText(short_text);
    return action;
  };
  tune_action_ =
      add("fleet.tune", tr("Tune on this class of the fleet"), tr("Tune here"), "tune",
          tr("Fills the form of Tune with the selected class as the target"), [this] { tune_on_class(); });
  drain_action_ =
      add("fleet.drain", tr("Drain workers of the fleet…"), tr("Drain…"), "stop",
          tr("Lets the selected workers finish their tasks and leave"), [this] { ask_to_drain(); });
  copy_action_ = add("fleet.copy_join", tr("Copy the command that joins the fleet"), tr("Copy join command"),
                     "copy", tr("Copies the command that makes a machine a worker of this fleet"),
                     [this] { copy_join_command(); });
}

void FleetView::connect_watch() {
  workspace::FleetWatch& watch = workspace().fleet_watch();
  connect(&watch, &workspace::FleetWatch::changed, this, &FleetView::show_fleet);
  connect(&watch, &workspace::FleetWatch::failed, this, &FleetView::show_failure);
  connect(&watch, &workspace::FleetWatch::drained, this, [this](const QString& worker) {
    emit notified(tr("%1 finishes its tasks, then leaves.").arg(worker));
  });
  connect(&watch, &workspace::FleetWatch::drain_failed, this,
          [this](const Error& error) { workspace().notices().fail(error); });
  connect(tables_, &FleetTables::selection_changed, this, &FleetView::show_actions);
  connect(tables_, &FleetTables::class_opened, this, &FleetView::tune_on_class);
  connect(empty_, &widgets::EmptyState::action_triggered, this, &FleetView::act_on_empty);
}

}  // namespace kernelscape::views

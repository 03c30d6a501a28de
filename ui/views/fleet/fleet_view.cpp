#include "ui/views/fleet/fleet_view.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/fleet/redis_address.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/fleet/fleet_address_bar.h"
#include "ui/views/fleet/fleet_tables.h"
#include "ui/views/fleet/fleet_text.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int layout_version = 1;
constexpr double seconds_of_now = 5;

QString age_text(double seconds) {
  return seconds < seconds_of_now ? FleetView::tr("as of now")
                                  : FleetView::tr("%1 old").arg(style::format_duration(seconds));
}

QString names_of(const std::vector<fleet::WorkerState>& workers) {
  QStringList names;
  for (const fleet::WorkerState& worker : workers) names.append(QString::fromStdString(worker.identity.id));
  return names.join(QStringLiteral(", "));
}

}  // namespace

FleetView::FleetView(ViewContext context)
    : View(context, QStringLiteral("Fleet"), QStringLiteral("fleet"), layout_version) {
  auto* center = new QWidget(this);
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  make_actions();
  address_bar_ = new FleetAddressBar({tune_action_, drain_action_, copy_action_}, this);
  column->addWidget(address_bar_);
  make_body(*column);
  set_content(center);
  remember_default_layout();
  connect_watch();
  show_fleet();
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
  connect(address_bar_, &FleetAddressBar::connect_requested, this, &FleetView::look);
  connect(tables_, &FleetTables::selection_changed, this, &FleetView::show_actions);
  connect(tables_, &FleetTables::class_opened, this, &FleetView::tune_on_class);
  connect(empty_, &widgets::EmptyState::action_triggered, this, &FleetView::act_on_empty);
}

void FleetView::offer(const workspace::FleetPlace& place) {
  address_bar_->set_place(place);
  if (!place.address.empty()) workspace().fleet_watch().watch(place);
}

workspace::FleetPlace FleetView::offered() const {
  workspace::FleetPlace place = address_bar_->place();
  // An invalid address may contain a password.
  if (!fleet::parse_redis_address(place.address)) place.address.clear();
  return place;
}

QString FleetView::problem() const { return problem_->isHidden() ? QString() : problem_->text(); }

void FleetView::focus_filter() { address_bar_->focus_address(); }

void FleetView::look() {
  const workspace::FleetPlace place = address_bar_->place();
  show_problem({});
  if (place.address.empty()) {
    workspace().fleet_watch().watch(std::nullopt);
    return focus_filter();
  }
  workspace().fleet_watch().watch(place);
}

void FleetView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  workspace().fleet_watch().set_active(true);
}

void FleetView::hideEvent(QHideEvent* event) {
  workspace().fleet_watch().set_active(false);
  View::hideEvent(event);
}

void FleetView::show_fleet() {
  const workspace::FleetWatch& watch = workspace().fleet_watch();
  show_problem({});
  headline_->setVisible(watch.state() != nullptr);
  show_actions();
  if (!watch.place())
    return show_empty(
        tr("No fleet yet"),
        tr("A fleet consists of other machines that measure for this one; a Redis server carries their "
           "tasks. Set a password in Redis, start kernelscape-worker --join with the address of Redis on "
           "each machine, and enter the address above. core/fleet/README.md describes every step."),
        tr("How to set up a fleet"));
  const workspace::FleetStatePointer& state = watch.state();
  if (!state)
    return show_empty(tr("Asking %1 …").arg(QString::fromStdString(watch.place()->address)), {}, {});
  if (state != shown_) read_.start();
  shown_ = state;
  headline_->show_text(fleet_headline(*state, age_text(age())));
  tables_->set_state(*state);
  if (state->workers.empty() && state->dead.empty())
    return show_empty(
        tr("No worker has joined"),
        tr("Run this command on each machine that should measure:\n%1").arg(join_command(*watch.place())),
        tr("Copy the command"));
  stack_->setCurrentWidget(tables_);
}

double FleetView::age() const { return static_cast<double>(read_.elapsed()) / 1000; }

/** Shows an error. The last known state stays visible, with its age. */
void FleetView::show_failure(const Error& error) {
  const workspace::FleetStatePointer& state = workspace().fleet_watch().state();
  const QString reason = QString::fromStdString(describe(error));
  if (!state) return show_empty(tr("The fleet can't be read"), reason, tr("Try again"));
  headline_->show_text(fleet_headline(*state, age_text(age())));
  show_problem(tr("The fleet can't be read: %1. The state below is %2 old; reading is retried.")
                   .arg(reason, style::format_duration(age())));
}

void FleetView::show_problem(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

void FleetView::show_empty(const QString& headline, const QString& text, const QString& action) {
  empty_->set_text(headline, text, action);
  stack_->setCurrentWidget(empty_);
}

void FleetView::act_on_empty() {
  const workspace::FleetWatch& watch = workspace().fleet_watch();
  if (!watch.place()) return emit manual_requested(QStringLiteral("core/fleet/README.md"));
  if (watch.state()) return copy_join_command();
  look();
}

QString FleetView::drain_obstacle() const {
  const std::vector<fleet::WorkerState> workers = tables_->selected_workers();
  if (workers.empty()) return tr("No worker is selected.");
  return std::ranges::any_of(workers, &fleet::WorkerState::serves) ? QString()
                                                                   : tr("It no longer takes tasks.");
}

QString FleetView::tune_obstacle() {
  const workspace::FleetStatePointer& state = workspace().fleet_watch().state();
  const std::optional<std::string> chosen = tables_->selected_class();
  if (!state || !chosen) return tr("No class of devices is selected.");
  return serving_workers(*state, *chosen) > 0 ? QString() : tr("No worker of this class serves.");
}

void FleetView::show_actions() {
  const auto allow = [](QAction* action, const QString& obstacle) {
    action->setEnabled(obstacle.isEmpty());
    action->setToolTip(obstacle.isEmpty() ? action->statusTip() : obstacle);
  };
  allow(drain_action_, drain_obstacle());
  allow(tune_action_, tune_obstacle());
  allow(copy_action_, workspace().fleet_watch().state() ? QString() : tr("No fleet is known yet."));
}

void FleetView::ask_to_drain() {
  std::vector<fleet::WorkerState> workers = tables_->selected_workers();
  std::erase_if(workers, [](const fleet::WorkerState& worker) { return !worker.serves(); });
  if (workers.empty()) return emit notified(drain_obstacle());
  auto* question = new QMessageBox(this);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->setIcon(QMessageBox::Question);
  question->setWindowTitle(tr("Drain workers"));
  question->setTextFormat(Qt::PlainText);
  question->setText(workers.size() == 1 ? tr("Let %1 leave the fleet?").arg(names_of(workers))
                                        : tr("Let %1 workers leave the fleet?").arg(workers.size()));
  question->setInformativeText(
      tr("Tasks in flight are finished first. To use a worker again, start it on its machine."));
  const QPushButton* drain = question->addButton(tr("Drain"), QMessageBox::AcceptRole);
  question->addButton(QMessageBox::Cancel);
  connect(question, &QMessageBox::buttonClicked, this, [this, drain, workers](const QAbstractButton* button) {
    if (button != drain) return;
    for (const fleet::WorkerState& worker : workers) workspace().fleet_watch().drain(worker.identity.id);
  });
  question->open();
}

void FleetView::copy_join_command() {
  const workspace::FleetWatch& watch = workspace().fleet_watch();
  if (!watch.state()) return emit notified(copy_action_->toolTip());
  QGuiApplication::clipboard()->setText(join_command(*watch.place()));
  emit notified(tr("The command was copied: run it on the machine that should join."));
}

void FleetView::tune_on_class() {
  if (const QString obstacle = tune_obstacle(); !obstacle.isEmpty()) return emit notified(obstacle);
  emit target_requested(fleet_target(*workspace().fleet_watch().state(), *tables_->selected_class()));
}

}  // namespace kernelscape::views

#include "ui/views/fleet/fleet_view.h"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <algorithm>

#include "core/fleet/redis_address.h"
#include "ui/files/dialog.h"
#include "ui/style/numbers.h"
#include "ui/views/fleet/fleet_tables.h"
#include "ui/views/fleet/fleet_text.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

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

void FleetView::offer(const workspace::FleetPlace& place) {
  address_->setText(QString::fromStdString(place.address));
  password_file_->setText(QString::fromStdString(place.password_file));
  if (!place.address.empty()) workspace().fleet_watch().watch(place);
}

workspace::FleetPlace FleetView::offered() const {
  workspace::FleetPlace place = named_place();
  // An invalid address may contain a password.
  if (!fleet::parse_redis_address(place.address)) place.address.clear();
  return place;
}

workspace::FleetPlace FleetView::named_place() const {
  return {.address = address_->text().trimmed().toStdString(),
          .password_file = password_file_->text().trimmed().toStdString()};
}

QString FleetView::problem() const { return problem_->isHidden() ? QString() : problem_->text(); }

void FleetView::focus_filter() {
  address_->setFocus(Qt::ShortcutFocusReason);
  address_->selectAll();
}

void FleetView::look() {
  const workspace::FleetPlace place = named_place();
  show_problem({});
  if (place.address.empty()) {
    workspace().fleet_watch().watch(std::nullopt);
    return focus_filter();
  }
  workspace().fleet_watch().watch(place);
}

void FleetView::choose_password_file() {
  QFileDialog* dialog =
      files::make_file_dialog(this, tr("The file that holds Redis's password"), password_file_->text());
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    password_file_->setText(path);
    look();
  });
  dialog->open();
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

#include "ui/views/network/network_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QGuiApplication>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <algorithm>
#include <random>

#include "ui/figures/headline.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/network/network_charts.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_tables.h"
#include "ui/views/network/operators_page.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/database_option.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {

QString NetworkView::provenance() const {
  if (!snapshot_) return {};
  const study::NetworkProgress& progress = *snapshot_->progress;
  QStringList parts{QString::fromStdString(progress.definition.network),
                    QString::fromStdString(progress.target_device), tr("study %1").arg(progress.study),
                    QString::fromStdString(progress.created_utc).section(QLatin1Char('T'), 0, 0)};
  parts.removeAll(QString());
  return QStringLiteral("%1 · Kernelscape").arg(parts.join(QStringLiteral(", ")));
}

void NetworkView::focus_filter() { tables_->focus_search(); }

void NetworkView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  workspace().network_watch().set_active(true);
}

void NetworkView::hideEvent(QHideEvent* event) {
  workspace().network_watch().set_active(false);
  View::hideEvent(event);
}

void NetworkView::open_study(store::StudyId id) {
  chosen_ = true;
  study_ = id;
  snapshot_.reset();
  failure_.clear();
  charts_->set_network(nullptr);
  workspace().network_watch().watch(id);
  show_study();
}

void NetworkView::open_network(const QString& name_or_file) {
  form_->set_network(name_or_file);
  show_preview();
  show_dock(*setup_dock_);
}

void NetworkView::new_network() {
  emit view_requested(name());
  show_preview();
  show_dock(*setup_dock_);
  form_->focus_network();
}

/** Shows the network of the set-up, before it is run. */
void NetworkView::show_preview() {
  chosen_ = true;
  study_.reset();
  snapshot_.reset();
  failure_.clear();
  workspace().network_watch().watch(std::nullopt);
  charts_->set_network(nullptr);
  show_studies(studies_);
  show_set_up();
}

void NetworkView::start() {
  if (study_) show_preview();
  if (const QString problem = form_->problem(); !problem.isEmpty()) return emit notified(problem);
  study::Definition study = *form_->check().study;
  study.seed = form_->setup().seed.value_or(std::random_device()());
  awaited_ = workspace().study_runner().start(std::move(study));
  emit notified(tr("Looking up the layers and storing the study …"));
}

QString NetworkView::run_obstacle() {
  if (!study_) return tr("No study is shown: Start stores the set-up as one.");
  if (workspace().study_runner().has(*study_)) return {};
  const store::StudySummary* study = summary();
  if (study == nullptr) return tr("The study is being read.");
  if (study->owner) return tr("Another process runs it.");
  return network_can_resume(*study) ? QString() : tr("Its budget is used up, and its kernels are confirmed.");
}

void NetworkView::stop_or_resume() {
  if (const QString obstacle = run_obstacle(); !obstacle.isEmpty()) return emit notified(obstacle);
  workspace::StudyRunner& runner = workspace().study_runner();
  if (runner.has(*study_)) {
    runner.stop(*study_);
  } else {
    runner.resume(*study_);
  }
}

void NetworkView::copy_command_line() {
  QGuiApplication::clipboard()->setText(QString::fromStdString(
      network_command_line(form_->setup()) + workspace::database_option(workspace().database())));
  emit notified(tr("The command line was copied."));
}

QString NetworkView::export_obstacle() const {
  if (!study_) return tr("No study is shown: there are no kernels yet.");
  if (!snapshot_) return tr("The study is being read.");
  const study::NetworkOutcome& outcome = snapshot_->progress->outcome;
  return outcome.missing < std::ssize(outcome.layers) ? QString() : tr("No layer has a kernel yet.");
}

void NetworkView::export_current() {
  const QString obstacle = export_obstacle();
  if (!obstacle.isEmpty() && model()) return export_model();
  if (!obstacle.isEmpty()) return emit notified(obstacle);
  open_export_dialog(ExportKind::KernelLibrary);
}

bool NetworkView::report_current() {
  if (!study_ || !snapshot_) {
    emit notified(tr("No study is shown: start one to get a report."));
    return true;
  }
  emit report_requested(*study_);
  return true;
}

void NetworkView::delete_study() {
  const store::StudySummary* study = summary();
  if (study == nullptr || study->owner || workspace().study_runner().has(*study_)) return;
  const store::StudyId id = *study_;
  if (!workspace().write([id](store::Store& store) { return store.studies().trash(id); })) return;
  deleted_.push_back(id);
  undo_bar_->notify(tr("Deleted study %1 with its sessions").arg(id), tr("Undo"));
  workspace().network_watch().refresh();
  show_preview();
}

void NetworkView::undo_delete() {
  if (deleted_.empty()) return;
  const store::StudyId id = deleted_.back();
  if (!workspace().write([id](store::Store& store) { return store.studies().restore(id); })) return;
  deleted_.pop_back();
  undo_bar_->notify(tr("Restored study %1").arg(id), deleted_.empty() ? QString() : tr("Undo"));
  workspace().network_watch().refresh();
  open_study(id);
}

void NetworkView::open_layer(std::optional<store::SessionId> session, const QString& view) {
  if (!session) return emit notified(tr("This layer was not tuned yet: it has no session to open."));
  workspace().open_session(*session);
  emit view_requested(view);
}

void NetworkView::open_layer_of_study(std::size_t layer, const QString& view) {
  if (!snapshot_ || layer >= snapshot_->progress->outcome.layers.size()) return;
  tables_->select(layer);
  open_layer(snapshot_->progress->outcome.layers[layer].session, view);
}

void NetworkView::open_selected(const QString& view) {
  if (const models::NetworkLayerRow* layer = tables_->selected()) open_layer(layer->session(), view);
}

const store::StudySummary* NetworkView::summary() const {
  if (!study_ || !studies_) return nullptr;
  const auto found = std::ranges::find_if(
      *studies_, [this](const store::StudySummary& study) { return study.record.id == *study_; });
  return found == studies_->end() ? nullptr : &*found;
}

NetworkRunState NetworkView::run_state() {
  NetworkRunState state;
  if (!study_) return state;
  const workspace::StudyRunner& runner = workspace().study_runner();
  std::optional<workspace::StudyRunView> active = runner.active();
  if (active && active->id == *study_) {
    state.ours = active;
  } else {
    state.waits = runner.has(*study_);
  }
  const store::StudySummary* study = summary();
  state.elsewhere = !state.ours && !state.waits && study != nullptr && study->owner.has_value();
  return state;
}

/** Shows the list of studies. The chosen study stays chosen, even if its position changed. */
void NetworkView::show_studies(const workspace::StudySummaries& studies) {
  const bool first = studies_ == nullptr;
  studies_ = studies;
  const QSignalBlocker quiet(study_box_);
  study_box_->clear();
  study_box_->addItem(tr("The set-up, not run yet"), qlonglong{-1});
  if (studies_) {
    for (const store::StudySummary& study : *studies_) {
      const QString text =
          QStringLiteral("%1 #%2").arg(QString::fromStdString(study.record.name)).arg(study.record.id);
      study_box_->addItem(text, qlonglong{study.record.id});
      study_box_->setItemData(study_box_->count() - 1, models::created_text(study.record.created_utc),
                              Qt::ToolTipRole);
    }
  }
  const int place = study_ ? study_box_->findData(qlonglong{*study_}) : 0;
  study_box_->setCurrentIndex(place);
  show_state();
  open_latest();
  if (first && !study_) show_set_up();
}

/**
 * Opens the newest study, as long as the user has chosen neither a study nor a network to set up. A name that
 * the form has without the user, such as one of the recent networks, is no choice.
 */
void NetworkView::open_latest() {
  if (studies_ && !studies_->empty() && !chosen_) open_study(studies_->front().record.id);
}

void NetworkView::show_snapshot(const workspace::NetworkSnapshotPointer& snapshot) {
  if (snapshot->progress->study != study_) return;
  const bool first = snapshot_ == nullptr;
  snapshot_ = snapshot;
  failure_.clear();
  tables_->set_layers(models::network_layer_rows(*snapshot), /*tuned=*/true);
  if (first) {
    tables_->set_others(snapshot->progress->others, snapshot->progress->notices);
    show_model();
  }
  const std::vector<study::Task>& tasks = snapshot->progress->definition.tasks;
  const bool on_cpu = !tasks.empty() && tasks.front().target == "cpu";
  tables_->operators().set_layers(on_cpu ? snapshot->progress->outcome.layers
                                         : std::vector<study::NetworkLayerOutcome>());
  charts_->set_network(snapshot->progress);
  show_study();
}

void NetworkView::show_study() {
  {
    const QSignalBlocker quiet(study_box_);
    study_box_->setCurrentIndex(study_box_->findData(qlonglong{study_.value_or(-1)}));
  }
  charts_->setVisible(true);
  show_state();
  if (!failure_.isEmpty()) return show_empty(tr("The study can't be read"), failure_, tr("Try again"));
  if (!snapshot_) return show_empty(tr("Reading …"), {}, {});
  stack_->setCurrentWidget(body_);
}

/** Shows the layers of the set-up's network before anything is measured. */
void NetworkView::show_set_up() {
  if (study_) return;
  show_state();
  const std::shared_ptr<const task::WholeNetwork>& network = form_->network();
  const bool none = form_->setup().network.empty();
  if (none && !chosen_ && !studies_)
    return failure_.isEmpty() ? show_empty(tr("Reading …"), {}, {})
                              : show_empty(tr("The studies can't be read"), failure_, {});
  if (none)
    return show_empty(tr("No network yet"),
                      tr("Choose a network of the catalogue, or open an ONNX model by dropping it on the "
                         "window. Its layers are listed here before anything is measured."),
                      tr("Open a model..."));
  if (network == nullptr)
    return show_empty(form_->looking() ? tr("Reading the network …") : tr("The network can't be read yet"),
                      form_->looking() ? QString() : form_->problem(), {});
  charts_->setVisible(false);
  tables_->set_layers(form_->check().layers, /*tuned=*/false);
  tables_->set_others(network->others, network->notices);
  tables_->operators().set_layers({});
  show_model();
  if (form_->check().layers.empty())
    return show_empty(form_->looking() ? tr("Looking up its layers …") : tr("Nothing can be tuned"),
                      form_->looking() ? QString() : form_->problem(), {});
  stack_->setCurrentWidget(body_);
}

void NetworkView::show_empty(const QString& headline, const QString& text, const QString& action) {
  empty_->set_text(headline, text, action);
  stack_->setCurrentWidget(empty_);
}

void NetworkView::act_on_empty() {
  if (!study_) return form_->choose_file();
  failure_.clear();
  workspace().network_watch().watch(study_);
  show_study();
}

void NetworkView::show_state() {
  const NetworkRunState run = run_state();
  QString turn;
  if (!study_) {
    headline_->show_text(preview_headline(form_->network().get(), form_->check().layers));
  } else if (snapshot_) {
    headline_->show_text(network_headline(*snapshot_->progress, run));
    turn = network_turn_text(*snapshot_->progress, run);
  } else {
    headline_->show_hint(failure_.isEmpty() ? tr("Reading the study …") : tr("The study can't be read"));
  }
  turn_->setText(turn);
  turn_->setToolTip(turn);
  turn_->setVisible(!turn.isEmpty());
  show_actions();
}

void NetworkView::show_actions() {
  const auto allow = [](QAction* action, const QString& obstacle, const QString& help) {
    action->setEnabled(obstacle.isEmpty());
    action->setToolTip(obstacle.isEmpty() ? help : obstacle);
  };
  const NetworkRunState run = run_state();
  const bool ours = run.ours || run.waits;
  run_action_->setText(run.ours && run.ours->stopping ? tr("Stop at once")
                       : ours                         ? tr("Stop the network")
                                                      : tr("Resume the network"));
  run_button_->setText(run.ours && run.ours->stopping ? tr("Stop at once")
                       : ours                         ? tr("Stop")
                                                      : tr("Resume"));
  allow(run_action_, run_obstacle(),
        ours ? tr("Stops after the current measurements; press again to stop at once. All results are kept")
             : tr("Resumes the study with the missing trials"));
  const QString start_obstacle = form_->problem();
  allow(start_action_, start_obstacle, tr("Stores the set-up as a study and runs it"));
  allow(report_action_,
        !study_     ? tr("No study is shown: start one to get a report.")
        : snapshot_ ? QString()
                    : tr("The study is being read."),
        tr("Writes the network's study as one file to send: HTML or PDF"));
  allow(export_action_, export_obstacle(), tr("Writes the kernels of all layers as one CMake library"));
  allow(export_model_action_, model_obstacle(), tr("Writes a library in C that computes the whole model"));
  allow(delete_action_,
        !study_                 ? tr("No study is shown.")
        : ours || run.elsewhere ? tr("The study is running: stop it first.")
        : summary() == nullptr  ? tr("The study is being read.")
                                : QString(),
        tr("Deletes the study with its sessions; it can be undone"));
  allow(undo_action_, deleted_.empty() ? tr("Nothing was deleted here.") : QString(),
        tr("Restores the study that was deleted last"));
  run_button_->setEnabled(run_action_->isEnabled());
  run_button_->setToolTip(run_action_->toolTip());
  show_layer_actions();
}

void NetworkView::show_layer_actions() {
  const models::NetworkLayerRow* layer = tables_->selected();
  const QString obstacle = layer == nullptr    ? tr("No layer is selected.")
                           : !layer->session() ? tr("This layer was not tuned yet.")
                                               : QString();
  for (QAction* action : {tune_action_, explore_action_}) {
    action->setEnabled(obstacle.isEmpty());
    action->setToolTip(obstacle.isEmpty() ? action->statusTip() : obstacle);
  }
}

}  // namespace kernelscape::views

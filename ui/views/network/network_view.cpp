#include "ui/views/network/network_view.h"

#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <random>

#include "ui/views/export/export_dialog.h"
#include "ui/views/network/network_actions.h"
#include "ui/views/network/network_charts.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_study_row.h"
#include "ui/views/network/network_tables.h"
#include "ui/views/network/network_trash.h"
#include "ui/views/network/operators_page.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/workspace/database_option.h"
#include "ui/workspace/network_watch.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int network_layout_version = 1;
constexpr QSize roomy_network_size(900, 560);

}  // namespace

NetworkView::NetworkView(ViewContext context)
    : View(context, QStringLiteral("Network"), QStringLiteral("network"), network_layout_version),
      form_(new NetworkForm(workspace(), this)),
      shown_(workspace(), *form_),
      actions_(new NetworkActions(actions(), *this)),
      study_row_(new NetworkStudyRow(*actions_, this)) {
  auto* center = new QWidget(this);
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(study_row_);
  status_.emplace(*column, this);
  make_body(*column);
  set_content(center);
  setup_dock_ = add_dock(tr("Set-up"), form_, Qt::LeftDockWidgetArea, {288, 600});
  set_roomy_size(roomy_network_size);
  remember_default_layout();
  connect_actions();
  connect_workspace();
  connect_runner();
  connect_parts();
  show_studies(nullptr);
}

void NetworkView::make_body(QVBoxLayout& column) {
  charts_ = new NetworkCharts(workspace(), this);
  tables_ = new NetworkTables(this);
  tables_->set_actions({actions_->tune_layer(), actions_->explore_layer()});
  body_ = new QSplitter(Qt::Vertical, this);
  body_->setChildrenCollapsible(false);
  body_->addWidget(charts_);
  body_->addWidget(tables_);
  body_->setStretchFactor(0, 3);
  body_->setStretchFactor(1, 2);
  empty_ = new widgets::EmptyState(this);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(body_);
  stack_->addWidget(empty_);
  auto* undo_bar = new widgets::ActionBar(tr("Deleted networks"), this);
  trash_ = new NetworkTrash(workspace(), *undo_bar, this);
  column.addWidget(stack_, 1);
  column.addWidget(undo_bar);
}

void NetworkView::connect_actions() {
  connect(actions_, &NetworkActions::open_requested, this, [this] {
    emit view_requested(name());
    form_->choose_file();
  });
  connect(actions_, &NetworkActions::prepare_requested, this, &NetworkView::new_network);
  connect(actions_, &NetworkActions::start_requested, this, [this] {
    emit view_requested(name());
    start();
  });
  connect(actions_, &NetworkActions::run_toggled, this, &NetworkView::stop_or_resume);
  connect(actions_, &NetworkActions::copy_requested, this, &NetworkView::copy_command_line);
  connect(actions_, &NetworkActions::report_requested, this, &NetworkView::report_current);
  connect(actions_, &NetworkActions::export_requested, this, &NetworkView::export_current);
  connect(actions_, &NetworkActions::model_requested, this, &NetworkView::export_model);
  connect(actions_, &NetworkActions::discard_requested, this, &NetworkView::delete_study);
  connect(actions_, &NetworkActions::layer_requested, this, &NetworkView::open_selected);
  connect(actions_, &NetworkActions::restore_requested, trash_, &NetworkTrash::restore);
  connect(trash_, &NetworkTrash::discarded, this, &NetworkView::show_preview);
  connect(trash_, &NetworkTrash::restored, this, &NetworkView::open_study);
  connect(study_row_, &NetworkStudyRow::study_chosen, this, &NetworkView::open_study);
  connect(study_row_, &NetworkStudyRow::set_up_chosen, this, &NetworkView::show_preview);
}

void NetworkView::connect_workspace() {
  connect(&workspace(), &workspace::Workspace::network_requested, this, &NetworkView::open_study);
  workspace::NetworkWatch& watch = workspace().network_watch();
  connect(&watch, &workspace::NetworkWatch::studies_changed, this, &NetworkView::show_studies);
  connect(&watch, &workspace::NetworkWatch::snapshot_changed, this, &NetworkView::show_snapshot);
  connect(&watch, &workspace::NetworkWatch::failed, this, [this](const QString& message) {
    shown_.set_failure(message);
    if (study()) return show_study();
    show_set_up();
  });
}

void NetworkView::connect_runner() {
  workspace::StudyRunner& runner = workspace().study_runner();
  connect(&runner, &workspace::StudyRunner::changed, this, &NetworkView::show_state);
  connect(&runner, &workspace::StudyRunner::ended, this, &NetworkView::show_state);
  connect(&runner, &workspace::StudyRunner::created, this, [this](qint64 request, qint64 created) {
    if (request != awaited_) return;
    open_study(created);
    setup_dock_->hide();  // the results are of interest now, not the set-up
  });
  connect(&runner, &workspace::StudyRunner::refused, this, [this](qint64 request, const QString& message) {
    if (request == awaited_) workspace().notices().warn(tr("The network can't be tuned."), message);
  });
}

void NetworkView::connect_parts() {
  connect(form_, &NetworkForm::start_requested, this, &NetworkView::start);
  connect(form_, &NetworkForm::copy_requested, this, &NetworkView::copy_command_line);
  connect(form_, &NetworkForm::network_chosen, this, &NetworkView::show_preview);
  connect(form_, &NetworkForm::problem_changed, this, &NetworkView::show_actions);
  connect(form_, &NetworkForm::changed, this, [this] {
    if (study()) return show_actions();
    show_set_up();
  });
  connect(charts_, &NetworkCharts::layer_activated, this, [this](qint64 layer) {
    open_layer_of_study(static_cast<std::size_t>(layer), QStringLiteral("Tune"));
  });
  connect(charts_, &NetworkCharts::notified, this, &View::notified);
  connect(empty_, &widgets::EmptyState::action_triggered, this, &NetworkView::act_on_empty);
  connect(tables_, &NetworkTables::selection_changed, this, &NetworkView::show_layer_actions);
  connect(tables_, &NetworkTables::layer_opened, this, [this](const models::NetworkLayerRow& layer) {
    open_layer(layer.session(), QStringLiteral("Tune"));
  });
  const OperatorsPage& operators = tables_->operators();
  connect(&operators, &OperatorsPage::file_chosen, this, &NetworkView::set_model_file);
  connect(&operators, &OperatorsPage::file_changed, this, &NetworkView::read_changed_model);
  connect(&operators, &OperatorsPage::layer_opened, this, &NetworkView::open_layer_of_task);
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
  shown_.choose(id);
  charts_->set_network(nullptr);
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
  shown_.choose(std::nullopt);
  charts_->set_network(nullptr);
  show_studies(shown_.studies());
  show_set_up();
}

void NetworkView::start() {
  if (study()) show_preview();
  if (const QString problem = form_->problem(); !problem.isEmpty()) return emit notified(problem);
  study::Definition study = *form_->check().study;
  study.seed = form_->setup().seed.value_or(std::random_device()());
  awaited_ = workspace().study_runner().start(std::move(study));
  emit notified(tr("Looking up the layers and storing the study …"));
}

void NetworkView::stop_or_resume() {
  if (const QString obstacle = shown_.run_obstacle(); !obstacle.isEmpty()) return emit notified(obstacle);
  workspace::StudyRunner& runner = workspace().study_runner();
  if (runner.has(*study())) {
    runner.stop(*study());
  } else {
    runner.resume(*study());
  }
}

void NetworkView::copy_command_line() {
  QGuiApplication::clipboard()->setText(QString::fromStdString(
      network_command_line(form_->setup()) + workspace::database_option(workspace().database())));
  emit notified(tr("The command line was copied."));
}

void NetworkView::export_current() {
  const QString obstacle = shown_.export_obstacle();
  if (!obstacle.isEmpty() && model()) return export_model();
  if (!obstacle.isEmpty()) return emit notified(obstacle);
  open_export_dialog(ExportKind::KernelLibrary);
}

void NetworkView::export_model() {
  if (const QString obstacle = shown_.model_obstacle(); !obstacle.isEmpty()) return emit notified(obstacle);
  if (model()) return open_export_dialog(ExportKind::ModelLibrary);
  tables_->setCurrentWidget(&tables_->operators());
  tables_->operators().choose_file();
}

void NetworkView::open_export_dialog(ExportKind kind) {
  ExportedNetwork network{.study = study(), .name = {}, .kernels = 0, .model = model()};
  if (study()) {
    const study::NetworkOutcome& outcome = snapshot()->progress->outcome;
    network.name = QString::fromStdString(outcome.network);
    network.kernels = static_cast<std::int64_t>(std::ssize(outcome.layers)) - outcome.missing;
  } else {
    network.name = QString::fromStdString(form_->network()->name);
  }
  auto* dialog = new ExportDialog(workspace(), this);
  dialog->set_network(network);
  dialog->choose(kind);
  dialog->show();
}

bool NetworkView::report_current() {
  if (!shown_.report_obstacle().isEmpty()) {
    emit notified(tr("No study is shown: start one to get a report."));
    return true;
  }
  emit report_requested(*study());
  return true;
}

void NetworkView::delete_study() {
  if (shown_.delete_obstacle().isEmpty()) trash_->discard(*study());
}

void NetworkView::open_layer(std::optional<store::SessionId> session, const QString& view) {
  if (!session) return emit notified(tr("This layer was not tuned yet: it has no session to open."));
  workspace().open_session(*session);
  emit view_requested(view);
}

void NetworkView::open_layer_of_study(std::size_t layer, const QString& view) {
  if (!snapshot() || layer >= snapshot()->progress->outcome.layers.size()) return;
  tables_->select(layer);
  open_layer(snapshot()->progress->outcome.layers[layer].session, view);
}

void NetworkView::open_selected(const QString& view) {
  if (const models::NetworkLayerRow* layer = tables_->selected()) open_layer(layer->session(), view);
}

/** Opens the session of the layer whose kernel an operator of the model uses. */
void NetworkView::open_layer_of_task(const std::string& task) {
  std::optional<store::SessionId> session;
  if (snapshot())
    for (const study::NetworkLayerOutcome& layer : snapshot()->progress->outcome.layers)
      if (layer.text == task) session = layer.session;
  open_layer(session, QStringLiteral("Tune"));
}

/** Shows the list of studies. The chosen study stays chosen, even if its position changed. */
void NetworkView::show_studies(const workspace::StudySummaries& studies) {
  const bool first = shown_.studies() == nullptr;
  shown_.set_studies(studies);
  study_row_->set_studies(studies, study());
  show_state();
  open_latest();
  if (first && !study()) show_set_up();
}

/**
 * Opens the newest study, as long as the user has chosen neither a study nor a network to set up. A name that
 * the form has without the user, such as one of the recent networks, is no choice.
 */
void NetworkView::open_latest() {
  const workspace::StudySummaries& studies = shown_.studies();
  if (studies && !studies->empty() && !chosen_) open_study(studies->front().record.id);
}

void NetworkView::show_snapshot(const workspace::NetworkSnapshotPointer& snapshot) {
  if (snapshot->progress->study != study()) return;
  const bool first = shown_.snapshot() == nullptr;
  shown_.set_snapshot(snapshot);
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
  study_row_->select(study());
  charts_->setVisible(true);
  show_state();
  if (!shown_.failure().isEmpty())
    return show_empty(tr("The study can't be read"), shown_.failure(), tr("Try again"));
  if (!snapshot()) return show_empty(tr("Reading …"), {}, {});
  stack_->setCurrentWidget(body_);
}

/** Shows the layers of the set-up's network before anything is measured. */
void NetworkView::show_set_up() {
  if (study()) return;
  show_state();
  const std::shared_ptr<const task::WholeNetwork>& network = form_->network();
  const bool none = form_->setup().network.empty();
  if (none && !chosen_ && !shown_.studies())
    return shown_.failure().isEmpty() ? show_empty(tr("Reading …"), {}, {})
                                      : show_empty(tr("The studies can't be read"), shown_.failure(), {});
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

void NetworkView::show_model() {
  if (!shown_.is_of_file()) return tables_->hide_model();
  tables_->show_model(model(), shown_.stored_time());
}

/** Takes the file that the user chose for a study without one, as long as the window is open. */
void NetworkView::set_model_file(const QString& path) {
  if (!study() || !snapshot()) return;
  shown_.set_model_file(path.toStdString());
  show_model();
  show_actions();
}

/** Reads the layers of the set-up again; those of a study are stored. */
void NetworkView::read_changed_model() {
  if (!study()) form_->set_network(QString::fromStdString(form_->setup().network));
}

void NetworkView::show_empty(const QString& headline, const QString& text, const QString& action) {
  empty_->set_text(headline, text, action);
  stack_->setCurrentWidget(empty_);
}

void NetworkView::act_on_empty() {
  if (!study()) return form_->choose_file();
  shown_.read_again();
  show_study();
}

void NetworkView::show_state() {
  status_->show(shown_, *form_);
  show_actions();
}

void NetworkView::show_actions() {
  actions_->update(shown_, *form_, *trash_);
  show_layer_actions();
}

void NetworkView::show_layer_actions() { actions_->update_layer(tables_->selected()); }

}  // namespace kernelscape::views

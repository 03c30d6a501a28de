#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/theme.h"
#include "ui/views/network/network_charts.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_tables.h"
#include "ui/views/network/network_view.h"
#include "ui/views/network/operators_page.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/notices.h"

// Builds the widgets of the network view and connects their signals.

namespace kernelscape::views {
namespace {

constexpr int network_layout_version = 1;
constexpr QSize roomy_network_size(900, 560);
constexpr int study_box_characters = 26;

}  // namespace

NetworkView::NetworkView(ViewContext context)
    : View(context, QStringLiteral("Network"), QStringLiteral("network"), network_layout_version) {
  form_ = new NetworkForm(workspace(), this);
  auto* center = new QWidget(this);
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  make_actions();
  make_study_row(*column);
  make_body(*column);
  set_content(center);
  setup_dock_ = add_dock(tr("Set-up"), form_, Qt::LeftDockWidgetArea, {288, 600});
  set_roomy_size(roomy_network_size);
  remember_default_layout();
  connect_workspace();
  connect_parts();
  show_studies(nullptr);
}

void NetworkView::make_study_row(QVBoxLayout& column) {
  study_box_ = new QComboBox(this);
  study_box_->setAccessibleName(tr("Study of a network"));
  study_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  study_box_->setMinimumContentsLength(study_box_characters);
  run_button_ = new QPushButton(this);
  auto* label = new QLabel(tr("Study"), this);
  label->setBuddy(study_box_);
  auto* row = new QWidget(this);
  auto* line = new widgets::FlowLayout(style::grid_pixels);
  line->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, 0);
  row->setLayout(line);
  line->addWidget(label);
  line->addWidget(study_box_);
  line->addWidget(run_button_);
  const auto add_button = [&](QAction* action, const QString& text) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setAccessibleName(action->text());
    action->setIconText(text);
    line->addWidget(button);
  };
  add_button(actions().find(QStringLiteral("network.new")), tr("New"));
  add_button(report_action_, tr("Report…"));
  add_button(export_action_, tr("Export…"));
  add_button(export_model_action_, tr("Export model…"));
  add_button(delete_action_, tr("Delete"));
  column.addWidget(row);
  connect(run_button_, &QPushButton::clicked, this, &NetworkView::stop_or_resume);
  connect(study_box_, &QComboBox::activated, this, [this](int index) {
    const qlonglong id = study_box_->itemData(index).toLongLong();
    if (id < 0) return show_preview();
    open_study(id);
  });
}

void NetworkView::make_body(QVBoxLayout& column) {
  headline_ = new HeadlineBar(this);
  turn_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text, this);
  turn_->setTextFormat(Qt::PlainText);
  turn_->setWordWrap(true);
  turn_->setContentsMargins(style::grid_pixels, 0, style::grid_pixels, style::grid_pixels / 2);
  turn_->setAccessibleName(tr("Layer that is being tuned, and why"));
  turn_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  charts_ = new NetworkCharts(workspace(), this);
  tables_ = new NetworkTables(this);
  tables_->set_actions({tune_action_, explore_action_});
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
  undo_bar_ = new widgets::ActionBar(tr("Deleted networks"), this);
  column.addWidget(headline_);
  column.addWidget(turn_);
  column.addWidget(stack_, 1);
  column.addWidget(undo_bar_);
}

void NetworkView::make_actions() {
  actions().add(
      {.id = QStringLiteral("network.open"),
       .text = tr("Open a network (ONNX)..."),
       .menu = QStringLiteral("File"),
       .shortcut = QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N),
       .icon = QStringLiteral("network"),
       .help = tr("Reads an ONNX model or a saved network: its layers are shown, and can be tuned.")},
      [this] {
        emit view_requested(name());
        form_->choose_file();
      });
  actions().add({.id = QStringLiteral("network.new"),
                 .text = tr("New run of a network"),
                 .menu = QStringLiteral("Run"),
                 .icon = QStringLiteral("network"),
                 .help = tr("Shows the set-up: all layers of a network under one budget")},
                [this] { new_network(); });
  start_action_ = actions().add({.id = QStringLiteral("network.start"),
                                 .text = tr("Start the network"),
                                 .menu = QStringLiteral("Run"),
                                 .shortcut = QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return),
                                 .icon = QStringLiteral("start"),
                                 .help = tr("Stores the set-up as a study and runs it")},
                                [this] {
                                  emit view_requested(name());
                                  start();
                                });
  run_action_ = actions().add(
      {.id = QStringLiteral("network.stop_or_resume"),
       .text = tr("Stop or resume the network"),
       .menu = QStringLiteral("Run"),
       .help = tr("Stops after the current measurements, or at once when pressed again; or resumes")},
      [this] { stop_or_resume(); });
  actions().add({.id = QStringLiteral("network.copy_command"),
                 .text = tr("Copy the network's set-up as a command line"),
                 .menu = QStringLiteral("Run"),
                 .icon = QStringLiteral("copy"),
                 .help = tr("Copies the set-up as an equivalent command")},
                [this] { copy_command_line(); });
  make_study_actions();
}

void NetworkView::make_study_actions() {
  const auto add = [this](const char* id, const QString& text, const char* icon_name, const QString& help,
                          std::function<void()> triggered) {
    QAction* action = actions().add({.id = QLatin1String(id),
                                     .text = text,
                                     .menu = QStringLiteral("File"),
                                     .icon = QLatin1String(icon_name),
                                     .help = help,
                                     .scope = this},
                                    std::move(triggered));
    action->setStatusTip(help);
    return action;
  };
  report_action_ =
      add("network.report", tr("Report of the network…"), "",
          tr("Writes the network's study as one file to send: HTML or PDF"), [this] { report_current(); });
  export_action_ =
      add("network.export", tr("Export the network's kernels…"), "export",
          tr("Writes the kernels of all layers as one CMake library"), [this] { export_current(); });
  export_model_action_ =
      add("network.export_model", tr("Export the whole model as a library…"), "export",
          tr("Writes a library in C that computes the whole model, with the tuned kernels"),
          [this] { export_model(); });
  delete_action_ =
      add("network.delete", tr("Delete the network's study"), "trash",
          tr("Deletes the study with its sessions; it can be undone"), [this] { delete_study(); });
  undo_action_ = add("network.undo_delete", tr("Undo deleting the network's study"), "undo",
                     tr("Restores the study that was deleted last"), [this] { undo_delete(); });
  tune_action_ = add("network.layer_tune", tr("Open the layer in Tune"), "tune",
                     tr("Shows the session of the selected layer in Tune"),
                     [this] { open_selected(QStringLiteral("Tune")); });
  explore_action_ = add("network.layer_explore", tr("Open the layer in Explore"), "explore",
                        tr("Shows the session of the selected layer in Explore"),
                        [this] { open_selected(QStringLiteral("Explore")); });
}

void NetworkView::connect_workspace() {
  workspace::Workspace& space = workspace();
  connect(&space, &workspace::Workspace::network_requested, this, &NetworkView::open_study);
  workspace::NetworkWatch& watch = space.network_watch();
  connect(&watch, &workspace::NetworkWatch::studies_changed, this, &NetworkView::show_studies);
  connect(&watch, &workspace::NetworkWatch::snapshot_changed, this, &NetworkView::show_snapshot);
  connect(&watch, &workspace::NetworkWatch::failed, this, [this](const QString& message) {
    failure_ = message;
    if (study_) return show_study();
    show_set_up();
  });
  workspace::StudyRunner& runner = space.study_runner();
  connect(&runner, &workspace::StudyRunner::changed, this, &NetworkView::show_state);
  connect(&runner, &workspace::StudyRunner::ended, this, &NetworkView::show_state);
  connect(&runner, &workspace::StudyRunner::created, this, [this](qint64 request, qint64 study) {
    if (request != awaited_) return;
    open_study(study);
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
    if (study_) return show_actions();
    show_set_up();
  });
  connect(tables_, &NetworkTables::selection_changed, this, &NetworkView::show_layer_actions);
  connect(tables_, &NetworkTables::layer_opened, this, [this](const models::NetworkLayerRow& layer) {
    open_layer(layer.session(), QStringLiteral("Tune"));
  });
  connect(charts_, &NetworkCharts::layer_activated, this, [this](qint64 layer) {
    open_layer_of_study(static_cast<std::size_t>(layer), QStringLiteral("Tune"));
  });
  connect(charts_, &NetworkCharts::notified, this, &View::notified);
  connect(&tables_->operators(), &OperatorsPage::file_chosen, this, &NetworkView::set_model_file);
  connect(&tables_->operators(), &OperatorsPage::file_changed, this, &NetworkView::read_changed_model);
  connect(&tables_->operators(), &OperatorsPage::layer_opened, this, &NetworkView::open_layer_of_task);
  connect(empty_, &widgets::EmptyState::action_triggered, this, &NetworkView::act_on_empty);
  connect(undo_bar_, &widgets::ActionBar::action_triggered, this, &NetworkView::undo_delete);
}

}  // namespace kernelscape::views

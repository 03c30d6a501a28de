#include "ui/views/network/network_actions.h"

#include <QKeySequence>

#include "ui/models/network_layers.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_trash.h"
#include "ui/views/network/shown_network.h"

namespace kernelscape::views {
namespace {

/** Enables an action without an obstacle, and says in its tool tip what it does, or what prevents it. */
void allow(QAction& action, const QString& obstacle, const QString& help) {
  action.setEnabled(obstacle.isEmpty());
  action.setToolTip(obstacle.isEmpty() ? help : obstacle);
}

}  // namespace

NetworkActions::NetworkActions(ActionRegistry& registry, QWidget& view) : QObject(&view) {
  add_run_actions(registry);
  add_study_actions(registry, view);
}

void NetworkActions::add_run_actions(ActionRegistry& registry) {
  registry.add(
      {.id = QStringLiteral("network.open"),
       .text = tr("Open a network (ONNX)..."),
       .menu = QStringLiteral("File"),
       .shortcut = QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N),
       .icon = QStringLiteral("network"),
       .help = tr("Reads an ONNX model or a saved network: its layers are shown, and can be tuned.")},
      [this] { emit open_requested(); });
  prepare_ = registry.add({.id = QStringLiteral("network.new"),
                           .text = tr("New run of a network"),
                           .menu = QStringLiteral("Run"),
                           .icon = QStringLiteral("network"),
                           .help = tr("Shows the set-up: all layers of a network under one budget")},
                          [this] { emit prepare_requested(); });
  start_ = registry.add({.id = QStringLiteral("network.start"),
                         .text = tr("Start the network"),
                         .menu = QStringLiteral("Run"),
                         .shortcut = QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return),
                         .icon = QStringLiteral("start"),
                         .help = tr("Stores the set-up as a study and runs it")},
                        [this] { emit start_requested(); });
  run_ = registry.add(
      {.id = QStringLiteral("network.stop_or_resume"),
       .text = tr("Stop or resume the network"),
       .menu = QStringLiteral("Run"),
       .help = tr("Stops after the current measurements, or at once when pressed again; or resumes")},
      [this] { emit run_toggled(); });
  registry.add({.id = QStringLiteral("network.copy_command"),
                .text = tr("Copy the network's set-up as a command line"),
                .menu = QStringLiteral("Run"),
                .icon = QStringLiteral("copy"),
                .help = tr("Copies the set-up as an equivalent command")},
               [this] { emit copy_requested(); });
}

void NetworkActions::add_study_actions(ActionRegistry& registry, QWidget& view) {
  const auto add = [&](const char* id, const QString& text, const char* icon_name, const QString& help,
                       std::function<void()> triggered) {
    QAction* action = registry.add({.id = QLatin1String(id),
                                    .text = text,
                                    .menu = QStringLiteral("File"),
                                    .icon = QLatin1String(icon_name),
                                    .help = help,
                                    .scope = &view},
                                   std::move(triggered));
    action->setStatusTip(help);
    return action;
  };
  report_ = add("network.report", tr("Report of the network…"), "",
                tr("Writes the network's study as one file to send: HTML or PDF"),
                [this] { emit report_requested(); });
  export_kernels_ =
      add("network.export", tr("Export the network's kernels…"), "export",
          tr("Writes the kernels of all layers as one CMake library"), [this] { emit export_requested(); });
  export_model_ = add("network.export_model", tr("Export the whole model as a library…"), "export",
                      tr("Writes a library in C that computes the whole model, with the tuned kernels"),
                      [this] { emit model_requested(); });
  discard_ =
      add("network.delete", tr("Delete the network's study"), "trash",
          tr("Deletes the study with its sessions; it can be undone"), [this] { emit discard_requested(); });
  restore_ = add("network.undo_delete", tr("Undo deleting the network's study"), "undo",
                 tr("Restores the study that was deleted last"), [this] { emit restore_requested(); });
  tune_layer_ = add("network.layer_tune", tr("Open the layer in Tune"), "tune",
                    tr("Shows the session of the selected layer in Tune"),
                    [this] { emit layer_requested(QStringLiteral("Tune")); });
  explore_layer_ = add("network.layer_explore", tr("Open the layer in Explore"), "explore",
                       tr("Shows the session of the selected layer in Explore"),
                       [this] { emit layer_requested(QStringLiteral("Explore")); });
}

void NetworkActions::update_run(const ShownNetwork& shown) {
  const NetworkRunState run = shown.run_state();
  const bool ours = run.ours || run.waits;
  const bool stopping = run.ours && run.ours->stopping;
  run_->setText(stopping ? tr("Stop at once") : ours ? tr("Stop the network") : tr("Resume the network"));
  run_->setIconText(stopping ? tr("Stop at once") : ours ? tr("Stop") : tr("Resume"));
  allow(*run_, shown.run_obstacle(),
        ours ? tr("Stops after the current measurements; press again to stop at once. All results are kept")
             : tr("Resumes the study with the missing trials"));
}

void NetworkActions::update(const ShownNetwork& shown, const NetworkForm& form, const NetworkTrash& trash) {
  update_run(shown);
  allow(*start_, form.problem(), tr("Stores the set-up as a study and runs it"));
  allow(*report_, shown.report_obstacle(), tr("Writes the network's study as one file to send: HTML or PDF"));
  allow(*export_kernels_, shown.export_obstacle(),
        tr("Writes the kernels of all layers as one CMake library"));
  allow(*export_model_, shown.model_obstacle(), tr("Writes a library in C that computes the whole model"));
  allow(*discard_, shown.delete_obstacle(), tr("Deletes the study with its sessions; it can be undone"));
  allow(*restore_, trash.empty() ? tr("Nothing was deleted here.") : QString(),
        tr("Restores the study that was deleted last"));
}

void NetworkActions::update_layer(const models::NetworkLayerRow* layer) {
  const QString obstacle = layer == nullptr    ? tr("No layer is selected.")
                           : !layer->session() ? tr("This layer was not tuned yet.")
                                               : QString();
  for (QAction* action : {tune_layer_, explore_layer_}) allow(*action, obstacle, action->statusTip());
}

}  // namespace kernelscape::views

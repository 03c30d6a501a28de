#pragma once

#include <QStringList>

#include "ui/frame/palette/command_palette.h"
#include "ui/frame/sessions/session_actions.h"
#include "ui/views/action_registry.h"

namespace kernelscape::frame {

/** Collects the entries of the command palette: actions, sessions, and networks and tasks of the catalogue.
 */
class PaletteSource : public QObject {
  Q_OBJECT

 public:
  PaletteSource(workspace::Workspace& workspace, const views::ActionRegistry& actions,
                SessionActions& sessions, QObject* parent = nullptr);

  /** Reads the catalogue in a background job; the palette lists no tasks and networks until it ends. */
  void load_tasks();
  /** Returns the names of the catalogue's tasks, such as "resnet18/C6"; empty until the catalogue is read. */
  const QStringList& tasks() const { return tasks_; }

  /**
   * Returns the commands available now: reachable actions, networks, sessions, and tasks.
   * @param recent_networks files of networks, which follow those of the catalogue
   */
  std::vector<PaletteCommand> commands(const QStringList& recent_networks);

 signals:
  /** The user chose a task: the form for a new run is to be filled with it. */
  void task_requested(const QString& task);
  /** The user chose a network: the Network view has to show it. @param name_or_file as in the set-up */
  void network_requested(const QString& name_or_file);

 private:
  void add_actions(std::vector<PaletteCommand>& commands);
  void add_networks(std::vector<PaletteCommand>& commands, const QStringList& networks);
  void add_sessions(std::vector<PaletteCommand>& commands);
  void add_tasks(std::vector<PaletteCommand>& commands);

  workspace::Workspace& workspace_;
  const views::ActionRegistry& actions_;
  SessionActions& sessions_;
  workspace::JobTracker job_;
  QStringList tasks_;
  QStringList networks_;
};

}  // namespace kernelscape::frame

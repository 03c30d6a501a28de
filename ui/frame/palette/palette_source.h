#pragma once

#include <QStringList>

#include "ui/frame/palette/command_palette.h"
#include "ui/frame/sessions/session_actions.h"
#include "ui/views/action_registry.h"

namespace kernelscape {

/** All that the command palette offers: actions, sessions, tasks of the catalogue. */
class PaletteSource : public QObject {
  Q_OBJECT

 public:
  PaletteSource(Workspace& workspace, const ActionRegistry& actions, SessionActions& sessions,
                QObject* parent = nullptr);

  /** Reads the catalogue in a job; until then there are no tasks. */
  void load_tasks();
  /** Names of the catalogue's tasks: "resnet18/C6"; empty until they are read. */
  const QStringList& tasks() const { return tasks_; }

  /** As of now: reachable actions, then sessions, then tasks. */
  std::vector<PaletteCommand> commands();

 signals:
  /** A task was chosen: a new run of it is to be prepared. */
  void task_requested(const QString& task);

 private:
  void add_actions(std::vector<PaletteCommand>& commands);
  void add_sessions(std::vector<PaletteCommand>& commands);
  void add_tasks(std::vector<PaletteCommand>& commands);

  Workspace& workspace_;
  const ActionRegistry& actions_;
  SessionActions& sessions_;
  JobTracker job_;
  QStringList tasks_;
};

}  // namespace kernelscape

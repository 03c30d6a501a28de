#pragma once

#include <QObject>
#include <vector>

#include "ui/workspace/workspace.h"

namespace kernelscape::widgets {
class ActionBar;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Deletes studies of networks, and restores them until the window is closed, the last deleted first. */
class NetworkTrash : public QObject {
  Q_OBJECT

 public:
  /** @param bar reports the latest deletion and offers to undo it; it outlives this object */
  NetworkTrash(workspace::Workspace& workspace, widgets::ActionBar& bar, QObject* parent);

  bool empty() const { return deleted_.empty(); }  ///< there is nothing to restore
  /** Deletes a study with its sessions. */
  void discard(store::StudyId study);
  /** Restores the study that was deleted last, if any. */
  void restore();

 signals:
  /** Emitted after a study was deleted. */
  void discarded();
  /** Emitted after a study was restored. */
  void restored(kernelscape::store::StudyId study);

 private:
  workspace::Workspace& workspace_;
  widgets::ActionBar& bar_;
  std::vector<store::StudyId> deleted_;  ///< the last deleted at the end
};

}  // namespace kernelscape::views

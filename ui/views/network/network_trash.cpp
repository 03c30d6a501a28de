#include "ui/views/network/network_trash.h"

#include "ui/widgets/action_bar.h"
#include "ui/workspace/network_watch.h"

namespace kernelscape::views {

NetworkTrash::NetworkTrash(workspace::Workspace& workspace, widgets::ActionBar& bar, QObject* parent)
    : QObject(parent), workspace_(workspace), bar_(bar) {
  connect(&bar_, &widgets::ActionBar::action_triggered, this, &NetworkTrash::restore);
}

void NetworkTrash::discard(store::StudyId study) {
  if (!workspace_.write([study](store::Store& store) { return store.studies().trash(study); })) return;
  deleted_.push_back(study);
  bar_.notify(tr("Deleted study %1 with its sessions").arg(study), tr("Undo"));
  workspace_.network_watch().refresh();
  emit discarded();
}

void NetworkTrash::restore() {
  if (deleted_.empty()) return;
  const store::StudyId study = deleted_.back();
  if (!workspace_.write([study](store::Store& store) { return store.studies().restore(study); })) return;
  deleted_.pop_back();
  bar_.notify(tr("Restored study %1").arg(study), deleted_.empty() ? QString() : tr("Undo"));
  workspace_.network_watch().refresh();
  emit restored(study);
}

}  // namespace kernelscape::views

#pragma once

#include <QListWidget>

#include "ui/frame/throttle.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::frame {

/**
 * Lists the runs of this window that have no session yet, the next run first. Hidden while the list is empty.
 */
class QueueList : public QListWidget {
  Q_OBJECT

 public:
  explicit QueueList(workspace::RunQueue& queue, QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void update_rows();
  workspace::RunId run_of(const QListWidgetItem& item) const;

  workspace::RunQueue& queue_;
  Throttle throttle_;
};

}  // namespace kernelscape::frame

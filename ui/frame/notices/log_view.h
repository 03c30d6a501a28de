#pragma once

#include <QTableView>

#include "ui/frame/notices/log_model.h"

namespace kernelscape::frame {

/**
 * Shows all notices as a table, which scrolls with new notices unless the user has scrolled away from the
 * end.
 */
class LogView : public QTableView {
  Q_OBJECT

 public:
  explicit LogView(const workspace::Notices& notices, QWidget* parent = nullptr);

 protected:
  /** Copies the selected lines on Ctrl+C. */
  void keyPressEvent(QKeyEvent* event) override;

 private:
  LogModel model_;
};

}  // namespace kernelscape::frame

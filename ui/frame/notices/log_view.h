#pragma once

#include <QTableView>

#include "ui/frame/notices/log_model.h"

namespace kernelscape {

/** All notices as a table that stays at its end unless the user looks elsewhere. */
class LogView : public QTableView {
  Q_OBJECT

 public:
  explicit LogView(const Notices& notices, QWidget* parent = nullptr);

 protected:
  /** Ctrl+C copies the selected lines. */
  void keyPressEvent(QKeyEvent* event) override;

 private:
  LogModel model_;
};

}  // namespace kernelscape

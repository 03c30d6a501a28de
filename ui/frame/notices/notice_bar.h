#pragma once

#include <QTimer>

#include "ui/frame/notices/information_bar.h"

namespace kernelscape::frame {

/**
 * Shows the latest notice with its number of repetitions. Information, and notices whose content stays
 * visible elsewhere, disappear after a while, unless the pointer is over them or one of their buttons has the
 * focus; they never replace a warning or a failure that was not dismissed.
 */
class NoticeBar : public InformationBar {
  Q_OBJECT

 public:
  explicit NoticeBar(workspace::Notices& notices, QWidget* parent = nullptr);

  /** Returns the "Open" button, which is hidden unless the notice shown is about a written file. */
  QPushButton& open_button() { return *open_; }

 signals:
  /** The "Log" button was clicked. */
  void log_requested();
  /** The "Open" button of a notice about a file was clicked. */
  void open_requested(const QString& path);

 private:
  void show_notice(int index);

  workspace::Notices& notices_;
  QPushButton* open_;
  QString file_;  ///< file that the notice shown is about
  QTimer leave_;
  bool stays_ = false;  ///< the notice shown stays until it is dismissed
};

}  // namespace kernelscape::frame

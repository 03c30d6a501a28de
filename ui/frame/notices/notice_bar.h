#pragma once

#include <QTimer>

#include "ui/frame/notices/information_bar.h"

namespace kernelscape {

/**
 * The latest notice, with how often it came. Information, and what stays visible elsewhere, leaves by itself
 * and never hides a warning or a failure that was not dismissed.
 */
class NoticeBar : public InformationBar {
  Q_OBJECT

 public:
  explicit NoticeBar(Notices& notices, QWidget* parent = nullptr);

  /** Hidden unless the notice shown is about a file that was written. */
  QPushButton& open_button() { return *open_; }

 signals:
  /** The "Log" button was clicked. */
  void log_requested();
  /** The "Open" button of a notice about a file was clicked. */
  void open_requested(const QString& path);

 private:
  void show_notice(int index);

  Notices& notices_;
  QPushButton* open_;
  QString file_;  ///< that the notice shown is about
  QTimer leave_;
  bool stays_ = false;  ///< what it shows, until it is dismissed
};

}  // namespace kernelscape

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

 signals:
  /** The "Log" button was clicked. */
  void log_requested();

 private:
  void show_notice(int index);

  Notices& notices_;
  QTimer leave_;
  bool stays_ = false;  ///< what it shows, until it is dismissed
};

}  // namespace kernelscape

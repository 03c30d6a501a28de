#pragma once

#include <QWidget>
#include <map>

#include "ui/workspace/trial_details.h"

class QPlainTextEdit;
class QToolButton;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Shows the full message of a failed trial, what its category means, and what to do. */
class MessagePanel : public QWidget {
  Q_OBJECT

 public:
  explicit MessagePanel(QWidget* parent = nullptr);

  /** Shows a trial. The text is empty if the trial has no message. */
  void show_trial(const workspace::TrialDetails& details);

 signals:
  /** Emitted with a message for the notice bar: the message was copied. */
  void notified(const QString& text);
  /** Emitted when a source line that the message names was clicked, or chosen with Enter; from 0. */
  void line_requested(int line);

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void mark_places();
  void request_line(int message_line);

  widgets::ThemedLabel* hint_ = nullptr;
  QPlainTextEdit* text_ = nullptr;
  std::map<int, int> places_;  ///< source line by line of the message
  QToolButton* copy_ = nullptr;
};

}  // namespace kernelscape::views

#pragma once

#include <QWidget>

#include "ui/workspace/trial_details.h"

class QPlainTextEdit;
class QToolButton;

namespace kernelscape {

class ThemedLabel;

/** The full message of a failed trial, what its category means, and what to do. */
class MessagePanel : public QWidget {
  Q_OBJECT

 public:
  explicit MessagePanel(QWidget* parent = nullptr);

  /** A trial without a message leaves the text empty. */
  void show_trial(const TrialDetails& details);

 signals:
  /** Something to tell in passing: the message was copied. */
  void notified(const QString& text);

 protected:
  bool event(QEvent* event) override;

 private:
  ThemedLabel* hint_ = nullptr;
  QPlainTextEdit* text_ = nullptr;
  QToolButton* copy_ = nullptr;
};

}  // namespace kernelscape

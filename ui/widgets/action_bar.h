#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace kernelscape::widgets {

/** A line below a table that reports the latest action and offers one follow-up action. */
class ActionBar : public QWidget {
  Q_OBJECT

 public:
  /** Makes a hidden bar. @param name the accessible name of the bar */
  ActionBar(const QString& name, QWidget* parent = nullptr);

  /** Shows the bar. @param action text of the button; empty: no button */
  void notify(const QString& text, const QString& action);
  /** Returns the text shown last. */
  QString text() const;

 signals:
  /** Emitted when the button is clicked. */
  void action_triggered();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* text_;
  QToolButton* action_;
};

}  // namespace kernelscape::widgets

#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace kernelscape {

/** A line below a table that tells what has just been done and offers one thing to do about it. */
class ActionBar : public QWidget {
  Q_OBJECT

 public:
  /** @param name the accessible name of the bar */
  ActionBar(const QString& name, QWidget* parent = nullptr);

  /** Shows the bar. @param action what the button says; empty: no button */
  void tell(const QString& text, const QString& action);
  /** What was told last. */
  QString text() const;

 signals:
  /** The button was clicked. */
  void action_triggered();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* text_;
  QToolButton* action_;
};

}  // namespace kernelscape

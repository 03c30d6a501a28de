#pragma once

#include <QFrame>

#include "ui/workspace/notices.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace kernelscape {

/** One line across the window: a stripe in the colour of its kind, a text, a way out, buttons. */
class InformationBar : public QWidget {
  Q_OBJECT

 public:
  explicit InformationBar(const QString& name, QWidget* parent = nullptr);

  /** @param hint the way out, in a line of its own; empty: hidden */
  void set_message(Notice::Kind kind, const QString& text, const QString& hint);
  /** Of the message shown; decides the colour of the stripe. */
  Notice::Kind kind() const { return kind_; }
  /** The message shown. */
  QString text() const;
  /** The way out; empty where the message has none. */
  QString hint() const;
  /** Stands before the button that closes the bar. @return owned by the bar, not connected yet */
  QPushButton* add_button(const QString& text);

 signals:
  /** The close button was clicked; the bar does not hide itself. */
  void dismissed();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Notice::Kind kind_ = Notice::Kind::Information;
  QLabel* text_;
  QLabel* hint_;
  QHBoxLayout* row_;
  QToolButton* close_;
};

/** The colour that a kind of notice has everywhere. */
QColor colour_of(Notice::Kind kind);

}  // namespace kernelscape

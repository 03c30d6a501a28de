#pragma once

#include <QFrame>

#include "ui/workspace/notices.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace kernelscape::frame {

/** A message over the bottom of the window: a stripe in the colour of its kind, a text, a hint, and buttons.
 */
class InformationBar : public QWidget {
  Q_OBJECT

 public:
  explicit InformationBar(const QString& name, QWidget* parent = nullptr);

  /** Sets the message of the bar. @param hint what the user can do, in a line of its own; empty: hidden */
  void set_message(workspace::Notice::Kind kind, const QString& text, const QString& hint);
  /** Returns the kind of the message, which decides the colour of the stripe. */
  workspace::Notice::Kind kind() const { return kind_; }
  /** Returns the text of the message. */
  QString text() const;
  /** Returns the hint of the message; empty if it has none. */
  QString hint() const;
  /** Adds a button before the close button. @return owned by the bar, not connected yet */
  QPushButton* add_button(const QString& text);

 signals:
  /** The close button was clicked; the bar does not hide itself. */
  void dismissed();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  workspace::Notice::Kind kind_ = workspace::Notice::Kind::Information;
  QLabel* text_;
  QLabel* hint_;
  QHBoxLayout* row_;
  QToolButton* close_;
};

/** Returns the colour used for a kind of notice throughout the window. */
QColor colour_of(workspace::Notice::Kind kind);

}  // namespace kernelscape::frame

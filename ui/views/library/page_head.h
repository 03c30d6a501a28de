#pragma once

#include <QWidget>

class QAction;
class QLineEdit;

namespace kernelscape::widgets {
class FlowLayout;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** The line above a table of the library: the search, the number of rows that match, and the actions. */
class PageHead : public QWidget {
  Q_OBJECT

 public:
  /**
   * Makes the line.
   * @param what_is_searched the hint in the empty entry
   * @param rows the noun for the rows in accessible names: "sessions"
   */
  PageHead(const QString& what_is_searched, const QString& rows, QWidget* parent = nullptr);

  /** Adds buttons of actions at the end. */
  void add_actions(const QList<QAction*>& actions);
  /** Shows how many rows match the search: "12 of 340 sessions". */
  void set_count(const QString& text);
  /** Returns the search as typed; empty: all rows are shown. */
  QString search() const;
  /** Clears the search, which shows all rows. */
  void clear_search();
  /** Moves the keyboard focus to the search and selects its text. */
  void focus_search();

 signals:
  /** Emitted on each change of the search text. */
  void searched(const QString& text);

 private:
  QLineEdit* search_;
  widgets::ThemedLabel* count_;
  widgets::FlowLayout* line_;
};

}  // namespace kernelscape::views

#pragma once

#include <QWidget>

class QAction;
class QLineEdit;
class QToolBar;

namespace kernelscape {

class ThemedLabel;

/** The line above a table of the library: what is searched for, how many rows that leaves, and the actions.
 */
class PageHead : public QWidget {
  Q_OBJECT

 public:
  /** @param what_is_searched the hint in the empty entry @param rows as accessible names say it: "sessions"
   */
  PageHead(const QString& what_is_searched, const QString& rows, QWidget* parent = nullptr);

  /** At the end of the tool bar. */
  void add_actions(const QList<QAction*>& actions);
  /** How many rows the search leaves: "12 of 340 sessions". */
  void set_count(const QString& text);
  /** As typed; empty: everything is shown. */
  QString search() const;
  /** Empties the entry, which shows all rows. */
  void clear_search();
  /** The keyboard goes to the entry, its text is selected. */
  void focus_search();

 signals:
  /** On each change of the entry. */
  void searched(const QString& text);

 private:
  QLineEdit* search_;
  ThemedLabel* count_;
  QToolBar* tool_bar_;
};

}  // namespace kernelscape

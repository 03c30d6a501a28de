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

  void add_actions(const QList<QAction*>& actions);
  void set_count(const QString& text);
  QString search() const;
  void clear_search();
  void focus_search();

 signals:
  void searched(const QString& text);

 private:
  QLineEdit* search_;
  ThemedLabel* count_;
  QToolBar* tool_bar_;
};

}  // namespace kernelscape

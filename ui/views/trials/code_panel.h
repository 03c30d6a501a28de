#pragma once

#include <QWidget>

#include "ui/widgets/code_view.h"

class QHBoxLayout;
class QLineEdit;
class QStackedWidget;
class QToolButton;

namespace kernelscape {

class ThemedLabel;

/** A CodeView below a line that says what it is, with find and copy; or a text in its place that says why
 * there is none. */
class CodePanel : public QWidget {
  Q_OBJECT

 public:
  CodePanel(CodeLanguage language, const QString& name, QWidget* parent = nullptr);

  /** @param note the line above the code */
  void set_code(const QString& code, const QString& note);
  /** As `set_code`, with labels and marks per line. */
  void set_marked_code(const MarkedCode& code, const QString& note);
  /** In place of the code. */
  void set_state(const QString& text);

  CodeView& view() { return *view_; }  ///< the code alone, without its line
  /** Where text to find is typed; Enter finds the next place. */
  QLineEdit& find_entry() { return *find_; }
  /** What stands in place of the code; empty while code is shown. */
  QString state() const;
  /** Stands at the left of the line above the code. */
  void add_control(QWidget* control);
  /** Stands at its right end. */
  void add_last_control(QWidget* control);
  /** What is copied: all of the code, also what is not shown of it. */
  virtual QString whole_text() const { return view_->toPlainText(); }
  /** Copies it, as the button does. */
  void copy();

 signals:
  /** Something to tell in passing: the code was copied. */
  void notified(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  /** Before a text is looked for: what holds it and is not shown can be. */
  virtual void prepare_search(const QString& text);

 private:
  void make_line();
  void find_text(bool backward);

  QString name_;
  QHBoxLayout* line_ = nullptr;
  ThemedLabel* note_ = nullptr;
  QLineEdit* find_ = nullptr;
  ThemedLabel* found_ = nullptr;
  QToolButton* copy_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  CodeView* view_ = nullptr;
  ThemedLabel* state_ = nullptr;
};

}  // namespace kernelscape

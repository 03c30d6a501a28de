#pragma once

#include <QWidget>

#include "ui/widgets/code_view.h"

class QHBoxLayout;
class QLineEdit;
class QStackedWidget;
class QToolButton;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Shows a CodeView below a line that describes it, with find and copy; or a text in its place that says why
 * there is no code.
 */
class CodePanel : public QWidget {
  Q_OBJECT

 public:
  CodePanel(widgets::CodeLanguage language, const QString& name, QWidget* parent = nullptr);

  /** Shows code. @param note the line above the code */
  void set_code(const QString& code, const QString& note);
  /** Shows code like `set_code`, with labels and marks per line. */
  void set_marked_code(const widgets::MarkedCode& code, const QString& note);
  /** Shows a text in place of the code. */
  void set_state(const QString& text);

  widgets::CodeView& view() { return *view_; }  ///< the code alone, without the line above it
  /** Returns the search field; Enter finds the next occurrence. */
  QLineEdit& find_entry() { return *find_; }
  /** Returns the text shown in place of the code; empty while code is shown. */
  QString state() const;
  /** Adds a control at the left of the line above the code. */
  void add_control(QWidget* control);
  /** Adds a control at the right end of that line. */
  void add_last_control(QWidget* control);
  /** Returns the text that is copied: all of the code, including folded parts. */
  virtual QString whole_text() const { return view_->toPlainText(); }
  /** Copies the code, like the button. */
  void copy();

 signals:
  /** Emitted with a message for the notice bar: the code was copied. */
  void notified(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  /** Called before a search: derived classes can unfold hidden lines that contain the text. */
  virtual void prepare_search(const QString& text);

 private:
  void make_line();
  void find_text(bool backward);

  QString name_;
  QHBoxLayout* line_ = nullptr;
  widgets::ThemedLabel* note_ = nullptr;
  QLineEdit* find_ = nullptr;
  widgets::ThemedLabel* found_ = nullptr;
  QToolButton* copy_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  widgets::CodeView* view_ = nullptr;
  widgets::ThemedLabel* state_ = nullptr;
};

}  // namespace kernelscape::views

#pragma once

#include <QWidget>

class QAbstractItemModel;
class QPushButton;

namespace kernelscape::widgets {
class LibraryTable;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * A list of Learn under its heading: a table in which one row is chosen, a button that creates a new item,
 * and a button that stops or resumes the chosen one.
 */
class LearningPanel : public QWidget {
  Q_OBJECT

 public:
  /**
   * Makes the panel.
   * @param columns of the model that are shown
   * @param new_text text of the button that creates an item: "New data set..."
   */
  LearningPanel(const QString& title, QAbstractItemModel& model, const QList<int>& columns,
                const QString& new_text, QWidget* parent = nullptr);

  /** Returns the chosen row of the model, or -1 if none is chosen. */
  int chosen() const;
  /** Chooses a row; -1: none. */
  void choose(int row);
  /** Sets the text that replaces an empty table. Until then the panel shows that the table is being read. */
  void set_nothing(const QString& text);
  /**
   * Sets the action of the second button.
   * @param runs true: it stops the run; false: it resumes the run
   * @param hindrance the reason why the button is disabled, shown as its tool tip; empty: it is enabled
   */
  void set_run(bool runs, const QString& hindrance);

 signals:
  /** Emitted when the chosen row changes, by the user or by the program. */
  void chosen_changed();
  /** Emitted when the user asks for a new item. */
  void new_requested();
  /** Emitted when the user stops or resumes the chosen item. */
  void run_toggled();

 private:
  void show_rows();

  widgets::LibraryTable* table_;
  widgets::ThemedLabel* nothing_;
  QPushButton* run_;
};

}  // namespace kernelscape::views

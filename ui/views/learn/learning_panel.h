#pragma once

#include <QWidget>

class QAbstractItemModel;
class QPushButton;

namespace kernelscape {

class LibraryTable;
class ThemedLabel;

/** A list of Learn under its heading: a table of which one row is chosen, with a button for a new one and one
 * that stops or goes on with what is chosen. */
class LearningPanel : public QWidget {
  Q_OBJECT

 public:
  /** @param columns of the model that are shown @param new_text of the button: "New data set..." */
  LearningPanel(const QString& title, QAbstractItemModel& model, const QList<int>& columns,
                const QString& new_text, QWidget* parent = nullptr);

  /** The chosen row of the model; -1: none. */
  int chosen() const;
  /** -1: none. */
  void choose(int row);
  /** What stands in place of a table without rows; before that, that it is being read. */
  void set_nothing(const QString& text);
  /**
   * What the second button does now.
   * @param runs it stops; else it goes on
   * @param hindrance why it can do neither, its tool tip; empty: it can
   */
  void set_run(bool runs, const QString& hindrance);

 signals:
  /** Another row is chosen, or none, by whoever. */
  void chosen_changed();
  /** A new one is wanted. */
  void new_requested();
  /** What is chosen is to stop, or to go on. */
  void run_toggled();

 private:
  void show_rows();

  LibraryTable* table_;
  ThemedLabel* nothing_;
  QPushButton* run_;
};

}  // namespace kernelscape

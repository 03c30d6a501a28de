#pragma once

#include <QWidget>

class QAbstractButton;
class QLabel;

namespace kernelscape {

/** What to do first, as cards. Files of all kinds can be dropped on it. */
class FirstStartPage : public QWidget {
  Q_OBJECT

 public:
  explicit FirstStartPage(QWidget* parent = nullptr);

  /** Exploring is offered where the recorded space that comes with the program is there. */
  void set_can_explore(bool can_explore);

 signals:
  /** The card that starts a first tuning run was clicked. */
  void tune_requested();
  /** The card that explores the shipped recorded space was clicked. */
  void explore_requested();
  /** The card that makes a project of the user's own kernel was clicked. */
  void project_requested();
  /** The card that opens a network was clicked. */
  void network_requested();
  /** The card that opens files was clicked. */
  void open_requested();
  /** The page was skipped. */
  void dismissed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void set_fonts();

  QLabel* title_;
  QAbstractButton* tune_;
  QAbstractButton* network_;
  QAbstractButton* project_;
  QAbstractButton* explore_;
  QAbstractButton* open_;
};

}  // namespace kernelscape

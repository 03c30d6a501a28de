#pragma once

#include <QWidget>

class QAbstractButton;
class QLabel;

namespace kernelscape::frame {

/** Shows cards with the first steps. Accepts dropped files of all kinds. */
class FirstStartPage : public QWidget {
  Q_OBJECT

 public:
  explicit FirstStartPage(QWidget* parent = nullptr);

  /**
   * Shows or hides the card that explores the built-in recorded space.
   * @param can_explore whether that space is installed
   */
  void set_can_explore(bool can_explore);

 signals:
  /** The card that starts a first tuning run was clicked. */
  void tune_requested();
  /** The card that explores the built-in recorded space was clicked. */
  void explore_requested();
  /** The card that makes a project of the user's own kernel was clicked. */
  void project_requested();
  /** The card that opens a network was clicked. */
  void network_requested();
  /** The card that opens files was clicked. */
  void open_requested();
  /** The user skipped the page. */
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

}  // namespace kernelscape::frame

#pragma once

#include <QWidget>

class QAbstractButton;
class QLabel;

namespace kernelscape {

/** What to do first, as cards. Databases can be dropped on it. */
class FirstStartPage : public QWidget {
  Q_OBJECT

 public:
  explicit FirstStartPage(QWidget* parent = nullptr);

  /** Exploring is offered once there is a session. */
  void set_has_sessions(bool has_sessions);

 signals:
  void tune_requested();
  void explore_requested();
  /** Empty: to be asked for. */
  void database_requested(const QString& path);
  void dismissed();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void set_fonts();

  QLabel* title_;
  QAbstractButton* tune_;
  QAbstractButton* explore_;
  QAbstractButton* database_;
};

}  // namespace kernelscape

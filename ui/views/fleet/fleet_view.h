#pragma once

#include <QElapsedTimer>
#include <optional>

#include "ui/views/view.h"
#include "ui/workspace/fleet_watch.h"

class QLineEdit;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace kernelscape {

class EmptyState;
class FleetTables;
class HeadlineBar;
class WrappedLabel;

/**
 * Fleet: the machines that measure for this one through a Redis: what each does, what waits for it, and what
 * was given up. It is asked while the view is shown, in the background; where it does not answer what was
 * known last stays, with its age.
 */
class FleetView : public View {
  Q_OBJECT

 public:
  explicit FleetView(ViewContext context);

  /** Fills the fields; a fleet that is named is looked at whenever the view is shown. */
  void offer(const FleetPlace& place);
  /** What the fields name, for the next window; no address that is none. */
  FleetPlace offered() const;

  FleetTables& tables() { return *tables_; }  ///< the workers, queues and dead letters
  /** What keeps the fleet from being read, as it is shown; empty: nothing. */
  QString problem() const;

  void focus_filter() override;

 public slots:
  /** Looks at the fleet that the fields name. */
  void look();
  /** Asks whether the selected workers are to leave. */
  void ask_to_drain();
  /** Copies the command that makes a machine a worker. */
  void copy_join_command();
  /** Has Tune measure on the selected class. */
  void tune_on_class();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void make_actions();
  void make_address_row(QVBoxLayout& column);
  void make_body(QVBoxLayout& column);
  void connect_watch();
  FleetPlace named_place() const;
  void choose_password_file();
  void show_fleet();
  void show_failure(const Error& error);
  void show_problem(const QString& problem);
  void show_empty(const QString& headline, const QString& text, const QString& action);
  void show_actions();
  void act_on_empty();
  QString drain_obstacle() const;
  QString tune_obstacle();
  double age() const;  ///< in seconds, of what is shown

  QLineEdit* address_ = nullptr;
  QLineEdit* password_file_ = nullptr;
  QPushButton* connect_button_ = nullptr;
  QAction* tune_action_ = nullptr;
  QAction* drain_action_ = nullptr;
  QAction* copy_action_ = nullptr;
  WrappedLabel* problem_ = nullptr;
  HeadlineBar* headline_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  FleetTables* tables_ = nullptr;
  EmptyState* empty_ = nullptr;
  FleetStatePointer shown_;  ///< null: none was read yet
  QElapsedTimer read_;       ///< since that was read
};

}  // namespace kernelscape

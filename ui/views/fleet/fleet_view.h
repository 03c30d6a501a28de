#pragma once

#include <QElapsedTimer>
#include <optional>

#include "ui/views/view.h"
#include "ui/workspace/fleet_watch.h"

class QStackedWidget;
class QVBoxLayout;

namespace kernelscape::widgets {
class EmptyState;
class WrappedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class FleetAddressBar;
class FleetTables;
class HeadlineBar;

/**
 * The view Fleet: shows the machines that measure for this one through a Redis server, what each of them
 * does, which tasks wait, and which were abandoned. The state is polled in the background while the view is
 * shown. If Redis does not answer, the last known state stays visible with its age.
 */
class FleetView : public View {
  Q_OBJECT

 public:
  explicit FleetView(ViewContext context);

  /** Fills the fields. The named fleet is polled whenever the view is shown. */
  void offer(const workspace::FleetPlace& place);
  /**
   * Returns the address and password file in the fields, to be stored for the next window. An invalid address
   * is left out.
   */
  workspace::FleetPlace offered() const;

  FleetTables& tables() { return *tables_; }  ///< the workers, queues and dead letters
  /** Returns the shown reason why the fleet can't be read; empty: there is no problem. */
  QString problem() const;

  void focus_filter() override;

 public slots:
  /** Reads the state of the fleet that the fields name. */
  void look();
  /** Asks the user whether the selected workers should leave the fleet. */
  void ask_to_drain();
  /** Copies the command that makes a machine a worker. */
  void copy_join_command();
  /** Makes the selected class the target in Tune. */
  void tune_on_class();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void make_actions();
  void make_body(QVBoxLayout& column);
  void connect_watch();
  void show_fleet();
  void show_failure(const Error& error);
  void show_problem(const QString& problem);
  void show_empty(const QString& headline, const QString& text, const QString& action);
  void show_actions();
  void act_on_empty();
  QString drain_obstacle() const;
  QString tune_obstacle();
  double age() const;  ///< Returns the age of the shown state in seconds.

  FleetAddressBar* address_bar_ = nullptr;
  QAction* tune_action_ = nullptr;
  QAction* drain_action_ = nullptr;
  QAction* copy_action_ = nullptr;
  widgets::WrappedLabel* problem_ = nullptr;
  HeadlineBar* headline_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  FleetTables* tables_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  workspace::FleetStatePointer shown_;  ///< null: no state was read yet
  QElapsedTimer read_;                  ///< time since `shown_` was read
};

}  // namespace kernelscape::views

#pragma once

#include <QWidget>

#include "ui/workspace/fleet_watch.h"

class QAction;
class QLineEdit;

namespace kernelscape::views {

/** The line in which the user names a fleet: its address, the file of its password, and buttons of actions.
 */
class FleetAddressBar : public QWidget {
  Q_OBJECT

 public:
  /** @param actions each has a button behind the fields */
  explicit FleetAddressBar(const QList<QAction*>& actions, QWidget* parent = nullptr);

  /** Fills the fields. */
  void set_place(const workspace::FleetPlace& place);
  /** Returns the fleet that the fields name; an address that is empty or invalid is returned as well. */
  workspace::FleetPlace place() const;
  /** Moves the keyboard focus to the address and selects its text. */
  void focus_address();

 signals:
  /** The user wants to connect to the fleet that the fields name. */
  void connect_requested();

 private:
  void choose_password_file();

  QLineEdit* address_;
  QLineEdit* password_file_;
};

}  // namespace kernelscape::views

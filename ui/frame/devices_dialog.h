#pragma once

#include <QDialog>

#include "ui/models/device_model.h"
#include "ui/workspace/workspace.h"

class QPushButton;
class QTableView;
class QTableWidget;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::frame {

/**
 * Lists the targets of this machine: devices, limits, memory, and the process that measures on each device
 * now. For a platform without a device it shows the reason and what to do. The device search is repeated in
 * the background whenever the dialog is shown. Not modal.
 */
class DevicesDialog : public QDialog {
  Q_OBJECT

 public:
  explicit DevicesDialog(workspace::Workspace& workspace, QWidget* parent = nullptr);

  QTableView& table() { return *table_; }  ///< one row per device, or per platform without a device
  /**
   * Returns the table of properties of the current row's device: limits, memory, and the process that
   * measures on it.
   */
  QTableWidget& facts() { return *facts_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make_widgets();
  void show_devices();
  void show_facts();

  workspace::Devices& devices_;
  models::DeviceModel model_;
  QTableView* table_;
  QTableWidget* facts_;
  widgets::ThemedLabel* state_;
  QPushButton* look_;
};

}  // namespace kernelscape::frame

#pragma once

#include <QDialog>

#include "ui/models/device_model.h"
#include "ui/workspace/workspace.h"

class QPushButton;
class QTableView;
class QTableWidget;

namespace kernelscape {

class ThemedLabel;

/**
 * The targets of this machine: their devices, limits and memory, and who measures on them now; of a platform
 * without a device why, and what to do. It looks again whenever it is shown, in the background. Not modal.
 */
class DevicesDialog : public QDialog {
  Q_OBJECT

 public:
  explicit DevicesDialog(Workspace& workspace, QWidget* parent = nullptr);

  QTableView& table() { return *table_; }  ///< one row per device, or per platform without one
  /** Properties of the current row's device: limits, memory, who measures on it. */
  QTableWidget& facts() { return *facts_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void make_widgets();
  void show_devices();
  void show_facts();

  Devices& devices_;
  DeviceModel model_;
  QTableView* table_;
  QTableWidget* facts_;
  ThemedLabel* state_;
  QPushButton* look_;
};

}  // namespace kernelscape

#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "ui/views/network/network_setup.h"
#include "ui/views/runs/error_notes.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kernelscape::views {

class DimensionFields;
class MeasuringFields;
class NetworkBox;
class NetworkBudgetFields;
class TargetBox;
class TunerFields;

/**
 * The form with all settings of a network's study. The network is read and the settings are checked in the
 * background while the user types. An error is shown below its field, or above the buttons if it has no
 * field.
 */
class NetworkForm : public QWidget {
  Q_OBJECT

 public:
  explicit NetworkForm(workspace::Workspace& workspace, QWidget* parent = nullptr);
  ~NetworkForm() override;

  /** Returns the set-up as filled in, valid or not. */
  NetworkSetup setup() const;
  /** Chooses another network: a name of the catalogue, or a file, which is read. */
  void set_network(const QString& name_or_file);
  /** Returns the network; null: none is named, it can't be read, or it is being read. */
  const std::shared_ptr<const task::WholeNetwork>& network() const { return network_; }
  /** Returns the result of the last check. */
  const NetworkCheck& check() const { return check_; }
  /** Returns true while the network is being read or the form is being checked. */
  bool looking() const { return !read_ || !checked_; }
  /** Returns why the study can't start; empty: it can. */
  QString problem() const;
  /** Returns a warning that does not prevent the start; usually empty. */
  QString warning() const;

  /** Returns the files that were read before, the last one first. */
  const QStringList& recent() const;
  /** Offers these files among the networks. */
  void set_recent(const QStringList& files);
  /** Sets the initial number of threads of a kernel. */
  void prefer_threads(int threads);
  /** Moves the keyboard focus to the network and selects its text. */
  void focus_network();

 public slots:
  /** Asks for an ONNX model or a saved network. */
  void choose_file();

 signals:
  /** Emitted when Start was pressed. */
  void start_requested();
  /** Emitted when the user asks to copy the command line of this set-up. */
  void copy_requested();
  /** Emitted when the user names another network. */
  void network_chosen();
  /** Emitted after the network was read or the form was checked. */
  void changed();
  /** Emitted when `problem` may have changed. */
  void problem_changed();

 private:
  void make_network_group(QVBoxLayout& column);
  void make_target_rows(QFormLayout& rows);
  void make_tuner_group(QVBoxLayout& column);
  void make_budget_group(QVBoxLayout& column);
  void make_buttons(QVBoxLayout& column);
  void take_edited_network();
  void schedule_reading();
  void read();
  void show_reading(const NetworkReading& reading);
  void schedule_check();
  void run_check();
  void show_check(const NetworkCheck& check);
  void show_devices();
  void show_templates();
  void show_problem();
  QString target_problem() const;

  workspace::Workspace& workspace_;
  workspace::JobTracker read_job_;
  workspace::JobTracker check_job_;
  QTimer read_timer_;
  QTimer check_timer_;
  std::shared_ptr<measure::InterruptionSwitch>
      reading_;            ///< ends the worker process of a reading that is no longer needed
  QString shown_network_;  ///< the network whose dimensions the fields show
  std::shared_ptr<const task::WholeNetwork> network_;
  std::optional<Error> network_error_;
  bool read_ = false;
  bool checked_ = false;
  NetworkCheck check_;

  NetworkBox* name_ = nullptr;
  QLabel* network_text_ = nullptr;
  QLabel* network_note_ = nullptr;  ///< why the network can't be read, or which dimensions are missing
  DimensionFields* dimensions_ = nullptr;
  TargetBox* target_ = nullptr;
  QComboBox* template_ = nullptr;
  TunerFields* tuner_ = nullptr;
  NetworkBudgetFields* budget_ = nullptr;
  MeasuringFields* measuring_ = nullptr;
  ErrorNotes<NetworkCheck> errors_;
  QLabel* problem_ = nullptr;
  QPushButton* start_ = nullptr;
};

}  // namespace kernelscape::views

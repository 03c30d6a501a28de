#pragma once

#include <QTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ui/views/network/network_setup.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace kernelscape::views {

class FormSection;
class MeasuringFields;
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
  const QStringList& recent() const { return recent_; }
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
  /** Where an error of the check is shown. */
  struct Complaint {
    QLabel* note = nullptr;
    std::optional<Error> NetworkCheck::* error = nullptr;
  };
  /** A field for a dimension that the model leaves open. */
  struct DimensionField {
    std::string name;
    QSpinBox* length = nullptr;
  };

  void make_network_group(QVBoxLayout& column);
  void make_target_rows(QFormLayout& rows);
  void make_tuner_group(QVBoxLayout& column);
  void make_budget_group(QVBoxLayout& column);
  void make_buttons(QVBoxLayout& column);
  void complain_below(QFormLayout& rows, std::optional<Error> NetworkCheck::* error);
  void load_catalogue();
  void fill_networks();
  void take_edited_network();
  void forget_dimensions();
  void add_dimensions(const std::vector<OpenDimension>& open);
  void schedule_reading();
  void read();
  void show_reading(const NetworkReading& reading);
  void remember_file();
  void schedule_check();
  void run_check();
  void show_check(const NetworkCheck& check);
  void show_devices();
  void show_templates();
  void show_problem();
  std::vector<measure::ModelDimension> dimensions() const;
  QString target_problem() const;

  workspace::Workspace& workspace_;
  workspace::JobTracker catalogue_job_;
  workspace::JobTracker read_job_;
  workspace::JobTracker check_job_;
  QTimer read_timer_;
  QTimer check_timer_;
  std::shared_ptr<measure::InterruptionSwitch>
      reading_;  ///< ends the worker process of a reading that is no longer needed
  QStringList catalogue_;
  QStringList recent_;
  QString shown_network_;  ///< the network whose dimensions the fields show
  std::shared_ptr<const task::WholeNetwork> network_;
  std::optional<Error> network_error_;
  bool read_ = false;
  bool checked_ = false;
  NetworkCheck check_;

  QComboBox* name_ = nullptr;
  QLabel* network_text_ = nullptr;
  QLabel* network_note_ = nullptr;  ///< why the network can't be read, or which dimensions are missing
  QWidget* dimension_rows_ = nullptr;
  QFormLayout* dimension_form_ = nullptr;
  std::vector<DimensionField> dimensions_;
  TargetBox* target_ = nullptr;
  QComboBox* template_ = nullptr;
  TunerFields* tuner_ = nullptr;
  QComboBox* scheduler_ = nullptr;
  QLabel* scheduler_text_ = nullptr;
  QSpinBox* trials_ = nullptr;
  QDoubleSpinBox* minutes_ = nullptr;
  QLabel* budget_note_ = nullptr;
  QSpinBox* patience_ = nullptr;
  QLineEdit* seed_ = nullptr;
  QLineEdit* study_name_ = nullptr;
  MeasuringFields* measuring_ = nullptr;
  std::vector<Complaint> complaints_;
  QLabel* problem_ = nullptr;
  QPushButton* start_ = nullptr;
};

}  // namespace kernelscape::views

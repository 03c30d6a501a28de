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

namespace kernelscape {

class FormSection;
class MeasuringFields;
class TargetBox;
class TunerFields;

/**
 * Everything that a network's study is started with. The network is read, and all of it judged, in the
 * background while the user types; what keeps it from starting stands below its field, else above the
 * buttons.
 */
class NetworkForm : public QWidget {
  Q_OBJECT

 public:
  explicit NetworkForm(Workspace& workspace, QWidget* parent = nullptr);
  ~NetworkForm() override;

  /** As filled in, whether it can start or not. */
  NetworkSetup setup() const;
  /** Names another network: of the catalogue, or a file, which is read. */
  void set_network(const QString& name_or_file);
  /** Null: none is named, or it can't be read, or is being read. */
  const std::shared_ptr<const WholeNetwork>& network() const { return network_; }
  /** As last judged. */
  const NetworkCheck& check() const { return check_; }
  /** The network is being read, or the form judged. */
  bool looking() const { return !read_ || !checked_; }
  /** Why it can't start; empty: it can. */
  QString problem() const;
  /** What its user should know, though nothing is wrong; usually empty. */
  QString warning() const;

  /** Files that were read before, the last one first. */
  const QStringList& recent() const { return recent_; }
  /** Offers these files among the networks. */
  void set_recent(const QStringList& files);
  /** The number of a kernel's threads that it begins with. */
  void prefer_threads(int threads);
  /** The keyboard goes to the network, its text is selected. */
  void focus_network();

 public slots:
  /** Asks for an ONNX model or a saved network. */
  void choose_file();

 signals:
  /** Start was pressed. */
  void start_requested();
  /** The command line of this set-up is to be copied. */
  void copy_requested();
  /** The user names another network. */
  void network_chosen();
  /** It was read or judged anew. */
  void changed();
  /** Whether it can start was asked anew: `problem` may say something else. */
  void problem_changed();

 private:
  /** Where an error of the check stands. */
  struct Complaint {
    QLabel* note = nullptr;
    std::optional<Error> NetworkCheck::* error = nullptr;
  };
  /** A field for a length that the model leaves open. */
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
  std::vector<ModelDimension> dimensions() const;
  QString target_problem() const;

  Workspace& workspace_;
  JobTracker catalogue_job_;
  JobTracker read_job_;
  JobTracker check_job_;
  QTimer read_timer_;
  QTimer check_timer_;
  std::shared_ptr<InterruptionSwitch> reading_;  ///< ends the worker of what nobody waits for any more
  QStringList catalogue_;
  QStringList recent_;
  QString shown_network_;  ///< whose dimensions the fields are of
  std::shared_ptr<const WholeNetwork> network_;
  std::optional<Error> network_error_;
  bool read_ = false;
  bool checked_ = false;
  NetworkCheck check_;

  QComboBox* name_ = nullptr;
  QLabel* network_text_ = nullptr;
  QLabel* network_note_ = nullptr;  ///< why it can't be read, or what it asks for
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

}  // namespace kernelscape

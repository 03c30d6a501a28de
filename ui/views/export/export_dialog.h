#pragma once

#include <QDialog>
#include <array>
#include <optional>
#include <vector>

#include "ui/views/export/export_plan.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

class QButtonGroup;
class QCheckBox;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QRadioButton;
class QStringListModel;
class QTimer;
class QVBoxLayout;

namespace kernelscape {

class ThemedLabel;

/**
 * Takes results of the current source home: what, where, and then how to use it. Not modal: it goes along
 * with the current trial and the filters. To be shown with show(); deletes itself when it is closed.
 */
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ExportDialog(Workspace& workspace, QWidget* parent = nullptr);

  /** Kernels for one CMake library, which becomes the choice. */
  void set_kernels(std::vector<KernelChoice> kernels);
  /** The kernels of a network's layers for one CMake library, which becomes the choice. */
  void set_network(const ExportedNetwork& network);
  /** Ignored where there is nothing of that kind. */
  void choose(ExportKind kind);
  /** Where to write: a file, or a folder for a library. */
  void set_path(const QString& path);

  /** What is chosen to be written. */
  ExportKind kind() const;
  /** As typed; may be relative or empty. */
  QString path() const;

 signals:
  /** All was written; failures stand in the dialog instead. */
  void exported(const QString& path);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Choice {
    QRadioButton* button = nullptr;
    ThemedLabel* explanation = nullptr;
  };

  // export_dialog_layout.cpp
  void build();
  QWidget* make_choices();
  QWidget* make_place();
  QWidget* make_result();
  void add_choice(QVBoxLayout& layout, ExportKind kind, const QString& text);
  void show_command(int place, const QString& command);

  // export_dialog.cpp
  void update_choices();
  void show_origin();
  void set_choice(ExportKind kind, bool available, const QString& explanation);
  void kind_changed();
  void suggest_path();
  void inputs_changed();
  QString default_name() const;
  QString default_folder() const;
  void look();
  void browse();
  void start();
  void run(const ExportPlan& plan);
  void cancel_or_close();
  void show_outcome(const Result<ExportOutcome>& outcome);
  void show_error(const QString& message, const QString& hint);
  void update_buttons();
  std::optional<ExportPlan> plan() const;

  Workspace& workspace_;
  std::vector<KernelChoice> kernels_;
  std::optional<ExportedNetwork> network_;  ///< in place of them
  bool user_chose_ = false;                 ///< a kind; else what is available first
  Destination destination_;
  QString suggested_name_;  ///< of the file or folder, by us
  QString folder_;          ///< where the results are
  JobTracker look_job_;
  JobTracker export_job_;
  QTimer* look_timer_ = nullptr;

  ThemedLabel* origin_ = nullptr;
  QButtonGroup* kinds_ = nullptr;
  std::array<Choice, export_kind_count> choices_;
  QWidget* library_row_ = nullptr;
  QLineEdit* library_name_ = nullptr;
  QCheckBox* vendor_where_faster_ = nullptr;  ///< of a network
  QLineEdit* path_ = nullptr;
  QStringListModel* completions_ = nullptr;
  ThemedLabel* destination_text_ = nullptr;
  ThemedLabel* error_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QWidget* result_ = nullptr;
  ThemedLabel* result_text_ = nullptr;
  std::array<QWidget*, 2> command_rows_{};
  std::array<QLineEdit*, 2> commands_{};
  QPushButton* export_button_ = nullptr;
  QPushButton* close_button_ = nullptr;
};

}  // namespace kernelscape

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
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QRadioButton;
class QScrollArea;
class QStringListModel;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Exports results of the current source: asks what to export and where to write it, then shows how to use the
 * result. Not modal: it follows the current trial and the filters. Open it with show(); it deletes itself
 * when it is closed.
 */
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  explicit ExportDialog(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Offers these kernels as one CMake library, and chooses that kind of export. */
  void set_kernels(std::vector<KernelChoice> kernels);
  /**
   * Offers the kernels of a network's layers as one CMake library, and its model as another; chooses the
   * first of these that is available.
   */
  void set_network(const ExportedNetwork& network);
  /** Chooses a kind of export. Does nothing if that kind is not available. */
  void choose(ExportKind kind);
  /** Sets the destination: a file, or a folder for a library. */
  void set_path(const QString& path);

  /** Returns the chosen kind of export. */
  ExportKind kind() const;
  /** Returns the path as typed; may be relative or empty. */
  QString path() const;

 signals:
  /** Emitted after everything was written. Failures are shown in the dialog instead. */
  void exported(const QString& path);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Choice {
    QRadioButton* button = nullptr;
    widgets::ThemedLabel* explanation = nullptr;
  };

  /** A command with its title and the button that copies it. */
  struct CommandRow {
    QWidget* widget = nullptr;
    QLabel* title = nullptr;
    QLineEdit* text = nullptr;
    QToolButton* copy = nullptr;
  };

  // export_dialog_layout.cpp
  void build();
  QWidget* make_choices();
  QWidget* make_place();
  QWidget* make_result();
  CommandRow make_command_row();
  QWidget* make_warnings();
  void add_choice(QVBoxLayout& layout, ExportKind kind, const QString& text);
  void show_command(std::size_t place, const ExportCommand& command);

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

  workspace::Workspace& workspace_;
  std::vector<KernelChoice> kernels_;
  std::optional<ExportedNetwork> network_;  ///< exported in place of `kernels_`
  bool user_chose_ = false;  ///< the user chose the kind; otherwise the first available one is chosen
  Destination destination_;
  QString suggested_name_;  ///< the file or folder name that the dialog suggested
  QString folder_;          ///< the folder with the results
  workspace::JobTracker look_job_;
  workspace::JobTracker export_job_;
  QTimer* look_timer_ = nullptr;

  widgets::ThemedLabel* origin_ = nullptr;
  QButtonGroup* kinds_ = nullptr;
  std::array<Choice, export_kind_count> choices_;
  QWidget* library_row_ = nullptr;
  QLineEdit* library_name_ = nullptr;
  QCheckBox* vendor_where_faster_ = nullptr;  ///< only for a network
  QLineEdit* path_ = nullptr;
  QStringListModel* completions_ = nullptr;
  widgets::ThemedLabel* destination_text_ = nullptr;
  widgets::ThemedLabel* error_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QWidget* result_ = nullptr;
  widgets::ThemedLabel* result_text_ = nullptr;
  QScrollArea* warnings_ = nullptr;
  widgets::ThemedLabel* warnings_text_ = nullptr;
  std::array<CommandRow, max_export_commands> commands_{};
  QPushButton* export_button_ = nullptr;
  QPushButton* close_button_ = nullptr;
};

}  // namespace kernelscape::views

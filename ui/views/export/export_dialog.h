#pragma once

#include <QDialog>
#include <optional>
#include <vector>

#include "ui/views/export/export_offer.h"
#include "ui/workspace/jobs.h"

class QCheckBox;
class QLayout;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class DestinationFields;
class ExportChoices;
class ExportResult;

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
  QWidget* make_place();
  QLayout* make_buttons();
  void connect_inputs(const workspace::Workspace& workspace);
  void update_choices();
  void show_origin();
  void kind_changed();
  void suggest_path();
  void inputs_changed();
  void start();
  void run(const ExportPlan& plan);
  void cancel_or_close();
  void show_outcome(const Result<ExportOutcome>& outcome);
  void show_error(const QString& message, const QString& hint);
  void update_buttons();
  std::optional<ExportPlan> plan() const;

  ExportOffer offer_;
  workspace::JobTracker job_;

  widgets::ThemedLabel* origin_ = nullptr;
  ExportChoices* choices_ = nullptr;
  QWidget* library_row_ = nullptr;
  QLineEdit* library_name_ = nullptr;
  QCheckBox* vendor_where_faster_ = nullptr;  ///< only for a network
  DestinationFields* destination_ = nullptr;
  widgets::ThemedLabel* error_ = nullptr;
  ExportResult* result_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QPushButton* export_button_ = nullptr;
  QPushButton* close_button_ = nullptr;
};

}  // namespace kernelscape::views

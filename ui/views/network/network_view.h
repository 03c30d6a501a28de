#pragma once

#include <optional>

#include "ui/views/export/export_plan.h"
#include "ui/views/network/network_status.h"
#include "ui/views/network/shown_network.h"
#include "ui/views/view.h"
#include "ui/workspace/study_runner.h"

class QDockWidget;
class QSplitter;
class QStackedWidget;
class QVBoxLayout;

namespace kernelscape::widgets {
class EmptyState;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

class NetworkActions;
class NetworkCharts;
class NetworkForm;
class NetworkStudyRow;
class NetworkTables;
class NetworkTrash;

/**
 * The view Network: the set-up of a network's study, the layers of the network before anything is measured,
 * and the network's time while its layers are tuned. Studies that were stored before, or that another process
 * runs, are followed through the same database. The latest study is shown until the user chooses something
 * else.
 */
class NetworkView : public View {
  Q_OBJECT

 public:
  explicit NetworkView(ViewContext context);

  /** Returns the study that is shown; nullopt: the network of the set-up is shown before its run. */
  std::optional<store::StudyId> study() const { return shown_.study(); }
  /** Returns the last read snapshot of the shown study; null: nothing was read yet. */
  const workspace::NetworkSnapshotPointer& snapshot() const { return shown_.snapshot(); }
  NetworkForm& form() { return *form_; }              ///< the set-up, in its dock
  const NetworkForm& form() const { return *form_; }  ///< the set-up, read-only
  NetworkTables& tables() { return *tables_; }        ///< layers and other operators
  NetworkCharts& charts() { return *charts_; }        ///< charts of the study

  /** Returns the provenance of the network, not of the current session. */
  QString provenance() const override { return shown_.provenance(); }
  void focus_filter() override;
  /** Exports the kernels of the study; without a kernel the whole model. */
  void export_current() override;
  bool report_current() override;
  /** Returns the model of the shown network; nullopt: it has none, or its file is not known. */
  std::optional<study::ModelSource> model() const { return shown_.model(); }
  /** Exports the library of the whole model; asks for the model's file if it is not known. */
  void export_model();

 public slots:
  /** Replaces what is shown with this study, which is read in the background. */
  void open_study(kernelscape::store::StudyId id);
  /** Puts a network, of the catalogue or from a file, into the set-up and shows its layers. */
  void open_network(const QString& name_or_file);
  /** Shows the set-up and the layers of its network. */
  void new_network();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void make_body(QVBoxLayout& column);
  void connect_actions();
  void connect_workspace();
  void connect_runner();
  void connect_parts();

  void start();
  void stop_or_resume();
  void copy_command_line();
  void delete_study();
  void open_layer(std::optional<store::SessionId> session, const QString& view);
  void open_layer_of_study(std::size_t layer, const QString& view);
  void open_layer_of_task(const std::string& task);
  void open_selected(const QString& view);
  void open_export_dialog(ExportKind kind);
  void set_model_file(const QString& path);
  void read_changed_model();
  void show_studies(const workspace::StudySummaries& studies);
  void show_snapshot(const workspace::NetworkSnapshotPointer& snapshot);
  void open_latest();
  void show_preview();
  void show_set_up();
  void show_study();
  void show_model();
  void show_state();
  void show_actions();
  void show_layer_actions();
  void show_empty(const QString& headline, const QString& text, const QString& action);
  void act_on_empty();

  NetworkForm* form_;
  ShownNetwork shown_;
  bool chosen_ = false;  ///< the user asked for a study or the set-up, or deleted a study
  workspace::StudyRequestId awaited_ = 0;

  NetworkActions* actions_;
  NetworkStudyRow* study_row_;
  NetworkTrash* trash_ = nullptr;
  QDockWidget* setup_dock_ = nullptr;
  std::optional<NetworkStatus> status_;  ///< set by the constructor
  NetworkCharts* charts_ = nullptr;
  NetworkTables* tables_ = nullptr;
  QSplitter* body_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
};

}  // namespace kernelscape::views

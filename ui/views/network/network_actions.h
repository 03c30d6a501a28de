#pragma once

#include <QObject>

#include "ui/views/action_registry.h"

namespace kernelscape::models {
struct NetworkLayerRow;
}  // namespace kernelscape::models

namespace kernelscape::views {

class NetworkForm;
class NetworkTrash;
class ShownNetwork;

/**
 * The actions of the view Network. Their texts and tool tips say what they do now, or why they can't be used;
 * a signal says which one was triggered.
 */
class NetworkActions : public QObject {
  Q_OBJECT

 public:
  /** Adds the actions. @param view scope of the actions on a study, and owner of this object */
  NetworkActions(ActionRegistry& registry, QWidget& view);

  QAction* prepare() const { return prepare_; }                ///< shows the set-up
  QAction* run() const { return run_; }                        ///< stops or resumes the study
  QAction* report() const { return report_; }                  ///< writes the report of the study
  QAction* export_kernels() const { return export_kernels_; }  ///< exports the kernels of the study
  QAction* export_model() const { return export_model_; }      ///< exports the whole model
  QAction* discard() const { return discard_; }                ///< deletes the study
  QAction* tune_layer() const { return tune_layer_; }          ///< opens the selected layer in Tune
  QAction* explore_layer() const { return explore_layer_; }    ///< opens the selected layer in Explore

  /** Updates the actions on the network that is shown. */
  void update(const ShownNetwork& shown, const NetworkForm& form, const NetworkTrash& trash);
  /** Updates the actions on a layer. @param layer the selected one; null: none or several are selected */
  void update_layer(const models::NetworkLayerRow* layer);

 signals:
  /** Emitted to choose the file of a network. */
  void open_requested();
  /** Emitted to show the set-up. */
  void prepare_requested();
  /** Emitted to run the set-up. */
  void start_requested();
  /** Emitted to stop or resume the study. */
  void run_toggled();
  /** Emitted to copy the set-up as a command line. */
  void copy_requested();
  /** Emitted to report the study. */
  void report_requested();
  /** Emitted to export the kernels. */
  void export_requested();
  /** Emitted to export the whole model. */
  void model_requested();
  /** Emitted to delete the study. */
  void discard_requested();
  /** Emitted to restore the study that was deleted last. */
  void restore_requested();
  /** Emitted to open the selected layer in a view, by the view's name. */
  void layer_requested(const QString& view);

 private:
  void add_run_actions(ActionRegistry& registry);
  void add_study_actions(ActionRegistry& registry, QWidget& view);
  void update_run(const ShownNetwork& shown);

  QAction* prepare_ = nullptr;
  QAction* start_ = nullptr;
  QAction* run_ = nullptr;
  QAction* report_ = nullptr;
  QAction* export_kernels_ = nullptr;
  QAction* export_model_ = nullptr;
  QAction* discard_ = nullptr;
  QAction* restore_ = nullptr;
  QAction* tune_layer_ = nullptr;
  QAction* explore_layer_ = nullptr;
};

}  // namespace kernelscape::views

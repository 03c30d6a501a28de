#pragma once

#include <QCoreApplication>
#include <QDateTime>
#include <map>
#include <optional>
#include <string>

#include "ui/views/network/network_headline.h"
#include "ui/workspace/network_watch.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::views {

class NetworkForm;

/**
 * Holds what the view Network shows: a stored study as last read, or the network of the set-up before its
 * run. Its obstacles say why an action on it is not possible; an empty text means that the action is
 * possible.
 */
class ShownNetwork {
  Q_DECLARE_TR_FUNCTIONS(kernelscape::views::NetworkView)

 public:
  /** @param form the set-up; like the workspace it outlives this object */
  ShownNetwork(workspace::Workspace& workspace, const NetworkForm& form);

  /** Watches another study and forgets what was read. @param study nullopt: the set-up is shown */
  void choose(std::optional<store::StudyId> study);
  /** Reads the watched study again after a failure. */
  void read_again();
  /** Sets the studies of the database. @param studies null: they were not read yet */
  void set_studies(const workspace::StudySummaries& studies) { studies_ = studies; }
  /** Sets what was read last of the study. */
  void set_snapshot(const workspace::NetworkSnapshotPointer& snapshot);
  /** Sets why the study, or the list of studies, can't be read. */
  void set_failure(const QString& failure) { failure_ = failure; }
  /** Uses this file as the model of the shown study, which does not name its model. */
  void set_model_file(const std::string& path);

  const std::optional<store::StudyId>& study() const { return study_; }            ///< nullopt: the set-up
  const workspace::StudySummaries& studies() const { return studies_; }            ///< null: not read yet
  const workspace::NetworkSnapshotPointer& snapshot() const { return snapshot_; }  ///< null: not read yet
  const QString& failure() const { return failure_; }  ///< why nothing can be read; usually empty
  /** Returns the study in the list of studies; null if it is not there, or the set-up is shown. */
  const store::StudySummary* summary() const;
  /** Returns how the study runs. */
  NetworkRunState run_state() const;
  /** Returns the model of the network; nullopt: it has none, or its file is not known. */
  std::optional<study::ModelSource> model() const;
  /** Returns true if the network was read from a file, which may be a model. */
  bool is_of_file() const;
  /** Returns the moment at which the study was stored; invalid: the set-up is shown, or the time is unknown.
   */
  QDateTime stored_time() const;
  /** Returns the network, device, study and date for exported charts. */
  QString provenance() const;

  QString run_obstacle() const;     ///< why the study can be neither stopped nor resumed
  QString report_obstacle() const;  ///< why there is no report
  QString export_obstacle() const;  ///< why no kernels can be exported
  QString model_obstacle() const;   ///< why the whole model can't be exported
  QString delete_obstacle() const;  ///< why the study can't be deleted

 private:
  workspace::Workspace& workspace_;
  const NetworkForm& form_;
  std::optional<store::StudyId> study_;
  workspace::StudySummaries studies_;
  workspace::NetworkSnapshotPointer snapshot_;
  QString failure_;
  std::map<store::StudyId, study::ModelSource> chosen_models_;  ///< of studies that do not name their model
};

}  // namespace kernelscape::views

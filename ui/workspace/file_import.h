#pragma once

#include <QObject>
#include <QStringList>

#include "core/exchange/importer.h"
#include "core/study/known_predictors.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape {

/** Whether the file is a database, told by its first bytes: it is opened, not imported. */
bool is_database_file(const QString& path);

/** Whether the file is called as predictors are: NAME.kspred. What is in it is looked at where it is
 * imported. */
bool is_predictor_file(const QString& path);

/** Whether the file is a project of a user's own kernel: its JSON says so. It is opened, not imported. */
bool is_project_file(const QString& path);

/** An ONNX model by its name, or the file of a saved network. */
bool is_network_file(const QString& path);

/** Imports recordings, logs and predictors into the workspace's database in the background, one batch after
 * the other. Window's thread.
 */
class FileImport : public QObject {
  Q_OBJECT

 public:
  explicit FileImport(Workspace& workspace, QObject* parent = nullptr);

  /** What was asked for before is finished first. What goes wrong stands in the notices, file by file. */
  void start(const QStringList& paths, ImportAs as = ImportAs::Automatic);
  bool busy() const { return job_.busy(); }  ///< files are being read, or wait

 signals:
  /** A batch of files began or ended; one that waits begins at once. */
  void busy_changed(bool busy);
  /** The sessions that these files have become, in their order; those that were there already as well. */
  void imported(const std::vector<kernelscape::ImportedSession>& sessions);
  /** The predictor that a file has become, or was already: once for each. */
  void predictor_imported(qint64 predictor);

 private:
  struct Request {
    QStringList paths;
    ImportAs as{};
  };

  void serve();
  void tell(const QString& path, const Result<ImportOutcome>& outcome);
  void tell_predictor(const QString& path, const Result<ImportedPredictor>& outcome);

  Workspace& workspace_;
  std::vector<Request> waiting_;
  JobTracker job_;
};

}  // namespace kernelscape

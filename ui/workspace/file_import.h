#pragma once

#include <QObject>
#include <QStringList>

#include "core/exchange/importer.h"
#include "core/exchange/table_preview.h"
#include "core/study/known_predictors.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::workspace {

/**
 * Returns true if the first bytes of the file are those of a database, which is opened instead of imported;
 * false for a database of another tuner, which is imported.
 */
bool is_database_file(const QString& path);

/**
 * Returns true if the file name is that of a predictor, NAME.kspred. The contents are checked when the file
 * is imported.
 */
bool is_predictor_file(const QString& path);

/**
 * Returns true if the JSON of the file is a project of a user's own kernel, which is opened instead of
 * imported.
 */
bool is_project_file(const QString& path);

/** Returns true for an ONNX model (by its file name), or the file of a saved network. */
bool is_network_file(const QString& path);

/** Files that are imported together. */
struct ImportBatch {
  QStringList paths;
  exchange::TableOptions table{};  ///< what the user states about the columns of a table
  bool previews_tables = false;    ///< tables are shown to the user first
};

/**
 * Imports recordings, logs and predictors into the workspace's database in the background, one batch after
 * the other. Must be used on the window's thread.
 */
class FileImport : public QObject {
  Q_OBJECT

 public:
  explicit FileImport(Workspace& workspace, QObject* parent = nullptr);

  /**
   * Queues a batch of files, which is imported after the earlier batches. Errors are reported as notices, one
   * per file.
   */
  void start(const QStringList& paths);
  /** Queues a table whose columns the user has checked. */
  void start_table(const QString& path, exchange::TableOptions options);
  /** Emits table_found() for tables whose columns have to be guessed, instead of importing them. */
  void preview_tables() { previews_tables_ = true; }
  bool busy() const { return job_.busy(); }  ///< files are being read, or are queued

 signals:
  /** A batch of files began or ended; a queued batch begins at once. */
  void busy_changed(bool busy);
  /**
   * A batch was imported.
   * @param sessions sessions of the files, in their order, including those that were already in the database
   */
  void imported(const std::vector<kernelscape::exchange::ImportedSession>& sessions);
  /** The predictor of a file was imported, or was already in the database; emitted once per predictor. */
  void predictor_imported(qint64 predictor);
  /** A file is a table, and nothing of it was stored: start_table() imports it. */
  void table_found(const QString& path, const kernelscape::exchange::TablePreview& table);

 private:
  void add(ImportBatch batch);
  void serve();
  void notify(const QString& path, const Result<exchange::ImportOutcome>& outcome);
  void notify_predictor(const QString& path, const Result<study::ImportedPredictor>& outcome);

  Workspace& workspace_;
  std::vector<ImportBatch> waiting_;
  bool previews_tables_ = false;
  JobTracker job_;
};

}  // namespace kernelscape::workspace

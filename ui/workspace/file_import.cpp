#include "ui/workspace/file_import.h"

#include <QFile>
#include <QFileInfo>
#include <optional>
#include <utility>
#include <variant>

#include "core/base/numbers.h"
#include "core/base/open_database.h"
#include "core/exchange/foreign_database.h"
#include "core/project/kernel_project.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::workspace {
namespace {

/** The result of the import of a file. */
struct FileOutcome {
  QString path;
  /** A preview: the file is a table, and nothing was stored. */
  std::variant<Result<exchange::ImportOutcome>, Result<study::ImportedPredictor>, exchange::TablePreview>
      outcome;
};
using Outcomes = std::vector<FileOutcome>;

Outcomes import_all(const std::filesystem::path& database, const ImportBatch& batch) {
  Outcomes outcomes;
  Result<store::Store> store = store::Store::open(database);
  std::vector<std::filesystem::path> files;
  for (const QString& path : batch.paths) {
    const std::filesystem::path file = path.toStdString();
    if (!is_predictor_file(path)) {
      std::optional<exchange::TablePreview> table;
      if (batch.previews_tables) table = exchange::preview_table(file);
      if (table)
        outcomes.push_back({path, *std::move(table)});
      else
        files.push_back(file);
      continue;
    }
    outcomes.push_back({path, store ? study::import_predictor(*store, file)
                                    : Result<study::ImportedPredictor>(std::unexpected(store.error()))});
  }
  for (exchange::ImportSource& source : exchange::import_sources(files)) {
    source.table = batch.table;
    outcomes.push_back({QString::fromStdString(source.path.string()),
                        store ? exchange::import_file(*store, source)
                              : Result<exchange::ImportOutcome>(std::unexpected(store.error()))});
  }
  return outcomes;
}

}  // namespace

bool is_database_file(const QString& path) {
  // To open and close a database that is in use, such as the window's own, would release SQLite's locks.
  if (const base::DatabaseUse use = base::database_use(path.toStdString()); use != base::DatabaseUse::None)
    return use == base::DatabaseUse::Database;
  // Reading a pipe would block the window until another program writes into it.
  if (!QFileInfo(path).isFile()) return false;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly) || file.read(15) != QByteArrayLiteral("SQLite format 3")) return false;
  // Databases of other tuners are imported.
  return exchange::foreign_database(path.toStdString()) == nullptr;
}

bool is_predictor_file(const QString& path) { return path.endsWith(QLatin1String(".kspred")); }

bool is_project_file(const QString& path) {
  constexpr qint64 max_bytes = qint64{16} << 20;
  const QFileInfo info(path);
  if (!path.endsWith(QLatin1String(".json")) || !info.isFile()) return false;
  if (info.size() > max_bytes || base::database_use(path.toStdString()) != base::DatabaseUse::None)
    return false;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return false;
  const QByteArray text = file.read(max_bytes);
  // Logs may be long: only a possible log is parsed.
  if (!text.contains("TuningParameters") || !text.contains("KernelSpecification")) return false;
  return project::is_project({text.constData(), static_cast<std::size_t>(text.size())});
}

bool is_network_file(const QString& path) {
  constexpr qint64 head_bytes = 4096;
  if (path.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive)) return true;
  if (!path.endsWith(QLatin1String(".json")) || !QFileInfo(path).isFile()) return false;
  if (base::database_use(path.toStdString()) != base::DatabaseUse::None) return false;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return false;
  const QByteArray head = file.read(head_bytes).trimmed();
  return head.startsWith('{') && head.contains("\"networks\"");
}

FileImport::FileImport(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&job_, &JobTracker::busy_changed, this, &FileImport::busy_changed);
}

void FileImport::start(const QStringList& paths) {
  add({.paths = paths, .previews_tables = previews_tables_});
}

void FileImport::start_table(const QString& path, exchange::TableOptions options) {
  add({.paths = {path}, .table = std::move(options)});
}

void FileImport::add(ImportBatch batch) {
  waiting_.push_back(std::move(batch));
  if (!job_.busy()) serve();
}

void FileImport::serve() {
  if (waiting_.empty()) return;
  const ImportBatch batch = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  job_.start(
      [database = workspace_.database(), batch](const JobControl&) { return import_all(database, batch); },
      [this](const Outcomes& outcomes) {
        std::vector<exchange::ImportedSession> sessions;
        for (const FileOutcome& file : outcomes) {
          if (const auto* predictor = std::get_if<Result<study::ImportedPredictor>>(&file.outcome)) {
            notify_predictor(file.path, *predictor);
            continue;
          }
          if (const auto* table = std::get_if<exchange::TablePreview>(&file.outcome)) {
            emit table_found(file.path, *table);
            continue;
          }
          const auto& outcome = std::get<Result<exchange::ImportOutcome>>(file.outcome);
          notify(file.path, outcome);
          if (outcome) sessions.insert(sessions.end(), outcome->sessions.begin(), outcome->sessions.end());
        }
        workspace_.watch().refresh();
        workspace_.learning_watch().refresh();
        if (!sessions.empty()) emit imported(sessions);
        serve();
      });
}

void FileImport::notify(const QString& path, const Result<exchange::ImportOutcome>& outcome) {
  if (!outcome) return workspace_.notices().fail(outcome.error());
  const QString file = QFileInfo(path).fileName();
  std::int64_t trials = 0;
  for (const exchange::ImportedSession& session : outcome->sessions) trials += session.trials;
  if (outcome->collection) {
    workspace_.notices().inform(
        tr("%1 was imported as collection %2: %3 sessions of %4 tasks, %5 trials")
            .arg(file)
            .arg(outcome->collection->id)
            .arg(QString::fromStdString(base::count_text(std::ssize(outcome->sessions))),
                 QString::fromStdString(base::count_text(outcome->collection->tasks)),
                 QString::fromStdString(base::count_text(trials))),
        tr("The session list shows it as one row, which expands to its sessions."));
  }
  for (const exchange::ImportedSession& session : outcome->sessions) {
    if (outcome->collection) break;
    workspace_.notices().inform(session.existed
                                    ? tr("%1 was already imported: session %2").arg(file).arg(session.session)
                                    : (session.trials == 1 ? tr("%1 was imported as session %2, %3 trial")
                                                           : tr("%1 was imported as session %2, %3 trials"))
                                          .arg(file)
                                          .arg(session.session)
                                          .arg(QString::fromStdString(base::count_text(session.trials))));
  }
  for (const std::string& notice : outcome->notices)
    workspace_.notices().warn(file + QStringLiteral(": ") + QString::fromStdString(notice));
}

void FileImport::notify_predictor(const QString& path, const Result<study::ImportedPredictor>& outcome) {
  if (!outcome) return workspace_.notices().fail(outcome.error());
  const QString file = QFileInfo(path).fileName();
  workspace_.notices().inform(
      (outcome->existed ? tr("%1 was already imported: predictor %2") : tr("%1 was imported as predictor %2"))
          .arg(file)
          .arg(outcome->id));
  emit predictor_imported(outcome->id);
}

}  // namespace kernelscape::workspace

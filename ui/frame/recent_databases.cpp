#include "ui/frame/recent_databases.h"

#include "core/store/store.h"

namespace kernelscape::frame {
namespace {

constexpr qsizetype most_recent_databases = 6;

}  // namespace

Status check_database(const std::filesystem::path& database) {
  const Result<store::Store> store = store::Store::open(database, store::OpenMode::Existing);
  if (store) return {};
  // A database that can't be written can still be viewed; the window reports why it can't be written.
  if (store::Store::open(database, store::OpenMode::ReadOnly)) return {};
  return std::unexpected(store.error());
}

QStringList with_recent_database(const QStringList& recent, const QString& database) {
  QStringList databases = recent;
  databases.removeAll(database);
  databases.prepend(database);
  return databases.mid(0, most_recent_databases);
}

}  // namespace kernelscape::frame

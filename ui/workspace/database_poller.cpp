#include "ui/workspace/database_poller.h"

namespace kernelscape::workspace {

Status open_to_poll(std::optional<store::Store>& store, const std::filesystem::path& database) {
  if (store) return {};
  // Opens for writing first, which creates a database that does not exist yet.
  Result<store::Store> opened = store::Store::open(database);
  if (!opened) opened = store::Store::open(database, store::OpenMode::ReadOnly);
  if (!opened) return std::unexpected(opened.error());
  store.emplace(std::move(*opened));
  return {};
}

}  // namespace kernelscape::workspace

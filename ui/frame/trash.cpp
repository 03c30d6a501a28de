#include "ui/frame/trash.h"

#include "core/store/store.h"

namespace kernelscape {

Status empty_trash(const std::filesystem::path& database) {
  if (!std::filesystem::exists(database)) return {};
  Result<Store> store = Store::open(database);
  if (!store) return std::unexpected(store.error());
  const Result<std::vector<SessionId>> trashed = store->trashed_sessions();
  if (!trashed) return std::unexpected(trashed.error());
  for (const SessionId id : *trashed) {
    if (const Status deleted = store->delete_session(id); !deleted) return deleted;
  }
  const Result<std::vector<StudyId>> studies = store->trashed_studies();
  if (!studies) return std::unexpected(studies.error());
  for (const StudyId id : *studies) {
    if (const Status deleted = store->delete_study(id); !deleted) return deleted;
  }
  return {};
}

}  // namespace kernelscape

#include "ui/frame/trash.h"

#include "core/base/read_file.h"
#include "core/store/store.h"

namespace kernelscape {

Status empty_trash(const std::filesystem::path& database) {
  if (!path_exists(database)) return {};
  Store store = TRY(Store::open(database));
  for (const SessionId id : TRY(store.trashed_sessions())) TRY(store.delete_session(id));
  for (const StudyId id : TRY(store.trashed_studies())) TRY(store.delete_study(id));
  return {};
}

}  // namespace kernelscape

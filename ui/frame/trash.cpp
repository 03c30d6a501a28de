#include "ui/frame/trash.h"

#include "core/base/read_file.h"
#include "core/store/store.h"

namespace kernelscape::frame {

Status empty_trash(const std::filesystem::path& database) {
  if (!base::path_exists(database)) return {};
  store::Store store = TRY(store::Store::open(database));
  for (const store::SessionId id : TRY(store.trashed_sessions())) TRY(store.delete_session(id));
  for (const store::StudyId id : TRY(store.trashed_studies())) TRY(store.delete_study(id));
  return {};
}

}  // namespace kernelscape::frame

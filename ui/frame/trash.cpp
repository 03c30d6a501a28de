#include "ui/frame/trash.h"

#include "core/base/read_file.h"
#include "core/store/store.h"

namespace kernelscape::frame {

Status empty_trash(const std::filesystem::path& database) {
  if (!base::path_exists(database)) return {};
  store::Store store = TRY(store::Store::open(database));
  for (const store::SessionId id : TRY(store.sessions().trashed())) TRY(store.sessions().remove(id));
  for (const store::StudyId id : TRY(store.studies().trashed())) TRY(store.studies().remove(id));
  return {};
}

}  // namespace kernelscape::frame

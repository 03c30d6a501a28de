#include "ui/workspace/database_option.h"

#include "core/base/media/offered_command.h"
#include "core/store/store.h"

namespace kernelscape::workspace {

std::string database_option(const std::filesystem::path& database) {
  if (database == store::Store::default_path()) return {};
  return base::option_of_database(database.string());
}

}  // namespace kernelscape::workspace

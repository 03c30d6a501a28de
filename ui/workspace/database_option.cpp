#include "ui/workspace/database_option.h"

#include "core/base/media/offered_command.h"
#include "core/store/store.h"

namespace kernelscape {

std::string database_option(const std::filesystem::path& database) {
  if (database == Store::default_path()) return {};
  return option_of_database(database.string());
}

}  // namespace kernelscape

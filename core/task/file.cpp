#include "core/task/file.h"

#include <fmt/format.h>

#include "core/base/foreign_file.h"
#include "core/base/open_database.h"
#include "core/base/read_file.h"

namespace kernelscape::task {

Result<std::string> read_task_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return fail(ErrorCode::NotFound, fmt::format("{} is not a file", path.string()),
                "give the path of a file with tasks");
  }
  if (const std::uintmax_t bytes = std::filesystem::file_size(path, error); error || bytes > max_bytes) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is too large for a task file", path.string()),
                fmt::format("task files have at most {} bytes", max_bytes));
  }
  TRY(base::check_no_open_database(path));
  TRY(base::check_no_foreign_file(path));
  return base::read_file_beginning(path, max_bytes);
}

}  // namespace kernelscape::task

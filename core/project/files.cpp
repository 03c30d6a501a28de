#include "core/project/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/numbers.h"
#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

namespace fs = std::filesystem;

/** Returns the path relative to the folder; nullopt if it is not inside. Both paths are canonical. */
std::optional<fs::path> path_within(const fs::path& path, const fs::path& folder) {
  const auto [of_folder, of_path] = std::ranges::mismatch(folder, path);
  if (of_folder != folder.end() || of_path == path.end()) return std::nullopt;
  fs::path inside;
  for (auto part = of_path; part != path.end(); ++part) inside /= *part;
  return inside;
}

}  // namespace

Result<Files> Files::open(const fs::path& project_file, bool outside) {
  std::error_code error;
  const fs::path file = fs::canonical(project_file, error);
  if (error)
    return fail(ErrorCode::NotFound, fmt::format("there is no {}", base::visible_text(project_file.string())),
                "name a project file, or write one with `kernelscape new-kernel NAME`");
  return Files(file.parent_path(), outside);
}

bool Files::has(const fs::path& path) const { return path == folder_ || path_within(path, folder_); }

Result<NamedFile> Files::read(std::string_view written, const fs::path& from, std::uintmax_t max_bytes) {
  NamedFile file = TRY(read_unstored(written, from, std::min(max_bytes, left_bytes_)));
  left_bytes_ -= file.text.size();
  return file;
}

Result<NamedFile> Files::read_unstored(std::string_view written, const fs::path& from,
                                       std::uintmax_t max_bytes) const {
  if (written.empty() || written.contains('\0'))
    return fail(ErrorCode::InvalidArgument, "an empty name, or a name with a null byte, is not a file name",
                "write its path from the project's folder");
  std::error_code error;
  const fs::path path = fs::canonical(from / fs::path(written), error);
  if (error)
    return fail(ErrorCode::NotFound,
                fmt::format("there is no file {} in {}", base::quoted_line(written),
                            base::visible_text(from.string())),
                "paths are written from the folder of the file that names them");
  const auto inside = path_within(path, folder_);
  if (!inside && !outside_)
    return fail(ErrorCode::Refused,
                fmt::format("{} is {}, outside the project's folder", base::quoted_line(written),
                            base::visible_text(path.string())),
                "put it into the folder, or allow files outside of it");
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (!error && bytes > max_bytes)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} has {}, and at most {} are read", base::quoted_line(written),
                            base::bytes_text(static_cast<double>(bytes)),
                            base::bytes_text(static_cast<double>(max_bytes))),
                "make it smaller, generate its contents by a fill type, or set kernelscape.DataFiles to "
                "\"Referenced\" if it is a data file");
  std::string text = TRY(base::read_text_file(path, max_bytes));
  return NamedFile{path, inside ? inside->generic_string() : std::string(), std::move(text)};
}

}  // namespace kernelscape::project

#include "core/project/data_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/numbers.h"
#include "core/base/sha256.h"
#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

namespace fs = std::filesystem;

/** Copies of the contents that exist at once: here, in a message to the worker, and in the worker. */
constexpr double held_copies = 4;

double bytes_in_files(const ProgramData& data) {
  double bytes = 0;
  for (const ProgramArgument& argument : data.arguments) {
    if (argument.fill.file) bytes += static_cast<double>(argument.fill.file->bytes);
  }
  for (const auto& [index, file] : data.answer.files) bytes += static_cast<double>(file.bytes);
  return bytes;
}

Status check_memory(const ProgramData& data) {
  const double needed = held_copies * bytes_in_files(data);
  const auto available = static_cast<double>(base::available_memory_bytes());
  if (needed <= available) return {};
  return fail(
      ErrorCode::Environment,
      fmt::format("the data files take {}, passing them to a worker takes {} of memory, and {} are free",
                  base::bytes_text(bytes_in_files(data)), base::bytes_text(needed),
                  base::bytes_text(available)),
      "end other programs, or choose a smaller problem");
}

std::unexpected<Error> other_contents(const DataFile& file) {
  return fail(ErrorCode::Refused,
              fmt::format("the data file {} has changed: the session needs its former {} bytes",
                          base::visible_text(file.path), file.bytes),
              "restore the file, or start a new session from the project file");
}

}  // namespace

DataFile refer_to_file(const fs::path& path, std::string_view contents) {
  return {.path = path.string(), .bytes = contents.size(), .sha256 = base::sha256(contents)};
}

Result<std::string> read_data_file(const DataFile& file) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file.path, error);
  if (error == std::errc::no_such_file_or_directory)
    return fail(ErrorCode::NotFound,
                fmt::format("the data file {} is missing", base::visible_text(file.path)),
                "put it back, or start a new session from the project file");
  if (!error && bytes != file.bytes) return other_contents(file);
  std::string contents = TRY(base::read_text_file(file.path, file.bytes));
  if (base::sha256(contents) != file.sha256) return other_contents(file);
  return contents;
}

bool has_data_files(const ProgramData& data) {
  return !data.answer.files.empty() ||
         std::ranges::any_of(data.arguments,
                             [](const ProgramArgument& argument) { return argument.fill.file.has_value(); });
}

Result<std::vector<ProgramArgument>> loaded_arguments(const ProgramData& data) {
  TRY(check_memory(data));
  std::vector<ProgramArgument> arguments = data.arguments;
  for (ProgramArgument& argument : arguments) {
    if (!argument.fill.file) continue;
    argument.fill.bytes = TRY(read_data_file(*argument.fill.file));
    argument.fill.file.reset();
  }
  return arguments;
}

Result<std::vector<std::string>> loaded_answer(const ProgramData& data) {
  TRY(check_memory(data));
  std::vector<std::string> bytes = data.answer.bytes;
  for (const auto& [index, file] : data.answer.files) bytes[index] = TRY(read_data_file(file));
  return bytes;
}

}  // namespace kernelscape::project

#include "core/base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace kernelscape::base {
namespace {

const char* reading_hint(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "check the path";
    case EISDIR:
      return "name a file, not a folder";
    case EIO:
    case ESTALE:
      return "check the disk or the network share that holds it, or name a copy elsewhere";
    case ENOMEM:
      return "free memory";
    default:
      return "choose a file that you may read";
  }
}

}  // namespace

std::unexpected<Error> cannot_read_file(const std::filesystem::path& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return fail(missing ? ErrorCode::NotFound : ErrorCode::InvalidArgument,
              fmt::format("cannot read {}: {}", path.string(), std::strerror(error)), reading_hint(error));
}

Result<ReadableFile> ReadableFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return cannot_read_file(path, errno);
  return ReadableFile(descriptor);
}

ReadableFile::ReadableFile(ReadableFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

ReadableFile& ReadableFile::operator=(ReadableFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ReadableFile::~ReadableFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::expected<std::size_t, int> ReadableFile::read(std::span<char> target) {
  std::size_t done = 0;
  while (done < target.size()) {
    const ssize_t count = ::read(descriptor_, target.data() + done, target.size() - done);
    if (count < 0 && errno != EINTR) return std::unexpected(errno);
    if (count == 0) break;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return done;
}

std::expected<std::string, int> ReadableFile::read_text(std::size_t max_bytes) {
  constexpr std::size_t piece_bytes = 64 << 10;
  std::string text;
  while (text.size() < max_bytes) {
    const std::size_t before = text.size();
    text.resize(before + std::min(std::max(piece_bytes, before), max_bytes - before));
    const auto count = read(std::span(text).subspan(before));
    if (!count) return std::unexpected(count.error());
    const bool ended = before + *count < text.size();
    text.resize(before + *count);
    if (ended) break;
  }
  return text;
}

Result<std::string> read_file_beginning(const std::filesystem::path& path, std::size_t max_bytes) {
  ReadableFile file = TRY(ReadableFile::open(path));
  std::expected<std::string, int> text = file.read_text(max_bytes);
  if (!text) return cannot_read_file(path, text.error());
  return *std::move(text);
}

std::string read_system_file(const std::filesystem::path& path) {
  constexpr std::size_t max_bytes = 16 << 20;
  return read_file_beginning(path, max_bytes).value_or(std::string());
}

Result<std::filesystem::path> absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (!error) return whole;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("cannot find {}: the folder in which this program runs is gone ({})", path.string(),
                          error.message()),
              "change to a folder that is there, or write the path from / on");
}

bool path_exists(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

}  // namespace kernelscape::base

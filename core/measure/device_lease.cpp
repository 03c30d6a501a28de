#include "core/measure/device_lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

constexpr int open_flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

std::string lock_path(std::string device, const std::string& folder) {
  for (char& c : device) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  }
  return folder + "/kernelscape-" + device + ".lock";
}

/**
 * Opens an existing lock file before it tries to create one: in a shared folder the system refuses O_CREAT on
 * another user's file.
 */
UniqueFd open_lock(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDWR | open_flags));
  if (!file.valid()) file = UniqueFd(open(path.c_str(), O_RDONLY | open_flags));
  if (!file.valid() && errno == ENOENT) {
    file = UniqueFd(open(path.c_str(), O_RDWR | O_CREAT | open_flags, 0666));
    if (file.valid()) fchmod(file.get(), 0666);  // regardless of the umask: other users need access
  }
  return file;
}

std::string read_holder(int file) {
  std::array<char, 512> buffer{};
  const ssize_t count = pread(file, buffer.data(), buffer.size(), 0);
  const std::string text = count > 0 ? clean_message({buffer.data(), static_cast<std::size_t>(count)}) : "";
  return text.empty() ? "another process" : text;
}

/**
 * Writes the holder for people who read the file. Failures are ignored, since the file may belong to another
 * user.
 */
void write_holder(int file, const std::string& holder) {
  if (ftruncate(file, 0) != 0) return;
  if (pwrite(file, holder.data(), holder.size(), 0) < 0) return;
}

}  // namespace

Result<DeviceLease> DeviceLease::acquire(const Request& request) {
  const std::string path = lock_path(request.device, request.folder);
  UniqueFd file = open_lock(path);
  if (!file.valid()) {
    return fail(ErrorCode::Environment,
                fmt::format("the lock file of {} can't be opened at {}: {}", request.device, path,
                            std::strerror(errno)),
                "make that file readable, or remove it");
  }
  std::optional<std::string> last;
  const int mode = request.shared ? LOCK_SH : LOCK_EX;
  while (flock(file.get(), mode | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail(ErrorCode::Environment, fmt::format("{} can't be locked: {}", path, std::strerror(errno)));
    }
    const std::string holder = read_holder(file.get());
    if (request.waiting && holder != last) request.waiting(holder);
    last = holder;
    if (request.give_up && request.give_up()) {
      return fail(ErrorCode::Refused, fmt::format("{} is in use by {}", request.device, holder),
                  "wait until it is free");
    }
    std::this_thread::sleep_for(request.ask_again);
  }
  write_holder(file.get(), request.holder);
  return DeviceLease(std::move(file));
}

std::optional<std::string> DeviceLease::holder_of(const std::string& device, const std::string& folder) {
  const UniqueFd file(open(lock_path(device, folder).c_str(), O_RDONLY | open_flags));
  if (!file.valid()) return std::nullopt;
  // A shared lock, held only for this check: several checks do not block each other, only a process that
  // wants to measure.
  if (flock(file.get(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  if (errno != EWOULDBLOCK) return std::nullopt;
  return read_holder(file.get());
}

}  // namespace kernelscape::measure

#include "core/project/trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t hash_digits = 64;
constexpr std::uintmax_t max_trust_bytes = 64ULL << 20;

fs::path users_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  const passwd* user = getpwuid(getuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : ".";
}

bool is_hash(std::string_view text) {
  return text.size() == hash_digits && std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

bool lists(std::string_view text, std::string_view hash) {
  return std::ranges::any_of(base::split_text(text, '\n'), [hash](const std::string& line) {
    return line.starts_with(hash) && line.size() > hash.size() && line[hash.size()] == ' ';
  });
}

/** Returns the text of the file; empty if there is no file yet. */
Result<std::string> trusted_text(const fs::path& path) {
  Result<std::string> text = base::read_text_file(path, max_trust_bytes);
  if (!text && text.error().code == ErrorCode::NotFound) return std::string();
  return text;
}

/**
 * A lock for adding a line: if two processes add lines, one waits for the other. The destructor releases it.
 */
class TrustLock {
 public:
  static Result<TrustLock> take(const fs::path& path) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return base::cannot_write_file(path, errno);
    TrustLock lock(descriptor);
    int taken = flock(descriptor, LOCK_EX);
    while (taken != 0 && errno == EINTR) taken = flock(descriptor, LOCK_EX);
    if (taken != 0) return base::cannot_write_file(path, errno);
    return lock;
  }
  TrustLock(TrustLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  TrustLock& operator=(TrustLock&&) = delete;
  ~TrustLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  explicit TrustLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace

fs::path trust_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  // Relative paths are ignored, as the XDG Base Directory Specification requires.
  const bool usable = config != nullptr && fs::path(config).is_absolute();
  return (usable ? fs::path(config) : users_folder() / ".config") / "kernelscape" / "trusted-kernels";
}

bool is_trusted(std::string_view content_hash) {
  if (!is_hash(content_hash)) return false;
  const Result<std::string> text = trusted_text(trust_file());
  return text && lists(*text, content_hash);
}

Status trust(std::string_view content_hash, std::string_view name) {
  if (!is_hash(content_hash))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is not the hash of a project", base::quoted_line(content_hash)),
                "it has 64 digits from 0 to f");
  const fs::path path = trust_file();
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return base::cannot_write_file(path, error.value());
  const TrustLock lock = TRY(TrustLock::take(path.parent_path() / "trusted-kernels.lock"));
  std::string text = TRY(trusted_text(path));
  if (lists(text, content_hash)) return {};
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += fmt::format("{} {} {}\n", content_hash, base::utc_now(), base::visible_text(name));
  return base::write_file_atomically(path, text);
}

}  // namespace kernelscape::project

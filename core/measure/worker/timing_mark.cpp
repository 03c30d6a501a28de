#include "core/measure/worker/timing_mark.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace kernelscape::measure {
namespace {

UniqueFd open_mark(const std::string& folder) {
  const std::string path = folder + "/kernelscape-timing.lock";
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  UniqueFd file(open(path.c_str(), flags));
  if (!file.valid() && errno == ENOENT) {
    file = UniqueFd(open(path.c_str(), flags | O_CREAT, 0666));
    if (file.valid()) fchmod(file.get(), 0666);  // regardless of the umask: other users need access
  }
  return file;
}

/** Returns a lock of the whole file. Any number of timings share the mark, by read locks. */
struct flock whole_file(short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

void set_lock(int file, short type) {
  if (file < 0) return;
  struct flock lock = whole_file(type);
  fcntl(file, F_OFD_SETLK, &lock);
}

}  // namespace

TimingMark::TimingMark(const std::string& folder) : file_(open_mark(folder)) {}

void TimingMark::begin() { set_lock(file_.get(), F_RDLCK); }

void TimingMark::end() { set_lock(file_.get(), F_UNLCK); }

TimingWatch::TimingWatch(const std::string& folder) : file_(open_mark(folder)) {}

bool TimingWatch::timing_now() const {
  if (!file_.valid()) return false;
  struct flock lock = whole_file(F_WRLCK);  // only queried, never taken
  return fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace kernelscape::measure

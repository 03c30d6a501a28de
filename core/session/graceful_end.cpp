#include "core/session/graceful_end.h"

namespace kernelscape::session {

bool GracefulEnd::reached(bool wanted, std::size_t running, std::size_t completed, double now_seconds) {
  if (!wanted) return false;
  const bool finished_since = begun_seconds_ && completed > 0;
  if (!begun_seconds_) {
    begun_seconds_ = now_seconds;
    held_back_ = measurer_.hold_back();
  }
  if (running == 0) return true;
  return !held_back_ && (finished_since || now_seconds - *begun_seconds_ >= max_seconds_);
}

}  // namespace kernelscape::session

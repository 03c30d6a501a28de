#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/thread_cpu_time.h"
#include "core/session/session.h"

namespace kernelscape::session_tests {

/** Called whenever a session asks something of its tuner; empty: nothing. */
struct TunerHooks {
  std::function<void(const tuner::Context&)> made = {};
  std::function<void()> proposed = {};
  std::function<void()> observed = {};
  std::function<void()> reported = {};  ///< once a batch: for its first candidate's series
};

/** A tuner as it is, with hooks. */
class WatchedTuner final : public tuner::Tuner {
 public:
  WatchedTuner(std::unique_ptr<tuner::Tuner> own, TunerHooks hooks)
      : own_(std::move(own)), hooks_(std::move(hooks)) {}

  Result<tuner::Proposal> propose(std::size_t n) override {
    if (hooks_.proposed) hooks_.proposed();
    return own_->propose(n);
  }
  void observe(std::span<const trial::Observation> observations) override {
    if (hooks_.observed) hooks_.observed();
    own_->observe(observations);
  }
  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    if (position == 0 && hooks_.reported) hooks_.reported();
    return own_->series(position);
  }

 private:
  std::unique_ptr<tuner::Tuner> own_;
  TunerHooks hooks_;
};

/** For session::Setup::make_tuner. @param name of the registry's tuner */
inline session::TunerMaker watched(const std::string& name, TunerHooks hooks) {
  return [name, hooks = std::move(hooks)](tuner::Context context) -> Result<std::unique_ptr<tuner::Tuner>> {
    if (hooks.made) hooks.made(context);
    Result<std::unique_ptr<tuner::Tuner>> own = (*tuner::find_tuner(name))->make(std::move(context));
    if (!own) return own;
    return std::make_unique<WatchedTuner>(std::move(*own), hooks);
  };
}

/** Uses at least so much of this thread's CPU time. */
inline void use_cpu(double seconds) {
  const double end = base::thread_cpu_seconds() + seconds;
  while (base::thread_cpu_seconds() < end) {
  }
}

}  // namespace kernelscape::session_tests

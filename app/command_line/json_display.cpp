#include <chrono>
#include <nlohmann/json.hpp>

#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/live_display.h"
#include "core/base/numbers.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds progress_interval{1};

class JsonDisplay final : public session::Observer {
 public:
  explicit JsonDisplay(const DisplaySetup& display) : display_(display), numbers_(display) {}

  void started(store::SessionId id, const store::SessionRecord& record) override {
    id_ = id;
    print_json_line(session_event(id, record, display_.database, display_.resumed));
  }

  void phase_changed(session::Phase phase, const store::SessionStatus& status) override {
    const bool changed = numbers_.phase() != phase;
    numbers_.update(phase, status);
    if (changed && phase != session::Phase::Searching) print_progress();
  }

  void trial_finished(const trial::Trial& trial, const store::SessionStatus& status) override {
    numbers_.add(trial, status);
    print_json_line(trial_event(id_, trial, display_.setup->space, numbers_.flops(), status));
  }

  void progress(const measure::BatchProgress& batch, const store::SessionStatus& status) override {
    numbers_.update(batch, status);
    if (std::chrono::steady_clock::now() - printed_ >= progress_interval) print_progress();
  }

  void replay_progress(std::int64_t errors, const store::SessionStatus& status) override {
    numbers_.update_replay(errors, status);
    if (std::chrono::steady_clock::now() - printed_ >= progress_interval) print_progress();
  }

  void message(const session::Message& message) override {
    print_json_line(message_event(id_, "info", message.text));
  }

 private:
  void print_progress() {
    printed_ = std::chrono::steady_clock::now();
    const store::SessionStatus& status = numbers_.status();
    const measure::BatchProgress& batch = numbers_.batch();
    const double left = numbers_.seconds_left();
    print_json_line({{"event", "progress"},
                     {"session", id_},
                     {"phase", session::to_string(numbers_.phase())},
                     {"trials", status.trial_count},
                     {"errors", numbers_.errors()},
                     {"building", batch.building},
                     {"built", batch.built},
                     {"running", batch.running},
                     {"finished", batch.finished},
                     {"best_trial", status.best_trial < 0 ? json() : json(status.best_trial)},
                     {"best_gflops", number_or_null(base::gflops_of(numbers_.flops(), status.best_seconds))},
                     {"best_seconds", number_or_null(status.best_seconds)},
                     {"session_seconds", status.session_seconds},
                     {"trials_per_second", numbers_.trials_per_second()},
                     {"seconds_left", left < 0 ? json() : json(left)}});
  }

  DisplaySetup display_;
  LiveNumbers numbers_;
  store::SessionId id_ = 0;
  std::chrono::steady_clock::time_point printed_;
};

}  // namespace

std::unique_ptr<session::Observer> make_json_display(const DisplaySetup& display) {
  return std::make_unique<JsonDisplay>(display);
}

}  // namespace kernelscape::command_line

#include "app/command_line/study_display.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/command_line/console.h"
#include "app/command_line/group_text.h"
#include "app/command_line/json_events.h"
#include "core/base/numbers.h"

namespace kernelscape::command_line {
namespace {

constexpr std::chrono::milliseconds study_redraw_interval{100};
constexpr std::int64_t lines_where_no_terminal = 10;

std::string progress_text(const study::Progress& progress) {
  std::string text = progress.max_trials > 0
                         ? fmt::format("{} of {} trials", progress.trials, progress.max_trials)
                         : fmt::format("{} of {} runs", progress.done, progress.runs);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  text += fmt::format(", {} running, {}", progress.running, base::clock_text(progress.elapsed_seconds));
  if (progress.seconds_left >= 0) text += fmt::format(", {} left", base::clock_text(progress.seconds_left));
  return text;
}

std::string size_text(const study::Definition& study) {
  if (!study.analysed.empty()) return fmt::format("{} recorded spaces to analyse", study.analysed.size());
  if (study.purpose == study::Purpose::Comparison) {
    return fmt::format("{} tuners x {} tasks x {} repeats", study.arms.size(), study.tasks.size(),
                       study.repeats);
  }
  return fmt::format("{} of {} with {}", study.purpose == study::Purpose::Network ? "network" : "data set",
                     study.tasks.size() == 1 ? "1 task" : fmt::format("{} tasks", study.tasks.size()),
                     study.arms.front().name);
}

class StudyTextDisplay final : public study::Observer {
 public:
  explicit StudyTextDisplay(const StudyDisplaySetup& setup)
      : labels_(study::task_labels(*setup.study)),
        arms_(setup.study->arms),
        terminal_(standard_output_is_terminal()) {
    const study::Definition& study = *setup.study;
    print("study {}, {}: {}\n", setup.id, study.name, size_text(study));
    print("database {}; Ctrl+C ends gracefully, twice at once\n", setup.database);
    flush_printed();
  }
  ~StudyTextDisplay() override { live_.clear(); }
  StudyTextDisplay(const StudyTextDisplay&) = delete;
  StudyTextDisplay& operator=(const StudyTextDisplay&) = delete;

  void run_failed(const study::PlannedRun& run, const Error& error) override {
    line(fmt::format("{} on {}, repeat {}: {}", arms_[run.arm].name, labels_[run.task], run.repeat + 1,
                     describe(error)));
  }
  void trial_finished(const study::PlannedRun& run, const trial::Trial& trial,
                      const store::SessionStatus&) override {
    detail_ = fmt::format("; {} on {}: trial {}", arms_[run.arm].name, labels_[run.task], trial.number + 1);
    draw();
  }
  void progress(const study::Progress& progress) override {
    progress_ = progress;
    detail_.clear();
    if (terminal_) return draw();
    const std::int64_t ended = progress.done + progress.failed;
    const std::int64_t step = std::max<std::int64_t>(1, progress.runs / lines_where_no_terminal);
    if (ended / step == notified_ / step && ended != progress.runs) return;
    if (ended == notified_) return;
    notified_ = ended;
    line(progress_text(progress));
  }
  void latency_measured(const study::LatencyPoint& point) override {
    line(fmt::format("the whole model takes {} [{}, {}] after {} trials{}",
                     base::quantity_text(point.times.median, "s"),
                     base::quantity_text(point.times.first_quartile, "s"),
                     base::quantity_text(point.times.third_quartile, "s"), point.trials,
                     point.slower ? ", with kernels that it does not keep" : ""));
  }
  /** Prints a message once, even if several runs report it. */
  void message(const session::Message& message) override {
    if (messages_.insert(message.text).second) line(message.text);
  }

 private:
  void draw() {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - drawn_ < study_redraw_interval) return;
    drawn_ = now;
    live_.draw(progress_text(progress_) + detail_);
  }
  void line(const std::string& text) {
    live_.clear();
    print("{}\n", message_text(text));
    flush_printed();
  }

  std::vector<std::string> labels_;
  std::vector<study::Arm> arms_;
  bool terminal_;
  LiveLine live_;
  std::int64_t notified_ = 0;
  study::Progress progress_;
  std::set<std::string> messages_;  ///< messages that were printed
  std::string detail_;              ///< of the measured run in progress
  std::chrono::steady_clock::time_point drawn_;
};

class StudyJsonDisplay final : public study::Observer {
 public:
  explicit StudyJsonDisplay(const StudyDisplaySetup& setup)
      : id_(setup.id), labels_(study::task_labels(*setup.study)), arms_(setup.study->arms) {
    print_json_line({{"event", "study"},
                     {"study", setup.id},
                     {"name", setup.study->name},
                     {"database", setup.database},
                     {"definition", nlohmann::json::parse(study::study_to_json(*setup.study))}});
  }

  void run_ended(const study::PlannedRun& run, store::SessionId session,
                 const store::SessionStatus& status) override {
    nlohmann::json event = run_event(run);
    event["session"] = session;
    event["state"] = store::to_string(status.state);
    event["reason"] = status.state_reason;
    event["trials"] = status.trial_count;
    event["best_seconds"] = number_or_null(status.best_seconds);
    event["session_seconds"] = status.session_seconds;
    print_json_line(event);
  }
  void run_failed(const study::PlannedRun& run, const Error& error) override {
    nlohmann::json event = run_event(run);
    event["state"] = store::to_string(store::SessionState::Failed);
    event["reason"] = error.message;
    event["hint"] = with_commands(error.hint);
    print_json_line(event);
  }
  void progress(const study::Progress& progress) override {
    const auto now = std::chrono::steady_clock::now();
    const bool over = progress.done + progress.failed == progress.runs;
    if (!over && now - notified_ < study_redraw_interval) return;
    notified_ = now;
    print_json_line({{"event", "progress"},
                     {"study", id_},
                     {"runs", progress.runs},
                     {"done", progress.done},
                     {"failed", progress.failed},
                     {"running", progress.running},
                     {"trials", progress.trials},
                     {"elapsed_seconds", progress.elapsed_seconds},
                     {"seconds_left",
                      progress.seconds_left < 0 ? nlohmann::json() : nlohmann::json(progress.seconds_left)}});
  }
  void latency_measured(const study::LatencyPoint& point) override {
    nlohmann::json event = latency_point_object(point);
    event["event"] = "round_latency";
    event["study"] = id_;
    print_json_line(event);
  }
  void message(const session::Message& message) override {
    print_json_line(
        {{"event", "message"}, {"study", id_}, {"level", "info"}, {"text", message.text}, {"hint", ""}});
  }

 private:
  nlohmann::json run_event(const study::PlannedRun& run) const {
    return {{"event", "run"},
            {"study", id_},
            {"run", run.run},
            {"tuner", arms_[run.arm].name},
            {"task", labels_[run.task]},
            {"repeat", run.repeat},
            {"seed", run.seed}};
  }

  store::StudyId id_;
  std::vector<std::string> labels_;
  std::vector<study::Arm> arms_;
  std::chrono::steady_clock::time_point notified_;
};

}  // namespace

std::unique_ptr<study::Observer> make_study_text_display(const StudyDisplaySetup& setup) {
  return std::make_unique<StudyTextDisplay>(setup);
}

std::unique_ptr<study::Observer> make_study_json_display(const StudyDisplaySetup& setup) {
  return std::make_unique<StudyJsonDisplay>(setup);
}

}  // namespace kernelscape::command_line

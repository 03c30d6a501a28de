#include <fmt/format.h>

#include <chrono>

#include "app/command_line/console.h"
#include "app/command_line/live_display.h"
#include "core/base/numbers.h"
#include "core/project/host_language.h"

namespace kernelscape::command_line {
namespace {

constexpr std::size_t progress_cells = 20;
constexpr std::chrono::milliseconds redraw_interval{100};

std::string bar(std::int64_t done, std::int64_t all) {
  if (all <= 0) return {};
  const auto filled = static_cast<std::size_t>(std::min(done, all) * std::int64_t{progress_cells} / all);
  return fmt::format("[{}{}] ", std::string(filled, '#'), std::string(progress_cells - filled, '.'));
}

class TextDisplay final : public session::Observer {
 public:
  explicit TextDisplay(const DisplaySetup& display)
      : display_(display), numbers_(display), terminal_(standard_output_is_terminal()) {}
  ~TextDisplay() override { bar_.clear(); }
  TextDisplay(const TextDisplay&) = delete;
  TextDisplay& operator=(const TextDisplay&) = delete;

  void started(store::SessionId id, const store::SessionRecord& record) override {
    const session::Setup& setup = *display_.setup;
    print("session {}{}: {} on {}\n", id, display_.resumed ? ", resumed" : "", setup.task.text,
          target_text(setup.target));
    if (setup.options.build_only) print("kernels are built but not run\n");
    const std::string made_by = setup.project ? fmt::format("content {}", record.project_hash.substr(0, 16))
                                              : fmt::format("template {}", record.template_name);
    print("{} ({} configurations), tuner {}, batches of {}, seed {}\n", made_by,
          base::with_thousands(base::to_string(setup.space.size())), record.tuner, record.batch_size,
          record.seed);
    if (setup.project && !setup.project->program && setup.project->dialect == codegen::Dialect::C)
      print("processors of a kernel: {}\n",
            project::processors_text(setup.project->parts,
                                     setup.options.kernel_threads(schedule::host_cores(setup.target))));
    if (!setup.space.samples_uniformly()) {
      print(
          "few configurations are feasible: random feasible configurations come from the constraint solver "
          "and are not uniform\n");
    }
    print("database {}; Ctrl+C ends gracefully, twice at once\n", display_.database);
    flush_printed();
  }

  void phase_changed(session::Phase phase, const store::SessionStatus& status) override {
    numbers_.update(phase, status);
    if (phase == session::Phase::Surveying)
      line("measuring the machine's limits and the vendor's library for comparison");
    if (phase == session::Phase::Confirming)
      line("measuring the best configurations again, interleaved with the baselines");
    draw(false);
  }

  void trial_finished(const trial::Trial& trial, const store::SessionStatus& status) override {
    numbers_.add(trial, status);
    if (terminal_) {
      draw(false);
    } else if (status.best_trial == trial.number) {
      line(status_text());
    }
  }

  void progress(const measure::BatchProgress& batch, const store::SessionStatus& status) override {
    numbers_.update(batch, status);
    if (display_.stop->level() == 1 && !stop_reported_) {
      stop_reported_ = true;
      line("ending after the running trials; press Ctrl+C again to end at once");
    }
    draw(false);
  }

  void replay_progress(std::int64_t errors, const store::SessionStatus& status) override {
    numbers_.update_replay(errors, status);
    draw(false);
  }

  void message(const session::Message& message) override { line(message.text); }

 private:
  std::string status_text() const {
    const store::SessionStatus& status = numbers_.status();
    const std::string all = numbers_.trial_limit() > 0 ? fmt::format("/{}", numbers_.trial_limit()) : "";
    std::string text = fmt::format("{}{} trials, {}, {} errors, {}", status.trial_count, all, found_text(),
                                   numbers_.errors(), phase_text());
    if (const double rate = numbers_.trials_per_second(); rate > 0)
      text += fmt::format(", {:.2g} trials/s", rate);
    if (const double left = numbers_.seconds_left(); left >= 0)
      text += fmt::format(", {} left", base::clock_text(left));
    return text;
  }

  /** "best 243 GFLOPS"; "51 built" where nothing runs. */
  std::string found_text() const {
    const store::SessionStatus& status = numbers_.status();
    if (display_.setup->options.build_only)
      return fmt::format("{} built", status.trial_count - numbers_.errors());
    return "best " + base::speed_text(numbers_.flops(), status.best_seconds);
  }

  std::string phase_text() const {
    const measure::BatchProgress& batch = numbers_.batch();
    if (numbers_.phase() != session::Phase::Measuring)
      return std::string(session::to_string(numbers_.phase()));
    return batch.running > 0 ? "running" : "building";
  }

  void draw(bool at_once) {
    if (!terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (!at_once && now - drawn_ < redraw_interval) return;
    drawn_ = now;
    const std::string text = bar(numbers_.status().trial_count, numbers_.trial_limit()) + status_text();
    bar_.draw(text);
  }

  void line(const std::string& text) {
    bar_.clear();
    print("{}\n", message_text(text));
    flush_printed();
    draw(true);
  }

  DisplaySetup display_;
  LiveNumbers numbers_;
  bool terminal_;
  LiveLine bar_;
  bool stop_reported_ = false;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace

std::unique_ptr<session::Observer> make_text_display(const DisplaySetup& display) {
  return std::make_unique<TextDisplay>(display);
}

}  // namespace kernelscape::command_line

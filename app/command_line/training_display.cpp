#include "app/command_line/training_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/predictor_text.h"
#include "core/base/numbers.h"
#include "core/base/text.h"

namespace kernelscape::command_line {
namespace {

constexpr std::int64_t epoch_lines_where_no_terminal = 10;

class TrainingTextDisplay final : public study::TrainingObserver {
 public:
  explicit TrainingTextDisplay(std::string database)
      : database_(std::move(database)), terminal_(standard_output_is_terminal()) {}
  ~TrainingTextDisplay() override { line_.clear(); }
  TrainingTextDisplay(const TrainingTextDisplay&) = delete;
  TrainingTextDisplay& operator=(const TrainingTextDisplay&) = delete;

  void phase(std::string_view what) override {
    if (terminal_) line_.draw(what);
  }

  void begun(const study::TrainingFacts& facts) override {
    line_.clear();
    const std::string resumed =
        facts.epochs.empty() ? "" : fmt::format(", resumes after epoch {}", facts.epochs.size());
    print("predictor {}{}: {} of the template {} on {}\n", facts.id, resumed, facts.name, facts.template_name,
          facts.isa);
    print("{} samples of {}; {} tasks to train on, {} to validate, {} to test\n",
          base::count_text(facts.samples), base::join(facts.sources, ", "), facts.training_tasks,
          facts.validation_tasks, facts.test_tasks);
    print("database {}; Ctrl+C stops and keeps the trained epochs\n", database_);
    flush_printed();
  }

  void epoch(const predictor::TrainingEpoch& epoch, std::int64_t max_epochs, double seconds_left) override {
    const std::string text = fmt::format(
        "epoch {}/{}, loss {:.4f}, validation {:.4f}, tau {:.3f}, at most {} left", epoch.epoch, max_epochs,
        epoch.training_loss, epoch.validation_loss, epoch.validation_tau, base::clock_text(seconds_left));
    if (terminal_) return line_.draw(text);
    const std::int64_t step = std::max<std::int64_t>(1, max_epochs / epoch_lines_where_no_terminal);
    if (epoch.epoch % step != 0) return;
    print("{}\n", text);
    flush_printed();
  }

 private:
  std::string database_;
  bool terminal_;
  LiveLine line_;
};

class TrainingJsonDisplay final : public study::TrainingObserver {
 public:
  explicit TrainingJsonDisplay(std::string database) : database_(std::move(database)) {}

  void begun(const study::TrainingFacts& facts) override {
    id_ = facts.id;
    print_json_line({{"event", "training"},
                     {"predictor", facts.id},
                     {"name", facts.name},
                     {"database", database_},
                     {"template", facts.template_name},
                     {"isa", facts.isa},
                     {"sources", facts.sources},
                     {"samples", facts.samples},
                     {"training_tasks", facts.training_tasks},
                     {"validation_tasks", facts.validation_tasks},
                     {"test_tasks", facts.test_tasks},
                     {"most_epochs", facts.max_epochs},
                     {"epochs_before", facts.epochs.size()}});
  }

  void epoch(const predictor::TrainingEpoch& epoch, std::int64_t max_epochs, double seconds_left) override {
    nlohmann::json event = training_epoch_json(epoch);
    event["event"] = "epoch";
    event["predictor"] = id_;
    event["most_epochs"] = max_epochs;
    event["seconds_left"] = seconds_left;
    print_json_line(event);
  }

 private:
  std::string database_;
  store::PredictorId id_ = 0;
};

}  // namespace

std::unique_ptr<study::TrainingObserver> make_training_text_display(const std::string& database) {
  return std::make_unique<TrainingTextDisplay>(database);
}

std::unique_ptr<study::TrainingObserver> make_training_json_display(const std::string& database) {
  return std::make_unique<TrainingJsonDisplay>(database);
}

}  // namespace kernelscape::command_line

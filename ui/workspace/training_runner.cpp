#include "ui/workspace/training_runner.h"

#include <utility>

#include "core/measure/worker/timing_mark.h"

namespace kernelscape::workspace {
namespace {

constexpr std::chrono::milliseconds until_timing_is_looked_at_again{5};

/** Computing threads would falsify the timing of a kernel. */
void wait_while_a_kernel_is_timed(const session::StopRequest& stop) {
  const measure::TimingWatch watch;
  while (stop.level() == 0 && watch.timing_now())
    std::this_thread::sleep_for(until_timing_is_looked_at_again);
}

}  // namespace

/** Writes the events of the training into its view; called on the service's thread. */
class TrainingRunner::Observer final : public study::TrainingObserver {
 public:
  Observer(TrainingRunner& runner, const session::StopRequest& stop) : runner_(runner), stop_(stop) {}

  void phase(std::string_view phase) override {
    runner_.update([&](TrainingView& view) {
      view.phase = QString::fromUtf8(phase.data(), static_cast<qsizetype>(phase.size()));
    });
  }

  void begun(const study::TrainingFacts& facts) override {
    runner_.update([&](TrainingView& view) {
      view.phase.clear();
      view.epochs = facts.epochs;
      view.max_epochs = facts.max_epochs;
    });
    wait_while_a_kernel_is_timed(stop_);
  }

  void epoch(const predictor::TrainingEpoch& epoch, std::int64_t max_epochs, double seconds_left) override {
    runner_.update([&](TrainingView& view) {
      view.phase.clear();
      view.epochs.push_back(epoch);
      view.max_epochs = max_epochs;
      view.seconds_left = seconds_left;
    });
    wait_while_a_kernel_is_timed(stop_);
  }

 private:
  TrainingRunner& runner_;
  const session::StopRequest& stop_;
};

TrainingRunner::TrainingRunner(const std::filesystem::path& database, QObject* parent)
    : StoredWorkRunner(
          "training",
          [this, database](store::PredictorId id, const session::StopRequest& stop) -> Status {
            Observer observer(*this, stop);
            const Result<study::TrainingEnd> outcome = study::run_training(database, id, observer, stop);
            return outcome ? Status() : std::unexpected(outcome.error());
          },
          parent),
      database_(database) {}

TrainingRequestId TrainingRunner::start(study::TrainingRequest training) {
  return start_new([database = database_, training = std::move(training)]() -> Result<store::PredictorId> {
    store::Store store = TRY(store::Store::open(database));
    return study::create_training(store, training);
  });
}

}  // namespace kernelscape::workspace

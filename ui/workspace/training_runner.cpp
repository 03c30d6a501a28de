#include "ui/workspace/training_runner.h"

#include <utility>

#include "core/measure/worker/timing_mark.h"

namespace kernelscape {
namespace {

constexpr std::chrono::milliseconds until_timing_is_looked_at_again{5};

/** Computing threads would falsify the timing of a kernel. */
void wait_while_a_kernel_is_timed(const StopRequest& stop) {
  const TimingWatch watch;
  while (stop.level() == 0 && watch.timing_now())
    std::this_thread::sleep_for(until_timing_is_looked_at_again);
}

}  // namespace

/** Writes the events of the training into its view; called on the service's thread. */
class TrainingRunner::Observer final : public TrainingObserver {
 public:
  Observer(TrainingRunner& runner, const StopRequest& stop) : runner_(runner), stop_(stop) {}

  void phase(std::string_view phase) override {
    runner_.update([&](TrainingView& view) {
      view.phase = QString::fromUtf8(phase.data(), static_cast<qsizetype>(phase.size()));
    });
  }

  void begun(const TrainingFacts& facts) override {
    runner_.update([&](TrainingView& view) {
      view.phase.clear();
      view.epochs = facts.epochs;
      view.max_epochs = facts.max_epochs;
    });
    wait_while_a_kernel_is_timed(stop_);
  }

  void epoch(const TrainingEpoch& epoch, std::int64_t max_epochs, double seconds_left) override {
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
  const StopRequest& stop_;
};

TrainingRunner::TrainingRunner(const std::filesystem::path& database, QObject* parent)
    : StoredWorkRunner(
          "training",
          [this, database](PredictorId id, const StopRequest& stop) -> Status {
            Observer observer(*this, stop);
            const Result<TrainingEnd> outcome = run_training(database, id, observer, stop);
            return outcome ? Status() : std::unexpected(outcome.error());
          },
          parent),
      database_(database) {}

TrainingRequestId TrainingRunner::start(TrainingRequest training) {
  return start_new([database = database_, training = std::move(training)]() -> Result<PredictorId> {
    Store store = TRY(Store::open(database));
    return create_training(store, training);
  });
}

}  // namespace kernelscape

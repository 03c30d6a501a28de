#include "ui/workspace/training_runner.h"

#include <algorithm>
#include <utility>

#include "core/base/memory.h"
#include "core/measure/worker/timing_mark.h"

namespace kernelscape {
namespace {

constexpr std::chrono::milliseconds until_timing_is_looked_at_again{5};

/** Threads that compute would falsify what is being timed. */
void wait_while_a_kernel_is_timed(const StopRequest& stop) {
  const TimingWatch watch;
  while (stop.level() == 0 && watch.timing_now())
    std::this_thread::sleep_for(until_timing_is_looked_at_again);
}

}  // namespace

/** Writes what the training says into its view; on the service's thread. */
class TrainingRunner::Observer final : public TrainingObserver {
 public:
  Observer(TrainingRunner& runner, const StopRequest& stop) : runner_(runner), stop_(stop) {}

  void phase(std::string_view phase) override {
    update([&](TrainingView& view) {
      view.phase = QString::fromUtf8(phase.data(), static_cast<qsizetype>(phase.size()));
    });
  }

  void begun(const TrainingFacts& facts) override {
    update([&](TrainingView& view) {
      view.phase.clear();
      view.epochs = facts.epochs;
      view.most_epochs = facts.most_epochs;
    });
    wait_while_a_kernel_is_timed(stop_);
  }

  void epoch(const TrainingEpoch& epoch, std::int64_t most_epochs, double seconds_left) override {
    update([&](TrainingView& view) {
      view.phase.clear();
      view.epochs.push_back(epoch);
      view.most_epochs = most_epochs;
      view.seconds_left = seconds_left;
    });
    wait_while_a_kernel_is_timed(stop_);
  }

 private:
  template <typename Change>
  void update(const Change& change) {
    {
      const std::scoped_lock lock(runner_.mutex_);
      change(*runner_.active_);
    }
    runner_.service_.announce();
  }

  TrainingRunner& runner_;
  const StopRequest& stop_;
};

TrainingRunner::TrainingRunner(std::filesystem::path database, QObject* parent)
    : QObject(parent), database_(std::move(database)), service_([this] { return run_next(); }) {
  connect(&service_, &Service::announced, this, &TrainingRunner::changed);
}

TrainingRunner::~TrainingRunner() { stop_all(); }

TrainingRequestId TrainingRunner::start(TrainingRequest training) {
  Task task;
  task.training = std::move(training);
  return add(std::move(task));
}

void TrainingRunner::resume(PredictorId id) {
  if (has(id)) return;
  Task task;
  task.predictor = id;
  add(std::move(task));
}

TrainingRequestId TrainingRunner::add(Task task) {
  TrainingRequestId request = 0;
  {
    const std::scoped_lock lock(mutex_);
    request = task.request = next_request_++;
    queue_.push_back(std::move(task));
  }
  service_.wake();
  service_.announce();
  return request;
}

void TrainingRunner::stop(PredictorId id) {
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(queue_, [&](const Task& task) { return task.predictor == id; });
    if (active_ && active_->id == id) {
      active_->stopping = true;
      stop_->stop_gracefully();
    }
  }
  service_.announce();
}

void TrainingRunner::stop_all() {
  {
    const std::scoped_lock lock(mutex_);
    queue_.clear();
    if (active_) active_->stopping = true;
    if (stop_) stop_->stop_gracefully();
  }
  service_.announce();
}

std::optional<TrainingView> TrainingRunner::active() const {
  const std::scoped_lock lock(mutex_);
  return active_;
}

bool TrainingRunner::has(PredictorId id) const {
  const std::scoped_lock lock(mutex_);
  return (active_ && active_->id == id) ||
         std::ranges::any_of(queue_, [&](const Task& task) { return task.predictor == id; });
}

bool TrainingRunner::idle() const {
  const std::scoped_lock lock(mutex_);
  return !stop_ && queue_.empty();
}

Service::Pause TrainingRunner::run_next() {
  Task task;
  {
    const std::scoped_lock lock(mutex_);
    if (queue_.empty()) return {};
    task = std::move(queue_.front());
    queue_.pop_front();
    stop_ = std::make_unique<StopRequest>();
    if (task.predictor) active_ = TrainingView{.id = *task.predictor};
  }
  service_.announce();
  const Result<PredictorId> predictor = task.predictor
                                            ? Result<PredictorId>(*task.predictor)
                                            : guarded("making the training", [&] { return create(task); });
  if (predictor && !task.predictor)
    service_.deliver([this, request = task.request, id = *predictor] { emit created(request, id); });
  const Status outcome = predictor ? guarded("the training", [&] { return execute(*predictor); })
                                   : std::unexpected(predictor.error());
  {
    const std::scoped_lock lock(mutex_);
    active_.reset();
    stop_.reset();
  }
  const QString error = outcome ? QString() : QString::fromStdString(describe(outcome.error()));
  service_.deliver([this, request = task.request, predictor, error] {
    if (predictor) {
      emit ended(*predictor, error);
    } else {
      emit refused(request, error);
    }
  });
  service_.announce();
  return std::chrono::milliseconds(0);
}

Result<PredictorId> TrainingRunner::create(const Task& task) {
  Store store = TRY(Store::open(database_));
  return create_training(store, *task.training);
}

Status TrainingRunner::execute(PredictorId id) {
  {
    const std::scoped_lock lock(mutex_);
    active_ = TrainingView{.id = id, .stopping = stop_->level() > 0};
  }
  service_.announce();
  Observer observer(*this, *stop_);
  const Result<TrainingEnd> outcome = run_training(database_, id, observer, *stop_);
  return outcome ? Status() : std::unexpected(outcome.error());
}

}  // namespace kernelscape

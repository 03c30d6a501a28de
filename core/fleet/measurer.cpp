#include "core/fleet/measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <span>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fleet/candidate_poster.h"
#include "core/fleet/controller.h"
#include "core/fleet/dispatcher.h"
#include "core/fleet/keys.h"
#include "core/fleet/result_listener.h"
#include "core/fleet/shared_batch.h"
#include "core/fleet/signature.h"

namespace kernelscape::fleet {
namespace {

/**
 * The measurer of a fleet. Three threads share a batch: the session's thread, the posting thread, which
 * dispatches tasks, and the listening thread, which reads results. Each thread has a separate connection.
 */
class FleetMeasurer final : public measure::Measurer {
 public:
  FleetMeasurer(std::shared_ptr<const kernel::Family> family, Measuring measuring,
                const trial::MeasureOptions& options)
      : controller_{.family = std::move(family),
                    .measuring = std::move(measuring),
                    .options = options,
                    .id = draw_nonce()},
        batch_(options.run_timeout_seconds) {}
  ~FleetMeasurer() override;

  /** Connects and starts the threads. */
  Status begin();
  Status submit(std::span<const space::Configuration> batch) override;
  Result<std::vector<measure::Completed>> collect(std::chrono::milliseconds patience) override;
  measure::BatchProgress progress() const override { return batch_.lock()->progress(); }
  measure::BusyTimes take_busy_times() override { return batch_.take_busy_times(); }

  void abort() override;
  void set_best_seconds(double seconds) override { batch_.lock()->limits.best_seconds = seconds; }
  void set_run_timeout(double seconds) override;

 private:
  /**
   * Runs the body of a thread. An error of a thread ends the batch, and no further batch is possible without
   * the thread.
   */
  template <typename Serve>
  void run_thread(const Serve& serve) {
    Status served;
    try {
      served = serve();
    } catch (const std::exception& problem) {
      served = fail(ErrorCode::Internal, fmt::format("measuring on the fleet failed: {}", problem.what()));
    }
    batch_.lock()->end_thread(served);
  }

  /** Takes all tasks of the batch from the workers. */
  void withdraw_batch();

  const Controller controller_;
  mutable SharedBatch batch_;
  std::unique_ptr<CandidatePoster> poster_;  ///< used by the session's thread
  std::thread posting_;
  std::thread listening_;
};

FleetMeasurer::~FleetMeasurer() {
  {
    auto batch = batch_.lock();
    batch_.quitting = true;
    batch->changed.notify_all();
  }
  for (std::thread* thread : {&posting_, &listening_})
    if (thread->joinable()) thread->join();
  if (!poster_) return;
  withdraw_batch();
  RedisConnection& connection = poster_->connection();
  std::ignore =
      connection.ask_all({{"UNLINK", controller_.results()}, {"UNLINK", keys::controller(controller_.id)}});
}

Status FleetMeasurer::begin() {
  const auto hurries = [this] { return batch_.aborting.load() || batch_.quitting.load(); };
  const auto quits = [this] { return batch_.quitting.load(); };
  poster_ = std::make_unique<CandidatePoster>(
      TRY(CandidatePoster::open(controller_, batch_, hurries, /*was_there=*/false)));
  auto dispatcher = std::make_shared<Dispatcher>(
      TRY(CandidatePoster::open(controller_, batch_, hurries, /*was_there=*/true)), controller_, batch_);
  auto listener = std::make_shared<ResultListener>(
      TRY(CandidatePoster::open(controller_, batch_, quits, /*was_there=*/true)), controller_, batch_);
  TRY(controller_.announce(poster_->connection()));
  posting_ = std::thread([this, dispatcher] { run_thread([&] { return dispatcher->serve_batches(); }); });
  listening_ = std::thread([this, listener] { run_thread([&] { return listener->listen(); }); });
  return {};
}

Status FleetMeasurer::submit(std::span<const space::Configuration> configurations) {
  auto batch = batch_.lock();
  batch.wait([&] { return !batch->posting() || batch->error(); });
  TRY(batch->begin(configurations));
  batch_.aborting = false;
  return {};
}

Result<std::vector<measure::Completed>> FleetMeasurer::collect(std::chrono::milliseconds patience) {
  std::vector<std::string> notices;
  Result<std::vector<measure::Completed>> completed = std::vector<measure::Completed>();
  {
    auto batch = batch_.lock();
    batch.wait_for(patience, [&] { return batch->has_results() || batch->error() || !batch->active(); });
    notices = batch->take_notices();
    if (!batch->has_results() && batch->error()) completed = std::unexpected(*batch->error());
    if (completed) completed = batch->take_results();
  }
  for (const std::string& text : notices)
    if (controller_.measuring.notice) controller_.measuring.notice(text);
  return completed;
}

void FleetMeasurer::abort() {
  {
    auto batch = batch_.lock();
    batch_.aborting = true;
    batch.wait([&] { return !batch->posting(); });
    batch->drop_results_of_batch();
  }
  withdraw_batch();
  auto batch = batch_.lock();
  batch_.aborting = false;
  batch->clear();
}

void FleetMeasurer::set_run_timeout(double seconds) {
  const double longest = controller_.options.run_timeout_seconds;
  batch_.lock()->limits.timeout_seconds = seconds > 0 ? std::min(seconds, longest) : longest;
}

void FleetMeasurer::withdraw_batch() {
  const std::vector<Candidate> open = batch_.lock()->take_open();
  poster_->withdraw(open);
}

}  // namespace

Result<std::unique_ptr<measure::Measurer>> make_fleet_measurer(std::shared_ptr<const kernel::Family> family,
                                                               Measuring measuring,
                                                               const trial::MeasureOptions& options) {
  if (!family->task().op && family->data() == nullptr) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the task {} has no operator to measure", family->task().name));
  }
  TRY(trial::check_measure_options(options));
  auto measurer = std::make_unique<FleetMeasurer>(std::move(family), std::move(measuring), options);
  TRY(measurer->begin());
  return measurer;
}

}  // namespace kernelscape::fleet

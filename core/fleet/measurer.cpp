#include "core/fleet/measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/fleet/keys.h"
#include "core/fleet/measurer_threads.h"
#include "core/fleet/signature.h"

namespace kernelscape::fleet {

Measurer::Measurer(std::shared_ptr<const kernel::Family> family, Measuring measuring,
                   const trial::MeasureOptions& options)
    : family_(std::move(family)),
      measuring_(std::move(measuring)),
      target_(measuring_.device.target),
      options_(options),
      run_timeout_seconds_(options.run_timeout_seconds),
      controller_(draw_nonce()),
      results_(keys::results(controller_)) {}

Measurer::~Measurer() {
  {
    const std::scoped_lock lock(mutex_);
    quitting_ = true;
    changed_.notify_all();
  }
  for (std::thread* thread : {&posting_, &listening_})
    if (thread->joinable()) thread->join();
  if (!session_) return;
  withdraw(take_open());
  RedisConnection& connection = session_->connection();
  std::ignore = connection.ask_all({{"UNLINK", results_}, {"UNLINK", keys::controller(controller_)}});
}

Status Measurer::begin() {
  const auto hurries = [this] { return aborting_.load() || quitting_.load(); };
  session_ = std::make_unique<TaskPoster>(TRY(open_poster(hurries, /*was_there=*/false)));
  auto posting = std::make_shared<TaskPoster>(TRY(open_poster(hurries, /*was_there=*/true)));
  auto listening =
      std::make_shared<TaskPoster>(TRY(open_poster([this] { return quitting_.load(); }, /*was_there=*/true)));
  TRY(stay(session_->connection()));
  posting_ = std::thread([this, posting] { guard([&] { return serve_batches(*posting); }); });
  listening_ = std::thread([this, listening] { guard([&] { return listen(*listening); }); });
  return {};
}

Status Measurer::submit(std::span<const space::Configuration> batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !posting_now_ || error_; });
  if (active())
    return fail(ErrorCode::Internal, "a batch was submitted while another batch is being measured");
  if (broken_) return std::unexpected(*broken_);
  batch_.assign(batch.begin(), batch.end());
  finished_.clear();
  error_.reset();
  built_ = finished_count_ = 0;
  ++batch_number_;
  posting_now_ = !batch_.empty();
  aborting_ = false;
  changed_.notify_all();
  return {};
}

Result<std::vector<measure::Completed>> Measurer::collect(std::chrono::milliseconds patience) {
  std::vector<std::string> notices;
  Result<std::vector<measure::Completed>> completed = std::vector<measure::Completed>();
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return !finished_.empty() || error_ || !active(); });
    notices = std::exchange(notices_, {});
    if (finished_.empty() && error_) completed = std::unexpected(*error_);
    if (completed) completed = std::exchange(finished_, {});
  }
  for (const std::string& text : notices)
    if (measuring_.notice) measuring_.notice(text);
  return completed;
}

measure::BatchProgress Measurer::progress() const {
  const std::scoped_lock lock(mutex_);
  return {.building = open_.count(TaskKind::Build),
          .built = built_,
          .running = open_.count(TaskKind::Run),
          .finished = finished_count_};
}

void Measurer::abort() {
  {
    std::unique_lock lock(mutex_);
    aborting_ = true;
    changed_.wait(lock, [this] { return !posting_now_; });
    ++batch_number_;
  }
  withdraw(take_open());
  const std::scoped_lock lock(mutex_);
  aborting_ = false;
  error_.reset();
  finished_.clear();
}

void Measurer::set_best_seconds(double seconds) {
  const std::scoped_lock lock(mutex_);
  best_seconds_ = seconds;
}

void Measurer::set_run_timeout(double seconds) {
  const std::scoped_lock lock(mutex_);
  run_timeout_seconds_ =
      seconds > 0 ? std::min(seconds, options_.run_timeout_seconds) : options_.run_timeout_seconds;
}

Result<TaskPoster> Measurer::open_poster(std::function<bool()> give_up, bool was_there) const {
  return TaskPoster::open(measuring_.access, measuring_.good_seconds, std::move(give_up), was_there);
}

void Measurer::stop_with(const Error& error) {
  const std::scoped_lock lock(mutex_);
  if (!error_) error_ = error;
  changed_.notify_all();
}

void Measurer::notify(std::string text) {
  const std::scoped_lock lock(mutex_);
  if (std::ranges::find(notified_, text) != notified_.end()) return;
  notified_.push_back(text);
  notices_.push_back(std::move(text));
}

void Measurer::finish(const Candidate& candidate, trial::Measurement measurement,
                      const measure::MachineConditions& conditions) {
  if (candidate.batch != batch_number_) return;
  ++finished_count_;
  finished_.push_back(
      {.position = candidate.position, .measurement = std::move(measurement), .conditions = conditions});
  changed_.notify_all();
}

std::vector<Candidate> Measurer::take_open() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, candidate] : open_.all()) ids.push_back(id);
  std::vector<Candidate> taken;
  for (const std::string& id : ids) {
    taken.push_back(*open_.take(id));
    if (!taken.back().builds()) open_.release(taken.back().artefact_sha256);
  }
  changed_.notify_all();
  return taken;
}

std::vector<std::vector<std::string>> Measurer::withdrawal(const std::string& stream,
                                                           const std::string& entry) {
  // The entry is deleted first, so that no worker takes it in between.
  return {{"XDEL", stream, entry}, {"XACK", stream, std::string(keys::group), entry}};
}

void Measurer::withdraw(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<std::string>> commands;
  for (const Candidate& candidate : candidates) {
    if (candidate.entry.empty()) continue;
    for (std::vector<std::string>& command : withdrawal(candidate.stream, candidate.entry))
      commands.push_back(std::move(command));
  }
  if (!commands.empty()) std::ignore = session_->connection().ask_all(commands);
}

Result<std::unique_ptr<measure::Measurer>> make_fleet_measurer(std::shared_ptr<const kernel::Family> family,
                                                               Measuring measuring,
                                                               const trial::MeasureOptions& options) {
  if (!family->task().op && family->data() == nullptr) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the task {} has no operator to measure", family->task().name));
  }
  TRY(trial::check_measure_options(options));
  auto measurer = std::make_unique<Measurer>(std::move(family), std::move(measuring), options);
  TRY(measurer->begin());
  return measurer;
}

}  // namespace kernelscape::fleet

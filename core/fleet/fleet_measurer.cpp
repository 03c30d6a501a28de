#include "core/fleet/fleet_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "core/fleet/fleet_candidates.h"
#include "core/fleet/fleet_keys.h"
#include "core/fleet/signature.h"
#include "core/fleet/task_poster.h"
#include "core/measure/build_measurement.h"
#include "core/measure/runner.h"
#include "core/measure/worker/message_text.h"
#include "core/trial/trial_fields.h"

namespace kernelscape {
namespace {

constexpr int most_repairs = 3;          // of one candidate, before something is wrong with the fleet
constexpr int most_strange_answers = 3;  // that nobody of the fleet signed
constexpr double listen_seconds = 0.1;
constexpr double waited_for_seconds = 6;  // times the lease: a controller that is silent for longer is gone
constexpr double missed_after_seconds = 10;

/** Options for the compiler on the class's processor, whatever the builder's is. */
std::vector<std::string> flags_for(const DeviceClass& device, const std::vector<std::string>& flags) {
  std::vector<std::string> here;
  for (const std::string& flag : flags) {
    if (flag == "-march=native" && !device.native_flags.empty()) {
      here.insert(here.end(), device.native_flags.begin(), device.native_flags.end());
    } else {
      here.push_back(flag);
    }
  }
  return here;
}

/** Whether a worker can have measured this: what came over a network is believed no more than a file. */
bool believable(const Measurement& measurement) {
  const bool timed = measurement.valid() == !measurement.samples_seconds.empty();
  return timed && plausible(measurement) &&
         std::ranges::all_of(measurement.samples_seconds, [](double seconds) { return seconds > 0; });
}

class FleetMeasurer final : public Measurer {
 public:
  FleetMeasurer(std::shared_ptr<const KernelFamily> family, FleetMeasuring measuring,
                const MeasureOptions& options)
      : family_(std::move(family)),
        measuring_(std::move(measuring)),
        target_(measuring_.device.target),
        options_(options),
        run_timeout_seconds_(options.run_timeout_seconds),
        prepare_(frame_of(prepare_request_of(family_->task(), target_, options))),
        controller_(draw_nonce()),
        results_(fleet_keys::results(controller_)) {}

  ~FleetMeasurer() override {
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
    std::ignore = connection.ask_all({{"UNLINK", results_}, {"UNLINK", fleet_keys::controller(controller_)}});
  }

  /** Connects; the threads begin. */
  Status begin() {
    const auto hurries = [this] { return aborting_.load() || quitting_.load(); };
    session_ = std::make_unique<TaskPoster>(TRY(open_poster(hurries, /*was_there=*/false)));
    auto posting = std::make_shared<TaskPoster>(TRY(open_poster(hurries, /*was_there=*/true)));
    auto listening = std::make_shared<TaskPoster>(
        TRY(open_poster([this] { return quitting_.load(); }, /*was_there=*/true)));
    TRY(stay(session_->connection()));
    prepare_sha256_ = TRY(session_->put_blob(prepare_));
    posting_ = std::thread([this, posting] { guard([&] { return serve_batches(*posting); }); });
    listening_ = std::thread([this, listening] { guard([&] { return listen(*listening); }); });
    return {};
  }

  Status submit(std::span<const Configuration> batch) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !posting_now_ || error_; });
    if (active()) return fail(ErrorCode::Internal, "a batch was submitted while another is being measured");
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

  Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) override {
    std::vector<std::string> notices;
    Result<std::vector<Completed>> completed = std::vector<Completed>();
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

  BatchProgress progress() const override {
    const std::scoped_lock lock(mutex_);
    return {.building = open_.count(TaskKind::Build),
            .built = built_,
            .running = open_.count(TaskKind::Run),
            .finished = finished_count_};
  }

  BusyTimes take_busy_times() override { return open_.take_busy_times(); }

  void abort() override {
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

  void set_best_seconds(double seconds) override {
    const std::scoped_lock lock(mutex_);
    best_seconds_ = seconds;
  }

  void set_run_timeout(double seconds) override {
    const std::scoped_lock lock(mutex_);
    run_timeout_seconds_ =
        seconds > 0 ? std::min(seconds, options_.run_timeout_seconds) : options_.run_timeout_seconds;
  }

 private:
  /** Under the lock, as all that names no connection. */
  bool active() const { return posting_now_ || !open_.empty(); }

  Result<TaskPoster> open_poster(std::function<bool()> give_up, bool was_there) const {
    return TaskPoster::open(measuring_.access, measuring_.good_seconds, std::move(give_up), was_there);
  }

  /** A thread's error is the batch's: without its thread there is no other batch. */
  template <typename Serve>
  void guard(const Serve& serve) {
    Status served;
    try {
      served = serve();
    } catch (const std::exception& problem) {
      served = fail(ErrorCode::Internal, fmt::format("measuring on the fleet failed: {}", problem.what()));
    }
    const std::scoped_lock lock(mutex_);
    if (!served) {
      broken_ = served.error();
      if (!error_) error_ = served.error();
    }
    posting_now_ = false;
    changed_.notify_all();
  }

  void stop_with(const Error& error) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = error;
    changed_.notify_all();
  }

  void tell(std::string text) {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(told_, text) != told_.end()) return;
    told_.push_back(text);
    notices_.push_back(std::move(text));
  }

  // Giving out ----------------------------------------------------------------------------------------------

  Status serve_batches(TaskPoster& poster) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return posting_now_ || quitting_; });
      if (quitting_) return {};
      lock.unlock();
      const Status given = give_out(poster);
      lock.lock();
      if (!given && !error_) error_ = given.error();
      posting_now_ = false;
      changed_.notify_all();
    }
  }

  bool goes_on() const {
    const std::scoped_lock lock(mutex_);
    return !aborting_ && !quitting_ && !error_;
  }

  Status give_out(TaskPoster& poster) {
    for (std::size_t position = 0; position < batch_.size() && goes_on(); ++position) {
      FleetCandidate candidate{
          .position = position, .batch = batch_number_, .configuration = batch_[position]};
      if (reuse_build(candidate)) {
        TRY(post_run(poster, std::move(candidate)));
      } else {
        TRY(post_build(poster, std::move(candidate)));
      }
    }
    return {};
  }

  /** Whether a build of before will do. */
  bool reuse_build(FleetCandidate& candidate) {
    if (!measuring_.reuse_builds) return false;
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(candidate.configuration);
    if (found == kept_.end()) return false;
    const std::size_t position = candidate.position;
    const int batch = candidate.batch;
    candidate = found->second;
    candidate.position = position;
    candidate.batch = batch;
    return true;
  }

  Status post_build(TaskPoster& poster, FleetCandidate candidate) {
    const auto start = std::chrono::steady_clock::now();
    auto source = checked_source(*family_, candidate.configuration);
    candidate.instantiation_seconds = seconds_since(start);
    if (!source) {
      const std::scoped_lock lock(mutex_);
      finish(candidate, instantiation_error(source.error(), candidate.instantiation_seconds));
      return {};
    }
    candidate.source = *source;
    candidate.source.text.clear();
    candidate.source.includes.clear();
    BuildRequest request = build_request_of(std::move(*source), target_, options_.build_timeout_seconds);
    request.flags = flags_for(measuring_.device, request.flags);
    candidate.artefact_sha256.clear();
    candidate.task =
        FleetTask{.kind = TaskKind::Build, .controller = controller_, .frame = frame_of(request)};
    candidate.stream = fleet_keys::build_stream(measuring_.device.tool_chain);
    return post(poster, std::move(candidate));
  }

  Status post_run(TaskPoster& poster, FleetCandidate candidate) {
    MeasureOptions options = options_;
    RunRequest request;
    {
      const std::scoped_lock lock(mutex_);
      options.run_timeout_seconds = run_timeout_seconds_;
      request = run_request_of(candidate.source, {}, options, options.kernel_threads(host_cores(target_)));
      request.best_seconds = best_seconds_;
    }
    candidate.task = FleetTask{.kind = TaskKind::Run,
                               .controller = controller_,
                               .frame = frame_of(request),
                               .artefact_sha256 = candidate.artefact_sha256,
                               .prepare_sha256 = prepare_sha256_};
    candidate.stream = fleet_keys::run_stream(measuring_.device.id);
    return post(poster, std::move(candidate));
  }

  /** It is known before it is given out: its result may be quicker than the answer of Redis. */
  Status post(TaskPoster& poster, FleetCandidate candidate) {
    FleetTask task;
    std::string stream;
    {
      const std::scoped_lock lock(mutex_);
      if (candidate.batch != batch_number_) return {};
      candidate.task.id = fmt::format("{}-{}", controller_, ++task_count_);
      candidate.entry.clear();
      task = candidate.task;
      stream = candidate.stream;
      open_.add(std::move(candidate));
    }
    std::string entry = TRY(poster.post(stream, task));
    const std::scoped_lock lock(mutex_);
    if (FleetCandidate* open = open_.find(task.id)) open->entry = std::move(entry);
    return {};
  }

  /** A task that was forgotten, or is no good any more, once more: its worker, if it has one, is too late. */
  Status post_again(TaskPoster& poster, const std::string& id) {
    FleetTask task;
    std::string stream;
    {
      const std::scoped_lock lock(mutex_);
      FleetCandidate* open = open_.find(id);
      if (open == nullptr) return {};
      open_.stop(*open);
      open->entry.clear();
      task = open->task;
      stream = open->stream;
    }
    std::string entry = TRY(poster.post(stream, task));
    const std::scoped_lock lock(mutex_);
    if (FleetCandidate* open = open_.find(id)) open->entry = std::move(entry);
    return {};
  }

  // Listening -----------------------------------------------------------------------------------------------

  Status stay(RedisConnection& connection) {
    const std::string seconds =
        fmt::format("{:.0f}", std::ceil(waited_for_seconds * measuring_.access.times.lease_seconds));
    std::ignore = TRY(connection.call({"SET", fleet_keys::controller(controller_), "waits", "EX", seconds}));
    return {};
  }

  Status listen(TaskPoster& poster) {
    RedisConnection& connection = poster.connection();
    const double beat = measuring_.access.times.beat_seconds();
    auto last_beat = std::chrono::steady_clock::now();
    int losses = connection.losses();
    while (!quitting_) {
      const bool any = TRY(read_answers(poster, listen_seconds));
      if (any) last_heard_ = std::chrono::steady_clock::now();
      const bool lost = connection.losses() != losses;
      if (!lost && seconds_since(last_beat) < beat) continue;
      losses = connection.losses();
      last_beat = std::chrono::steady_clock::now();
      if (const Status there = stay(connection); !there) stop_with(there.error());
      TRY(give_lost_again(poster));
      TRY(miss_workers(connection));
    }
    return {};
  }

  /** Whether there were any. */
  Result<bool> read_answers(TaskPoster& poster, double seconds) {
    RedisConnection& connection = poster.connection();
    const std::string milliseconds = fmt::format("{:.0f}", seconds * 1e3);
    std::vector<std::string_view> words{"XREAD", "COUNT", "256"};
    if (seconds > 0) words.insert(words.end(), {"BLOCK", milliseconds});
    words.insert(words.end(), {"STREAMS", results_, last_entry_});
    const RedisValue answer = TRY(connection.wait(words, seconds));
    if (answer.kind == RedisValue::Kind::Error) {
      stop_with(connection.error_of(answer));
      return false;
    }
    const std::vector<StreamEntry> entries = stream_entries(answer);
    for (const StreamEntry& entry : entries) {
      last_entry_ = entry.id;
      if (Status taken = take_entry(poster, entry); !taken) stop_with(taken.error());
    }
    if (!entries.empty()) TRY(forget(connection));
    return !entries.empty();
  }

  /** What was read, and blobs that nobody needs. */
  Status forget(RedisConnection& connection) {
    std::vector<std::vector<std::string>> commands{{"XTRIM", results_, "MINID", "~", last_entry_}};
    {
      const std::scoped_lock lock(mutex_);
      for (std::string& name : std::exchange(unneeded_, {}))
        commands.push_back({"UNLINK", fleet_keys::blob(name)});
    }
    std::ignore = TRY(connection.ask_all(commands));
    return {};
  }

  Status take_entry(TaskPoster& poster, const StreamEntry& entry) {
    if (const std::string began(entry.field("began")); !began.empty()) {
      const std::scoped_lock lock(mutex_);
      if (FleetCandidate* open = open_.find(began)) open_.begin(*open);
      return {};
    }
    const auto answer = verify<FleetAnswer>(entry.field("body"), entry.field("signature"),
                                            measuring_.access.secret.signing_key);
    if (!answer) {
      tell(describe(answer.error()));
      if (++strange_answers_ < most_strange_answers && answer.error().code == ErrorCode::Refused) return {};
      return std::unexpected(answer.error());
    }
    return take_answer(poster, *answer);
  }

  Status take_answer(TaskPoster& poster, const FleetAnswer& answer) {
    std::optional<bool> builds;
    {
      const std::scoped_lock lock(mutex_);
      if (const FleetCandidate* open = open_.find(answer.task)) builds = open->builds();
    }
    // One that is not open was answered before: a candidate is measured once. What was refused is told all
    // the same.
    if (answer.kind == TaskEnding::Refused) return take_refusal(poster, answer, builds.has_value());
    if (!builds) return {};
    switch (answer.kind) {
      case TaskEnding::Answer:
        return *builds ? take_build(poster, answer) : take_run(poster, answer);
      case TaskEnding::Missing:
        return repair(poster, answer);
      case TaskEnding::Dead:
        finish_dead(answer);
        return {};
      case TaskEnding::Refused:
        break;
    }
    return {};
  }

  Status take_refusal(TaskPoster& poster, const FleetAnswer& answer, bool open) {
    const std::string text = fmt::format("worker {} refuses a task: {}", answer.worker, answer.message);
    switch (answer.refusal) {
      case Refusal::Expired:
        return open ? post_again(poster, answer.task) : Status();
      case Refusal::Replayed:
      case Refusal::Signature:
        tell(answer.hint.empty() ? text : fmt::format("{} ({})", text, answer.hint));
        return {};
      case Refusal::Version:
        return fail(ErrorCode::Environment, text, answer.hint);
      case Refusal::None:
        break;
    }
    return open ? fail(ErrorCode::InvalidArgument, answer.message, answer.hint) : Status();
  }

  Status take_build(TaskPoster& poster, const FleetAnswer& answer) {
    Result<BuildReply> reply = message_of<BuildReply>(answer.frame);
    if (!reply) return repair(poster, answer);
    FleetCandidate candidate;
    {
      const std::scoped_lock lock(mutex_);
      candidate = open_.take(answer.task);
      ++built_;
      candidate.build = build_outcome_of(std::move(*reply), candidate.source.dialect);
      if (!candidate.build.entry.empty()) candidate.source.entry = candidate.build.entry;
      candidate.artefact_sha256 = answer.artefact_sha256;
      if (candidate.build.category != ErrorCategory::NoError || options_.build_only) {
        if (!answer.artefact_sha256.empty()) unneeded_.push_back(answer.artefact_sha256);
        finish_built(candidate, answer.worker);
        return {};
      }
      if (measuring_.reuse_builds) kept_[candidate.configuration] = candidate;
    }
    return post_run(poster, std::move(candidate));
  }

  /** Under the lock. */
  void finish_built(const FleetCandidate& candidate, const std::string& builder) {
    Measurement measurement;
    measurement.worker = clean_message(builder);
    measurement.category = candidate.build.category;
    measurement.message = candidate.build.message;
    add_build(measurement, candidate.instantiation_seconds, candidate.build, candidate.source, target_);
    finish(candidate, std::move(measurement));
  }

  Status take_run(TaskPoster& poster, const FleetAnswer& answer) {
    Result<RunReply> reply = message_of<RunReply>(answer.frame);
    if (!reply || !believable(reply->measurement)) return repair(poster, answer);
    const std::scoped_lock lock(mutex_);
    const FleetCandidate candidate = open_.take(answer.task);
    reply->measurement.message = clean_message(reply->measurement.message);
    reply->measurement.worker = clean_message(answer.worker);
    add_build(reply->measurement, candidate.instantiation_seconds, candidate.build, candidate.source,
              target_);
    finish_run(candidate, std::move(reply->measurement));
    return {};
  }

  /** Under the lock. */
  void finish_run(const FleetCandidate& candidate, Measurement measurement) {
    if (open_.release(candidate.artefact_sha256) && !measuring_.reuse_builds)
      unneeded_.push_back(candidate.artefact_sha256);
    finish(candidate, std::move(measurement));
  }

  /** What killed workers again and again is a trial's failure, as on one machine. */
  void finish_dead(const FleetAnswer& answer) {
    const std::scoped_lock lock(mutex_);
    const FleetCandidate candidate = open_.take(answer.task);
    Measurement measurement;
    measurement.worker = clean_message(answer.worker);
    measurement.message = clean_message(answer.message);
    measurement.category = ErrorCategory::RuntimeDevice;
    if (candidate.builds()) {
      measurement.category =
          candidate.source.dialect == Dialect::C ? ErrorCategory::CompileHost : ErrorCategory::CompileDevice;
      return finish(candidate, std::move(measurement));
    }
    add_build(measurement, candidate.instantiation_seconds, candidate.build, candidate.source, target_);
    finish_run(candidate, std::move(measurement));
  }

  /** A blob that is gone or damaged is made anew, and so is a result that is none. */
  Status repair(TaskPoster& poster, const FleetAnswer& answer) {
    FleetCandidate candidate;
    {
      const std::scoped_lock lock(mutex_);
      candidate = open_.take(answer.task);
      if (!candidate.builds()) open_.release(candidate.artefact_sha256);
      if (measuring_.reuse_builds) kept_.erase(candidate.configuration);
    }
    const std::string reason = answer.kind == TaskEnding::Missing
                                   ? answer.message
                                   : fmt::format("the result of worker {} is none", answer.worker);
    tell(fmt::format("{}: it is made again", reason));
    if (++candidate.repairs >= most_repairs) {
      return fail(
          ErrorCode::Corrupt, fmt::format("{}, {} times", reason, candidate.repairs),
          answer.hint.empty() ? "install the same kernelscape on all machines of the fleet" : answer.hint);
    }
    if (answer.artefact_sha256 == prepare_sha256_) std::ignore = TRY(poster.put_blob(prepare_));
    return post_build(poster, std::move(candidate));
  }

  /** A Redis that was killed may have forgotten the last second: what stands in no stream, and has no result,
   * is given again. */
  Status give_lost_again(TaskPoster& poster) {
    std::vector<std::pair<std::string, std::string>> asked;
    std::vector<std::vector<std::string>> questions;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [id, candidate] : open_.all()) {
        if (candidate.entry.empty()) continue;
        asked.emplace_back(id, candidate.entry);
        questions.push_back({"XRANGE", candidate.stream, candidate.entry, candidate.entry});
      }
    }
    if (questions.empty()) return {};
    const std::vector<RedisValue> found = TRY(poster.connection().ask_all(questions));
    std::ignore = TRY(read_answers(poster, 0));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].kind != RedisValue::Kind::List || !found[i].items.empty()) continue;
      {
        const std::scoped_lock lock(mutex_);
        const FleetCandidate* open = open_.find(asked[i].first);
        if (open == nullptr || open->entry != asked[i].second) continue;
      }
      if (const Status posted = post_again(poster, asked[i].first); !posted) stop_with(posted.error());
    }
    return {};
  }

  /** Says that there is nobody who could do what is waited for. */
  Status miss_workers(RedisConnection& connection) {
    {
      const std::scoped_lock lock(mutex_);
      if (open_.empty()) last_heard_ = std::chrono::steady_clock::now();
    }
    if (seconds_since(last_heard_) < missed_after_seconds) return {};
    last_heard_ = std::chrono::steady_clock::now();
    const auto workers = TRY(list_workers(connection, silent_leases * measuring_.access.times.lease_seconds));
    const DeviceClass& device = measuring_.device;
    const bool runs = std::ranges::any_of(workers, [&](const WorkerState& worker) {
      return worker.serves() && !worker.identity.devices.empty() &&
             worker.identity.devices.front().id == device.id;
    });
    const bool builds = std::ranges::any_of(workers, [&](const WorkerState& worker) {
      return worker.serves() && worker.identity.builders > 0 &&
             std::ranges::find(worker.identity.tool_chains, device.tool_chain) !=
                 worker.identity.tool_chains.end();
    });
    if (!runs)
      tell(fmt::format("the fleet has no worker of the class {} at the moment: waiting for one", device.id));
    if (!builds)
      tell(fmt::format("the fleet has no builder with the tool chain {} at the moment: waiting for one",
                       device.tool_chain));
    return {};
  }

  // Ending --------------------------------------------------------------------------------------------------

  /** Under the lock. */
  void finish(const FleetCandidate& candidate, Measurement measurement) {
    if (candidate.batch != batch_number_) return;
    ++finished_count_;
    finished_.push_back({.position = candidate.position, .measurement = std::move(measurement)});
    changed_.notify_all();
  }

  std::vector<FleetCandidate> take_open() {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> ids;
    for (const auto& [id, candidate] : open_.all()) ids.push_back(id);
    std::vector<FleetCandidate> taken;
    for (const std::string& id : ids) {
      taken.push_back(open_.take(id));
      if (!taken.back().builds()) open_.release(taken.back().artefact_sha256);
    }
    changed_.notify_all();
    return taken;
  }

  /** Workers that have one of them notice at their next sign of life. */
  void withdraw(const std::vector<FleetCandidate>& candidates) {
    std::vector<std::vector<std::string>> commands;
    for (const FleetCandidate& candidate : candidates) {
      if (candidate.entry.empty()) continue;
      commands.push_back({"XACK", candidate.stream, fleet_keys::group, candidate.entry});
      commands.push_back({"XDEL", candidate.stream, candidate.entry});
    }
    if (!commands.empty()) std::ignore = session_->connection().ask_all(commands);
  }

  std::shared_ptr<const KernelFamily> family_;
  const FleetMeasuring measuring_;
  const TargetDescription target_;
  const MeasureOptions options_;
  double run_timeout_seconds_;  ///< of the next run
  const std::string prepare_;   ///< the frame of the PrepareRequest
  std::string prepare_sha256_;
  const std::string controller_;
  const std::string results_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Configuration> batch_;  ///< the threads' while it is active
  FleetCandidates open_;
  std::map<Configuration, FleetCandidate> kept_;  ///< built before
  std::vector<Completed> finished_;
  std::vector<std::string> unneeded_;  ///< blobs
  std::vector<std::string> notices_;
  std::vector<std::string> told_;  ///< notices so far: each is told once
  std::optional<Error> error_;
  std::optional<Error> broken_;  ///< a thread has ended
  std::size_t built_ = 0;
  std::size_t finished_count_ = 0;
  std::int64_t task_count_ = 0;
  double best_seconds_ = 0;
  bool posting_now_ = false;
  int batch_number_ = 0;
  std::atomic<bool> aborting_ = false;
  std::atomic<bool> quitting_ = false;
  // The listening thread's.
  std::string last_entry_ = "0";
  int strange_answers_ = 0;
  std::chrono::steady_clock::time_point last_heard_ = std::chrono::steady_clock::now();
  std::unique_ptr<TaskPoster> session_;  ///< the session's thread's
  std::thread posting_;
  std::thread listening_;
};

}  // namespace

Result<std::unique_ptr<Measurer>> make_fleet_measurer(std::shared_ptr<const KernelFamily> family,
                                                      FleetMeasuring measuring,
                                                      const MeasureOptions& options) {
  if (!family->task().op || family->data() != nullptr) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{} is a kernel of your own: a fleet measures those of templates", family->task().name),
        "tune it on this machine: leave --target fleet:... out");
  }
  TRY(check_measure_options(options));
  auto measurer = std::make_unique<FleetMeasurer>(std::move(family), std::move(measuring), options);
  TRY(measurer->begin());
  return measurer;
}

}  // namespace kernelscape

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/fleet/keys.h"
#include "core/fleet/measurer_threads.h"
#include "core/fleet/signature.h"
#include "core/measure/build_measurement.h"
#include "core/measure/worker/message_text.h"
#include "core/trial/fields.h"

namespace kernelscape::fleet {
namespace {

constexpr int max_repairs = 3;          // of one candidate, before the fleet is considered faulty
constexpr int max_strange_answers = 3;  // results without a valid signature
constexpr double listen_seconds = 0.1;
constexpr double waited_for_seconds = 6;  // in leases: a controller without a heartbeat for longer counts as
                                          // gone
constexpr double missed_after_seconds = 10;

/**
 * Returns true if a worker can have measured these values: data from a network is checked like data from a
 * file.
 */
bool believable(const trial::Measurement& measurement) {
  const bool timed = measurement.valid() == !measurement.samples_seconds.empty();
  return timed && trial::plausible(measurement) &&
         std::ranges::all_of(measurement.samples_seconds, [](double seconds) { return seconds > 0; });
}

}  // namespace

Status Measurer::stay(RedisConnection& connection) {
  const std::string seconds =
      fmt::format("{:.0f}", std::ceil(waited_for_seconds * measuring_.access.times.lease_seconds));
  std::ignore = TRY(connection.call({"SET", keys::controller(controller_), "waits", "EX", seconds}));
  return {};
}

Status Measurer::listen(TaskPoster& poster) {
  RedisConnection& connection = poster.connection();
  const double beat = measuring_.access.times.beat_seconds();
  auto last_beat = std::chrono::steady_clock::now();
  int losses = connection.losses();
  while (!quitting_) {
    const bool any = TRY(read_answers(poster, listen_seconds));
    if (any) last_heard_ = std::chrono::steady_clock::now();
    const bool lost = connection.losses() != losses;
    if (!lost && measure::seconds_since(last_beat) < beat) continue;
    losses = connection.losses();
    last_beat = std::chrono::steady_clock::now();
    if (const Status there = stay(connection); !there) stop_with(there.error());
    TRY(give_lost_again(poster));
    TRY(miss_workers(connection));
  }
  return {};
}

Result<bool> Measurer::read_answers(TaskPoster& poster, double seconds) {
  RedisConnection& connection = poster.connection();
  const std::string milliseconds = fmt::format("{:.0f}", seconds * 1e3);
  std::vector<std::string_view> words{"XREAD", "COUNT", "256"};
  if (seconds > 0) words.insert(words.end(), {"BLOCK", milliseconds});
  words.insert(words.end(), {"STREAMS", results_, last_entry_});
  const RedisValue answer = TRY(connection.wait(words, seconds));
  if (answer.is_error("UNBLOCKED")) return false;
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

Status Measurer::forget(RedisConnection& connection) {
  std::vector<std::vector<std::string>> commands{{"XTRIM", results_, "MINID", "~", last_entry_}};
  {
    const std::scoped_lock lock(mutex_);
    for (std::string& name : std::exchange(unneeded_, {})) commands.push_back({"UNLINK", keys::blob(name)});
  }
  std::ignore = TRY(connection.ask_all(commands));
  return {};
}

Status Measurer::take_entry(TaskPoster& poster, const StreamEntry& entry) {
  if (const std::string began(entry.field("began")); !began.empty()) {
    const std::scoped_lock lock(mutex_);
    if (Candidate* open = open_.find(began)) open_.begin(*open);
    return {};
  }
  const auto answer =
      verify<Answer>(entry.field("body"), entry.field("signature"), measuring_.access.secret.signing_key);
  if (!answer) {
    notify(describe(answer.error()));
    if (++strange_answers_ < max_strange_answers && answer.error().code == ErrorCode::Refused) return {};
    return std::unexpected(answer.error());
  }
  return take_answer(poster, *answer);
}

Status Measurer::take_answer(TaskPoster& poster, const Answer& answer) {
  std::optional<bool> builds;
  {
    const std::scoped_lock lock(mutex_);
    if (const Candidate* open = open_.find(answer.task)) builds = open->builds();
  }
  // A task that is not open was answered before, because a candidate is measured once. A refusal is reported
  // anyway.
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

Status Measurer::take_refusal(TaskPoster& poster, const Answer& answer, bool open) {
  const std::string text = fmt::format("worker {} refuses a task: {}", answer.worker, answer.message);
  switch (answer.refusal) {
    case Refusal::Expired:
      return open ? post_again(poster, answer.task) : Status();
    case Refusal::Replayed:
    case Refusal::Signature:
      notify(answer.hint.empty() ? text : fmt::format("{} ({})", text, answer.hint));
      return {};
    case Refusal::Version:
      return fail(ErrorCode::Environment, text, answer.hint);
    case Refusal::None:
      break;
  }
  return open ? fail(ErrorCode::InvalidArgument, answer.message, answer.hint) : Status();
}

Status Measurer::take_build(TaskPoster& poster, const Answer& answer) {
  Result<measure::BuildReply> reply = message_of<measure::BuildReply>(answer.frame);
  if (!reply) return repair(poster, answer);
  Candidate candidate;
  {
    const std::scoped_lock lock(mutex_);
    std::optional<Candidate> taken = open_.take(answer.task);
    if (!taken) return {};  // withdrawn in the meantime
    candidate = *std::move(taken);
    ++built_;
    candidate.build = measure::build_outcome_of(std::move(*reply), candidate.source.dialect);
    if (!candidate.build.entry.empty()) candidate.source.entry = candidate.build.entry;
    candidate.artefact_sha256 = answer.artefact_sha256;
    if (candidate.build.category != trial::ErrorCategory::NoError || options_.build_only) {
      if (!answer.artefact_sha256.empty()) unneeded_.push_back(answer.artefact_sha256);
      finish_built(candidate, answer.worker);
      return {};
    }
    if (measuring_.reuse_builds) kept_[candidate.configuration] = candidate;
  }
  return post_run(poster, std::move(candidate));
}

void Measurer::finish_built(const Candidate& candidate, const std::string& builder) {
  trial::Measurement measurement;
  measurement.worker = measure::clean_message(builder);
  measurement.category = candidate.build.category;
  measurement.message = candidate.build.message;
  measure::add_build(measurement, candidate.instantiation_seconds, candidate.build, candidate.source,
                     target_);
  finish(candidate, std::move(measurement));
}

Status Measurer::take_run(TaskPoster& poster, const Answer& answer) {
  Result<measure::RunReply> reply = message_of<measure::RunReply>(answer.frame);
  if (!reply || !believable(reply->measurement)) return repair(poster, answer);
  const std::scoped_lock lock(mutex_);
  const std::optional<Candidate> taken = open_.take(answer.task);
  if (!taken) return {};
  const Candidate& candidate = *taken;
  reply->measurement.message = measure::clean_message(reply->measurement.message);
  reply->measurement.worker = measure::clean_message(answer.worker);
  measure::add_build(reply->measurement, candidate.instantiation_seconds, candidate.build, candidate.source,
                     target_);
  finish_run(candidate, std::move(reply->measurement), reply->machine);
  return {};
}

void Measurer::finish_run(const Candidate& candidate, trial::Measurement measurement,
                          const measure::MachineConditions& conditions) {
  if (open_.release(candidate.artefact_sha256) && !measuring_.reuse_builds)
    unneeded_.push_back(candidate.artefact_sha256);
  finish(candidate, std::move(measurement), conditions);
}

void Measurer::finish_dead(const Answer& answer) {
  const std::scoped_lock lock(mutex_);
  const std::optional<Candidate> taken = open_.take(answer.task);
  if (!taken) return;
  const Candidate& candidate = *taken;
  trial::Measurement measurement;
  measurement.worker = measure::clean_message(answer.worker);
  measurement.message = measure::clean_message(answer.message);
  measurement.category = trial::ErrorCategory::RuntimeDevice;
  if (candidate.builds()) {
    measurement.category = candidate.source.dialect == codegen::Dialect::C
                               ? trial::ErrorCategory::CompileHost
                               : trial::ErrorCategory::CompileDevice;
    return finish(candidate, std::move(measurement));
  }
  measure::add_build(measurement, candidate.instantiation_seconds, candidate.build, candidate.source,
                     target_);
  finish_run(candidate, std::move(measurement));
}

Status Measurer::repair(TaskPoster& poster, const Answer& answer) {
  Candidate candidate;
  {
    const std::scoped_lock lock(mutex_);
    std::optional<Candidate> taken = open_.take(answer.task);
    if (!taken) return {};
    candidate = *std::move(taken);
    if (!candidate.builds()) open_.release(candidate.artefact_sha256);
    if (measuring_.reuse_builds) kept_.erase(candidate.configuration);
  }
  const std::string reason = answer.kind == TaskEnding::Missing
                                 ? answer.message
                                 : fmt::format("worker {} sent an invalid result", answer.worker);
  notify(fmt::format("{}: the task is repeated", reason));
  if (++candidate.repairs >= max_repairs) {
    return fail(
        ErrorCode::Corrupt, fmt::format("{}, {} times", reason, candidate.repairs),
        answer.hint.empty() ? "install the same kernelscape on all machines of the fleet" : answer.hint);
  }
  if (!prepare_.empty() && answer.artefact_sha256 == prepare_sha256_)
    std::ignore = TRY(poster.put_blob(prepare_));
  return post_build(poster, std::move(candidate));
}

Status Measurer::give_lost_again(TaskPoster& poster) {
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
      const Candidate* open = open_.find(asked[i].first);
      if (open == nullptr || open->entry != asked[i].second) continue;
    }
    if (const Status posted = post_again(poster, asked[i].first); !posted) stop_with(posted.error());
  }
  return {};
}

Status Measurer::miss_workers(RedisConnection& connection) {
  {
    const std::scoped_lock lock(mutex_);
    if (!active()) last_heard_ = std::chrono::steady_clock::now();
  }
  if (measure::seconds_since(last_heard_) < missed_after_seconds) return {};
  last_heard_ = std::chrono::steady_clock::now();
  const auto workers = TRY(list_workers(connection, silent_leases * measuring_.access.times.lease_seconds));
  const DeviceClass& device = measuring_.device;
  const auto runs_class = [&](const WorkerState& worker) {
    return worker.serves() && !worker.identity.devices.empty() &&
           worker.identity.devices.front().id == device.id;
  };
  const bool runs = std::ranges::any_of(workers, runs_class);
  const bool all_wait = std::ranges::none_of(
      workers, [&](const WorkerState& worker) { return runs_class(worker) && worker.state != "waiting"; });
  const bool builds = std::ranges::any_of(workers, [&](const WorkerState& worker) {
    return worker.serves() && worker.identity.builders > 0 &&
           std::ranges::find(worker.identity.tool_chains, device.tool_chain) !=
               worker.identity.tool_chains.end();
  });
  if (!runs)
    notify(fmt::format("the fleet has no worker of the class {} at the moment: waiting for one", device.id));
  else if (all_wait)
    notify(fmt::format("all workers of the class {} wait, because their machines are slower than usual",
                       device.id));
  if (!builds)
    notify(fmt::format("the fleet has no builder with the tool chain {} at the moment: waiting for one",
                       device.tool_chain));
  return {};
}

}  // namespace kernelscape::fleet

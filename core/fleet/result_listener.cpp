#include "core/fleet/result_listener.h"

#include <fmt/format.h>

#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fleet/keys.h"
#include "core/fleet/missing_workers.h"
#include "core/fleet/signature.h"
#include "core/fleet/worker_registry.h"

namespace kernelscape::fleet {
namespace {

constexpr int max_strange_answers = 3;  // results without a valid signature
constexpr double listen_seconds = 0.1;
constexpr double missed_after_seconds = 10;

}  // namespace

ResultListener::ResultListener(CandidatePoster poster, const Controller& controller, SharedBatch& batch)
    : poster_(std::move(poster)),
      controller_(controller),
      batch_(batch),
      handler_(poster_, controller, batch) {}

Status ResultListener::listen() {
  RedisConnection& connection = poster_.connection();
  const double beat = controller_.measuring.access.times.beat_seconds();
  auto last_beat = std::chrono::steady_clock::now();
  int losses = connection.losses();
  while (!batch_.quitting) {
    const bool any = TRY(read_answers(listen_seconds));
    if (any) last_heard_ = std::chrono::steady_clock::now();
    const bool lost = connection.losses() != losses;
    if (!lost && measure::seconds_since(last_beat) < beat) continue;
    losses = connection.losses();
    last_beat = std::chrono::steady_clock::now();
    if (const Status announced = controller_.announce(connection); !announced)
      batch_.stop_with(announced.error());
    TRY(post_lost_tasks());
    TRY(report_missing_workers());
  }
  return {};
}

Result<bool> ResultListener::read_answers(double seconds) {
  RedisConnection& connection = poster_.connection();
  const std::string results = controller_.results();
  const std::string milliseconds = fmt::format("{:.0f}", seconds * 1e3);
  std::vector<std::string_view> words{"XREAD", "COUNT", "256"};
  if (seconds > 0) words.insert(words.end(), {"BLOCK", milliseconds});
  words.insert(words.end(), {"STREAMS", results, last_entry_});
  const RedisValue answer = TRY(connection.wait(words, seconds));
  if (answer.is_error("UNBLOCKED")) return false;
  if (answer.kind == RedisValue::Kind::Error) {
    batch_.stop_with(connection.error_of(answer));
    return false;
  }
  const std::vector<StreamEntry> entries = stream_entries(answer);
  for (const StreamEntry& entry : entries) {
    last_entry_ = entry.id;
    if (const Status taken = take_entry(entry); !taken) batch_.stop_with(taken.error());
  }
  if (!entries.empty()) TRY(delete_read_results());
  return !entries.empty();
}

Status ResultListener::take_entry(const StreamEntry& entry) {
  if (const std::string began(entry.field("began")); !began.empty()) {
    auto batch = batch_.lock();
    if (Candidate* open = batch->open.find(began)) batch->open.begin(*open);
    return {};
  }
  const auto answer = verify<Answer>(entry.field("body"), entry.field("signature"),
                                     controller_.measuring.access.secret.signing_key);
  if (!answer) {
    batch_.notify(describe(answer.error()));
    if (++strange_answers_ < max_strange_answers && answer.error().code == ErrorCode::Refused) return {};
    return std::unexpected(answer.error());
  }
  return handler_.handle(*answer);
}

Status ResultListener::delete_read_results() {
  std::vector<std::vector<std::string>> commands{{"XTRIM", controller_.results(), "MINID", "~", last_entry_}};
  const std::vector<std::string> unneeded = batch_.lock()->take_unneeded();
  for (const std::string& name : unneeded) commands.push_back({"UNLINK", keys::blob(name)});
  std::ignore = TRY(poster_.connection().ask_all(commands));
  return {};
}

Status ResultListener::post_lost_tasks() {
  std::vector<std::pair<std::string, std::string>> asked;
  std::vector<std::vector<std::string>> questions;
  {
    auto batch = batch_.lock();
    for (const auto& [id, candidate] : batch->open.all()) {
      if (candidate.entry.empty()) continue;
      asked.emplace_back(id, candidate.entry);
      questions.push_back({"XRANGE", candidate.stream, candidate.entry, candidate.entry});
    }
  }
  if (questions.empty()) return {};
  const std::vector<RedisValue> found = TRY(poster_.connection().ask_all(questions));
  std::ignore = TRY(read_answers(0));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].kind != RedisValue::Kind::List || !found[i].items.empty()) continue;
    {
      auto batch = batch_.lock();
      const Candidate* open = batch->open.find(asked[i].first);
      if (open == nullptr || open->entry != asked[i].second) continue;
    }
    if (const Status posted = poster_.post_again(asked[i].first); !posted) batch_.stop_with(posted.error());
  }
  return {};
}

Status ResultListener::report_missing_workers() {
  if (!batch_.lock()->active()) last_heard_ = std::chrono::steady_clock::now();
  if (measure::seconds_since(last_heard_) < missed_after_seconds) return {};
  last_heard_ = std::chrono::steady_clock::now();
  const Measuring& measuring = controller_.measuring;
  const std::vector<WorkerState> workers =
      TRY(list_workers(poster_.connection(), silent_leases * measuring.access.times.lease_seconds));
  for (std::string& notice : missing_worker_notices(workers, measuring.device))
    batch_.notify(std::move(notice));
  return {};
}

}  // namespace kernelscape::fleet

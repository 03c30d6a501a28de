#include "ui/workspace/session_watch.h"

#include <algorithm>
#include <utility>

#include "core/schedule/target.h"
#include "core/session/best.h"
#include "core/task/title.h"
#include "core/trial/measure_options.h"

namespace kernelscape::workspace {
namespace {

constexpr PollPace session_pace{.interval = std::chrono::milliseconds(500)};
constexpr std::size_t max_sparklines = 50;
constexpr std::int64_t max_sparkline_trials = 20'000;

/** Returns the device of the target, or the name of the target if it names no device. */
std::string device_of(const store::SessionRecord& record) {
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  return target && !target->device.empty() ? target->device : record.target_name;
}

}  // namespace

bool SessionEntry::operator==(const SessionEntry& other) const {
  return summary.record.id == other.summary.record.id && summary.record.name == other.summary.record.name &&
         summary.record.budget_json == other.summary.record.budget_json &&
         same_status(summary.status, other.summary.status) && summary.owner == other.summary.owner &&
         summary.annotation == other.summary.annotation && best == other.best && notices == other.notices &&
         improvements.size() == other.improvements.size();
}

SessionWatch::SessionWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent),
      poller_(std::move(database), {.work = "reading the database",
                                    .pace = session_pace,
                                    .read = [this](const store::Store& store,
                                                   const Watched& watched) { return read(store, watched); },
                                    .report_again = {},
                                    .forget = [this] { forget_readers(); },
                                    .failed = [this](const Error& error) { report_failure(error); },
                                    .recovered =
                                        [this] {
                                          failed_ = false;
                                          emit recovered();
                                        }}) {
  poller_.set_active(true);
}

void SessionWatch::watch(const std::set<store::SessionId>& sessions) {
  std::erase_if(watched_, [&](const auto& watched) { return !sessions.contains(watched.first); });
  for (const store::SessionId id : sessions)
    if (watched_.try_emplace(id, periods_ + 1).second) ++periods_;
  poller_.change([this](Watched& watched) { watched = watched_; });
}

/** The readers use the database, which is opened again because its file may have been replaced. */
void SessionWatch::forget_readers() {
  readers_.clear();
  poller_.close();
}

void SessionWatch::report_failure(const Error& error) {
  if (!std::exchange(failed_, true)) emit failed(error);
}

/** A damaged session does not prevent the other sessions from being read. */
void SessionWatch::report_unreadable(const Error& error) {
  if (notified_unreadable_.insert(error.message).second)
    poller_.deliver([this, error] { emit unreadable(error); });
}

Status SessionWatch::read(const store::Store& store, const Watched& watched) {
  const Status sources = read_sources(store, watched);
  TRY(read_list(store));
  return sources;
}

/**
 * Ends watching a session that was deleted, or can't be read; if it is watched again, the reading is tried
 * again.
 */
void SessionWatch::give_up(store::SessionId id, std::uint64_t period) {
  readers_.erase(id);
  notified_.insert_or_assign(id, Notified{.period = period});
  poller_.deliver([this, id, period] {
    // The session may have been left, and watched again, meanwhile: then it is read again.
    const auto watched = watched_.find(id);
    if (watched == watched_.end() || watched->second != period) return;
    watched_.erase(watched);
    emit given_up(id);
  });
}

SessionEntry SessionWatch::make_entry(const store::Store& store, const store::SessionSummary& session,
                                      std::size_t rank) {
  SessionEntry entry{.summary = session, .improvements = {}};
  const auto known = entries_.find(session.record.id);
  const bool unchanged =
      known != entries_.end() && known->second.summary.status.trial_count == session.status.trial_count;
  if (known != entries_.end()) {
    entry.flops = known->second.flops;
    entry.shape = known->second.shape;
    entry.build_only = known->second.build_only;
  } else {
    if (const Result<task::Task> task = task::task_from_json(session.record.task_json)) {
      entry.flops = task->flops();
      entry.shape = task::shape_text(*task);
    }
    if (const Result<trial::MeasureOptions> options =
            trial::stored_measure_options(session.record.options_json))
      entry.build_only = options->build_only;
  }
  if (unchanged) {
    entry.improvements = known->second.improvements;
  } else if (rank < max_sparklines && session.status.trial_count <= max_sparkline_trials) {
    if (const auto rows = store.trials().rows(session.record.id)) {
      trial::Table table(rows->empty() ? 0 : rows->front().configuration.indices.size());
      for (const store::ArrivedRow& row : *rows) table.append(row, row.configuration);
      entry.improvements = analysis::best_so_far(table.snapshot());
    }
  }
  const bool same_state = unchanged && known->second.summary.status.state == session.status.state &&
                          known->second.summary.status.vendor_json == session.status.vendor_json;
  // A session may add notices before its first trial, and while its state does not change.
  const bool silent = same_state && session.status.state != store::SessionState::Running;
  if (silent) {
    entry.notices = known->second.notices;
  } else if (auto notices = store.notices().of(session.record.id)) {
    entry.notices = std::move(*notices);
  }
  if (same_state) {
    entry.best = known->second.best;
    entry.vendor = known->second.vendor;
  } else {  // what cannot be read is reported when the session is opened
    entry.best = exchange::read_best(store, session).value_or(exchange::best_of_status(session.status));
  }
  if (!same_state && !entry.best.confirmed_utc.empty()) {
    if (auto compared = session::read_comparisons(store, session, entry.best))
      entry.vendor = std::move(compared->vendor);
  }
  return entry;
}

Status SessionWatch::read_list(const store::Store& store) {
  std::vector<Error> unreadable;
  const std::vector<store::SessionSummary> sessions = TRY(store.sessions().list(&unreadable));
  for (const Error& error : unreadable) report_unreadable(error);
  auto entries = std::make_shared<std::vector<SessionEntry>>();
  for (std::size_t i = 0; i < sessions.size(); ++i) entries->push_back(make_entry(store, sessions[i], i));
  // Read after the list, so that the collection of each session is known.
  const Status collections = read_collections(store, *entries);
  if (notified_entries_ && *notified_entries_ == *entries) return collections;
  entries_.clear();
  for (const SessionEntry& entry : *entries) entries_.emplace(entry.summary.record.id, entry);
  notified_entries_ = entries;
  poller_.deliver([this, reported = notified_entries_] { emit sessions_changed(reported); });
  return collections;
}

Status SessionWatch::read_collections(const store::Store& store, const std::vector<SessionEntry>& entries) {
  const std::vector<store::CollectionSummary> found = TRY(store.collections().all());
  auto collections = std::make_shared<std::vector<SessionCollection>>();
  for (const store::CollectionSummary& summary : found) {
    const auto first = std::ranges::find_if(
        entries, [&](const SessionEntry& entry) { return entry.summary.study == summary.id; });
    SessionCollection& collection =
        collections->emplace_back(SessionCollection{.summary = summary, .device = {}});
    if (first == entries.end()) continue;
    collection.device = device_of(first->summary.record);
    collection.newest = first->summary.record.id;
  }
  const bool same = notified_collections_ ? *notified_collections_ == *collections : collections->empty();
  notified_collections_ = collections;
  if (same) return {};
  poller_.deliver([this, reported = notified_collections_] { emit collections_changed(reported); });
  return {};
}

/** A session that can't be read does not prevent the others from being read. @return the last failure */
Status SessionWatch::read_sources(const store::Store& store, const Watched& watched) {
  Status outcome;
  std::erase_if(readers_, [&](const auto& reader) { return !watched.contains(reader.first); });
  std::erase_if(notified_, [&](const auto& reported) {
    const auto now = watched.find(reported.first);
    return now == watched.end() || now->second != reported.second.period;
  });
  for (const auto& [id, period] : watched) {
    const auto reported = notified_.find(id);
    const bool known = reported != notified_.end();
    if (known && !reported->second.source) continue;  // given up
    SourceReader& reader = readers_.try_emplace(id, store, id).first->second;
    Result<Source> source = reader.read();
    if (!source) {
      if (source.error().code == ErrorCode::Corrupt) {
        report_unreadable(source.error());
      } else if (source.error().code != ErrorCode::NotFound) {
        outcome = std::unexpected(source.error());
      }
      give_up(id, period);
      continue;
    }
    if (known && same_source(*reported->second.source, **source)) continue;
    notified_.insert_or_assign(id, Notified{.period = period, .source = *source});
    poller_.deliver([this, source = *source] { emit source_changed(source); });
  }
  return outcome;
}

}  // namespace kernelscape::workspace

#include "ui/workspace/session_watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/memory.h"
#include "core/schedule/target.h"
#include "core/session/best.h"
#include "core/task/title.h"
#include "core/trial/measure_options.h"

namespace kernelscape::workspace {
namespace {

constexpr std::chrono::milliseconds poll_interval{500};
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

Status open_to_watch(std::optional<store::Store>& store, const std::filesystem::path& database) {
  if (store) return {};
  // Opens for writing first, which creates a database that does not exist yet.
  Result<store::Store> opened = store::Store::open(database);
  if (!opened) opened = store::Store::open(database, store::OpenMode::ReadOnly);
  if (!opened) return std::unexpected(opened.error());
  store.emplace(std::move(*opened));
  return {};
}

SessionWatch::SessionWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent), database_(std::move(database)), service_([this] { return look(); }) {
  service_.wake();
}

void SessionWatch::watch(std::set<store::SessionId> sessions) {
  {
    const std::scoped_lock lock(mutex_);
    std::ranges::set_difference(sessions, wanted_, std::inserter(added_, added_.end()));
    wanted_ = std::move(sessions);
  }
  service_.wake();
}

Service::Pause SessionWatch::look() {
  if (const Status opened = open_to_watch(store_, database_); !opened) report(opened.error());
  if (store_) {
    const Status looked = base::guarded("reading the database", [this]() -> Status {
      read();
      return {};
    });
    if (!looked) {
      readers_.clear();
      store_.reset();
      report(looked.error());
    }
  }
  return poll_interval;
}

void SessionWatch::report(const Error& error) {
  if (!std::exchange(failed_, true)) service_.deliver([this, error] { emit failed(error); });
}

/** A damaged session does not prevent the other sessions from being read. */
void SessionWatch::report_unreadable(const Error& error) {
  if (notified_unreadable_.insert(error.message).second)
    service_.deliver([this, error] { emit unreadable(error); });
}

void SessionWatch::read() {
  const bool had_failed = std::exchange(failed_, false);
  std::set<store::SessionId> wanted;
  {
    const std::scoped_lock lock(mutex_);
    wanted = wanted_;
    // A session that was left and watched again between two readings: its snapshot was discarded.
    for (const store::SessionId id : std::exchange(added_, {})) notified_.erase(id);
  }
  look_at_sources(wanted);
  look_at_list();
  if (failed_) {
    readers_.clear();
    store_.reset();
  } else if (had_failed) {
    service_.deliver([this] { emit recovered(); });
  }
}

/**
 * Forgets a session that was deleted, or can't be read; if it is watched again, the reading is tried again.
 */
void SessionWatch::forget(store::SessionId id) {
  readers_.erase(id);
  const std::scoped_lock lock(mutex_);
  wanted_.erase(id);
}

SessionEntry SessionWatch::make_entry(const store::SessionSummary& session, std::size_t rank) {
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
    if (const auto rows = store_->trials().rows(session.record.id)) {
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
  } else if (auto notices = store_->notices().of(session.record.id)) {
    entry.notices = std::move(*notices);
  }
  if (same_state) {
    entry.best = known->second.best;
    entry.vendor = known->second.vendor;
  } else {  // what cannot be read is reported when the session is opened
    entry.best = exchange::read_best(*store_, session).value_or(exchange::best_of_status(session.status));
  }
  if (!same_state && !entry.best.confirmed_utc.empty()) {
    if (auto compared = session::read_comparisons(*store_, session, entry.best))
      entry.vendor = std::move(compared->vendor);
  }
  return entry;
}

void SessionWatch::look_at_list() {
  std::vector<Error> unreadable;
  const Result<std::vector<store::SessionSummary>> sessions = store_->sessions().list(&unreadable);
  if (!sessions) return report(sessions.error());
  for (const Error& error : unreadable) report_unreadable(error);
  auto entries = std::make_shared<std::vector<SessionEntry>>();
  for (std::size_t i = 0; i < sessions->size(); ++i) entries->push_back(make_entry((*sessions)[i], i));
  // Read after the list, so that the collection of each session is known.
  look_at_collections(*entries);
  if (notified_entries_ && *notified_entries_ == *entries) return;
  entries_.clear();
  for (const SessionEntry& entry : *entries) entries_.emplace(entry.summary.record.id, entry);
  notified_entries_ = entries;
  service_.deliver([this, entries = notified_entries_] { emit sessions_changed(entries); });
}

void SessionWatch::look_at_collections(const std::vector<SessionEntry>& entries) {
  const Result<std::vector<store::CollectionSummary>> found = store_->collections().all();
  if (!found) return report(found.error());
  auto collections = std::make_shared<std::vector<SessionCollection>>();
  for (const store::CollectionSummary& summary : *found) {
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
  if (same) return;
  service_.deliver([this, collections = notified_collections_] { emit collections_changed(collections); });
}

void SessionWatch::look_at_sources(const std::set<store::SessionId>& wanted) {
  std::erase_if(readers_, [&](const auto& reader) { return !wanted.contains(reader.first); });
  std::erase_if(notified_, [&](const auto& reported) { return !wanted.contains(reported.first); });
  for (const store::SessionId id : wanted) {
    SourceReader& reader = readers_.try_emplace(id, *store_, id).first->second;
    Result<Source> source = reader.read();
    if (!source) {
      if (source.error().code == ErrorCode::Corrupt) {
        report_unreadable(source.error());
      } else if (source.error().code != ErrorCode::NotFound) {
        report(source.error());
      }
      forget(id);
      service_.deliver([this, id] { emit given_up(id); });
      continue;
    }
    const auto reported = notified_.find(id);
    if (reported != notified_.end() && same_source(*reported->second, **source)) continue;
    notified_.insert_or_assign(id, *source);
    service_.deliver([this, source = *source] { emit source_changed(source); });
  }
}

}  // namespace kernelscape::workspace

#include "ui/workspace/session_watch.h"

#include "core/session/confirmed_trials.h"

namespace kernelscape {
namespace {

constexpr std::chrono::milliseconds between_looks{500};
constexpr std::size_t most_sparklines = 50;
constexpr std::int64_t most_sparkline_trials = 20'000;

bool same_status(const SessionStatus& a, const SessionStatus& b) {
  return a.state == b.state && a.state_reason == b.state_reason && a.trial_count == b.trial_count &&
         a.best_trial == b.best_trial && a.best_seconds == b.best_seconds &&
         a.session_seconds == b.session_seconds && a.vendor_json == b.vendor_json;
}

bool same_source(const SourceData& a, const SourceData& b) {
  return a.trials.size() == b.trials.size() && a.series.value_count() == b.series.value_count() &&
         same_status(a.status, b.status) && a.owner == b.owner && a.annotation == b.annotation &&
         a.confirmations == b.confirmations && a.interruptions == b.interruptions && a.budget == b.budget;
}

}  // namespace

bool SessionEntry::operator==(const SessionEntry& other) const {
  return summary.record.id == other.summary.record.id && summary.record.name == other.summary.record.name &&
         summary.record.budget_json == other.summary.record.budget_json &&
         same_status(summary.status, other.summary.status) && summary.owner == other.summary.owner &&
         summary.annotation == other.summary.annotation && confirmed_seconds == other.confirmed_seconds &&
         improvements.size() == other.improvements.size();
}

SessionWatch::SessionWatch(std::filesystem::path database, QObject* parent)
    : QObject(parent), database_(std::move(database)) {
  qRegisterMetaType<Source>();
  qRegisterMetaType<SessionEntries>();
  qRegisterMetaType<Error>();
}

void SessionWatch::start() {
  thread_ = std::thread([this] { serve(); });
}

SessionWatch::~SessionWatch() {
  {
    const std::scoped_lock lock(mutex_);
    quitting_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SessionWatch::watch(std::set<SessionId> sessions) {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = std::move(sessions);
    refresh_ = true;
  }
  wake_.notify_all();
}

void SessionWatch::refresh() {
  {
    const std::scoped_lock lock(mutex_);
    refresh_ = true;
  }
  wake_.notify_all();
}

void SessionWatch::serve() {
  std::optional<Store> store;
  while (true) {
    if (!store) {
      // To write first: a database that is not there yet is made.
      Result<Store> opened = Store::open(database_);
      if (!opened) opened = Store::open(database_, OpenMode::ReadOnly);
      if (opened) {
        store.emplace(std::move(*opened));
      } else {
        report(opened.error());
      }
    }
    if (store) {
      look(*store);
      if (failed_) {
        readers_.clear();
        store.reset();
      }
    }
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, between_looks, [this] { return quitting_ || refresh_; });
    if (quitting_) return;
    refresh_ = false;
  }
}

void SessionWatch::report(const Error& error) {
  if (!std::exchange(failed_, true)) emit failed(error);
}

void SessionWatch::look(Store& store) {
  const bool had_failed = std::exchange(failed_, false);
  std::set<SessionId> wanted;
  {
    const std::scoped_lock lock(mutex_);
    wanted = wanted_;
  }
  look_at_sources(store, wanted);
  look_at_list(store);
  if (had_failed && !failed_) emit recovered();
}

/** A session that was deleted, or can't be read: asked for again it is tried again. */
void SessionWatch::forget(SessionId id) {
  readers_.erase(id);
  const std::scoped_lock lock(mutex_);
  wanted_.erase(id);
}

SessionEntry SessionWatch::make_entry(Store& store, const SessionSummary& session, std::size_t rank) {
  SessionEntry entry{.summary = session, .improvements = {}, .confirmed_seconds = {}};
  const auto known = entries_.find(session.record.id);
  const bool unchanged =
      known != entries_.end() && known->second.summary.status.trial_count == session.status.trial_count;
  if (known != entries_.end()) {
    entry.flops = known->second.flops;
    entry.build_only = known->second.build_only;
  } else {
    if (const Result<Task> task = task_from_json(session.record.task_json)) entry.flops = task->flops();
    if (const Result<MeasureOptions> options = measure_options_from_json(session.record.options_json))
      entry.build_only = options->build_only;
  }
  if (unchanged) {
    entry.improvements = known->second.improvements;
  } else if (rank < most_sparklines && session.status.trial_count <= most_sparkline_trials) {
    if (const auto rows = store.rows(session.record.id)) {
      TrialTable table(rows->empty() ? 0 : rows->front().configuration.indices.size());
      for (const Store::ArrivedRow& row : *rows) table.append(row, row.configuration);
      entry.improvements = best_so_far(table.snapshot());
    }
  }
  const bool same_state = unchanged && known->second.summary.status.state == session.status.state &&
                          known->second.summary.status.vendor_json == session.status.vendor_json;
  if (same_state) {
    entry.confirmed_seconds = known->second.confirmed_seconds;
    entry.confirmed_trial = known->second.confirmed_trial;
  } else if (const auto confirmations = store.confirmations(session.record.id)) {
    const std::vector<ConfirmedTrial> confirmed = last_confirmed(*confirmations);
    if (const ConfirmedTrial* trial = confirmed_best(confirmed, session.status.best_trial)) {
      entry.confirmed_seconds = trial->seconds;
      entry.confirmed_trial = trial->trial;
    }
  }
  return entry;
}

void SessionWatch::look_at_list(Store& store) {
  const Result<std::vector<SessionSummary>> sessions = store.session_list();
  if (!sessions) return report(sessions.error());
  auto entries = std::make_shared<std::vector<SessionEntry>>();
  for (std::size_t i = 0; i < sessions->size(); ++i) entries->push_back(make_entry(store, (*sessions)[i], i));
  if (told_entries_ && *told_entries_ == *entries) return;
  entries_.clear();
  for (const SessionEntry& entry : *entries) entries_.emplace(entry.summary.record.id, entry);
  told_entries_ = entries;
  emit sessions_changed(told_entries_);
}

void SessionWatch::look_at_sources(Store& store, const std::set<SessionId>& wanted) {
  std::erase_if(readers_, [&](const auto& reader) { return !wanted.contains(reader.first); });
  std::erase_if(told_, [&](const auto& told) { return !wanted.contains(told.first); });
  for (const SessionId id : wanted) {
    SourceReader& reader = readers_.try_emplace(id, store, id).first->second;
    Result<Source> source = reader.read();
    if (!source) {
      if (source.error().code != ErrorCode::NotFound) report(source.error());
      forget(id);
      continue;
    }
    const auto told = told_.find(id);
    if (told != told_.end() && same_source(*told->second, **source)) continue;
    told_.insert_or_assign(id, *source);
    emit source_changed(*source);
  }
}

}  // namespace kernelscape

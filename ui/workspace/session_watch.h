#pragma once

#include <QObject>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "ui/workspace/source.h"

namespace kernelscape {

/** A session as lists show it. */
struct SessionEntry {
  SessionSummary summary;                      ///< without the space's text
  double flops = 0;                            ///< of its task; 0: unknown
  bool build_only = false;                     ///< its kernels were never run: it has no speed
  std::vector<ImprovementPoint> improvements;  ///< for a sparkline; empty for old and huge sessions
  std::optional<Quartiles> confirmed_seconds;  ///< of the best confirmed trial
  std::int64_t confirmed_trial = -1;

  bool operator==(const SessionEntry& other) const;
};

using SessionEntries = std::shared_ptr<const std::vector<SessionEntry>>;

/**
 * Reads the database on a thread of its own, twice a second at most: the list of sessions, and those that are
 * watched. Sessions of other processes appear like our own. What did not change is not told again.
 */
class SessionWatch : public QObject {
  Q_OBJECT

 public:
  explicit SessionWatch(std::filesystem::path database, QObject* parent = nullptr);
  ~SessionWatch() override;

  /** Begins to look: once, when those who want to know are connected. */
  void start();

  /** The sessions whose snapshots are wanted, instead of those before. */
  void watch(std::set<SessionId> sessions);
  /** Reads again at once: after something was written. */
  void refresh();

 signals:
  void sessions_changed(kernelscape::SessionEntries sessions);
  void source_changed(kernelscape::Source source);
  /** The database can't be read (again): told once until it can. */
  void failed(kernelscape::Error error);
  void recovered();

 private:
  void serve();
  void look(Store& store);
  void look_at_list(Store& store);
  SessionEntry make_entry(Store& store, const SessionSummary& session, std::size_t rank);
  void look_at_sources(Store& store, const std::set<SessionId>& wanted);
  void report(const Error& error);
  void forget(SessionId id);

  std::filesystem::path database_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::set<SessionId> wanted_;
  bool refresh_ = false;
  bool quitting_ = false;

  // Of the thread.
  std::map<SessionId, SourceReader> readers_;
  std::map<SessionId, Source> told_;
  std::map<SessionId, SessionEntry> entries_;
  SessionEntries told_entries_;
  bool failed_ = false;
  std::thread thread_;
};

}  // namespace kernelscape

Q_DECLARE_METATYPE(kernelscape::SessionEntries)
Q_DECLARE_METATYPE(kernelscape::Source)
Q_DECLARE_METATYPE(kernelscape::Error)

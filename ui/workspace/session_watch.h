#pragma once

#include <QObject>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "ui/workspace/service.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** A session as an entry of lists. */
struct SessionEntry {
  SessionSummary summary;                      ///< without the text of the space
  double flops = 0;                            ///< FLOPs of the task; 0: unknown
  std::string shape = {};                      ///< shape_text() of the task; empty: it can't be read
  bool build_only = false;                     ///< true if its kernels were never run, so that the session
                                               ///< has no speed
  std::vector<ImprovementPoint> improvements;  ///< points of the sparkline; empty for old and huge sessions
  std::optional<Quartiles> confirmed_seconds;  ///< quartiles of the best confirmed trial
  std::int64_t confirmed_trial = -1;
  std::vector<SessionNotice> notices = {};  ///< notices of the session, such as disturbances

  bool operator==(const SessionEntry& other) const;
};

using SessionEntries = std::shared_ptr<const std::vector<SessionEntry>>;

/** A collection as an entry of lists: one row that expands to its sessions. */
struct SessionCollection {
  CollectionSummary summary;
  std::string device;    ///< device of its first session: "NVIDIA H200"; the target if the session names no
                         ///< device
  SessionId newest = 0;  ///< newest of its sessions; 0: the collection is empty

  bool operator==(const SessionCollection&) const = default;
};

using SessionCollections = std::shared_ptr<const std::vector<SessionCollection>>;

/** Opens a database for repeated reading, unless it is already open. */
Status open_to_watch(std::optional<Store>& store, const std::filesystem::path& database);

/**
 * Reads the database in a service thread, at most twice a second: the list of sessions, and the watched
 * sessions. Sessions of other processes appear like those of this process. Unchanged data are not reported
 * again.
 */
class SessionWatch : public QObject {
  Q_OBJECT

 public:
  explicit SessionWatch(std::filesystem::path database, QObject* parent = nullptr);

  /** Replaces the sessions whose snapshots are read. */
  void watch(std::set<SessionId> sessions);
  /** Reads the database at once; to be called after something was written. */
  void refresh() { service_.wake(); }

 signals:
  /** The list of collections changed; newest first. Emitted before the list with their sessions. */
  void collections_changed(kernelscape::SessionCollections collections);
  /** The list of sessions changed; newest first. */
  void sessions_changed(kernelscape::SessionEntries sessions);
  /** A watched session has its first snapshot, or a new one. */
  void source_changed(kernelscape::Source source);
  /** A watched session is not in the database (any more), or can't be read; it is no longer watched. */
  void given_up(kernelscape::SessionId session);
  /** The database can't be read; emitted once until it can be read. */
  void failed(kernelscape::Error error);
  /** A damaged session was left out of the list, or is no longer watched; emitted once. */
  void unreadable(kernelscape::Error error);
  /** The database can be read again after `failed`. */
  void recovered();

 private:
  Service::Pause look();
  void read();
  void look_at_list();
  void look_at_collections(const std::vector<SessionEntry>& entries);
  SessionEntry make_entry(const SessionSummary& session, std::size_t rank);
  void look_at_sources(const std::set<SessionId>& wanted);
  void report(const Error& error);
  void report_unreadable(const Error& error);
  void forget(SessionId id);

  std::filesystem::path database_;
  std::mutex mutex_;
  std::set<SessionId> wanted_;

  // Used by the service's thread only.
  std::optional<Store> store_;
  std::map<SessionId, SourceReader> readers_;
  std::map<SessionId, Source> notified_;
  std::map<SessionId, SessionEntry> entries_;
  SessionEntries notified_entries_;
  SessionCollections notified_collections_;
  std::set<std::string> notified_unreadable_;
  bool failed_ = false;
  Service service_;
};

}  // namespace kernelscape

Q_DECLARE_METATYPE(kernelscape::SessionEntries)
Q_DECLARE_METATYPE(kernelscape::SessionCollections)
Q_DECLARE_METATYPE(kernelscape::Source)

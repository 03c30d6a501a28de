#pragma once

#include <QObject>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ui/workspace/database_poller.h"
#include "ui/workspace/source.h"

namespace kernelscape::workspace {

/** A session as an entry of lists. */
struct SessionEntry {
  store::SessionSummary summary;  ///< without the text of the space
  double flops = 0;               ///< FLOPs of the task; 0: unknown
  std::string shape = {};         ///< shape_text() of the task; empty: it can't be read
  bool build_only = false;        ///< true if its kernels were never run, so that the session
                                  ///< has no speed
  std::vector<analysis::ImprovementPoint>
      improvements;                  ///< points of the sparkline; empty for old and huge sessions
  analysis::BestResult best = {};    ///< see best_result()
  session::QuotedShare vendor = {};  ///< of a confirmed result
  std::vector<trial::SessionNotice> notices = {};  ///< notices of the session, such as disturbances

  bool operator==(const SessionEntry& other) const;
};

using SessionEntries = std::shared_ptr<const std::vector<SessionEntry>>;

/** A collection as an entry of lists: one row that expands to its sessions. */
struct SessionCollection {
  store::CollectionSummary summary;
  std::string device;  ///< device of its first session: "NVIDIA H200"; the target if the session names no
                       ///< device
  store::SessionId newest = 0;  ///< newest of its sessions; 0: the collection is empty

  bool operator==(const SessionCollection&) const = default;
};

using SessionCollections = std::shared_ptr<const std::vector<SessionCollection>>;

/**
 * Reads the database in a service thread, at most twice a second: the list of sessions, and the watched
 * sessions. Sessions of other processes appear like those of this process. Unchanged data are not reported
 * again.
 */
class SessionWatch : public QObject {
  Q_OBJECT

 public:
  explicit SessionWatch(std::filesystem::path database, QObject* parent = nullptr);

  /**
   * Replaces the sessions whose snapshots are read. A session that was not watched before is reported, even
   * if it has not changed since it was watched earlier.
   */
  void watch(const std::set<store::SessionId>& sessions);
  /** Reads the database at once; to be called after something was written. */
  void refresh() { poller_.wake(); }

 signals:
  /** The list of collections changed; newest first. Emitted before the list with their sessions. */
  void collections_changed(kernelscape::workspace::SessionCollections collections);
  /** The list of sessions changed; newest first. */
  void sessions_changed(kernelscape::workspace::SessionEntries sessions);
  /** A watched session has its first snapshot, or a new one. */
  void source_changed(kernelscape::workspace::Source source);
  /** A watched session is not in the database (any more), or can't be read; it is no longer watched. */
  void given_up(kernelscape::store::SessionId session);
  /** The database can't be read; emitted once until it can be read. */
  void failed(kernelscape::Error error);
  /** A damaged session was left out of the list, or is no longer watched; emitted once. */
  void unreadable(kernelscape::Error error);
  /** The database can be read again after `failed`. */
  void recovered();

 private:
  /**
   * The watched sessions with a number for each period in which a session is watched: a session that was left
   * and watched again has another number, because its snapshot was discarded.
   */
  using Watched = std::map<store::SessionId, std::uint64_t>;
  struct Notified {
    std::uint64_t period = 0;
    Source source = {};  ///< null: the session was given up
  };

  Status read(const store::Store& store, const Watched& watched);
  Status read_list(const store::Store& store);
  Status read_collections(const store::Store& store, const std::vector<SessionEntry>& entries);
  SessionEntry make_entry(const store::Store& store, const store::SessionSummary& session, std::size_t rank);
  Status read_sources(const store::Store& store, const Watched& watched);
  void forget_readers();
  void report_unreadable(const Error& error);
  void report_failure(const Error& error);
  void give_up(store::SessionId id, std::uint64_t period);

  Watched watched_;
  std::uint64_t periods_ = 0;
  bool failed_ = false;  ///< `failed` was emitted, and `recovered` was not emitted since

  // Used by the poller's thread only.
  std::map<store::SessionId, SourceReader> readers_;
  std::map<store::SessionId, Notified> notified_;
  std::map<store::SessionId, SessionEntry> entries_;
  SessionEntries notified_entries_;
  SessionCollections notified_collections_;
  std::set<std::string> notified_unreadable_;
  DatabasePoller<Watched> poller_;
};

}  // namespace kernelscape::workspace

Q_DECLARE_METATYPE(kernelscape::workspace::SessionEntries)
Q_DECLARE_METATYPE(kernelscape::workspace::SessionCollections)
Q_DECLARE_METATYPE(kernelscape::workspace::Source)

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

/** A session as lists show it. */
struct SessionEntry {
  SessionSummary summary;                      ///< without the space's text
  double flops = 0;                            ///< of its task; 0: unknown
  std::string shape = {};                      ///< of its task: shape_text(); empty: it can't be read
  bool build_only = false;                     ///< its kernels were never run: it has no speed
  std::vector<ImprovementPoint> improvements;  ///< for a sparkline; empty for old and huge sessions
  std::optional<Quartiles> confirmed_seconds;  ///< of the best confirmed trial
  std::int64_t confirmed_trial = -1;
  std::vector<SessionNotice> notices = {};  ///< what it said beside its trials

  bool operator==(const SessionEntry& other) const;
};

using SessionEntries = std::shared_ptr<const std::vector<SessionEntry>>;

/** A collection as lists show it: one row that opens to its sessions. */
struct SessionCollection {
  CollectionSummary summary;
  std::string device;    ///< of its first session: "NVIDIA H200"; the target where it names none
  SessionId newest = 0;  ///< of its sessions; 0: it has none

  bool operator==(const SessionCollection&) const = default;
};

using SessionCollections = std::shared_ptr<const std::vector<SessionCollection>>;

/** Opens a database, where it is not open yet, to look at it again and again. */
Status open_to_watch(std::optional<Store>& store, const std::filesystem::path& database);

/**
 * Reads the database by a service, twice a second at most: the list of sessions, and those that are watched.
 * Sessions of other processes appear like our own. What did not change is not told again.
 */
class SessionWatch : public QObject {
  Q_OBJECT

 public:
  explicit SessionWatch(std::filesystem::path database, QObject* parent = nullptr);

  /** The sessions whose snapshots are wanted, instead of those before. */
  void watch(std::set<SessionId> sessions);
  /** Reads again at once: after something was written. */
  void refresh() { service_.wake(); }

 signals:
  /** The collections differ from those told before, newest first; comes before a list with their sessions. */
  void collections_changed(kernelscape::SessionCollections collections);
  /** The list differs from the one told before: newest first. */
  void sessions_changed(kernelscape::SessionEntries sessions);
  /** A session that is watched has a new snapshot, or its first one. */
  void source_changed(kernelscape::Source source);
  /** A session that is watched is not in the database (any more) or can't be read; it is watched no longer.
   */
  void given_up(kernelscape::SessionId session);
  /** The database can't be read (again): told once until it can. */
  void failed(kernelscape::Error error);
  /** A session is damaged, and left out of the list or given up: told once. */
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

  // Of the service's thread.
  std::optional<Store> store_;
  std::map<SessionId, SourceReader> readers_;
  std::map<SessionId, Source> told_;
  std::map<SessionId, SessionEntry> entries_;
  SessionEntries told_entries_;
  SessionCollections told_collections_;
  std::set<std::string> told_unreadable_;
  bool failed_ = false;
  Service service_;
};

}  // namespace kernelscape

Q_DECLARE_METATYPE(kernelscape::SessionEntries)
Q_DECLARE_METATYPE(kernelscape::SessionCollections)
Q_DECLARE_METATYPE(kernelscape::Source)

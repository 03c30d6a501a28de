#pragma once

#include <QObject>
#include <QStringList>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/analysis/filter/row_set.h"
#include "core/base/result.h"
#include "core/session/local_run.h"
#include "core/store/identifiers.h"

Q_MOC_INCLUDE("ui/workspace/study_watch.h")

namespace kernelscape {

class Devices;
class Filter;
class FleetLink;
class FleetWatch;
class LearningWatch;
class NetworkWatch;
class Notices;
class RunQueue;
class SessionWatch;
class StudyRunner;
class StudyWatch;
class TrainingRunner;
struct CompareSource;
struct DeviceSurvey;
struct FilterError;
struct FleetPlace;
struct SessionCollection;
struct SessionEntry;
struct SourceData;

using SessionEntries = std::shared_ptr<const std::vector<SessionEntry>>;
using SessionCollections = std::shared_ptr<const std::vector<SessionCollection>>;
using Source = std::shared_ptr<const SourceData>;

/**
 * What all views share: the database, its sessions, the runs of this window, the current source with its one
 * current trial, its selected set and its filter chips. Views listen and ask; none knows another. Window's
 * thread.
 */
class Workspace : public QObject {
  Q_OBJECT

 public:
  /**
   * A database that is not there is made; the notices say so unless it is the user's own, since a mistyped
   * path makes one as well.
   * @param runner empty: run_on_this_machine() @param finder of devices; empty: find_devices()
   * @param linker to a fleet; empty: link_to_redis()
   */
  explicit Workspace(std::filesystem::path database, SessionRunner runner = {},
                     std::function<DeviceSurvey()> finder = {},
                     std::function<Result<std::unique_ptr<FleetLink>>(const FleetPlace&)> linker = {},
                     QObject* parent = nullptr);
  ~Workspace() override;

  const std::filesystem::path& database() const { return database_; }  ///< file of the store
  RunQueue& queue() { return *queue_; }                                ///< tuning runs of this window
  Notices& notices() { return *notices_; }                             ///< what the user is told
  Devices& devices() { return *devices_; }                             ///< of this machine
  SessionWatch& watch() { return *watch_; }                            ///< reads sessions again and again
  StudyRunner& study_runner() { return *study_runner_; }               ///< runs studies in this window
  StudyWatch& study_watch() { return *study_watch_; }                  ///< reads studies again and again
  NetworkWatch& network_watch() { return *network_watch_; }            ///< reads networks again and again
  FleetWatch& fleet_watch() { return *fleet_watch_; }                  ///< reads a fleet again and again
  TrainingRunner& training_runner() { return *training_runner_; }      ///< trains predictors in this window
  LearningWatch& learning_watch() { return *learning_watch_; }         ///< reads data sets and predictors
  /** Newest first, those of collections among them; never null. */
  const SessionEntries& sessions() const { return sessions_; }
  /** What lists show as one row instead of its sessions, newest first; never null. */
  const SessionCollections& collections() const { return collections_; }

  /** Makes a session the current source; its snapshot follows with source_changed. Where there is none, or it
   * can't be read, it is closed again.
   */
  void open_session(SessionId id);
  /** No session is current; filters, selection and current trial are cleared. `source_changed` follows. */
  void close_source();
  /** Null: none, or not read yet. */
  const Source& source() const { return source_; }
  /** The session that was asked for, also before its first snapshot; none: no one. */
  std::optional<SessionId> opened() const { return opened_; }

  /** Asks for a study, or for chosen sessions, to be compared: Compare listens. */
  void compare(const CompareSource& source) { emit comparison_requested(source); }

  /** Asks for a predictor to be shown: Learn listens. @param key predictor_key() */
  void open_predictor(const QString& key) { emit predictor_requested(key); }

  /** Asks for the study of a network to be shown: Network listens. */
  void open_network(StudyId id) { emit network_requested(id); }

  /** Asks for a data set to be shown: Learn listens. */
  void open_data_set(StudyId id) { emit data_set_requested(id); }

  /** Finished sessions whose curves are drawn behind the current one's. */
  void set_pinned(const std::set<SessionId>& sessions);
  const std::set<SessionId>& pinned() const { return pinned_; }  ///< as set, whether they were read or not
  /** Latest snapshots of the pinned ones that were read, by ascending id. */
  std::vector<Source> pinned_sources() const;

  /** A row of the current source; no_row: none. */
  std::int64_t current_row() const { return current_row_; }
  /** A row outside of the source counts as no_row. */
  void set_current_row(std::int64_t row);

  /** Of the current source's size, or smaller while new trials arrive. */
  const RowSet& selection() const { return selection_; }
  /** Replaces the selected set; `selection_changed` follows at once. */
  void set_selection(RowSet selection);

  /** Expressions that all hold for what is shown. A wrong one is refused, and nothing changes. */
  std::expected<void, FilterError> set_filters(const QStringList& filters);
  /** One more chip behind the others; nothing where it is there already. */
  std::expected<void, FilterError> add_filter(const QString& filter);
  const QStringList& filters() const { return filters_; }  ///< as the user wrote them
  /**
   * What is being written holds beside the chips, and is none of them. A wrong one is refused, and the one
   * before it stays; empty: none. No chips and no draft go together: set_filters({}) drops it too.
   */
  std::expected<void, FilterError> set_draft_filter(const QString& filter);
  const QString& draft_filter() const { return draft_; }  ///< empty: none
  /** All that hold: the chips, and what is being written. */
  QStringList active_filters() const;
  /** Rows that pass all active filters; nothing: there is none, all rows pass. */
  const std::optional<RowSet>& filtered() const { return filtered_; }
  /** Rows that pass, ascending. */
  std::vector<std::int64_t> shown_rows() const;

  /** A function of the store, run at once with a message in the notices if it fails: renaming, notes, tags.
   */
  bool write(const std::function<Status(Store&)>& action);

 signals:
  /** The list of the database, or of its collections, was read and is another. */
  void sessions_changed();
  void source_changed();  ///< another session, or none
  void source_updated();  ///< a new snapshot of the same session
  /** Others are pinned, or one of them has a new snapshot. */
  void pinned_changed();
  /** Of the current source; no_row: none. */
  void current_row_changed(std::int64_t row);
  /** The selected set was replaced, or cleared with the source. */
  void selection_changed();
  /** Something is to be compared: the view that compares opens it. */
  void comparison_requested(const kernelscape::CompareSource& source);
  /** A data set is to be shown: the view that learns opens it. */
  void data_set_requested(qint64 study);
  /** The study of a network is to be shown: the view of networks opens it. */
  void network_requested(qint64 study);
  /** A predictor is to be shown: the view that learns opens it. */
  void predictor_requested(const QString& key);
  void filters_changed();  ///< the chips, or the rows that pass them

 private:
  void tell_once_made();
  void open(std::optional<SessionId> id);
  void receive(const Source& source);
  void watch_wanted();
  std::expected<void, FilterError> hold(const QStringList& filters, const QString& draft);
  void apply_filters();

  std::filesystem::path database_;
  bool is_new_;  ///< it was not there, and nobody was told yet
  std::unique_ptr<Notices> notices_;
  std::unique_ptr<Devices> devices_;
  std::unique_ptr<RunQueue> queue_;
  std::unique_ptr<SessionWatch> watch_;
  std::unique_ptr<StudyRunner> study_runner_;
  std::unique_ptr<StudyWatch> study_watch_;
  std::unique_ptr<NetworkWatch> network_watch_;
  std::unique_ptr<FleetWatch> fleet_watch_;
  std::unique_ptr<TrainingRunner> training_runner_;
  std::unique_ptr<LearningWatch> learning_watch_;
  SessionEntries sessions_;
  SessionCollections collections_;
  bool list_read_ = false;  ///< of sessions, once
  std::optional<SessionId> opened_;
  Source source_;
  std::set<SessionId> pinned_;
  std::map<SessionId, Source> pinned_sources_;
  std::int64_t current_row_;
  RowSet selection_;
  QStringList filters_;
  QString draft_;
  std::unique_ptr<const Filter> filter_;  ///< all of them together
  std::optional<RowSet> filtered_;
};

}  // namespace kernelscape

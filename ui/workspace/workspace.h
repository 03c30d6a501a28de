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

namespace kernelscape::analysis {
class Filter;
struct FilterError;
}  // namespace kernelscape::analysis

namespace kernelscape::workspace {

class Devices;
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
struct FleetPlace;
struct SessionCollection;
struct SessionEntry;
struct SourceData;

using SessionEntries = std::shared_ptr<const std::vector<SessionEntry>>;
using SessionCollections = std::shared_ptr<const std::vector<SessionCollection>>;
using Source = std::shared_ptr<const SourceData>;

/**
 * State shared by all views: the database, its sessions, the runs of this window, and the current source with
 * its current trial, selected rows and filter chips. Views connect to its signals and call it; no view
 * depends on another view. Must be used on the window's thread.
 */
class Workspace : public QObject {
  Q_OBJECT

 public:
  /**
   * Opens the database, or creates it if it does not exist. A notice says so unless it is the user's default
   * database, since a mistyped path creates a database as well.
   * @param runner empty: run_on_this_machine()
   * @param finder finds the devices; empty: find_devices()
   * @param linker connects to a fleet; empty: link_to_redis()
   */
  explicit Workspace(std::filesystem::path database, session::Runner runner = {},
                     std::function<DeviceSurvey()> finder = {},
                     std::function<Result<std::unique_ptr<FleetLink>>(const FleetPlace&)> linker = {},
                     QObject* parent = nullptr);
  ~Workspace() override;

  const std::filesystem::path& database() const { return database_; }  ///< file of the store
  RunQueue& queue() { return *queue_; }                                ///< tuning runs of this window
  Notices& notices() { return *notices_; }                             ///< messages for the user
  Devices& devices() { return *devices_; }                             ///< devices of this machine
  SessionWatch& watch() { return *watch_; }                            ///< reads sessions repeatedly
  StudyRunner& study_runner() { return *study_runner_; }               ///< runs studies in this window
  StudyWatch& study_watch() { return *study_watch_; }                  ///< reads studies repeatedly
  NetworkWatch& network_watch() { return *network_watch_; }            ///< reads networks repeatedly
  FleetWatch& fleet_watch() { return *fleet_watch_; }                  ///< reads a fleet repeatedly
  TrainingRunner& training_runner() { return *training_runner_; }      ///< trains predictors in this window
  LearningWatch& learning_watch() {
    return *learning_watch_;
  }  ///< reads data sets and predictors
     ///< repeatedly
  /** Returns the sessions, including those of collections, newest first; never null. */
  const SessionEntries& sessions() const { return sessions_; }
  /** Returns the collections, each of which lists show as one row, newest first; never null. */
  const SessionCollections& collections() const { return collections_; }

  /**
   * Makes a session the current source; source_changed is emitted when its snapshot arrives. A session that
   * does not exist, or can't be read, is closed again.
   */
  void open_session(store::SessionId id);
  /**
   * Closes the current session, and clears filters, selection and current trial. `source_changed` follows.
   */
  void close_source();
  /** Returns the current source; null if no session is open, or it is not read yet. */
  const Source& source() const { return source_; }
  /** Returns the opened session, even before its first snapshot; nullopt if none is open. */
  std::optional<store::SessionId> opened() const { return opened_; }

  /** Requests the comparison of a study, or of chosen sessions: the Compare view handles the signal. */
  void compare(const CompareSource& source) { emit comparison_requested(source); }

  /** Requests that a predictor be shown: the Learn view handles the signal. @param key predictor_key() */
  void open_predictor(const QString& key) { emit predictor_requested(key); }

  /** Requests that the study of a network be shown: the Network view handles the signal. */
  void open_network(store::StudyId id) { emit network_requested(id); }

  /** Requests that a data set be shown: the Learn view handles the signal. */
  void open_data_set(store::StudyId id) { emit data_set_requested(id); }

  /** Sets the finished sessions whose curves are drawn behind the current one's. */
  void set_pinned(const std::set<store::SessionId>& sessions);
  const std::set<store::SessionId>& pinned() const {
    return pinned_;
  }  ///< as set, including sessions that were not
     ///< read yet
  /** Returns the latest snapshots of the pinned sessions that were read, by ascending id. */
  std::vector<Source> pinned_sources() const;

  /** Returns the current row of the current source, or no_row. */
  std::int64_t current_row() const { return current_row_; }
  /** Sets the current row; a row outside of the source is treated as no_row. */
  void set_current_row(std::int64_t row);

  /**
   * Returns the selected rows. The set has the size of the current source, or is smaller while new trials
   * arrive.
   */
  const analysis::RowSet& selection() const { return selection_; }
  /** Replaces the selected rows; `selection_changed` is emitted at once. */
  void set_selection(analysis::RowSet selection);

  /**
   * Sets the filter expressions; shown trials satisfy all of them. An invalid expression is refused, and
   * nothing changes.
   */
  std::expected<void, analysis::FilterError> set_filters(const QStringList& filters);
  /** Adds a filter chip after the others; does nothing if the filter already exists. */
  std::expected<void, analysis::FilterError> add_filter(const QString& filter);
  const QStringList& filters() const { return filters_; }  ///< as the user wrote them
  /**
   * Sets the filter that the user is typing, which applies in addition to the chips. An invalid filter is
   * refused, and the previous one stays; empty: none. set_filters({}) also removes the draft.
   */
  std::expected<void, analysis::FilterError> set_draft_filter(const QString& filter);
  const QString& draft_filter() const { return draft_; }  ///< empty: none
  /** Returns all filters that apply: the chips and the draft. */
  QStringList active_filters() const;
  /** Returns the rows that pass all active filters; nullopt if there is no filter, so that all rows pass. */
  const std::optional<analysis::RowSet>& filtered() const { return filtered_; }
  /** Returns the rows that pass all active filters, ascending. */
  std::vector<std::int64_t> shown_rows() const;

  /**
   * Calls a function on the store at once, such as to rename, annotate or tag; adds a notice if it fails.
   * @return false if it failed
   */
  bool write(const std::function<Status(store::Store&)>& action);

 signals:
  /** The list of sessions or of collections has changed. */
  void sessions_changed();
  void source_changed();  ///< another session is open, or none
  void source_updated();  ///< the same session has a new snapshot
  /** The set of pinned sessions changed, or one of them has a new snapshot. */
  void pinned_changed();
  /** The current row of the current source changed; no_row: none. */
  void current_row_changed(std::int64_t row);
  /** The selected rows were replaced, or cleared with the source. */
  void selection_changed();
  /** A comparison is requested; handled by the Compare view. */
  void comparison_requested(const kernelscape::workspace::CompareSource& source);
  /** A data set is to be shown; handled by the Learn view. */
  void data_set_requested(qint64 study);
  /** The study of a network is to be shown; handled by the Network view. */
  void network_requested(qint64 study);
  /** A predictor is to be shown; handled by the Learn view. */
  void predictor_requested(const QString& key);
  void filters_changed();  ///< the filters, or the rows that pass them, changed

 private:
  void notify_once_made();
  void open(std::optional<store::SessionId> id);
  void receive(const Source& source);
  void show(const Source& source);
  void show_known();
  void watch_wanted();
  std::expected<void, analysis::FilterError> hold(const QStringList& filters, const QString& draft);
  void apply_filters();
  bool follow_source(const SourceData* before);

  std::filesystem::path database_;
  bool is_new_;  ///< the database did not exist, and the user was not notified yet
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
  bool list_read_ = false;  ///< the list of sessions was read at least once
  std::optional<store::SessionId> opened_;
  Source source_;
  std::set<store::SessionId> pinned_;
  std::map<store::SessionId, Source> pinned_sources_;
  std::int64_t current_row_;
  analysis::RowSet selection_;
  QStringList filters_;
  QString draft_;
  std::unique_ptr<const analysis::Filter> filter_;  ///< all filters combined
  std::optional<analysis::RowSet> filtered_;
};

}  // namespace kernelscape::workspace

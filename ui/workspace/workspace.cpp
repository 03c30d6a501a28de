#include "ui/workspace/workspace.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/analysis/filter/filter.h"
#include "ui/workspace/devices.h"
#include "ui/workspace/fleet_watch.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/network_watch.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/source.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/study_watch.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape::workspace {
namespace {

/** Returns true if the user named a database that does not exist. */
bool is_new(const std::filesystem::path& database) {
  std::error_code unknown;
  return database != store::Store::default_path() &&
         std::filesystem::status(database, unknown).type() == std::filesystem::file_type::not_found;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): two parts keep a copy
Workspace::Workspace(std::filesystem::path database, session::Runner runner,
                     std::function<DeviceSurvey()> finder, FleetLinker linker, QObject* parent)
    : QObject(parent),
      database_(std::move(database)),
      is_new_(is_new(database_)),
      notices_(std::make_unique<Notices>()),
      devices_(std::make_unique<Devices>(finder ? std::move(finder) : find_devices)),
      queue_(std::make_unique<RunQueue>(database_, runner ? runner : session::run_on_this_machine)),
      watch_(std::make_unique<SessionWatch>(database_)),
      study_runner_(std::make_unique<StudyRunner>(
          database_, runner ? runner : session::run_on_this_machine,
          runner ? std::vector<study::NetworkMeasurement>() : study::network_measurements(),
          runner ? study::MakeRoundMeasurement() : study::make_round_measurement)),
      study_watch_(std::make_unique<StudyWatch>(database_)),
      network_watch_(std::make_unique<NetworkWatch>(database_)),
      fleet_watch_(std::make_unique<FleetWatch>(std::move(linker))),
      training_runner_(std::make_unique<TrainingRunner>(database_)),
      learning_watch_(std::make_unique<LearningWatch>(database_)),
      sessions_(std::make_shared<const std::vector<SessionEntry>>()),
      collections_(std::make_shared<const std::vector<SessionCollection>>()),
      current_row_(analysis::no_row) {
  connect(&JobTracker::failures(), &JobFailures::failed, this,
          [this](const Error& error) { notices_->fail(error); });
  connect(watch_.get(), &SessionWatch::sessions_changed, this, [this](const SessionEntries& entries) {
    sessions_ = entries;
    list_read_ = true;
    notify_once_made();
    emit sessions_changed();
  });
  connect(watch_.get(), &SessionWatch::collections_changed, this,
          [this](const SessionCollections& collections) {
            collections_ = collections;
            // Nothing is emitted before the first list arrives: without it the database would appear empty.
            if (list_read_) emit sessions_changed();
          });
  connect(watch_.get(), &SessionWatch::source_changed, this, &Workspace::receive);
  connect(watch_.get(), &SessionWatch::given_up, this, [this](store::SessionId id) {
    if (opened_ == id && !source_) close_source();
  });
  connect(watch_.get(), &SessionWatch::failed, this, [this](const Error& error) { notices_->fail(error); });
  connect(watch_.get(), &SessionWatch::unreadable, this,
          [this](const Error& error) { notices_->fail(error); });
  connect(watch_.get(), &SessionWatch::recovered, this,
          [this] { notices_->inform(tr("The database can be read again.")); });
  connect(queue_.get(), &RunQueue::session_started, watch_.get(), &SessionWatch::refresh);
  connect(queue_.get(), &RunQueue::run_ended, watch_.get(), &SessionWatch::refresh);
  connect(study_runner_.get(), &StudyRunner::created, study_watch_.get(), &StudyWatch::refresh);
  connect(study_runner_.get(), &StudyRunner::ended, study_watch_.get(), &StudyWatch::refresh);
  connect(study_runner_.get(), &StudyRunner::created, network_watch_.get(), &NetworkWatch::refresh);
  connect(study_runner_.get(), &StudyRunner::ended, network_watch_.get(), &NetworkWatch::refresh);
  connect(study_runner_.get(), &StudyRunner::created, learning_watch_.get(), &LearningWatch::refresh);
  connect(study_runner_.get(), &StudyRunner::ended, learning_watch_.get(), &LearningWatch::refresh);
  connect(training_runner_.get(), &TrainingRunner::created, learning_watch_.get(), &LearningWatch::refresh);
  connect(training_runner_.get(), &TrainingRunner::ended, learning_watch_.get(), &LearningWatch::refresh);
}

Workspace::~Workspace() = default;

/** Notifies the user, once its first list was read, that the database was created. */
void Workspace::notify_once_made() {
  if (!std::exchange(is_new_, false)) return;
  notices_->inform(tr("The database %1 did not exist: a new, empty database was created")
                       .arg(QString::fromStdString(database_.string())),
                   tr("If you meant another database, open it from the File menu."));
}

void Workspace::open_session(store::SessionId id) { open(id); }

void Workspace::close_source() { open(std::nullopt); }

void Workspace::open(std::optional<store::SessionId> id) {
  if (opened_ == id) return;
  opened_ = id;
  source_.reset();
  current_row_ = analysis::no_row;
  selection_ = analysis::RowSet();
  filters_.clear();
  draft_.clear();
  filter_.reset();
  filtered_.reset();
  watch_wanted();
  emit source_changed();
  emit filters_changed();
  emit selection_changed();
  emit current_row_changed(analysis::no_row);
  // Not before the caller returns: callers expect that source_changed with the source arrives later.
  if (opened_) QMetaObject::invokeMethod(this, [this] { show_known(); }, Qt::QueuedConnection);
}

/** Shows the snapshot of a pinned session, which the watch does not report again. */
void Workspace::show_known() {
  if (!opened_ || source_) return;
  if (const auto known = pinned_sources_.find(*opened_); known != pinned_sources_.end())
    show(Source(known->second));
}

void Workspace::set_pinned(const std::set<store::SessionId>& sessions) {
  if (pinned_ == sessions) return;
  show_known();  // the open session may be the one that is no longer pinned
  pinned_ = sessions;
  std::erase_if(pinned_sources_, [&](const auto& entry) { return !sessions.contains(entry.first); });
  // The watch does not report the snapshot of the open session again.
  if (source_ && sessions.contains(source_->id())) pinned_sources_[source_->id()] = source_;
  watch_wanted();
  emit pinned_changed();
}

std::vector<Source> Workspace::pinned_sources() const {
  std::vector<Source> sources;
  for (const auto& [id, source] : pinned_sources_) sources.push_back(source);
  return sources;
}

void Workspace::watch_wanted() {
  std::set<store::SessionId> wanted = pinned_;
  if (opened_) wanted.insert(*opened_);
  watch_->watch(wanted);
}

void Workspace::receive(const Source& source) {
  if (pinned_.contains(source->id())) {
    pinned_sources_[source->id()] = source;
    emit pinned_changed();
  }
  if (opened_ == source->id()) show(source);
}

/** Makes a snapshot of the open session the current source. */
void Workspace::show(const Source& source) {
  const bool first = source_ == nullptr;
  // The session was deleted in a window that was killed before it emptied its trash.
  if (first && source->annotation.trashed) return close_source();
  const Source before = std::exchange(source_, source);
  const bool moved = follow_source(before.get());
  if (first) {
    emit source_changed();
  } else {
    emit source_updated();
  }
  if (moved) emit filters_changed();
}

void Workspace::set_current_row(std::int64_t row) {
  const std::int64_t size = source_ ? source_->trials.size() : 0;
  const std::int64_t known = row >= 0 && row < size ? row : analysis::no_row;
  if (known == current_row_) return;
  current_row_ = known;
  emit current_row_changed(known);
}

void Workspace::set_selection(analysis::RowSet selection) {
  selection_ = std::move(selection);
  emit selection_changed();
}

std::expected<void, analysis::FilterError> Workspace::set_filters(const QStringList& filters) {
  return hold(filters, filters.isEmpty() ? QString() : draft_);
}

std::expected<void, analysis::FilterError> Workspace::set_draft_filter(const QString& filter) {
  return filter == draft_ ? std::expected<void, analysis::FilterError>() : hold(filters_, filter);
}

QStringList Workspace::active_filters() const {
  return draft_.isEmpty() || filters_.contains(draft_) ? filters_ : filters_ + QStringList{draft_};
}

/** An invalid filter changes nothing. */
std::expected<void, analysis::FilterError> Workspace::hold(const QStringList& filters, const QString& draft) {
  QStringList wanted = filters;
  if (!draft.isEmpty()) wanted.append(draft);
  if (!source_ && !wanted.isEmpty())
    return std::unexpected(analysis::FilterError{"No session is open, so there is nothing to filter",
                                                 "Open a session first", 0, 0});
  std::unique_ptr<const analysis::Filter> all;
  if (!wanted.isEmpty()) {
    std::vector<std::string> texts;
    for (const QString& text : wanted) {
      texts.push_back(text.toStdString());
      TRY(analysis::Filter::parse(texts.back(), source_->columns()));
    }
    all = std::make_unique<const analysis::Filter>(
        *analysis::Filter::parse(analysis::conjunction(texts), source_->columns()));
  }
  filters_ = filters;
  draft_ = draft;
  filter_ = std::move(all);
  filtered_.reset();
  apply_filters();
  emit filters_changed();
  return {};
}

std::expected<void, analysis::FilterError> Workspace::add_filter(const QString& filter) {
  if (filters_.contains(filter)) return {};
  return set_filters(filters_ + QStringList{filter});
}

/** Evaluates only the rows that arrived since the last call. */
void Workspace::apply_filters() {
  if (!source_ || !filter_) {
    filtered_.reset();
    return;
  }
  if (!filtered_) filtered_.emplace();
  filter_->extend(source_->trials, source_->columns(), *filtered_, filtered_->size());
}

/**
 * Evaluates the filters after the source changed. Returns true if other rows than before pass, besides new
 * ones: a later reading of the machine's speed can change earlier rows.
 */
bool Workspace::follow_source(const SourceData* before) {
  if (!filter_) return false;
  // Columns that a session gets later may move those of its metrics.
  if (before != nullptr && before->columns().columns().size() != source_->columns().columns().size()) {
    std::vector<std::string> texts;
    for (const QString& text : active_filters()) texts.push_back(text.toStdString());
    if (auto filter = analysis::Filter::parse(analysis::conjunction(texts), source_->columns()))
      filter_ = std::make_unique<const analysis::Filter>(*std::move(filter));
  }
  const bool again = before != nullptr &&
                     trial::earlier_rows_changed(before->speeds.get(), source_->speeds.get()) && filtered_;
  const std::optional<analysis::RowSet> earlier =
      again ? std::exchange(filtered_, std::nullopt) : std::nullopt;
  apply_filters();
  for (std::int64_t row = 0; earlier && row < earlier->size(); ++row)
    if (earlier->test(row) != filtered_->test(row)) return true;
  return false;
}

std::vector<std::int64_t> Workspace::shown_rows() const {
  if (filtered_) return filtered_->rows();
  std::vector<std::int64_t> rows(source_ ? static_cast<std::size_t>(source_->trials.size()) : 0);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  return rows;
}

bool Workspace::write(const std::function<Status(store::Store&)>& action) {
  Result<store::Store> store =
      store::Store::open(database_, store::OpenMode::ReadWrite, {std::chrono::milliseconds(500)});
  const Status written = store ? action(*store) : Status(std::unexpected(store.error()));
  if (!written) notices_->fail(written.error());
  watch_->refresh();
  return written.has_value();
}

}  // namespace kernelscape::workspace

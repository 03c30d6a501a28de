#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/memory.h"
#include "core/base/open_database.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/compact_trials.h"
#include "core/exchange/foreign_database.h"
#include "core/exchange/import_collection.h"
#include "core/exchange/import_database.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/repeated_trials.h"
#include "core/exchange/validation.h"
#include "core/exchange/validation_values.h"
#include "core/exchange/winners_only.h"
#include "core/project/kernel_project.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"
#include "core/trial/session_speeds.h"

namespace kernelscape::exchange {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view recording_magic = "KSREC";
constexpr std::string_view database_magic = "SQLite format 3";
constexpr std::size_t shown_characters = 40;
constexpr std::string_view without_table_options =
    "import it without --parameters, --objective, --metrics, --ignore, --unit and --failed-when";

/**
 * Returns the first bytes of a file; empty if it is not a regular file or cannot be read, which the reader
 * reports: a pipe cannot be read twice.
 */
std::string first_bytes(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return {};
  // Reading the file would release SQLite's locks.
  if (const base::DatabaseUse use = base::database_use(path); use != base::DatabaseUse::None)
    return std::string(use == base::DatabaseUse::Database ? database_magic : std::string_view());
  return base::read_file_beginning(path, database_magic.size()).value_or(std::string());
}

std::unexpected<Error> unknown_format(const fs::path& path, std::string_view head) {
  if (const auto winners = winners_only(head))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is {}: it contains only the best configurations without the times of all, so "
                            "there is nothing to import",
                            path.string(), *winners),
                "import the tuner's log of its measurements, such as KERNEL.autotune.json of Triton "
                "(TRITON_CACHE_AUTOTUNING=1) or a cache of Kernel Tuner");
  std::vector<std::string> known;
  for (const ImportFormat& format : import_formats())
    known.push_back(fmt::format("{} ({})", format.name, format.summary));
  known.emplace_back("optuna, opentuner (their SQLite databases)");
  known.emplace_back("recorded (a recorded space, .ksrec)");
  known.emplace_back("database (of this program, all sessions of it)");
  const std::string begins =
      head.empty() ? std::string("it is empty")
                   : fmt::format("it begins with {}", base::quoted_line(head, shown_characters));
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} has none of the known formats: {}", path.string(), begins),
              "known: " + base::join(known, ", "));
}

/** Returns the error for a file that is no table although the user names its columns. */
std::unexpected<Error> no_table(const fs::path& path, const ImportFormat* format) {
  return fail(ErrorCode::InvalidArgument,
              format == nullptr
                  ? fmt::format("{} is not a table: its first line does not name its columns", path.string())
                  : fmt::format("{} is {}, whose columns are known", path.string(), format->summary),
              format == nullptr
                  ? "write a line with the names of the columns first, and one line for each row"
                  : std::string(without_table_options));
}

/** Refuses options of tables for a file that has no columns to name. */
Status check_without_table(const ImportSource& source, std::string_view kind) {
  if (!source.table.given()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is {}, which is no table", source.path.string(), kind),
              std::string(without_table_options));
}

/** Refuses options of tables other than the unit for a database of another tuner. */
Status check_unit_only(const ImportSource& source, std::string_view kind) {
  TableOptions others = source.table;
  others.unit.clear();
  if (!others.given()) return {};
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} is {}, whose parameters, objective and failures are known", source.path.string(), kind),
      "import it without --parameters, --objective, --metrics, --ignore and --failed-when; --unit states "
      "the unit of its values");
}

/** Returns the record with the members that all kinds of sessions take from a header. */
Result<store::SessionRecord> record_of(const trial::RecordingHeader& header,
                                       const space::SearchSpace& space) {
  const task::Task task = TRY(task::task_from_json(header.task_json));
  store::SessionRecord record;
  record.name = header.name;
  record.program_version = header.program_version.empty() ? header.origin : header.program_version;
  record.task_name = task.name;
  record.task_json = header.task_json;
  record.target_name = header.target_name;
  record.target_json = header.target_json;
  record.template_name = header.template_name;
  record.template_version = header.template_version;
  record.space_json = space::space_to_json(space);
  record.space_fingerprint = space.fingerprint();
  record.settings_json = "{}";
  record.options_json =
      header.options_json.empty() ? trial::measure_options_to_json({}) : header.options_json;
  record.budget_json = R"({"trials": 0})";  // no limit
  record.history_json = "[]";
  record.seed = header.seed;
  record.real_measurements = false;
  record.origin = kept_origin(header.origin);
  record.usual_probe = header.usual_probe;
  record.probe_version = header.probe_version;
  if (!header.project_json.empty()) {
    record.project_hash = project::content_hash(TRY(project::project_from_json(header.project_json)));
    record.project_json = header.project_json;
  }
  return record;
}

/** Returns the session of the same recorded space if it was imported before. */
Result<std::optional<store::SessionSummary>> stored_before(const store::Store& store,
                                                           store::RecordingId recording) {
  for (store::SessionSummary& session : TRY(store.sessions().list()))
    if (session.record.kind == store::SessionKind::Recorded && session.record.recording == recording)
      return std::move(session);
  return std::nullopt;
}

store::SessionStatus status_of(const trial::Recording& recording) {
  store::SessionStatus status;
  status.state = store::SessionState::Done;
  status.state_reason = "recorded";
  status.trial_count = recording.size();
  if (const auto best = recording.best()) {
    status.best_trial = *best;
    status.best_seconds = recording.seconds(*best);
  }
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    status.build_seconds += recording.build_seconds(row);
    status.run_seconds += recording.run_seconds(row);
  }
  const std::vector<double> finished = trial::recorded_finished_seconds(recording);
  if (!finished.empty()) status.session_seconds = finished.back();
  return status;
}

/** Returns the trials for the store: in the file's order, with the file's batches and columns if it has some.
 */
std::vector<trial::Trial> trials_of(const ImportedTrials& part) {
  std::vector<trial::Trial> trials;
  trials.reserve(part.trials.size());
  for (const ImportedTrial& imported : part.trials) {
    trial::Trial trial{.number = static_cast<std::int64_t>(trials.size()),
                       .batch = imported.batch,
                       .position = imported.position,
                       .configuration = imported.configuration,
                       .measurement = imported.measurement,
                       .finished_seconds = imported.finished_seconds};
    for (const trial::RecordedColumn& column : part.columns)
      if (const double value = column.values[trials.size()]; !std::isnan(value))
        trial.measurement.add_metric({column.name, column.unit, value});
    trials.push_back(std::move(trial));
  }
  return trials;
}

store::SessionStatus status_of(const ImportedTrials& part) {
  store::SessionStatus status;
  status.state = store::SessionState::Done;
  status.state_reason = part.closed ? "imported" : "imported from an unfinished file";
  status.trial_count = static_cast<std::int64_t>(part.trials.size());
  for (const ImportedTrial& trial : part.trials) {
    status.build_seconds += trial.measurement.build_seconds;
    status.run_seconds += trial.measurement.run_seconds;
    status.session_seconds = std::max(status.session_seconds, trial.finished_seconds);
  }
  const BestTrial best = best_trial_of(part.trials);
  status.best_trial = best.trial;
  status.best_seconds = best.seconds;
  status.vendor_json = part.header.vendor_json;
  return status;
}

/** Stores everything except the trials that only files of this program contain. */
Status store_rest(store::Store& store, store::SessionId id, const ImportedOwnSession& own) {
  TRY(store.confirmations().append(id, own.confirmations));
  TRY(store.series().append(id, own.series));
  for (const store::SessionInterruption& interruption : own.interruptions)
    TRY(store.interruptions().append(id, interruption.at_session_seconds, interruption.kind));
  TRY(store.sessions().set_tags(id, own.annotation.tags));
  return store.sessions().set_note(id, own.annotation.note);
}

Result<store::SessionRecord> imported_record(const ImportedTrials& part) {
  store::SessionRecord record = TRY(record_of(part.header, part.space));
  if (part.own) {
    record.settings_json = part.own->record.settings_json;
    record.budget_json = part.own->record.budget_json;
    record.batch_size = part.own->record.batch_size;
  }
  record.kind = store::SessionKind::Imported;
  record.tuner = part.tuner;
  return record;
}

/** The collection of a session, and its position there. */
struct CollectionPlace {
  store::StudyId collection = 0;
  std::int64_t run = 0;
};

Result<ImportedSession> store_session(store::Store& store, const ImportedTrials& part,
                                      const std::optional<CollectionPlace>& place) {
  const store::SessionRecord record = TRY(imported_record(part));
  const store::Owner owner = store::Owner::this_process();
  const store::SessionId id =
      TRY(place ? store.sessions().create(record, owner, place->collection, place->run)
                : store.sessions().create(record, owner));
  store::SessionStatus status = part.own ? part.own->status : status_of(part);
  // No process runs the session here.
  if (status.state == store::SessionState::Running) status.state = store::SessionState::Interrupted;
  const std::vector<trial::Trial> trials = trials_of(part);
  TRY(store.trials().append(id, trials, status));
  if (part.own) TRY(store_rest(store, id, *part.own));
  TRY(store.sessions().release(id, owner));
  return ImportedSession{id, store::SessionKind::Imported, status.trial_count, record.name};
}

/**
 * Stores a recorded session. @param header header of the validated recording @param file the file of the
 * recording; empty: it was created from a file of another format
 */
Result<ImportedSession> store_recorded(store::Store& store, const trial::Recording& recording,
                                       const trial::RecordingHeader& header, const fs::path& file) {
  store::SessionRecord record = TRY(record_of(header, recording.space()));
  if (!file.empty()) record.origin = origin_of_recording(file, header.origin);
  const store::RecordingId kept = TRY(store.recordings().add(recording));
  const auto before = TRY(stored_before(store, kept));
  if (before) {
    const store::SessionSummary& session = *before;
    return ImportedSession{session.record.id, store::SessionKind::Recorded, session.status.trial_count,
                           session.record.name, true};
  }
  record.kind = store::SessionKind::Recorded;
  record.recording = kept;
  const store::Owner owner = store::Owner::this_process();
  const store::SessionId id = TRY(store.sessions().create(record, owner));
  store::SessionStatus status = status_of(recording);
  status.vendor_json = header.vendor_json;
  TRY(store.sessions().update_status(id, status));
  if (const std::string slow = trial::slow_share_text(recording); !slow.empty())
    TRY(store.notices().add(id, {std::string(trial::machine_notice), slow, 0}));
  TRY(store.sessions().release(id, owner));
  return ImportedSession{id, store::SessionKind::Recorded, recording.size(), record.name};
}

/** Returns the name of a file in lists. */
std::string name_of(const ImportedFile& file) { return cleaned_text(file_stem(file.path), name_limits); }

bool becomes_recorded(const ImportedFile& file, ImportAs as) {
  return (as == ImportAs::Automatic ? file.natural : as) == ImportAs::Recorded;
}

bool becomes_collection(const ImportedFile& file, ImportAs as) {
  return file.parts.size() > 1 && !becomes_recorded(file, as);
}

/**
 * Names the sessions: by the file; if the file has several, by their tasks in a collection, and by file and
 * task for recorded spaces, which are found by name. Sessions of this program keep their names.
 */
void name_parts(ImportedFile& file, ImportAs as) {
  if (becomes_collection(file, as)) {
    std::vector<std::string> names = part_names(file.parts);
    for (std::size_t i = 0; i < names.size(); ++i) file.parts[i].header.name = std::move(names[i]);
    return;
  }
  const std::string stem = name_of(file);
  for (ImportedTrials& part : file.parts) {
    if (part.own && !part.header.name.empty()) continue;
    part.header.name = file.parts.size() == 1 ? stem : fmt::format("{} {}", stem, part.header.name);
  }
}

/** A part that is ready to be stored. */
using ReadyPart = std::pair<const ImportedTrials*, std::shared_ptr<const trial::Recording>>;

/**
 * Performs all steps that can fail before anything is written. The trials of recorded spaces are moved into
 * their recordings.
 */
Result<std::vector<ReadyPart>> ready_parts(ImportedFile& file, ImportAs as,
                                           std::vector<std::string>& notices) {
  const bool recorded = becomes_recorded(file, as);
  std::vector<ReadyPart> ready;
  std::size_t repeated = 0;
  for (ImportedTrials& part : file.parts) {
    ready.emplace_back(&part, nullptr);
    if (!recorded) {
      // Repeated trials of this program's sessions are intended.
      if (!part.own) repeated += count_repeated_trials(part);
      continue;
    }
    ready.back().second = TRY(recording_of(part));
    repeated += trial_count(part) - ready.back().second->size();
    // A table may have millions of trials, which need not be in memory twice while they are stored.
    part.compact.reset();
    part.trials = {};
    part.columns = {};
    if (part.own && part.own->record.kind != store::SessionKind::Recorded)
      notices.push_back(fmt::format(
          "{}: a recorded space cannot contain its order of trials, its series and its confirmations",
          part.header.name));
  }
  if (std::string notice = repeated_trials_notice(repeated, recorded); !notice.empty())
    notices.push_back(std::move(notice));
  return ready;
}

/** Stores the notices of the original session, and notices about what could not be imported. */
Status store_notices(store::Store& store, const ImportedSession& session,
                     const std::vector<trial::SessionNotice>& said, const std::vector<std::string>& of_file) {
  if (session.existed) return {};
  std::vector<trial::SessionNotice> notices = said;
  for (const std::string& text : of_file) notices.push_back({std::string(trial::import_notice), text, 0});
  if (std::ssize(notices) > store::max_session_notices) notices.resize(store::max_session_notices);
  for (const trial::SessionNotice& notice : notices) TRY(store.notices().add(session.session, notice));
  return {};
}

/** Creates an empty collection for the file's sessions. */
Result<ImportedCollection> store_collection(store::Store& store, const ImportedFile& file) {
  ImportedCollection collection{.id = 0, .name = name_of(file), .tasks = task_count(file.parts)};
  if (collection.name.find_first_not_of(" \t\n") == std::string::npos) collection.name = file.format;
  store::StudyRecord record;
  record.name = collection.name;
  record.program_version = file.parts.front().header.origin;
  record.run_count = std::ssize(file.parts);
  collection.id = TRY(store.collections().create(record, file.parts.front().header.origin));
  return collection;
}

/**
 * Stores all parts or none, even if the process dies. The notices of the file are stored with each session.
 */
Status store_parts(store::Store& store, const ImportedFile& file, const std::vector<ReadyPart>& parts,
                   ImportAs as, ImportOutcome& outcome) {
  store::Store::Transaction transaction = TRY(store.begin());
  std::optional<CollectionPlace> place;
  if (becomes_collection(file, as)) {
    outcome.collection = TRY(store_collection(store, file));
    place = CollectionPlace{outcome.collection->id, 0};
  }
  for (const auto& [part, recording] : parts) {
    outcome.sessions.push_back(TRY(recording ? store_recorded(store, *recording, part->header, {})
                                             : store_session(store, *part, place)));
    const std::vector<trial::SessionNotice> said =
        part->own ? part->own->notices : std::vector<trial::SessionNotice>();
    TRY(store_notices(store, outcome.sessions.back(), said, outcome.notices));
    if (place) ++place->run;
  }
  return transaction.commit();
}

/** Stores a validated recording. @param file as for store_recorded() */
Result<ImportedSession> store_validated(store::Store& store, const ValidatedRecording& passed,
                                        const fs::path& file) {
  store::Store::Transaction transaction = TRY(store.begin());
  ImportedSession session = TRY(store_recorded(store, *passed.recording, passed.header, file));
  TRY(store_notices(store, session, {}, passed.notices));
  TRY(transaction.commit());
  return session;
}

std::unexpected<Error> about_file(const fs::path& path, const Error& error) {
  return fail(error.code, fmt::format("{}: {}", path.string(), error.message), error.hint);
}

Result<ImportOutcome> store_recording_file(store::Store& store, const fs::path& path, ImportAs as) {
  if (as == ImportAs::Session)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a recorded space: its trials have no order", path.string()),
                "import it as a recorded space, without --as session");
  ValidatedRecording passed = TRY(open_recording(path));
  Result<ImportedSession> session = store_validated(store, passed, path);
  if (!session) return about_file(path, session.error());
  ImportOutcome outcome{.format = "recorded", .sessions = {}, .notices = std::move(passed.notices)};
  outcome.sessions.push_back(std::move(*session));
  return outcome;
}

}  // namespace

std::string file_stem(const fs::path& path) {
  constexpr std::array extensions{".gz",  ".json", ".log",   ".txt",    ".autotune",
                                  ".csv", ".tsv",  ".jsonl", ".ndjson", ".db"};
  fs::path stem = path.filename();
  for (const char* extension : extensions)
    if (stem.extension() == extension) stem = stem.stem();
  return stem.string();
}

Result<ImportedSession> store_recording(store::Store& store,
                                        std::shared_ptr<const trial::Recording> recording,
                                        const std::vector<std::string>& notices) {
  const std::string name = recording->header().name;
  ValidatedRecording passed = TRY(validated(std::move(recording), cleaned_text(name, name_limits)));
  passed.notices.insert(passed.notices.end(), notices.begin(), notices.end());
  return store_validated(store, passed, {});
}

Result<std::optional<store::SessionId>> stored_recording(const store::Store& store,
                                                         const trial::Recording& recording) {
  const std::optional<store::RecordingId> kept = TRY(store.recordings().find(recording));
  if (!kept) return std::nullopt;
  const std::optional<store::SessionSummary> session = TRY(stored_before(store, *kept));
  return session ? std::optional(session->record.id) : std::nullopt;
}

Result<ImportedFile> read_import(const ImportSource& source) {
  const fs::path& path = source.path;
  const std::string magic = first_bytes(path);
  if (magic == database_magic) {
    if (base::database_use(path) != base::DatabaseUse::None)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} is a database that is already open", path.string()),
                  "name another file; `kernelscape sessions --db FILE` lists the content of a database");
    if (const ForeignDatabase* foreign = foreign_database(path)) {
      TRY(check_unit_only(source, foreign->what));
      return validated(TRY(foreign->read(path, source.table.unit)));
    }
    TRY(check_without_table(source, "a database of Kernelscape"));
    return validated(TRY(read_database(path)));
  }
  if (magic.starts_with(recording_magic))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is the file of a recorded space, which needs no import", path.string()),
                "use it as a target: recorded:FILE");
  const std::unique_ptr<ImportText> file = TRY(ImportText::open(path, ReadingBudget::of_this_machine()));
  file->set_companions(source.companions);
  file->set_table(source.table);
  const std::string_view head = import_head(*file);
  if (file->error()) return about_file(path, *file->error());
  const ImportFormat* format = source.table.given() ? table_format(head) : recognised_format(head);
  if (format == nullptr)
    return source.table.given() ? no_table(path, recognised_format(head)) : unknown_format(path, head);
  ImportedFile read = TRY(format->read(*file));
  return validated(std::move(read));
}

Result<ImportedFile> read_import(const fs::path& path) { return read_import(ImportSource{path, {}}); }

bool is_recording_file(const fs::path& path) { return first_bytes(path).starts_with(recording_magic); }

static Result<ImportOutcome> import_or_throw(store::Store& store, const ImportSource& source, ImportAs as) {
  const fs::path& path = source.path;
  if (is_recording_file(path)) {
    TRY(check_without_table(source, "a recorded space"));
    return store_recording_file(store, path, as);
  }
  ImportedFile file = TRY(read_import(source));
  if (!becomes_recorded(file, as))
    for (ImportedTrials& part : file.parts) TRY(expand_trials(part));
  name_parts(file, as);
  ImportOutcome outcome{.format = file.format, .sessions = {}, .notices = std::move(file.notices)};
  const Result<std::vector<ReadyPart>> ready = ready_parts(file, as, outcome.notices);
  if (!ready) return about_file(path, ready.error());
  outcome.notices = folded_notices(std::move(outcome.notices));
  if (const Status stored = store_parts(store, file, *ready, as, outcome); !stored)
    return about_file(path, stored.error());
  return outcome;
}

Result<ImportOutcome> import_file(store::Store& store, const ImportSource& source, ImportAs as) {
  return base::guarded(fmt::format("importing {}", source.path.string()),
                       [&] { return import_or_throw(store, source, as); });
}

Result<ImportOutcome> import_file(store::Store& store, const fs::path& path, ImportAs as) {
  return import_file(store, ImportSource{path, {}}, as);
}

}  // namespace kernelscape::exchange

// Whole sessions as export writes them with --format json.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/exchange/formats/session_json.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/import_json.h"
#include "core/exchange/importer.h"
#include "core/schedule/target.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"

namespace kernelscape {
namespace {

std::unexpected<Error> in_file(const ImportText& file, std::string_view what, const Error& error) {
  return fail(error.code, fmt::format("{}, {}: {}", file.path.string(), what, error.message), error.hint);
}

std::unexpected<Error> lacks(const char* member) {
  return fail(ErrorCode::InvalidArgument, fmt::format("there is no usable \"{}\"", member),
              "export the session again with --format json");
}

/** The texts of other layers are understood by them, so that nothing is stored that cannot be read. */
Status check_texts(SessionRecord& record) {
  const Task task = TRY(task_from_json(record.task_json));
  record.task_json = task_to_json(task);
  TRY(target_from_json(record.target_json));
  TRY(measure_options_from_json(record.options_json));
  return {};
}

template <typename T>
Result<std::vector<T>> list_of(const Json& json, const char* member, Result<T> (*from_json)(const Json&)) {
  const Json* list = member_of(json, member);
  if (!list || !list->is_array()) return lacks(member);
  std::vector<T> items;
  for (const Json& item : *list) items.push_back(TRY(from_json(item)));
  return items;
}

/** Positions of the trials by their numbers: a filter may have left some out. */
using Positions = std::unordered_map<std::int64_t, std::int64_t>;

/** Leaves out what speaks of trials that are not there, and counts the others anew. */
template <typename T>
void renumber(std::vector<T>& items, const Positions& positions) {
  std::erase_if(items, [&](const T& item) { return item.trial >= 0 && !positions.contains(item.trial); });
  for (T& item : items)
    if (item.trial >= 0) item.trial = positions.at(item.trial);
}

RecordingHeader header_of(const ImportText& file, const ImportedOwnSession& own) {
  const SessionRecord& record = own.record;
  RecordingHeader header;
  header.name = record.name;
  header.created_utc = record.created_utc;
  header.program_version = record.program_version;
  header.origin = "Kernelscape session " + file.path.filename().string();
  // It was an import where it was exported.
  if (!record.origin.empty()) header.origin += ", there imported from " + record.origin;
  header.task_json = record.task_json;
  header.target_name = record.target_name;
  header.target_json = record.target_json;
  header.template_name = record.template_name;
  header.template_version = record.template_version;
  header.options_json = record.options_json;
  header.vendor_json = own.status.vendor_json;
  header.seed = record.seed;
  return header;
}

class SessionReader {
 public:
  explicit SessionReader(const Json& json) : json_(json) {}

  Status read_session() {
    const Json* session = member_of(json_, "session");
    if (!session) return lacks("session");
    StoredRecord stored = TRY(session_record_from_json(*session));
    TRY(check_texts(stored.record));
    own_.record = std::move(stored.record);
    own_.annotation = std::move(stored.annotation);
    const Json* status = member_of(json_, "status");
    if (!status) return lacks("status");
    own_.status = TRY(session_status_from_json(*status));
    return {};
  }

  Result<std::vector<ImportedTrial>> read_trials(const SearchSpace& space) {
    const Json* list = member_of(json_, "trials");
    if (!list || !list->is_array()) return lacks("trials");
    std::vector<ImportedTrial> trials;
    std::int64_t last = -1;
    for (const Json& item : *list) {
      Trial trial = TRY(trial_from_json(item, space));
      if (trial.number <= last)
        return fail(ErrorCode::InvalidArgument, fmt::format("trial {} follows trial {}", trial.number, last),
                    "sort the trials by number");
      last = trial.number;
      positions_.emplace(trial.number, static_cast<std::int64_t>(trials.size()));
      trials.push_back({.configuration = std::move(trial.configuration),
                        .measurement = std::move(trial.measurement),
                        .finished_seconds = trial.finished_seconds,
                        .batch = trial.batch,
                        .position = trial.position});
    }
    return trials;
  }

  /** What speaks of the trials, after these. */
  Result<ImportedOwnSession> take() {
    auto confirmations = TRY(list_of(json_, "confirmations", confirmation_from_json));
    auto series = TRY(list_of(json_, "series", series_from_json));
    auto interruptions = TRY(list_of(json_, "interruptions", interruption_from_json));
    own_.confirmations = std::move(confirmations);
    own_.series = std::move(series);
    own_.interruptions = std::move(interruptions);
    renumber(own_.confirmations, positions_);
    renumber(own_.series, positions_);
    const auto best = positions_.find(own_.status.best_trial);
    own_.status.best_trial = best == positions_.end() ? -1 : best->second;
    own_.status.trial_count = static_cast<std::int64_t>(positions_.size());
    return std::move(own_);
  }

  const SessionRecord& record() const { return own_.record; }

 private:
  const Json& json_;
  ImportedOwnSession own_;
  Positions positions_;
};

Status check_format(const Json& json) {
  const Json* format = member_of(json, "format");
  if (!format || *format != session_json_format) return lacks("format");
  const Json* version = member_of(json, "format_version");
  if (version && integer_of(*version) == session_json_version) return {};
  return fail(ErrorCode::Refused,
              fmt::format("the file has the format version {}, this program knows {}",
                          version ? to_text(*version) : "of nobody", session_json_version),
              "use the newer Kernelscape that wrote it");
}

}  // namespace

Result<ImportedFile> session_from_json(const ImportText& file, const Json& json) {
  TRY(check_format(json));
  SessionReader reader(json);
  TRY(reader.read_session());
  SearchSpace space = TRY(space_from_json(reader.record().space_json));
  std::vector<ImportedTrial> trials = TRY(reader.read_trials(space));
  ImportedOwnSession own = TRY(reader.take());
  ImportedFile imported{.format = "kernelscape", .path = file.path};
  imported.natural = own.record.kind == SessionKind::Recorded ? ImportAs::Recorded : ImportAs::Session;
  ImportedTrials part{.header = header_of(file, own), .space = std::move(space), .trials = std::move(trials)};
  part.tuner = own.record.tuner;
  part.closed = own.status.state == SessionState::Done;
  part.own = std::move(own);
  imported.parts.push_back(std::move(part));
  return imported;
}

Result<ImportedFile> read_kernelscape_json(const ImportText& file) {
  const Result<Json> json = parse_import_json(file.text);
  if (!json) return in_file(file, "as JSON", json.error());
  Result<ImportedFile> imported = session_from_json(file, *json);
  if (!imported) return in_file(file, "a session of Kernelscape", imported.error());
  return imported;
}

}  // namespace kernelscape

#include "core/exchange/formats/own_session_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/exchange/formats/session_json.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/schedule/target.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"

namespace kernelscape::exchange {
namespace {

std::unexpected<Error> lacks(const char* member) {
  return fail(ErrorCode::InvalidArgument, fmt::format("there is no usable \"{}\"", member),
              "export the session again with --format json");
}

/** Checks the texts of other layers with their own readers, so that everything that is stored can be read. */
Status check_texts(store::SessionRecord& record) {
  const task::Task task = TRY(task::task_from_json(record.task_json));
  record.task_json = task::task_to_json(task);
  std::ignore = TRY(schedule::target_from_json(record.target_json));
  std::ignore = TRY(trial::stored_measure_options(record.options_json));
  return {};
}

template <typename T>
Result<std::vector<T>> list_of(const space::Json& json, const char* member,
                               Result<T> (*from_json)(const space::Json&)) {
  const space::Json* list = space::member_of(json, member);
  if (!list || !list->is_array()) return lacks(member);
  std::vector<T> items;
  for (const space::Json& item : *list) items.push_back(TRY(from_json(item)));
  return items;
}

/** Positions of the trials by their numbers: a filter may have omitted some. */
using Positions = std::unordered_map<std::int64_t, std::int64_t>;

/** Removes items about missing trials, and renumbers the others. */
template <typename T>
void renumber(std::vector<T>& items, const Positions& positions) {
  std::erase_if(items, [&](const T& item) { return item.trial >= 0 && !positions.contains(item.trial); });
  for (T& item : items)
    if (item.trial >= 0) item.trial = positions.at(item.trial);
}

/**
 * Returns the origin of a session in the exporting database, if it was not measured there: ", there imported
 * from gemm.log".
 */
std::string origin_there(const store::SessionRecord& record) {
  const std::string& from = record.origin;
  if (record.kind == store::SessionKind::Replayed)
    return from.empty() ? ", there a replay" : ", there a replay of the recorded space " + from;
  return from.empty() ? std::string() : ", there imported from " + from;
}

trial::RecordingHeader header_of(const ImportText& file, const ImportedOwnSession& own) {
  const store::SessionRecord& record = own.record;
  trial::RecordingHeader header;
  header.name = record.name;
  header.created_utc = record.created_utc;
  header.program_version = record.program_version;
  header.origin = "Kernelscape session " + file.path().filename().string() + origin_there(record);
  header.task_json = record.task_json;
  header.target_name = record.target_name;
  header.target_json = record.target_json;
  header.template_name = record.template_name;
  header.template_version = record.template_version;
  header.options_json = record.options_json;
  header.vendor_json = own.status.vendor_json;
  header.seed = record.seed;
  header.project_json = record.project_json;
  header.usual_probe = record.usual_probe;
  header.probe_version = record.probe_version;
  return header;
}

Status check_format(const space::Json& json) {
  const space::Json* format = space::member_of(json, "format");
  if (!format || *format != session_json_format) return lacks("format");
  const space::Json* version = space::member_of(json, "format_version");
  if (version && space::integer_of(*version) == session_json_version) return {};
  return fail(ErrorCode::Refused,
              fmt::format("the file has the format version {}, this program knows {}",
                          version ? space::to_text(*version) : "unknown", session_json_version),
              "use the newer Kernelscape that wrote it");
}

}  // namespace

std::vector<StreamedMember> OwnSessionReader::members(const std::vector<std::string>& path) {
  const auto within = [&](const char* member) {
    std::vector<std::string> longer = path;
    longer.emplace_back(member);
    return longer;
  };
  std::vector<StreamedMember> streamed;
  streamed.push_back({.path = within("trials"), .visit = [this](const space::Json& before, JsonEntry entry) {
                        return take_trial(before, std::move(entry));
                      }});
  streamed.push_back({.path = within("series"), .visit = [this](const space::Json&, const JsonEntry& entry) {
                        return take_series(entry);
                      }});
  return streamed;
}

/** Reads a trial. Trials are kept back if the session's record follows them. */
Status OwnSessionReader::take_trial(const space::Json& before, JsonEntry entry) {
  if (entry.error && !error_) error_ = entry.error;
  if (error_) return {};
  const bool known = space::member_of(before, "format") && space::member_of(before, "format_version") &&
                     space::member_of(before, "session");
  if (!begun_ && !known) {
    waiting_.push_back(std::move(entry.value));
    return file_.keep(entry.held_bytes);
  }
  Status taken = begin(before);
  if (taken) taken = add_trial(*entry.value);
  if (!taken) error_ = taken.error();
  if (error_ || trials_.empty()) return {};
  const ImportedTrial& trial = trials_.back();
  return file_.keep(kept_trial_bytes(trial.measurement, trial.configuration.indices.size()));
}

Status OwnSessionReader::take_series(const JsonEntry& entry) {
  if (entry.error && !error_) error_ = entry.error;
  if (error_) return {};
  Result<store::StoredSeries> value = series_from_json(*entry.value);
  if (!value) {
    error_ = value.error();
    return {};
  }
  own_.series.push_back(std::move(*value));
  const store::StoredSeries& kept = own_.series.back();
  return file_.keep(sizeof(store::StoredSeries) + kept.series.capacity());
}

Status OwnSessionReader::begin(const space::Json& json) {
  if (begun_) return {};
  begun_ = true;
  TRY(check_format(json));
  TRY(read_session(json));
  space_ = TRY(space::space_from_json(own_.record.space_json));
  return {};
}

Status OwnSessionReader::read_session(const space::Json& json) {
  const space::Json* session = space::member_of(json, "session");
  if (!session) return lacks("session");
  StoredRecord stored = TRY(session_record_from_json(*session));
  TRY(check_texts(stored.record));
  own_.record = std::move(stored.record);
  own_.annotation = std::move(stored.annotation);
  return {};
}

Status OwnSessionReader::add_trial(const space::Json& json) {
  trial::Trial trial = TRY(trial_from_json(json, *space_));
  if (trial.number <= last_number_)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("trial {} follows trial {}", trial.number, last_number_),
                "sort the trials by number");
  last_number_ = trial.number;
  positions_.emplace(trial.number, static_cast<std::int64_t>(trials_.size()));
  trials_.push_back({.configuration = std::move(trial.configuration),
                     .measurement = std::move(trial.measurement),
                     .finished_seconds = trial.finished_seconds,
                     .batch = trial.batch,
                     .position = trial.position});
  return {};
}

/** Reads the parts that refer to trials after the trials. */
Status OwnSessionReader::finish_parts(const space::Json& json) {
  const space::Json* status = space::member_of(json, "status");
  if (!status) return lacks("status");
  own_.status = TRY(session_status_from_json(*status));
  for (const char* member : {"trials", "series"}) {
    const space::Json* list = space::member_of(json, member);
    if (!list || !list->is_array()) return lacks(member);
  }
  for (const base::LongJson<space::Json>& trial : std::exchange(waiting_, {})) TRY(add_trial(*trial));
  if (error_) return std::unexpected(*error_);
  own_.confirmations = TRY(list_of(json, "confirmations", confirmation_from_json));
  own_.interruptions = TRY(list_of(json, "interruptions", interruption_from_json));
  if (space::member_of(json, "notices")) own_.notices = TRY(list_of(json, "notices", notice_from_json));
  renumber(own_.confirmations, positions_);
  renumber(own_.series, positions_);
  const auto best = positions_.find(own_.status.best_trial);
  own_.status.best_trial = best == positions_.end() ? -1 : best->second;
  own_.status.trial_count = static_cast<std::int64_t>(positions_.size());
  return {};
}

Result<ImportedFile> OwnSessionReader::finish(const space::Json& json) {
  TRY(begin(json));
  if (!space_) return std::unexpected(*error_);
  TRY(finish_parts(json));
  ImportedFile imported{.format = "kernelscape", .path = file_.path()};
  imported.natural =
      own_.record.kind == store::SessionKind::Recorded ? ImportAs::Recorded : ImportAs::Session;
  ImportedTrials part{
      .header = header_of(file_, own_), .space = std::move(*space_), .trials = std::move(trials_)};
  part.tuner = own_.record.tuner;
  part.closed = own_.status.state == store::SessionState::Done;
  part.own = std::move(own_);
  imported.parts.push_back(std::move(part));
  return imported;
}

}  // namespace kernelscape::exchange

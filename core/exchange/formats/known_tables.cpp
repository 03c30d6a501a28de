#include "core/exchange/formats/known_tables.h"

#include <fmt/format.h>

#include <iterator>

#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/validation_values.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"

namespace kernelscape::exchange {

Result<ResultTable*> KnownTables::table(const std::string& key) {
  const auto [found, is_new] = positions_.try_emplace(key, tables_.size());
  if (is_new) {
    TRY(check_part_count(positions_.size()));
    TRY(file_.keep(sizeof(ResultTable) + 4 * key.size()));
    tables_.emplace_back(key, ResultTable(file_.held()));
  }
  last_ = found->second;
  return &tables_[last_].second;
}

Result<StreamedJson> KnownTables::read_entries(const std::string& list,
                                               const std::function<Status(const space::Json&)>& add) {
  Result<StreamedJson> json = stream_import_json(
      file_, {{.path = {list}, .visit = [&](const space::Json&, JsonEntry entry) {
                 const Status added = entry.error ? Status(std::unexpected(*entry.error)) : add(*entry.value);
                 return added ? added : skip(fmt::format("{}[{}]", list, entry.number), added.error());
               }}});
  if (!json) return in_file(json.error());
  return json;
}

Status KnownTables::read_records(DelimitedRecords& records, const std::function<Status()>& read_names,
                                 const std::function<Status()>& add) {
  for (bool first = true;; first = false) {
    const Result<bool> more = records.next();
    if (!more) return in_file(more.error());
    if (!*more) return {};
    const Status read = first ? read_names() : add();
    if (read) continue;
    if (first) return in_file(read.error());
    TRY(skip(line_place(records.line()), read.error()));
  }
}

Status KnownTables::skip(std::string_view place, const Error& why) {
  if (last_ < tables_.size()) tables_[last_].second.drop();
  const Status passed = skipped_.skip(place, why);
  return passed ? Status() : Status(in_file(passed.error()));
}

std::unexpected<Error> KnownTables::in_file(const Error& error) const {
  const std::string name = file_.path().string();
  if (error.message.starts_with(name)) return std::unexpected(error);
  return fail(error.code, fmt::format("{}: {}", name, error.message), error.hint);
}

Result<ImportedTrials> KnownTables::part_of(ResultTable& table, const TableTask& task,
                                            bool keep_constants) const {
  std::string problem = cleaned_text(task.problem, name_limits);
  if (problem.find_first_not_of(' ') == std::string::npos) problem = format_;
  const task::Task generic = TRY(task::make_generic_task({problem, "time", "s", task.flops}, problem));
  trial::RecordingHeader header;
  header.name = problem;
  header.origin = fmt::format("{} {}", program_, file_.path().filename().string());
  header.task_json = task::task_to_json(generic);
  header.target_json = logged_target_json(cleaned_text(task.device, name_limits), header.target_name);
  header.options_json = trial::measure_options_to_json({});
  return table.take(std::move(header), keep_constants);
}

Result<ImportedFile> KnownTables::with_notices(ImportedFile imported) const {
  if (imported.parts.empty())
    return in_file(skipped_.first().value_or(
        Error{ErrorCode::InvalidArgument, "it has no results", "wait until a configuration was measured"}));
  imported.notices = skipped_.notices();
  return imported;
}

std::string member_text(const space::Json& object, std::string_view name) {
  const space::Json* found = space::member_of(object, name);
  return found == nullptr ? std::string() : table_text(*found);
}

std::string table_text(const space::Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return value.is_structured() ? space::to_text(value) : shown_json(value);
}

}  // namespace kernelscape::exchange

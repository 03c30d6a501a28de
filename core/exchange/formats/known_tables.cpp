#include "core/exchange/formats/known_tables.h"

#include <fmt/format.h>

#include <iterator>

#include "core/exchange/formats/logged_results.h"
#include "core/exchange/import_json.h"
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

std::string table_text(const space::Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return value.is_structured() ? space::to_text(value) : shown_json(value);
}

}  // namespace kernelscape::exchange

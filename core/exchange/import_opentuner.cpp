#include "core/exchange/import_opentuner.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/open_database.h"
#include "core/exchange/formats/known_tables.h"
#include "core/exchange/formats/pickled_dict.h"
#include "core/exchange/formats/table_units.h"
#include "core/exchange/import_text.h"
#include "core/store/foreign_schema.h"
#include "core/store/sqlite.h"

namespace kernelscape::exchange {
namespace {

namespace sqlite = store::sqlite;

Result<sqlite::Database> open_opentuner(const std::filesystem::path& path) {
  constexpr std::chrono::milliseconds opentuner_busy_timeout{2000};
  constexpr int max_opentuner_row_bytes = 16 << 20;
  sqlite::Database database =
      TRY(sqlite::Database::open(path, SQLITE_OPEN_READONLY, false, opentuner_busy_timeout));
  sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, max_opentuner_row_bytes);
  return database;
}

std::string_view characters_of(std::span<const std::byte> blob) {
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

class OpenTunerReader {
 public:
  /** @param unit_stated the user stated the unit of the times */
  OpenTunerReader(sqlite::Database& database, ImportText& file, ObjectiveUnit unit, bool unit_stated)
      : database_(database),
        file_(file),
        unit_(std::move(unit)),
        unit_stated_(unit_stated),
        tables_(file, "opentuner", "OpenTuner database") {}

  Result<ImportedFile> run() {
    if (const Status read = read_results(); !read) return tables_.in_file(read.error());
    const auto describe = [&](const std::string& key, const ResultTable&) { return tasks_[key]; };
    ImportedFile imported = TRY(tables_.finish(describe, true));
    for (const std::string& problem : by_accuracy_)
      imported.notices.push_back(fmt::format(
          "{}: its accuracy was maximized, so it ranks by the reciprocal of the accuracy{}", problem,
          unit_stated_ ? "; --unit states the unit of times and has no effect on it" : ""));
    for (const std::string& problem : above_accuracy_)
      imported.notices.push_back(
          fmt::format("{}: its time was minimized above an accuracy that the database does not state, so it "
                      "ranks by the time alone; the accuracy is a metric",
                      problem));
    return imported;
  }

 private:
  enum Column : int {
    Id,
    State,
    Time,
    Accuracy,
    Energy,
    Size,
    Confidence,
    Data,
    Objective,
    Project,
    Program,
    Input,
    InputSize,
    Cpu
  };

  Status read_results() {
    sqlite::Query results = database_.query(
        "SELECT r.id, r.state, r.time, r.accuracy, r.energy, r.size, r.confidence, c.data, t.objective, "
        "p.project, p.name, i.name, i.size, m.cpu FROM result r "
        "LEFT JOIN configuration c ON c.id = r.configuration_id "
        "LEFT JOIN tuning_run t ON t.id = r.tuning_run_id "
        "LEFT JOIN program p ON p.id = c.program_id "
        "LEFT JOIN input_class i ON i.id = t.input_class_id "
        "LEFT JOIN machine m ON m.id = r.machine_id ORDER BY r.id");
    while (results.next())
      if (const Status taken = add(results); !taken)
        TRY(tables_.skip(fmt::format("result {}", results.integer(Id)), taken.error()));
    return results.status();
  }

  /** Returns the task of a result: "project program", and the input if it has a name or a size. */
  static TableTask task_of(const sqlite::Query& row) {
    std::string problem;
    for (const Column column : {Project, Program, Input})
      if (const std::string name = row.text(column); !name.empty() && name != "unknown" && name != "default")
        problem += (problem.empty() ? "" : " ") + name;
    if (!row.is_null(InputSize) && row.integer(InputSize) >= 0)
      problem += fmt::format(" size {}", row.integer(InputSize));
    return {.problem = problem.empty() ? "program" : problem, .device = row.text(Cpu)};
  }

  Result<ResultTable*> table_of(const sqlite::Query& row, bool by_accuracy) {
    TableTask task = task_of(row);
    const std::string key = fmt::format("{}\n{}\n{}", task.problem, task.device, by_accuracy);
    ResultTable* table = TRY(tables_.table(key));
    if (tasks_.try_emplace(key, task).second && by_accuracy) by_accuracy_.insert(task.problem);
    return table;
  }

  Status add(const sqlite::Query& row) {
    const space::Json configuration = TRY(read_pickle(characters_of(row.blob(Data))));
    if (!configuration.is_object() || configuration.empty())
      return fail(ErrorCode::InvalidArgument, "its configuration is no dict with parameters");
    const std::string objective(pickled_class_name(characters_of(row.blob(Objective))));
    const bool by_accuracy = objective.starts_with("MaximizeAccuracy");
    ResultTable& table = *TRY(table_of(row, by_accuracy));
    if (objective.starts_with("ThresholdAccuracy")) above_accuracy_.insert(task_of(row).problem);
    for (const auto& [name, value] : configuration.items())
      table.set(TRY(table.parameter(name)), table_text(value));
    constexpr std::array numbers{std::pair(Accuracy, "accuracy"), std::pair(Energy, "energy"),
                                 std::pair(Size, "size"), std::pair(Confidence, "confidence")};
    for (const auto& [column, name] : numbers)
      if (!row.is_null(column)) table.set_number(TRY(table.column(name)), row.real(column));
    return add_result(table, row, by_accuracy);
  }

  Status add_result(ResultTable& table, const sqlite::Query& row, bool by_accuracy) const {
    constexpr double stored_infinity = 3.4e38;  // databases without infinity have it instead
    const std::string state = row.text(State);
    if (state == "TIMEOUT")
      return table.add({.category = trial::ErrorCategory::RunTimeout, .failure = state});
    if (state != "OK") return table.add({.failure = state});
    const double value = row.real(by_accuracy ? Accuracy : Time);
    const std::string_view what = by_accuracy ? "accuracy" : "time";
    if (!(value > 0) || value >= stored_infinity) {
      const std::string failure = fmt::format("its {} is {}", what, value);
      return table.add({.failure = failure});
    }
    const double seconds = by_accuracy ? 1 / value : unit_.seconds(value);
    return table.add({.samples_seconds = {&seconds, 1}});
  }

  sqlite::Database& database_;
  ImportText& file_;
  ObjectiveUnit unit_;
  bool unit_stated_;
  KnownTables tables_;
  std::map<std::string, TableTask> tasks_;  ///< by key of the table
  std::set<std::string> by_accuracy_;       ///< problems whose accuracy was maximized
  std::set<std::string> above_accuracy_;    ///< problems whose accuracy had to reach a threshold
};

}  // namespace

bool is_opentuner_database(const std::filesystem::path& path) {
  // A database that this process has open is one of Kernelscape.
  if (base::database_use(path) != base::DatabaseUse::None) return false;
  Result<sqlite::Database> database = open_opentuner(path);
  if (!database) return false;
  constexpr std::int64_t tables = 5;
  return database->integer(
             "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('program', 'tuning_run', "
             "'configuration', 'result', 'desired_result')") == tables;
}

Result<ImportedFile> read_opentuner_database(const std::filesystem::path& path, const std::string& unit) {
  sqlite::Database database = TRY(open_opentuner(path));
  TRY(store::check_no_computed_content(database));
  ObjectiveUnit read = TRY(parse_objective_unit(unit.empty() ? "s" : unit));
  // Its text is not read: it counts the memory.
  ImportText file(path, std::string(), ReadingBudget::of_this_machine());
  return OpenTunerReader(database, file, std::move(read), !unit.empty()).run();
}

}  // namespace kernelscape::exchange

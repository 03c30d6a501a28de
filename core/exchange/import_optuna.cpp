#include "core/exchange/import_optuna.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/open_database.h"
#include "core/exchange/formats/known_tables.h"
#include "core/exchange/formats/table_units.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/space/knob_json.h"
#include "core/store/foreign_schema.h"
#include "core/store/sqlite.h"

namespace kernelscape::exchange {
namespace {

namespace sqlite = store::sqlite;

Result<sqlite::Database> open_optuna(const std::filesystem::path& path) {
  constexpr std::chrono::milliseconds busy_timeout{2000};
  constexpr int max_row_bytes = 4 << 20;  // Optuna limits a distribution to 2048 characters
  sqlite::Database database = TRY(sqlite::Database::open(path, SQLITE_OPEN_READONLY, false, busy_timeout));
  sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, max_row_bytes);
  return database;
}

struct OptunaStudy {
  std::string name{};
  bool maximized = false;
};

class OptunaReader {
 public:
  OptunaReader(sqlite::Database& database, ImportText& file, ObjectiveUnit unit)
      : database_(database), file_(file), unit_(std::move(unit)), tables_(file, "optuna", "Optuna storage") {}

  Result<ImportedFile> run() {
    if (const Status read = read_studies(); !read) return tables_.in_file(read.error());
    if (const Status read = read_trials(); !read) return tables_.in_file(read.error());
    const auto describe = [&](const std::string& study, const ResultTable&) {
      return TableTask{.problem = studies_[std::stoll(study)].name};
    };
    ImportedFile imported = TRY(tables_.finish(describe, true));
    imported.notices.push_back(
        unit_.name == "none"
            ? std::string("Optuna stores no unit: values are shown as seconds. State the unit with --unit ms")
            : fmt::format("values are read in {}, as stated", unit_.name));
    for (const auto& [id, study] : studies_)
      if (study.maximized)
        imported.notices.push_back(
            fmt::format("{}: it was maximized, so it ranks by the reciprocal of its values", study.name));
    return imported;
  }

 private:
  Status read_studies() {
    sqlite::Query query = database_.query(
        "SELECT s.study_id, s.study_name, d.direction FROM studies s LEFT JOIN study_directions d ON "
        "d.study_id "
        "= s.study_id AND d.objective = 0 ORDER BY s.study_id");
    while (query.next()) {
      TRY(check_part_count(studies_.size() + 1));
      TRY(file_.keep(sizeof(OptunaStudy) + static_cast<std::uint64_t>(query.content_bytes())));
      studies_[query.integer(0)] = {.name = query.text(1), .maximized = query.text(2) == "MAXIMIZE"};
    }
    return query.status();
  }

  /** Reads trials, their parameters and their further objectives, all in the order of the trials. */
  Status read_trials() {
    sqlite::Query trials = database_.query(
        "SELECT t.trial_id, t.study_id, t.state, v.value FROM trials t LEFT JOIN trial_values v ON "
        "v.trial_id = "
        "t.trial_id AND v.objective = 0 ORDER BY t.trial_id");
    sqlite::Query parameters = database_.query(
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params ORDER BY trial_id, "
        "param_name");
    sqlite::Query objectives = database_.query(
        "SELECT trial_id, objective, value FROM trial_values WHERE objective > 0 AND value IS NOT NULL "
        "ORDER BY trial_id, objective");
    bool more = parameters.next();
    bool more_objectives = objectives.next();
    while (trials.next()) {
      const std::int64_t id = trials.integer(0);
      const std::string state = trials.text(2);
      ResultTable* table = nullptr;
      const bool finished = state != "RUNNING" && state != "WAITING" && studies_.contains(trials.integer(1));
      if (finished) table = TRY(tables_.table(fmt::format("{}", trials.integer(1))));
      Status taken;
      for (; more && parameters.integer(0) <= id; more = parameters.next())
        if (table != nullptr && taken && parameters.integer(0) == id)
          taken = set_parameter(*table, parameters);
      for (; more_objectives && objectives.integer(0) <= id; more_objectives = objectives.next())
        if (table != nullptr && taken && objectives.integer(0) == id)
          taken = set_objective(*table, objectives);
      if (table == nullptr) continue;
      if (taken) taken = add(*table, studies_[trials.integer(1)], state, trials.real(3));
      if (!taken) TRY(tables_.skip(fmt::format("trial {}", id), taken.error()));
    }
    TRY(trials.status());
    TRY(objectives.status());
    return parameters.status();
  }

  Status set_parameter(ResultTable& table, const sqlite::Query& row) {
    const double value = row.real(2);
    const space::Json distribution = TRY(parse_import_json(row.text(3), file_.budget()));
    const space::Json* name = space::member_of(distribution, "name");
    const space::Json* attributes = space::member_of(distribution, "attributes");
    const space::Json* choices = attributes == nullptr ? nullptr : space::member_of(*attributes, "choices");
    std::string text = fmt::format("{}", value);
    if (choices != nullptr && choices->is_array()) {
      if (!(value >= 0 && value < static_cast<double>(choices->size())))
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("it has choice {} of {}", value, choices->size()));
      text = table_text((*choices)[static_cast<std::size_t>(value)]);
    } else if (name != nullptr && name->is_string() && name->get<std::string>().starts_with("Int")) {
      text = fmt::format("{:.0f}", value);
    }
    table.set(TRY(table.parameter(row.text(1))), text);
    return {};
  }

  /** Keeps an objective beyond the first, which ranks, as a number beside it. */
  static Status set_objective(ResultTable& table, const sqlite::Query& row) {
    table.set_number(TRY(table.column(fmt::format("objective {}", row.integer(1)))), row.real(2));
    return {};
  }

  Status add(ResultTable& table, const OptunaStudy& study, const std::string& state, double value) const {
    table.set_number(TRY(table.column("value")), value);
    if (state != "COMPLETE") return table.add({.failure = state});
    if (!(value > 0) || std::isinf(value))
      return table.add({.failure = fmt::format("its value {} cannot be ranked as a time", value)});
    const double seconds = study.maximized ? 1 / unit_.seconds(value) : unit_.seconds(value);
    return table.add({.samples_seconds = {&seconds, 1}});
  }

  sqlite::Database& database_;
  ImportText& file_;
  ObjectiveUnit unit_;
  KnownTables tables_;
  std::map<std::int64_t, OptunaStudy> studies_;
};

}  // namespace

bool is_optuna_storage(const std::filesystem::path& path) {
  // A database that this process has open is one of Kernelscape.
  if (base::database_use(path) != base::DatabaseUse::None) return false;
  Result<sqlite::Database> database = open_optuna(path);
  if (!database) return false;
  constexpr std::int64_t tables = 5;
  return database->integer(
             "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('studies', "
             "'study_directions', 'trials', 'trial_params', 'trial_values')") == tables;
}

Result<ImportedFile> read_optuna_storage(const std::filesystem::path& path, const std::string& unit) {
  sqlite::Database database = TRY(open_optuna(path));
  TRY(store::check_no_computed_content(database));
  ObjectiveUnit read = TRY(parse_objective_unit(unit.empty() ? "none" : unit));
  // Its text is not read: it counts the memory.
  ImportText file(path, std::string(), ReadingBudget::of_this_machine());
  return OptunaReader(database, file, std::move(read)).run();
}

}  // namespace kernelscape::exchange

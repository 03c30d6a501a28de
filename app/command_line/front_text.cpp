#include "app/command_line/front_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/exchange/chosen_trials.h"

namespace kernelscape::command_line {
namespace {

/** The trials of a session on the front of the time and another column. */
struct TrialFront {
  exchange::ExportedSession session;
  exchange::ExportedRows rows;
  std::size_t column = 0;
  analysis::Better better = analysis::Better::Less;
  std::vector<std::int64_t> front;  ///< rows of the trial table, fastest first
  std::int64_t compared = 0;        ///< number of valid trials that have both values

  const analysis::Column& of_column() const { return rows.columns.columns()[column]; }
  double value(std::int64_t row) const { return rows.columns.value(rows.trials, row, column); }
};

Result<std::size_t> column_of_numbers(const analysis::TrialColumns& columns, const std::string& name) {
  const std::optional<std::size_t> found = columns.find(name);
  if (found && columns.columns()[*found].kind != analysis::ColumnKind::Label) return *found;
  std::vector<std::string> known;
  for (const analysis::Column& column : columns.columns())
    if (column.kind != analysis::ColumnKind::Label) known.push_back(column.name);
  return fail(ErrorCode::NotFound, fmt::format("trials have no column of numbers \"{}\"", name),
              base::suggest(name, known));
}

Result<TrialFront> trial_front(const store::Store& store, store::SessionId id, const FrontOptions& options) {
  const exchange::ExportRequest request{.store = store, .session = id};
  exchange::ExportedSession session = TRY(exchange::read_exported_session(request));
  exchange::ExportedRows rows = TRY(exchange::read_trial_rows(request, session));
  TrialFront front{.session = std::move(session), .rows = std::move(rows), .front = {}};
  const analysis::TrialColumns& columns = front.rows.columns;
  front.column = TRY(column_of_numbers(columns, options.column));
  front.better = options.better.empty()     ? analysis::usual_direction(front.of_column())
                 : options.better == "more" ? analysis::Better::More
                                            : analysis::Better::Less;
  std::vector<std::int64_t> all(static_cast<std::size_t>(front.rows.trials.size()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  const std::size_t time = columns.find(trial::Measured::Milliseconds).value();
  const std::vector<double> times = analysis::objective_values(columns, front.rows.trials, all, time);
  const std::vector<double> values =
      analysis::objective_values(columns, front.rows.trials, all, front.column);
  for (std::size_t row = 0; row < all.size(); ++row)
    front.compared += times[row] == times[row] && values[row] == values[row] ? 1 : 0;
  for (const std::size_t position :
       analysis::pareto_front({times, analysis::Better::Less}, {values, front.better}))
    front.front.push_back(static_cast<std::int64_t>(position));
  return front;
}

std::string_view direction_name(analysis::Better better) {
  return better == analysis::Better::More ? "more" : "less";
}

void print_front_json(store::SessionId id, const TrialFront& front) {
  const analysis::Column& column = front.of_column();
  nlohmann::json trials = nlohmann::json::array();
  for (const std::int64_t row : front.front) {
    const trial::Row trial = front.rows.trials.row(row);
    const std::string configuration =
        front.session.space.configuration_to_json(front.rows.trials.configuration(row));
    trials.push_back({{"trial", trial.number},
                      {"objective_seconds", trial.median_seconds},
                      {"value", front.value(row)},
                      {"configuration", nlohmann::json::parse(configuration, nullptr, false)}});
  }
  print_json_line({{"event", "pareto"},
                   {"session", id},
                   {"column", column.name},
                   {"unit", column.unit.empty() ? nlohmann::json() : nlohmann::json(column.unit)},
                   {"better", direction_name(front.better)},
                   {"trials", front.compared},
                   {"front", std::move(trials)}});
}

void print_front_table(const TrialFront& front) {
  const analysis::Column& column = front.of_column();
  const std::string title =
      column.unit.empty() ? column.name : fmt::format("{} ({})", column.name, column.unit);
  TextTable table({"trial", "time", title, "configuration"});
  for (const std::int64_t row : front.front) {
    const trial::Row trial = front.rows.trials.row(row);
    table.add({std::to_string(trial.number), base::time_text(trial.median_seconds),
               front.rows.columns.text(front.rows.trials, row, front.column),
               front.session.space.describe(front.rows.trials.configuration(row))});
  }
  print("\nPareto front of time and {} ({} is better): {} of {} valid trials\n", column.name,
        direction_name(front.better), front.front.size(), front.compared);
  if (!front.front.empty()) print(table.text());
}

}  // namespace

Status print_front(const store::Store& store, store::SessionId session, const FrontOptions& options) {
  const TrialFront front = TRY(trial_front(store, session, options));
  if (options.json)
    print_front_json(session, front);
  else
    print_front_table(front);
  return {};
}

}  // namespace kernelscape::command_line

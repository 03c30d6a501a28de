#include "core/exchange/chosen_trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/columns.h"
#include "core/analysis/filter/filter.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/store/stored_speeds.h"

namespace kernelscape::exchange {
namespace {

constexpr std::int64_t piece_trials = 4096;

std::unexpected<Error> damaged_configuration(const ExportRequest& request, std::int64_t trial) {
  return fail(ErrorCode::Corrupt,
              fmt::format("trial {} of session {} has a damaged configuration", trial, request.session),
              "tune the task again");
}

std::unexpected<Error> no_filter(const std::string& text, const analysis::FilterError& error) {
  const std::string place = error.position < text.size()
                                ? fmt::format("at \"{}\"", std::string_view(text).substr(error.position))
                                : std::string("at its end");
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is not a valid filter: {}, {}", text, error.message, place), error.hint);
}

/** Returns the numbers of the trials that pass the filter, ascending. */
Result<std::vector<std::int64_t>> chosen_numbers(const ExportRequest& request,
                                                 const ExportedSession& session) {
  const auto [trials, columns] = TRY(read_trial_rows(request, session));
  std::vector<std::int64_t> rows = TRY(choose_rows(request, columns, trials));
  for (std::int64_t& row : rows) row = trials.row(row).number;
  std::ranges::sort(rows);
  return rows;
}

}  // namespace

Result<ExportedSession> read_exported_session(const ExportRequest& request) {
  store::SessionSummary summary = TRY(request.store.sessions().get(request.session));
  space::SearchSpace space = TRY(space::space_from_json(summary.record.space_json));
  task::Task task = TRY(task::task_from_json(summary.record.task_json));
  const bool with_resources = TRY(request.store.trials().has_resources(request.session));
  std::vector<std::string> workers = TRY(request.store.trials().workers(request.session));
  ExportedSession session{std::move(summary), std::move(space), std::move(task), with_resources};
  if (!workers.empty()) session.workers = std::move(workers);
  session.own_objectives = TRY(request.store.trials().has_own_objectives(request.session));
  session.with_probes = TRY(request.store.trials().has_probes(request.session));
  session.metrics = TRY(request.store.trials().metrics(request.session));
  return session;
}

Result<ExportedRows> read_trial_rows(const ExportRequest& request, const ExportedSession& session) {
  const std::vector<store::ArrivedRow> rows = TRY(request.store.trials().rows(request.session));
  trial::Table table(session.space.knobs().size());
  trial::SessionSpeedReader reader = store::speed_reader_of(session.summary.record);
  for (const store::ArrivedRow& row : rows) {
    if (!fits_knobs(session.space, row.configuration)) return damaged_configuration(request, row.number);
    table.append(row, row.configuration, row.metrics);
    reader.add(row);
  }
  const std::shared_ptr<const trial::SessionSpeeds> speeds = reader.speeds();
  return ExportedRows{trial::with_speeds(table.snapshot(), speeds),
                      analysis::TrialColumns(session.space, session.task.flops(), session.with_resources,
                                             session.workers, session.own_objectives, session.with_probes,
                                             session.metrics, task::task_bytes(session.task))};
}

Result<std::vector<std::int64_t>> choose_rows(const ExportRequest& request,
                                              const analysis::TrialColumns& columns,
                                              const trial::Snapshot& trials) {
  const std::expected<analysis::Filter, analysis::FilterError> filter =
      analysis::Filter::parse(request.filter, columns);
  if (!filter) return no_filter(request.filter, filter.error());
  return filter->evaluate(trials, columns).rows();
}

Status visit_chosen_trials(const ExportRequest& request, const ExportedSession& session,
                           const std::function<Status(const trial::Trial&)>& visit) {
  const std::vector<std::int64_t> numbers = TRY(chosen_numbers(request, session));
  for (auto next = numbers.begin(); next != numbers.end();) {
    const std::int64_t first = *next;
    for (const trial::Trial& trial : TRY(request.store.trials().of(request.session, first, piece_trials))) {
      while (next != numbers.end() && *next < trial.number) ++next;
      if (next == numbers.end() || *next != trial.number) continue;
      if (!fits_knobs(session.space, trial.configuration))
        return damaged_configuration(request, trial.number);
      TRY(visit(trial));
    }
    while (next != numbers.end() && *next < first + piece_trials) ++next;
  }
  return {};
}

Status visit_timed_trials(const ExportRequest& request, const ExportedSession& session,
                          const std::function<Status(const trial::Trial&)>& visit) {
  return visit_chosen_trials(request, session, [&](const trial::Trial& trial) -> Status {
    if (trial.measurement.valid() && !(trial.measurement.ranking_seconds() > 0))
      return fail(
          ErrorCode::Refused,
          fmt::format("trial {} of session {} was built but never run: the format cannot represent it",
                      trial.number, request.session),
          "export with --format json, csv or recorded, or only failures: --where invalid");
    return visit(trial);
  });
}

}  // namespace kernelscape::exchange

#include <fmt/format.h>

#include "core/analysis/filter.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/exported_kernel.h"
#include "core/exchange/text_output.h"
#include "core/exchange/trials_csv.h"
#include "core/task/task.h"

namespace kernelscape {
namespace {

Result<TrialSnapshot> read_snapshot(const ExportRequest& request, const SearchSpace& space) {
  const Result<std::vector<Store::ArrivedRow>> rows = request.store.rows(request.session);
  if (!rows) return std::unexpected(rows.error());
  TrialTable table(space.knobs().size());
  for (const Store::ArrivedRow& row : *rows) {
    if (!fits_knobs(space, row.configuration)) {
      return fail(
          ErrorCode::Corrupt,
          fmt::format("trial {} of session {} has a damaged configuration", row.number, request.session),
          "tune the task again");
    }
    table.append(row, row.configuration);
  }
  return table.snapshot();
}

std::unexpected<Error> no_filter(const std::string& text, const FilterError& error) {
  const std::string place = error.position < text.size()
                                ? fmt::format("at \"{}\"", std::string_view(text).substr(error.position))
                                : std::string("at its end");
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is no filter: {}, {}", text, error.message, place), error.hint);
}

/** Rows that pass the filter, in the order in which the trials arrived. */
Result<std::vector<std::int64_t>> choose_rows(const std::string& text, const TrialColumns& columns,
                                              const TrialSnapshot& trials) {
  const std::expected<Filter, FilterError> filter = Filter::parse(text, columns);
  if (!filter) return no_filter(text, filter.error());
  return filter->evaluate(trials, columns).rows();
}

}  // namespace

Status export_trials_csv(const ExportRequest& request) {
  const Result<SessionSummary> session = request.store.session(request.session);
  if (!session) return std::unexpected(session.error());
  const Result<SearchSpace> space = space_from_json(session->record.space_json);
  if (!space) return std::unexpected(space.error());
  const Result<Task> task = task_from_json(session->record.task_json);
  if (!task) return std::unexpected(task.error());
  const Result<TrialSnapshot> trials = read_snapshot(request, *space);
  if (!trials) return std::unexpected(trials.error());
  const TrialColumns columns(*space, task->flops());
  const Result<std::vector<std::size_t>> chosen = choose_csv_columns(columns, request.columns);
  if (!chosen) return std::unexpected(chosen.error());
  const Result<std::vector<std::int64_t>> rows = choose_rows(request.filter, columns, *trials);
  if (!rows) return std::unexpected(rows.error());
  const MessageReader read_message = [&](std::int64_t id) { return request.store.message(id); };
  return write_text_output(request.path, [&](const TextSink& sink) {
    return write_trials_csv(columns, *trials, *rows, *chosen, read_message, sink);
  });
}

}  // namespace kernelscape

#include "core/exchange/chosen_trials.h"
#include "core/exchange/formats/trials_csv.h"
#include "core/exchange/text_output.h"

namespace kernelscape {

Status export_trials_csv(const ExportRequest& request) {
  const Result<ExportedSession> session = read_exported_session(request);
  if (!session) return std::unexpected(session.error());
  const Result<TrialSnapshot> trials = read_trial_rows(request, session->space);
  if (!trials) return std::unexpected(trials.error());
  const TrialColumns columns = session->columns();
  const Result<std::vector<std::size_t>> chosen = choose_csv_columns(columns, request.columns);
  if (!chosen) return std::unexpected(chosen.error());
  const Result<std::vector<std::int64_t>> rows = choose_rows(request, columns, *trials);
  if (!rows) return std::unexpected(rows.error());
  const MessageReader read_message = [&](std::int64_t id) { return request.store.message(id); };
  return write_text_output(request.path, [&](const TextSink& sink) {
    return write_trials_csv(columns, *trials, *rows, *chosen, read_message, sink);
  });
}

}  // namespace kernelscape

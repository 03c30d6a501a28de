#include "core/exchange/chosen_trials.h"
#include "core/exchange/formats/trials_csv.h"
#include "core/exchange/text_output.h"

namespace kernelscape {

Status export_trials_csv(const ExportRequest& request) {
  const ExportedSession session = TRY(read_exported_session(request));
  const TrialSnapshot trials = TRY(read_trial_rows(request, session.space));
  const TrialColumns columns = session.columns();
  const std::vector<std::size_t> chosen = TRY(choose_csv_columns(columns, request.columns));
  const std::vector<std::int64_t> rows = TRY(choose_rows(request, columns, trials));
  const MessageReader read_message = [&](std::int64_t id) { return request.store.message(id); };
  return write_text_output(request.path, [&](const TextSink& sink) {
    return write_trials_csv(columns, trials, rows, chosen, read_message, sink);
  });
}

}  // namespace kernelscape

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/formats/trials_csv.h"
#include "core/exchange/text_output.h"

namespace kernelscape::exchange {
namespace {

/** Returns the names of the columns that trials of any space have. */
std::set<std::string, std::less<>> fixed_csv_columns() {
  std::set<std::string, std::less<>> names{std::string(message_column_name),
                                           std::string(build_log_column_name)};
  const Result<space::Knob> knob = space::Knob::ordinal("knob", {space::KnobValue(std::int64_t{1})});
  const Result<space::SearchSpace> space =
      knob ? space::SearchSpace::make({*knob}) : std::unexpected(knob.error());
  if (!space) return names;
  const analysis::TrialColumns columns(*space, 1, true, std::vector<std::string>(), true, true, {}, 1);
  for (const analysis::Column& column : columns.columns())
    if (!column.knob) names.insert(column.name);
  return names;
}

/**
 * Recognises the format. A few chosen columns may consist of knobs, which have arbitrary names: these files
 * are recognised by trials_csv_kind().
 */
bool is_own_trials_csv(std::string_view head) {
  static const std::set<std::string, std::less<>> fixed = fixed_csv_columns();
  const std::size_t end = head.find("\r\n");
  if (end == std::string_view::npos) return false;
  const std::string_view line = head.substr(0, end);
  if (line.starts_with("trial,batch,error,")) return true;
  return std::ranges::all_of(base::split_text(line, ','),
                             [](const std::string& name) { return fixed.contains(name); });
}

Status export_trials_csv(const ExportRequest& request) {
  const ExportedSession session = TRY(read_exported_session(request));
  const auto [trials, columns] = TRY(read_trial_rows(request, session));
  const std::vector<std::size_t> chosen = TRY(choose_csv_columns(columns, request.columns));
  const std::vector<std::int64_t> rows = TRY(choose_rows(request, columns, trials));
  const CsvTexts texts{.read_message = [&](std::int64_t id) { return request.store.trials().message(id); },
                       .formulas = request.raw ? base::CsvFormulas::Raw : base::CsvFormulas::Guarded};
  base::OutputRequest output = output_of(request);
  output.kind.recognises_own = trials_csv_kind(columns, trials, chosen).recognises_own;
  return write_text_output(output, [&](const TextSink& sink) {
    return write_trials_csv(columns, trials, rows, chosen, texts, sink);
  });
}

}  // namespace

base::OutputKind trials_csv_kind(const analysis::TrialColumns& columns, const trial::Snapshot& trials,
                                 std::span<const std::size_t> chosen) {
  std::string header;
  const Status written = write_trials_csv(columns, trials, {}, chosen, {}, [&](std::string_view text) {
    header += text;
    return Status{};
  });
  return {.name = "table of trials as CSV",
          .recognises_own = [header, known = written.has_value()](std::string_view head) {
            return is_own_trials_csv(head) || (known && head.starts_with(header));
          }};
}

ExportFormat trials_csv_export() {
  return {.name = "csv",
          .summary = "a table of trials",
          .to_standard_output = true,
          .recognises_own = is_own_trials_csv,
          .write = export_trials_csv};
}

}  // namespace kernelscape::exchange

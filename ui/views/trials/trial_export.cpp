#include "ui/views/trials/trial_export.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "core/exchange/formats/trials_csv.h"
#include "core/exchange/text_output.h"

namespace kernelscape {
namespace {

constexpr std::size_t rows_per_piece = 500;

nlohmann::ordered_json value_of(const SourceData& source, std::int64_t row, std::size_t column) {
  const double value = source.columns().value(source.trials, row, column);
  if (std::isnan(value)) return nullptr;
  switch (source.columns().columns()[column].kind) {
    case ColumnKind::Label:
      return source.columns().text(source.trials, row, column);
    case ColumnKind::Integer:
      return static_cast<std::int64_t>(value);
    case ColumnKind::Real:
      break;
  }
  return value;
}

Status write_json(const TrialExport& what, std::span<const std::size_t> columns, const TextSink& sink) {
  const SourceData& source = *what.source;
  std::string text = "[";
  for (std::size_t place = 0; place < what.rows.size(); ++place) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const std::size_t column : columns)
      object[source.columns().columns()[column].name] = value_of(source, what.rows[place], column);
    text += (place > 0 ? ",\n" : "\n") + object.dump();
    if (place % rows_per_piece != rows_per_piece - 1) continue;
    TRY(sink(text));
    text.clear();
  }
  return sink(text + "\n]\n");
}

}  // namespace

Result<bool> export_trials(const TrialExport& what, const std::function<bool()>& proceed) {
  const std::vector<std::size_t> columns = TRY(choose_csv_columns(what.source->columns(), what.columns));
  bool stopped = false;
  const Status written = write_text_output(what.path.string(), [&](const TextSink& sink) -> Status {
    const TextSink patient = [&](std::string_view text) -> Status {
      stopped = !proceed();
      if (stopped) return fail(ErrorCode::Refused, "the export was cancelled");
      return sink(text);
    };
    if (what.path.extension() == ".json") return write_json(what, columns, patient);
    return write_trials_csv(what.source->columns(), what.source->trials, what.rows, columns, {}, patient);
  });
  if (stopped) return false;
  TRY(written);
  return true;
}

}  // namespace kernelscape

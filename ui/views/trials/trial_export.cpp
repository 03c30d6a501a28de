#include "ui/views/trials/trial_export.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "core/exchange/formats/trials_csv.h"
#include "core/exchange/text_output.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t rows_per_piece = 500;

nlohmann::ordered_json value_of(const workspace::SourceData& source, std::int64_t row, std::size_t column) {
  const double value = source.columns().value(source.trials, row, column);
  if (std::isnan(value)) return nullptr;
  switch (source.columns().columns()[column].kind) {
    case analysis::ColumnKind::Label:
      return source.columns().text(source.trials, row, column);
    case analysis::ColumnKind::Integer:
      return static_cast<std::int64_t>(value);
    case analysis::ColumnKind::Real:
      break;
  }
  return value;
}

Status write_json(const TrialExport& what, std::span<const std::size_t> columns,
                  const exchange::TextSink& sink) {
  const workspace::SourceData& source = *what.source;
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

/**
 * Returns the kind of an earlier export: the first object of the file must have the written members in their
 * order.
 */
base::OutputKind trials_json_kind(const TrialExport& what, std::span<const std::size_t> columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(what.source->columns().columns()[column].name);
  return {.name = "list of trials in JSON", .recognises_own = [names](std::string_view head) {
            constexpr std::string_view begin = "[\n";
            if (!head.starts_with(begin)) return false;
            std::string_view line = head.substr(begin.size(), head.find('\n', begin.size()) - begin.size());
            if (line.ends_with(',')) line.remove_suffix(1);
            const auto object = nlohmann::ordered_json::parse(line, nullptr, false);
            if (!object.is_object()) return false;
            std::vector<std::string> members;
            for (const auto& [name, value] : object.items()) members.push_back(name);
            return members == names;
          }};
}

}  // namespace

Result<bool> export_trials(const TrialExport& what, const std::function<bool()>& proceed) {
  const std::vector<std::size_t> columns =
      TRY(exchange::choose_csv_columns(what.source->columns(), what.columns));
  bool stopped = false;
  const bool as_json = what.path.extension() == ".json";
  const base::OutputRequest output{
      .path = what.path,
      .kind = as_json ? trials_json_kind(what, columns)
                      : exchange::trials_csv_kind(what.source->columns(), what.source->trials, columns),
      .force = what.force};
  const Status written = exchange::write_text_output(output, [&](const exchange::TextSink& sink) -> Status {
    const exchange::TextSink patient = [&](std::string_view text) -> Status {
      stopped = !proceed();
      if (stopped) return fail(ErrorCode::Refused, "the export was cancelled");
      return sink(text);
    };
    if (as_json) return write_json(what, columns, patient);
    return exchange::write_trials_csv(what.source->columns(), what.source->trials, what.rows, columns, {},
                                      patient);
  });
  if (stopped) return false;
  TRY(written);
  return true;
}

}  // namespace kernelscape::views

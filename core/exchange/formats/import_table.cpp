// Imports tables of any program: CSV, tables separated by tabs or semicolons, and JSON lines. The columns are
// guessed (table_columns.h) unless the user states them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/delimited_records.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/table_rows.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/table_preview.h"
#include "core/exchange/winners_only.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

/** Returns the first two lines that are neither empty nor comments. */
std::pair<std::string_view, std::string_view> first_table_lines(std::string_view head) {
  std::pair<std::string_view, std::string_view> lines;
  while (!head.empty() && lines.second.empty()) {
    const std::size_t end = std::min(head.find_first_of("\r\n"), head.size());
    const std::string_view line = base::trimmed(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    if (line.empty() || (lines.first.empty() ? is_table_comment(line) : line.front() == '#')) continue;
    (lines.first.empty() ? lines.first : lines.second) = line;
  }
  return lines;
}

bool is_json_line(std::string_view line) { return line.starts_with('{') && line.ends_with('}'); }

/** Recognises a line of names, of which only the first may be empty, as that of a table's index. */
bool names_columns(std::string_view line) {
  const char delimiter = delimiter_of(line);
  if (delimiter == 0 || std::string_view("{[<").contains(line.front())) return false;
  const std::vector<std::string> names = fields_of_line(line, delimiter);
  if (names.size() < 2) return names.empty();
  return std::ranges::all_of(names.begin() + 1, names.end(),
                             [](const std::string& name) { return !name.empty() && !number_of_text(name); });
}

/** Recognises the names of columns without a row: one of them states a unit. */
bool names_result(std::string_view line) {
  return names_columns(line) &&
         std::ranges::any_of(fields_of_line(line, delimiter_of(line)),
                             [](const std::string& name) { return unit_of_head(name).has_value(); });
}

bool recognises_table(std::string_view head) {
  if (winners_only(head)) return false;
  const auto [first, second] = first_table_lines(head);
  if (first.empty()) return false;
  if (second.empty()) return names_result(first);
  if (is_json_line(first)) return second.starts_with('{');
  return names_columns(first) && second.contains(delimiter_of(first));
}

std::unexpected<Error> in_table(const ImportText& file, const Error& error) {
  return fail(error.code, fmt::format("{}: {}", file.path().string(), error.message), error.hint);
}

std::vector<std::string> names_of_header(const DelimitedRecords& records) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < records.size(); ++i) {
    names.emplace_back(records.field(i));
    if (names.back().empty()) names.back() = i == 0 ? "index" : fmt::format("column {}", i + 1);
  }
  return names;
}

Status read_delimited(ImportText& file, char delimiter, TableRows& rows) {
  DelimitedRecords records(file, delimiter);
  // A comma separates decimals where it does not separate fields.
  if (delimiter == ';') rows.set_decimal_comma();
  std::vector<std::string_view> fields;
  while (!rows.enough()) {
    const Result<bool> more = records.next();
    if (!more) return in_table(file, more.error());
    if (!*more) break;
    if (rows.names().empty()) {
      rows.set_names(names_of_header(records));
      continue;
    }
    if (records.size() != rows.names().size()) {
      TRY(rows.skip(
          records.line(),
          {ErrorCode::InvalidArgument,
           fmt::format("it has {} fields, the first line names {}", records.size(), rows.names().size()),
           "if its numbers have decimal commas, separate the fields by semicolons"}));
      continue;
    }
    fields.clear();
    for (std::size_t i = 0; i < records.size(); ++i) fields.push_back(records.field(i));
    TRY(rows.add(fields, records.line()));
  }
  return {};
}

/** Members of rows under which programs put configurations and results. */
bool is_wrapper(std::string_view name) {
  constexpr auto wrappers = std::to_array<std::string_view>(
      {"config", "configuration", "params", "parameters", "kwargs", "result", "results", "metrics"});
  return std::ranges::find(wrappers, name) != wrappers.end();
}

/** Reads the objects of a text of JSON lines as rows. */
class JsonLines {
 public:
  JsonLines(ImportText& file, TableRows& rows) : file_(file), rows_(rows), skipped_(file.path()) {}

  Status run() {
    TRY(read_log_lines(
        file_, skipped_, [this](std::string_view line, std::size_t number) { return take(line, number); },
        [this] { return error_ || rows_.enough(); }));
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  /** Adds a line, or skips it. An error of the whole table is kept, because its line is not the reason. */
  Status take(std::string_view line, std::size_t number) {
    Status taken = set_values(line);
    if (taken) {
      fields_.assign(values_.begin(), values_.end());
      taken = rows_.add(fields_, number);
    } else if (taken.error().code == ErrorCode::InvalidArgument) {
      taken = rows_.skip(number, taken.error());
    }
    if (!taken) error_ = taken.error();
    return {};
  }

  Status set_values(std::string_view line) {
    Result<space::Json> object = parse_import_json(line, file_.budget());
    if (!object) {
      // A line of its own: the place is the column.
      constexpr std::string_view place = "line 1, ";
      Error why = object.error();
      if (why.message.starts_with(place)) why.message.erase(0, place.size());
      return std::unexpected(std::move(why));
    }
    if (!object->is_object()) return fail(ErrorCode::InvalidArgument, "it is not an object");
    values_.assign(rows_.names().size(), {});
    return flatten(*object, "");
  }

  Status flatten(const space::Json& object, const std::string& prefix) {
    for (const auto& [name, value] : object.items()) {
      if (value.is_object()) {
        TRY(flatten(value, is_wrapper(name) ? prefix : prefix + name + "."));
        continue;
      }
      const std::size_t column = TRY(column_of(prefix + name));
      values_[column] = value.is_null()     ? ""
                        : value.is_string() ? value.get<std::string>()
                                            : shown_value(value);
    }
    return {};
  }

  static std::string shown_value(const space::Json& value) {
    return value.is_array() ? space::to_text(value) : shown_json(value);
  }

  Result<std::size_t> column_of(const std::string& name) {
    if (const auto known = positions_.find(name); known != positions_.end()) return known->second;
    if (rows_.names().size() == max_table_columns)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the table has more than {} columns", max_table_columns),
                  "keep the members of parameters and results");
    const auto column = rows_.add_name(name);
    if (!column)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("it has the member {}, which earlier rows lack", base::quoted_line(name)));
    positions_.emplace(name, *column);
    values_.resize(rows_.names().size());
    return *column;
  }

  ImportText& file_;
  TableRows& rows_;
  SkippedEntries skipped_;
  std::map<std::string, std::size_t> positions_;
  std::vector<std::string> values_;
  std::vector<std::string_view> fields_;
  std::optional<Error> error_;  ///< why the table cannot be read
};

Status read_rows(ImportText& file, TableRows& rows) {
  const std::string first(first_table_lines(import_head(file)).first);
  if (file.error()) return in_table(file, *file.error());
  if (first.starts_with('{')) return JsonLines(file, rows).run();
  const char delimiter = delimiter_of(first);
  return read_delimited(file, delimiter == 0 ? ',' : delimiter, rows);
}

Result<ImportedFile> read_table(ImportText& file) {
  TableRows rows(file);
  TRY(read_rows(file, rows));
  return rows.finish();
}

}  // namespace

std::optional<TablePreview> preview_table(const std::filesystem::path& path) {
  const Result<std::unique_ptr<ImportText>> file = ImportText::open(path, ReadingBudget::of_this_machine());
  if (!file) return std::nullopt;
  const std::string_view head = import_head(**file);
  const ImportFormat* format = recognised_format(head);
  if ((*file)->error() || format == nullptr || format != table_format(head)) return std::nullopt;
  TableRows rows(**file);
  rows.hold_only();
  if (!read_rows(**file, rows) || rows.names().empty()) return std::nullopt;
  TablePreview preview = rows.take_preview();
  return preview.rows.empty() ? std::nullopt : std::optional(std::move(preview));
}

ImportFormat table_import() {
  return {.name = "table",
          .summary = "a table of configurations and results: CSV, TSV, JSON lines",
          .files = "tables (CSV, TSV, JSON lines)",
          .endings = {".csv", ".tsv", ".jsonl"},
          .recognises = recognises_table,
          .read = read_table};
}

}  // namespace kernelscape::exchange

// Imports the log of Helion's autotuner, the CSV of HELION_AUTOTUNE_LOG: a row when a configuration is
// started, and one with its result.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/delimited_records.h"
#include "core/exchange/formats/known_tables.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

/** Returns the parts between commas outside of brackets and quotes, without blanks around them. */
std::vector<std::string_view> helion_items(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (std::string_view("([{").contains(c)) {
      ++depth;
    } else if (std::string_view(")]}").contains(c)) {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.push_back(base::trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (const std::string_view last = base::trimmed(text.substr(begin)); !last.empty()) items.push_back(last);
  return items;
}

/** Returns a Python value as a text: without quotes, None empty. */
std::string_view helion_value(std::string_view value) {
  if (value == "None") return {};
  const bool quoted =
      value.size() >= 2 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

class HelionReader {
 public:
  explicit HelionReader(ImportText& file)
      : file_(file), records_(file, ','), tables_(file, "helion", "Helion autotuner log") {}

  Result<ImportedFile> run() {
    TRY(tables_.read_records(records_, [this] { return read_names(); }, [this] { return add(); }));
    const std::string problem = file_stem(file_.path());
    const auto describe = [&](const std::string& run, const ResultTable&) {
      return TableTask{.problem = run.empty() ? problem : problem + " " + run};
    };
    return tables_.finish(describe, true);
  }

 private:
  Status read_names() {
    for (std::size_t i = 0; i < records_.size(); ++i) columns_.try_emplace(std::string(records_.field(i)), i);
    return {};
  }

  std::string_view field(const char* name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? std::string_view() : records_.field(found->second);
  }

  Status add() {
    if (records_.size() != columns_.size())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("it has {} fields, the first line names {}", records_.size(), columns_.size()));
    const std::string_view status = field("status");
    if (status == "started") return {};
    ResultTable& table = *TRY(tables_.table(std::string(field("run_id"))));
    TRY(set_configuration(table));
    const double build_seconds = number_of_text(field("compile_time_s")).value_or(0);
    const auto time = number_of_text(field("perf_ms"));
    if (status == "ok" && time && *time > 0) {
      const double seconds = *time / milliseconds_per_second;
      return table.add({.samples_seconds = {&seconds, 1}, .build_seconds = build_seconds});
    }
    const std::string failure(status == "ok" ? field("perf_ms") : status);
    return table.add(
        {.category = category_of_text(failure),
         .failure = failure.empty() ? std::string_view("it has no time") : std::string_view(failure),
         .build_seconds = build_seconds});
  }

  /** Reads "Config(block_sizes=[32, 64], num_warps=4)"; the items of lists are parameters of their own. */
  Status set_configuration(ResultTable& table) {
    std::string_view text = base::trimmed(field("config"));
    constexpr std::string_view prefix = "Config(";
    const std::size_t begin = text.find(prefix);
    if (begin == std::string_view::npos || !text.ends_with(')'))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("its config {} is not a configuration of Helion", base::quoted_line(text)));
    text.remove_prefix(begin + prefix.size());
    text.remove_suffix(1);
    for (const std::string_view item : helion_items(text)) {
      const std::size_t equals = item.find('=');
      if (equals == 0 || equals == std::string_view::npos)
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{} in its config is no value", base::quoted_line(item)));
      const std::string name(base::trimmed(item.substr(0, equals)));
      const std::string_view value = base::trimmed(item.substr(equals + 1));
      if (!value.starts_with('[') || !value.ends_with(']')) {
        table.set(TRY(table.parameter(name)), helion_value(value));
        continue;
      }
      std::size_t position = 0;
      for (const std::string_view part : helion_items(value.substr(1, value.size() - 2)))
        table.set(TRY(table.parameter(fmt::format("{}[{}]", name, position++))), helion_value(part));
    }
    return {};
  }

  ImportText& file_;
  DelimitedRecords records_;
  KnownTables tables_;
  std::map<std::string, std::size_t, std::less<>> columns_;
};

bool recognises_helion(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  return line.contains("timestamp_s,") && line.contains("status,perf_ms,") && line.contains(",config");
}

Result<ImportedFile> read_helion(ImportText& file) { return HelionReader(file).run(); }

}  // namespace

ImportFormat helion_import() {
  return {.name = "helion",
          .summary = "a log of Helion's autotuner (CSV)",
          .files = "Helion's autotuning logs",
          .endings = {".csv"},
          .recognises = recognises_helion,
          .read = read_helion};
}

}  // namespace kernelscape::exchange

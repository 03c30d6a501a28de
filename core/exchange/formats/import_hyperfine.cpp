// Imports parameter scans of hyperfine: its JSON with a result for each command.
#include <fmt/format.h>

#include <vector>

#include "core/exchange/formats/known_tables.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

class HyperfineReader {
 public:
  explicit HyperfineReader(ImportText& file) : file_(file), tables_(file, "hyperfine", "hyperfine results") {}

  Result<ImportedFile> run() {
    TRY(tables_.read_entries("results", [this](const space::Json& entry) { return add(entry); }));
    const std::string problem = file_stem(file_.path());
    const auto describe = [&](const std::string&, const ResultTable&) {
      return TableTask{.problem = problem};
    };
    return tables_.finish(describe, true);
  }

 private:
  Status add(const space::Json& result) {
    const space::Json* command = space::member_of(result, "command");
    if (command == nullptr || !command->is_string())
      return fail(ErrorCode::InvalidArgument, "it has no command");
    ResultTable& table = *TRY(tables_.table(""));
    const space::Json* parameters = space::member_of(result, "parameters");
    if (parameters != nullptr && parameters->is_object() && !parameters->empty()) {
      for (const auto& [name, value] : parameters->items())
        table.set(TRY(table.parameter(name)), table_text(value));
    } else {
      table.set(TRY(table.parameter("command")), table_text(*command));
    }
    for (const char* name : {"user", "system"})
      if (const space::Json* value = space::member_of(result, name); value != nullptr && value->is_number())
        table.set_number(TRY(table.column(fmt::format("{} [s]", name))), value->get<double>());
    if (const std::string failure = failure_of(result); !failure.empty())
      return table.add({.category = trial::ErrorCategory::RuntimeDevice, .failure = failure});
    const std::vector<double> samples = TRY(samples_of(result));
    return table.add({.samples_seconds = samples});
  }

  /** Returns "exit code 1" if a run of the command failed; null is a signal. */
  static std::string failure_of(const space::Json& result) {
    const space::Json* codes = space::member_of(result, "exit_codes");
    if (codes == nullptr || !codes->is_array()) return {};
    for (const space::Json& code : *codes) {
      if (code.is_null()) return "it was ended by a signal";
      if (!code.is_number() || code.get<double>() != 0) return "exit code " + shown_json(code);
    }
    return {};
  }

  /** Returns all times in seconds, or the mean where the file has no others. */
  static Result<std::vector<double>> samples_of(const space::Json& result) {
    const space::Json* times = space::member_of(result, "times");
    if (times == nullptr || !times->is_array() || times->empty()) times = space::member_of(result, "mean");
    std::vector<double> samples;
    const space::Json list = times != nullptr && times->is_array() ? *times : space::Json::array();
    for (const space::Json& time : list) {
      if (!time.is_number() || !(time.get<double>() > 0))
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{} in its times is not a time", shown_json(time)));
      samples.push_back(time.get<double>());
    }
    if (list.empty() && times != nullptr && times->is_number() && times->get<double>() > 0)
      samples.push_back(times->get<double>());
    if (samples.empty()) return fail(ErrorCode::InvalidArgument, "it has neither times nor a mean");
    return samples;
  }

  ImportText& file_;
  KnownTables tables_;
};

bool recognises_hyperfine(std::string_view head) {
  return begins_as_object(head) && names_key(head, "results") && names_key(head, "command") &&
         names_key(head, "mean") && names_key(head, "user") && names_key(head, "system");
}

Result<ImportedFile> read_hyperfine(ImportText& file) { return HyperfineReader(file).run(); }

}  // namespace

ImportFormat hyperfine_import() {
  return {.name = "hyperfine",
          .summary = "a parameter scan of hyperfine (JSON)",
          .files = "hyperfine results",
          .endings = {".json"},
          .recognises = recognises_hyperfine,
          .read = read_hyperfine};
}

}  // namespace kernelscape::exchange

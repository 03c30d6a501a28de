// Imports the results of CLBlast's tuners: JSON with the facts of a kernel family and its results.
#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"
#include "core/exchange/formats/known_tables.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

class ClblastReader {
 public:
  explicit ClblastReader(ImportText& file) : tables_(file, "clblast", "CLBlast tuner") {}

  Result<ImportedFile> run() {
    const StreamedJson json =
        TRY(tables_.read_entries("results", [this](const space::Json& entry) { return add(entry); }));
    if (!json.rest->is_object())
      return tables_.in_file(
          Error{ErrorCode::InvalidArgument, "it is not an object", "CLBlast's tuners write one"});
    return tables_.finish(
        [&](const std::string& kernel, const ResultTable&) { return task_of(*json.rest, kernel); }, true);
  }

 private:
  Status add(const space::Json& result) {
    const space::Json* parameters = space::member_of(result, "parameters");
    if (parameters == nullptr || !parameters->is_object() || parameters->empty())
      return fail(ErrorCode::InvalidArgument, "it has no parameters");
    ResultTable& table = *TRY(tables_.table(member_text(result, "kernel")));
    for (const auto& [name, value] : parameters->items())
      table.set(TRY(table.parameter(name)), table_text(value));
    const std::string time = member_text(result, "time");
    const auto milliseconds = number_of_text(time);
    if (!milliseconds || *milliseconds <= 0)
      return table.add(
          {.failure = time.empty() ? std::string_view("it has no time") : std::string_view(time)});
    const double seconds = *milliseconds / milliseconds_per_second;
    return table.add({.samples_seconds = {&seconds, 1}});
  }

  static TableTask task_of(const space::Json& json, const std::string& kernel) {
    TableTask task{.problem = member_text(json, "kernel_family")};
    if (task.problem.empty()) task.problem = kernel;
    constexpr std::string_view argument = "arg_";
    for (const auto& [name, value] : json.items())
      if (name.starts_with(argument))
        task.problem += fmt::format(" {}={}", name.substr(argument.size()), table_text(value));
    if (const std::string precision = member_text(json, "precision"); !precision.empty())
      task.problem += " precision=" + precision;
    task.device = member_text(json, "clblast_device_name");
    if (task.device.empty()) task.device = member_text(json, "device");
    return task;
  }

  KnownTables tables_;
};

bool recognises_clblast(std::string_view head) {
  return begins_as_object(head) && names_key(head, "kernel_family") && names_key(head, "clblast_device_name");
}

Result<ImportedFile> read_clblast(ImportText& file) { return ClblastReader(file).run(); }

}  // namespace

ImportFormat clblast_import() {
  return {.name = "clblast",
          .summary = "results of CLBlast's tuners (JSON)",
          .files = "CLBlast tuner results",
          .endings = {".json"},
          .recognises = recognises_clblast,
          .read = read_clblast};
}

}  // namespace kernelscape::exchange

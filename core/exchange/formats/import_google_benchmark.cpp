// Imports results of google-benchmark in JSON: the arguments in the names of benchmarks are parameters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/text.h"
#include "core/exchange/formats/known_tables.h"
#include "core/exchange/formats/logged_units.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

/** Members of a run that are neither its time nor a counter. */
constexpr auto benchmark_members =
    std::to_array<std::string_view>({"family_index", "per_family_instance_index", "repetitions",
                                     "repetition_index", "threads", "iterations", "real_time", "cpu_time"});
/** Parts of a name that state how a benchmark was run. */
constexpr auto run_settings = std::to_array<std::string_view>(
    {"real_time", "manual_time", "process_time", "min_time", "min_warmup_time", "iterations", "repeats"});

struct BenchmarkName {
  std::string benchmark{};
  std::vector<std::pair<std::string, std::string>> arguments{};
};

/** Splits "BM_gemm/64/block:8/threads:4/real_time". */
BenchmarkName benchmark_name(std::string_view text) {
  BenchmarkName name;
  std::size_t unnamed = 0;
  for (const std::string& part : base::split_text(text, '/')) {
    const std::size_t colon = part.find(':');
    const std::string key = part.substr(0, colon);
    if (std::ranges::find(run_settings, key) != run_settings.end()) continue;
    if (!name.benchmark.empty() && number_of_text(part)) {
      name.arguments.emplace_back(fmt::format("argument {}", ++unnamed), part);
    } else if (!name.benchmark.empty() && colon != std::string::npos && colon > 0 && part[colon - 1] != ':' &&
               !part.substr(colon + 1).starts_with(':')) {
      name.arguments.emplace_back(key, part.substr(colon + 1));
    } else {
      name.benchmark += (name.benchmark.empty() ? "" : "/") + part;
    }
  }
  return name;
}

class GoogleBenchmarkReader {
 public:
  explicit GoogleBenchmarkReader(ImportText& file)
      : tables_(file, "google-benchmark", "google-benchmark results") {}

  Result<ImportedFile> run() {
    TRY(tables_.read_entries("benchmarks", [this](const space::Json& entry) { return add(entry); }));
    if (aggregates_ > 0 && runs_ == 0)
      return tables_.in_file(Error{ErrorCode::InvalidArgument, "it has only aggregates of its runs",
                                   "run the benchmark without --benchmark_report_aggregates_only"});
    const auto describe = [](const std::string& benchmark, const ResultTable&) {
      return TableTask{.problem = benchmark};
    };
    return tables_.finish(describe, true);
  }

 private:
  Status add(const space::Json& run) {
    if (member_text(run, "run_type") == "aggregate") {
      ++aggregates_;
      return {};
    }
    ++runs_;
    std::string text = member_text(run, "run_name");
    if (text.empty()) text = member_text(run, "name");
    const BenchmarkName name = benchmark_name(text);
    if (name.arguments.empty())
      return fail(ErrorCode::InvalidArgument, "its name has no argument that could be a parameter",
                  "give the benchmark arguments: ->Arg(64), or ->ArgsProduct()");
    ResultTable& table = *TRY(tables_.table(name.benchmark));
    for (const auto& [key, value] : name.arguments) table.set(TRY(table.parameter(key)), value);
    for (const char* flag : {"error_occurred", "skipped"})
      if (const std::string value = member_text(run, flag); !value.empty() && value != "false") {
        std::string reason = member_text(run, "error_message");
        if (reason.empty()) reason = member_text(run, "skip_message");
        return table.add({.failure = reason.empty() ? std::string_view(flag) : std::string_view(reason)});
      }
    const std::string unit = member_text(run, "time_unit");
    const double units = TRY(units_per_second(unit.empty() ? "ns" : unit));
    TRY(set_numbers(run, units, table));
    const auto time = number_of_text(member_text(run, "real_time"));
    if (!time || *time <= 0) return fail(ErrorCode::InvalidArgument, "its real_time is not a time");
    const double seconds = *time / units;
    return table.add({.samples_seconds = {&seconds, 1}});
  }

  static Status set_numbers(const space::Json& run, double units, ResultTable& table) {
    if (const auto time = number_of_text(member_text(run, "cpu_time")))
      table.set_number(TRY(table.column("cpu_time [s]")), *time / units);
    for (const auto& [name, value] : run.items())
      if (value.is_number() && std::ranges::find(benchmark_members, name) == benchmark_members.end())
        table.set_number(TRY(table.column(name)), value.get<double>());
    return {};
  }

  KnownTables tables_;
  std::size_t aggregates_ = 0;
  std::size_t runs_ = 0;
};

bool recognises_google_benchmark(std::string_view head) {
  return begins_as_object(head) && names_key(head, "benchmarks") &&
         (names_key(head, "real_time") || names_key(head, "library_build_type"));
}

Result<ImportedFile> read_google_benchmark(ImportText& file) { return GoogleBenchmarkReader(file).run(); }

}  // namespace

ImportFormat google_benchmark_import() {
  return {.name = "google-benchmark",
          .summary = "results of google-benchmark with arguments (JSON)",
          .files = "google-benchmark results",
          .endings = {".json"},
          .recognises = recognises_google_benchmark,
          .read = read_google_benchmark};
}

}  // namespace kernelscape::exchange

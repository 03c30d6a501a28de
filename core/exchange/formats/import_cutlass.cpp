// Imports the results of CUTLASS's profiler: CSV with a row for each operation and problem.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/exchange/formats/delimited_records.h"
#include "core/exchange/formats/known_tables.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

constexpr double cutlass_units_per_second = 1e3;  // Runtime is in milliseconds

trial::ErrorCategory cutlass_category(std::string_view disposition) {
  if (disposition == "incorrect") return trial::ErrorCategory::WrongAnswer;
  if (disposition == "not_supported" || disposition == "invalid_problem")
    return trial::ErrorCategory::InstantiationError;
  return disposition == "failed" ? trial::ErrorCategory::RuntimeDevice : trial::ErrorCategory::UnknownError;
}

class CutlassReader {
 public:
  explicit CutlassReader(ImportText& file)
      : records_(file, ','), tables_(file, "cutlass", "CUTLASS profiler") {}

  Result<ImportedFile> run() {
    TRY(tables_.read_records(records_, [this] { return read_names(); }, [this] { return add(); }));
    return tables_.finish(
        [&](const std::string& key, const ResultTable& table) {
          return TableTask{.problem = kinds_.at(key) + " " + table.constants_text(), .flops = flops_.at(key)};
        },
        false);
  }

 private:
  /** Parameters are the operation and the columns between its status and its results. */
  Status read_names() {
    for (std::size_t i = 0; i < records_.size(); ++i) names_.emplace_back(records_.field(i));
    for (std::size_t i = 0; i < names_.size(); ++i) columns_.try_emplace(names_[i], i);
    for (const char* name : {"Problem", "OperationKind", "Operation", "Disposition", "Status", "Runtime"})
      if (!columns_.contains(name))
        return fail(ErrorCode::InvalidArgument, fmt::format("it has no column {}", name),
                    "CUTLASS's profiler writes it with --output=FILE");
    const std::size_t end = columns_.contains("Bytes") ? columns_["Bytes"] : columns_["Runtime"];
    for (std::size_t i = columns_["Status"] + 1; i < end; ++i) parameters_.push_back(i);
    return {};
  }

  std::string_view field(const char* name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? std::string_view() : records_.field(found->second);
  }

  Status add() {
    if (records_.size() != names_.size())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("it has {} fields, the first line names {}", records_.size(), names_.size()));
    const std::string key = fmt::format("{} {}", field("Problem"), field("OperationKind"));
    ResultTable& table = *TRY(tables_.table(key));
    kinds_.try_emplace(key, field("OperationKind"));
    double& flops = flops_.try_emplace(key, 0).first->second;
    if (const auto number = number_of_text(field("Flops")); number && *number > 0) flops = *number;
    table.set(TRY(table.parameter("Operation")), field("Operation"));
    for (const std::size_t column : parameters_)
      table.set(TRY(table.parameter(names_[column])), records_.field(column));
    for (const char* name : {"Bytes", "GB/s", "GFLOPs"})
      if (const auto number = number_of_text(field(name))) table.set_number(TRY(table.column(name)), *number);
    const std::string_view disposition = field("Disposition");
    const auto runtime = number_of_text(field("Runtime"));
    const bool passed = disposition == "passed" || disposition == "not_verified";
    if (passed && runtime && *runtime > 0) {
      const double seconds = *runtime / cutlass_units_per_second;
      return table.add({.samples_seconds = {&seconds, 1}});
    }
    const std::string failure = fmt::format("{}, {}", disposition, field("Status"));
    return table.add({.category = cutlass_category(disposition), .failure = failure});
  }

  DelimitedRecords records_;
  KnownTables tables_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<std::size_t> parameters_;
  std::map<std::string, std::string> kinds_;  ///< by key of a table
  std::map<std::string, double> flops_;
};

bool recognises_cutlass(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  return line.contains("OperationKind,") && line.contains("Disposition,") && line.contains("Runtime");
}

Result<ImportedFile> read_cutlass(ImportText& file) { return CutlassReader(file).run(); }

}  // namespace

ImportFormat cutlass_import() {
  return {.name = "cutlass",
          .summary = "results of CUTLASS's profiler (CSV)",
          .files = "CUTLASS profiler tables",
          .endings = {".csv"},
          .recognises = recognises_cutlass,
          .read = read_cutlass};
}

}  // namespace kernelscape::exchange

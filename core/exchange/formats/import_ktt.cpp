// Imports results of KTT (the Kernel Tuning Toolkit) from its JSON output.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/visible_text.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/logged_units.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/skipped_entries.h"
#include "core/exchange/validation_values.h"
#include "core/schedule/target.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"

namespace kernelscape::exchange {
namespace {

struct NamedCategory {
  std::string_view status;
  trial::ErrorCategory category;
};

constexpr std::array statuses{
    NamedCategory{"Ok", trial::ErrorCategory::NoError},
    NamedCategory{"ComputationFailed", trial::ErrorCategory::RuntimeDevice},
    NamedCategory{"ValidationFailed", trial::ErrorCategory::WrongAnswer},
    NamedCategory{"CompilationFailed", trial::ErrorCategory::CompileDevice},
    NamedCategory{"DeviceLimitsExceeded", trial::ErrorCategory::InstantiationError}};

/** Times of a result that become columns, in seconds. */
constexpr std::array overheads{"TotalOverhead", "DataMovementOverhead", "ValidationOverhead",
                               "SearcherOverhead", "ExtraDuration"};

/** Numbers of the compiled kernel functions: the maximum of each becomes a column. */
constexpr std::array compilation_numbers{"RegistersCount", "LocalMemorySize", "PrivateMemorySize",
                                         "ConstantMemorySize", "MaxWorkGroupSize"};

std::unexpected<Error> wrong_result(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message), "KTT writes its results with saveFormat JSON");
}

std::string text_of(const space::Json& object, const char* member) {
  const space::Json* found = space::member_of(object, member);
  return found && found->is_string() ? found->get<std::string>() : std::string();
}

/** The results of a kernel. */
struct KernelResults {
  std::string kernel;
  std::vector<LoggedKnob> knobs;
  std::vector<std::vector<std::uint32_t>> choices;  ///< by trial, by knob
  std::vector<trial::Measurement> measurements;
  std::map<std::string, std::vector<double>> columns;
  std::string first_place;  ///< place of the first result
};

Result<LoggedChoice> choice_of(const space::Json& parameter) {
  const std::string name = text_of(parameter, "Name");
  const space::Json* value = space::member_of(parameter, "Value");
  if (name.empty() || !value) return wrong_result("a parameter of its configuration has no Name or no Value");
  std::optional<space::KnobValue> known = space::value_from_json(*value);
  if (!known)
    return wrong_result(
        fmt::format("its parameter {} has the value {}", base::one_line(name), shown_json(*value)));
  return LoggedChoice{.knob = name, .value = std::move(*known)};
}

class KttResultsReader {
 public:
  explicit KttResultsReader(ImportText& file) : file_(file), skipped_(file.path()) {}

  Result<ImportedFile> run() {
    const Result<StreamedJson> json = stream_import_json(
        file_, {{.path = {"Results"}, .visit = [this](const space::Json& before, JsonEntry entry) {
                   return take(before, std::move(entry));
                 }}});
    if (!json) return in_file(json.error());
    const space::Json* results = space::member_of(*json->rest, "Results");
    if (!results || !results->is_array() || (kernels_.empty() && waiting_.empty() && skipped_.count() == 0))
      return fail(ErrorCode::InvalidArgument, fmt::format("{} has no Results", file_.path().string()),
                  "KTT writes them as a list of at least one object");
    if (const Status unit = read_metadata(*json->rest); !unit) return in_file(unit.error());
    for (const JsonEntry& entry : waiting_)
      if (const Status added = take_result(entry); !added) return in_file(added.error());
    return imported();
  }

 private:
  std::unexpected<Error> in_file(const Error& error) const {
    return fail(error.code, fmt::format("{}, {}", file_.path().string(), error.message), error.hint);
  }

  /** Adds a result. Results are kept back if the metadata follow them. */
  Status take(const space::Json& before, JsonEntry entry) {
    if (metadata_.is_null() && !space::member_of(before, "Metadata")) {
      waiting_.push_back(std::move(entry));
      return file_.keep(waiting_.back().held_bytes);
    }
    TRY(read_metadata(before));
    return take_result(entry);
  }

  Status take_result(const JsonEntry& entry) {
    const std::string place = fmt::format("Results[{}]", entry.number);
    const Status added = entry.error ? Status(std::unexpected(*entry.error)) : add(*entry.value, place);
    if (added) return {};
    return skipped_.skip(place, added.error());
  }

  Result<ImportedFile> imported() {
    ImportedFile imported{.format = "ktt", .path = file_.path(), .natural = ImportAs::Recorded};
    for (KernelResults& kernel : kernels_) {
      Result<ImportedTrials> part = part_of(kernel);
      if (part) {
        imported.parts.push_back(std::move(*part));
        continue;
      }
      const Status skipped = skipped_.skip(kernel.first_place, part.error(), kernel.measurements.size());
      if (!skipped) return in_file(skipped.error());
    }
    if (imported.parts.empty()) return in_file(*skipped_.first());
    imported.notices = skipped_.notices();
    imported.notices.emplace_back(
        "KTT measures a configuration once; build time is the overhead of its kernel functions, which "
        "includes compiling");
    if (profiled_) imported.notices.emplace_back("profiling counters were omitted");
    return imported;
  }

  Status read_metadata(const space::Json& json) {
    if (!metadata_.is_null()) return {};
    if (const space::Json* metadata = space::member_of(json, "Metadata")) metadata_ = *metadata;
    const Result<double> unit = units_per_second(text_of(metadata_, "TimeUnit"));
    if (!unit)
      return fail(unit.error().code, "the TimeUnit of its Metadata: " + unit.error().message,
                  unit.error().hint);
    units_per_second_ = *unit;
    return {};
  }

  /** Returns a time in seconds; `otherwise` if the member is missing. */
  Result<double> seconds(const space::Json& object, const char* member, double otherwise) const {
    const space::Json* found = space::member_of(object, member);
    if (!found) return otherwise;
    const double value = found->is_number() ? found->get<double>() / units_per_second_ : no_logged_value;
    if (!std::isfinite(value) || value < 0)
      return wrong_result(fmt::format("its {} {} is not a time", member, shown_json(*found)));
    return value;
  }

  /** Returns the sums over the kernel functions: computation time, and overhead. */
  Result<std::pair<double, double>> function_seconds(const space::Json& result) const {
    std::pair<double, double> sums{0, 0};
    const space::Json* functions = space::member_of(result, "ComputationResults");
    if (!functions) return sums;
    if (!functions->is_array()) return wrong_result("its ComputationResults are not a list");
    for (const space::Json& function : *functions) {
      const double duration = TRY(seconds(function, "Duration", 0));
      const double overhead = TRY(seconds(function, "Overhead", 0));
      sums.first += duration;
      sums.second += overhead;
    }
    return sums;
  }

  Result<trial::Measurement> measurement_of(const space::Json& result) const {
    const std::string status = text_of(result, "Status");
    if (status.empty()) return wrong_result("it has no Status");
    const auto known = std::ranges::find(statuses, status, &NamedCategory::status);
    trial::Measurement measurement;
    measurement.category = known == statuses.end() ? trial::ErrorCategory::UnknownError : known->category;
    const Result<std::pair<double, double>> sums = function_seconds(result);
    if (!measurement.valid()) {
      measurement.message = status;
      // KTT may have no times for failures, and writes the largest number then.
      const double build_seconds = sums ? sums->second : 0;
      if (impossible_duration(build_seconds).empty()) measurement.build_seconds = build_seconds;
      return measurement;
    }
    const auto functions = TRY(sums);
    measurement.build_seconds = functions.second;
    for (const char* part : {"DataMovementOverhead", "ValidationOverhead"})
      measurement.run_seconds += TRY(seconds(result, part, 0));
    const double total = TRY(seconds(result, "TotalDuration", functions.first));
    if (total <= 0) return wrong_result("its TotalDuration is not a time, but its Status is Ok");
    measurement.recorded_seconds = total;
    measurement.samples_seconds = {functions.first > 0 ? functions.first : total};
    measurement.run_seconds += total;
    return measurement;
  }

  /** Returns the kernel with this name and these knobs. */
  KernelResults& kernel_of(const std::string& name, const std::vector<LoggedChoice>& choices,
                           const std::string& place) {
    std::string key = name;
    for (const LoggedChoice& choice : choices) key += "\n" + choice.knob;
    const auto [found, is_new] = positions_.try_emplace(std::move(key), kernels_.size());
    if (is_new) {
      kernels_.push_back({.kernel = name,
                          .knobs = {},
                          .choices = {},
                          .measurements = {},
                          .columns = {},
                          .first_place = place});
      for (const LoggedChoice& choice : choices) kernels_.back().knobs.emplace_back(choice.knob, choice.kind);
    }
    return kernels_[found->second];
  }

  Status add(const space::Json& result, const std::string& place) {
    const std::string name = text_of(result, "KernelName");
    if (name.empty() || !is_clean_text(name, name_limits)) return wrong_result("it has no usable KernelName");
    const space::Json* configuration = space::member_of(result, "Configuration");
    if (!configuration || !configuration->is_array() || configuration->empty())
      return wrong_result("its Configuration is not a list of parameters");
    std::vector<LoggedChoice> choices;
    for (const space::Json& parameter : *configuration) choices.push_back(TRY(choice_of(parameter)));
    TRY(check_choices(choices));
    trial::Measurement measurement = TRY(measurement_of(result));
    TRY(check_measurement(measurement));
    TRY(check_times(result, measurement.valid()));
    TRY(file_.keep(kept_trial_bytes(measurement, choices.size())));
    KernelResults& kernel = kernel_of(name, choices, place);
    TRY(check_part_count(kernels_.size()));
    std::vector<std::uint32_t>& indices = kernel.choices.emplace_back();
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::size_t values = kernel.knobs[i].choices().size();
      indices.push_back(kernel.knobs[i].add(std::move(choices[i])));
      if (indices.back() == values) TRY(file_.keep(kept_choice_bytes));
    }
    kernel.measurements.push_back(std::move(measurement));
    add_columns(result, kernel);
    return {};
  }

  /** Checks the times. Some times of a failed result are not numbers. */
  Status check_times(const space::Json& result, bool valid) const {
    for (const char* overhead : overheads)
      if (const Result<double> value = seconds(result, overhead, 0); !value && valid)
        return std::unexpected(value.error());
    return {};
  }

  void add_columns(const space::Json& result, KernelResults& kernel) {
    const std::size_t trial = kernel.measurements.size() - 1;
    const auto set = [&](const std::string& name, double value) {
      if (!std::isfinite(value)) return;
      std::vector<double>& column = kernel.columns[name];
      column.resize(trial + 1, no_logged_value);
      column[trial] = std::isnan(column[trial]) ? value : std::max(column[trial], value);
    };
    for (const char* overhead : overheads) {
      if (!space::member_of(result, overhead)) continue;
      const Result<double> value = seconds(result, overhead, 0);
      if (value) set(fmt::format("{} [s]", overhead), *value);
    }
    const space::Json* functions = space::member_of(result, "ComputationResults");
    if (!functions) return;
    for (const space::Json& function : *functions) {
      profiled_ = profiled_ || space::member_of(function, "ProfilingData") != nullptr;
      const space::Json* compilation = space::member_of(function, "CompilationData");
      for (const char* number : compilation_numbers) {
        const space::Json* value = compilation ? space::member_of(*compilation, number) : nullptr;
        if (value && value->is_number()) set(number, value->get<double>());
      }
    }
  }

  Result<ImportedTrials> part_of(KernelResults& kernel) {
    const trial::RecordingHeader header = TRY(header_of(kernel));
    KnobsOfChoices logged = TRY(knobs_of_choices(kernel.knobs, {}, no_tables_));
    std::vector<space::Configuration> configurations;
    for (const std::vector<std::uint32_t>& choices : kernel.choices) {
      space::Configuration& configuration = configurations.emplace_back();
      for (std::size_t knob = 0; knob < choices.size(); ++knob)
        configuration.indices.push_back(logged.indices[knob][choices[knob]]);
    }
    space::SearchSpace space =
        TRY(space::SearchSpace::make_explicit(std::move(logged.knobs), configurations));
    ImportedTrials part{.header = header, .space = std::move(space), .trials = {}};
    double now = 0;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      now += kernel.measurements[i].build_seconds + kernel.measurements[i].run_seconds;
      part.trials.push_back({.configuration = std::move(configurations[i]),
                             .measurement = std::move(kernel.measurements[i]),
                             .finished_seconds = now});
    }
    for (auto& [name, values] : kernel.columns) {
      values.resize(part.trials.size(), no_logged_value);
      part.columns.push_back({name, std::move(values)});
    }
    return part;
  }

  Result<trial::RecordingHeader> header_of(const KernelResults& kernel) const {
    const task::Task task = TRY(task::make_generic_task({kernel.kernel, "time", "s"}, kernel.kernel));
    schedule::TargetDescription target = schedule::default_cuda_target();
    if (text_of(metadata_, "ComputeApi") != "CUDA") {
      target.kind = schedule::TargetKind::OpenCl;
      target.name = "opencl";
    }
    target.isa.clear();
    target.device = text_of(metadata_, "Device");
    target.compiler = text_of(metadata_, "Platform");
    std::string origin = "KTT results " + file_.path().filename().string();
    if (const std::string version = text_of(metadata_, "KttVersion"); !version.empty())
      origin += ", KTT " + version;
    trial::RecordingHeader header = logged_header(task, target, std::move(origin));
    header.name = kernel.kernel;
    header.created_utc = text_of(metadata_, "Timestamp");
    return header;
  }

  ImportText& file_;
  space::Json metadata_;
  std::vector<JsonEntry> waiting_;
  double units_per_second_ = 1;
  std::map<std::string, std::size_t> positions_;
  std::vector<KernelResults> kernels_;
  SkippedEntries skipped_;
  std::uint64_t no_tables_ = 0;
  bool profiled_ = false;
};

bool recognises_ktt(std::string_view head) {
  return begins_as_object(head) &&
         (names_key(head, "KttVersion") || (names_key(head, "Results") && names_key(head, "Metadata")));
}

Result<ImportedFile> read_ktt_results(ImportText& file) { return KttResultsReader(file).run(); }

}  // namespace

ImportFormat ktt_import() {
  return {.name = "ktt",
          .summary = "results of KTT in JSON",
          .files = "KTT results",
          .endings = {".json"},
          .recognises = recognises_ktt,
          .read = read_ktt_results};
}

}  // namespace kernelscape::exchange

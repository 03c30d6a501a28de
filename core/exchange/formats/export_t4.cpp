// Exports a session as results in the T4 format of the autotuning methodology.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/formats/logged_export.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/text_output.h"

namespace kernelscape::exchange {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string_view invalidity_of(trial::ErrorCategory category) {
  switch (category) {
    case trial::ErrorCategory::NoError:
      return "correct";
    case trial::ErrorCategory::InstantiationError:
      return "constraints";
    case trial::ErrorCategory::CompileHost:
    case trial::ErrorCategory::CompileDevice:
      return "compile";
    case trial::ErrorCategory::WrongAnswer:
      return "correctness";
    case trial::ErrorCategory::BuildTimeout:
    case trial::ErrorCategory::RunTimeout:
      return "timeout";
    case trial::ErrorCategory::RuntimeDevice:
    case trial::ErrorCategory::UnknownError:
      break;
  }
  return "runtime";
}

class ResultsWriter {
 public:
  ResultsWriter(const ExportedSession& session, TrialNumbers numbers)
      : parameters_(session.space),
        numbers_(std::move(numbers)),
        began_seconds_(timestamp_seconds(session.summary.record.created_utc)) {}

  void add(const trial::Trial& trial) {
    const std::string line = result_of(trial).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    checksum_.add(space::Json::parse(line));
    results_ += (results_.empty() ? "\n" : ",\n") + line;
  }

  std::string text(std::string_view own) const {
    return fmt::format(
        "{{\"schema_version\": \"1.0.0\",\n\"metadata\": {{\"timeunit\": "
        "\"milliseconds\"}},\n\"{}\": {},\n"
        "\"results\": [{}\n]}}\n",
        session_key_name, own, results_);
  }

  std::uint32_t checksum() const { return checksum_.value(); }

 private:
  OrderedJson result_of(const trial::Trial& trial) const {
    const trial::Measurement& measurement = trial.measurement;
    OrderedJson result;
    result["timestamp"] = timestamp_text(began_seconds_.value_or(0) + trial.finished_seconds);
    OrderedJson configuration = OrderedJson::object();
    const std::vector<OrderedJson> values = parameters_.of(trial.configuration);
    for (std::size_t i = 0; i < values.size(); ++i) configuration[parameters_.names()[i]] = values[i];
    result["configuration"] = std::move(configuration);
    OrderedJson times{{"compilation", measurement.build_seconds * milliseconds_per_second},
                      {"benchmark", measurement.run_seconds * milliseconds_per_second},
                      {"framework", 0},
                      {"search_algorithm", 0},
                      {"validation", 0}};
    OrderedJson value = kernel_tuner_name(measurement.category);
    if (measurement.valid()) {
      OrderedJson runtimes = OrderedJson::array();
      for (const double sample : measurement.samples_seconds)
        runtimes.push_back(sample * milliseconds_per_second);
      times["runtimes"] = std::move(runtimes);
      value = measurement.ranking_seconds() * milliseconds_per_second;
    }
    result["times"] = std::move(times);
    result["invalidity"] = invalidity_of(measurement.category);
    result["correctness"] = measurement.valid() ? 1 : 0;
    OrderedJson measurements = OrderedJson::array();
    measurements.push_back({{"name", "time"}, {"value", std::move(value)}, {"unit", "ms"}});
    for (const auto& [name, number] : numbers_.of_trial(trial.number))
      if (name != "time") measurements.push_back({{"name", name}, {"value", number}, {"unit", ""}});
    for (const auto& [name, number, unit] : resource_numbers(measurement))
      measurements.push_back({{"name", name}, {"value", number}, {"unit", unit}});
    for (const auto& [name, number, unit] : metric_numbers(measurement))
      measurements.push_back({{"name", name}, {"value", number}, {"unit", unit}});
    result["measurements"] = std::move(measurements);
    result["objectives"] = {"time"};
    return result;
  }

  ScalarParameters parameters_;
  TrialNumbers numbers_;
  std::optional<double> began_seconds_;
  std::string results_;
  EntriesChecksum checksum_;
};

bool is_own_t4_results(std::string_view head) {
  return head.starts_with("{\"schema_version\": ") && head.contains(own_session_beginning);
}

Status export_t4_results(const ExportRequest& request) {
  const ExportedSession session = TRY(read_exported_session(request));
  TrialNumbers numbers = TRY(TrialNumbers::of(request, session.summary.record));
  ResultsWriter writer(session, std::move(numbers));
  TRY(visit_timed_trials(request, session, [&](const trial::Trial& trial) -> Status {
    writer.add(trial);
    return {};
  }));
  const std::string own = TRY(session_key_text(request, session, writer.checksum()));
  note_what_is_left_out(request, session);
  return write_text_output(output_of(request), [&](const TextSink& sink) { return sink(writer.text(own)); });
}

}  // namespace

ExportFormat t4_export() {
  return {.name = "t4",
          .summary = "results in the T4 format of the autotuning methodology",
          .to_standard_output = true,
          .recognises_own = is_own_t4_results,
          .write = export_t4_results};
}

}  // namespace kernelscape::exchange

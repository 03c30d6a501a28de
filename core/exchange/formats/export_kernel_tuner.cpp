// Exports a session as a cache of Kernel Tuner.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/formats/logged_export.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/session_key.h"
#include "core/exchange/text_output.h"
#include "core/schedule/target.h"

namespace kernelscape::exchange {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string logged_text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/** Returns a value in keys as Python's str() writes it. */
std::string key_text(const OrderedJson& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  return logged_text(value);
}

class CacheWriter {
 public:
  CacheWriter(const ExportRequest& request, const ExportedSession& session, TrialNumbers numbers)
      : request_(request),
        session_(session),
        parameters_(session.space),
        numbers_(std::move(numbers)),
        began_seconds_(timestamp_seconds(session.summary.record.created_utc)) {}

  Status collect() {
    return visit_timed_trials(request_, session_, [&](const trial::Trial& trial) -> Status {
      std::vector<std::string> key;
      OrderedJson entry = OrderedJson::object();
      const std::vector<OrderedJson> values = parameters_.of(trial.configuration);
      for (std::size_t i = 0; i < values.size(); ++i) {
        key.push_back(key_text(values[i]));
        entry[parameters_.names()[i]] = values[i];
      }
      add_results(trial, entry);
      const auto [found, is_new] = positions_.try_emplace(base::join(key, ","), entries_.size());
      if (is_new) {
        entries_.emplace_back(found->first, std::move(entry));
      } else {
        entries_[found->second].second = std::move(entry);
        ++repeated_;
      }
      return {};
    });
  }

  Result<std::string> text(const schedule::TargetDescription& target) const {
    OrderedJson header;
    const store::SessionRecord& record = session_.summary.record;
    header["device_name"] = target.device;
    header["kernel_name"] = record.template_name.empty() ? record.task_name : record.template_name;
    header["problem_size"] = session_.task.text;
    header["tune_params_keys"] = parameters_.names();
    OrderedJson values = OrderedJson::object();
    for (std::size_t i = 0; i < parameters_.names().size(); ++i)
      values[parameters_.names()[i]] = parameters_.values(i);
    header["tune_params"] = std::move(values);
    header["objective"] = "time";
    EntriesChecksum checksum;
    std::string cache;
    for (const auto& [key, entry] : entries_) {
      std::string line = logged_text(entry);
      checksum.add(space::Json::parse(line));
      cache += fmt::format("{}{}: {}", cache.empty() ? "\n" : ",\n", logged_text(OrderedJson(key)), line);
    }
    const std::string own = TRY(session_key_text(request_, session_, checksum.value()));
    std::string text = "{";
    for (const auto& [name, value] : header.items())
      text += fmt::format("{}: {},\n", logged_text(OrderedJson(name)), logged_text(value));
    // Kernel Tuner continues to write if a file ends with these two braces.
    return fmt::format("{}\"{}\": {},\n\"cache\": {{{}}}\n}}", text, session_key_name, own, cache);
  }

  std::size_t repeated() const { return repeated_; }

 private:
  void add_results(const trial::Trial& trial, OrderedJson& entry) const {
    const trial::Measurement& measurement = trial.measurement;
    if (measurement.valid()) {
      entry["time"] = measurement.ranking_seconds() * milliseconds_per_second;
      OrderedJson times = OrderedJson::array();
      for (const double sample : measurement.samples_seconds)
        times.push_back(sample * milliseconds_per_second);
      entry["times"] = std::move(times);
    } else {
      // The first form is used in files up to version 1.3, the second since then.
      entry["time"] = kernel_tuner_name(measurement.category);
      entry["__error__"] = kernel_tuner_name(measurement.category);
    }
    entry["compile_time"] = measurement.build_seconds * milliseconds_per_second;
    entry["verification_time"] = 0;
    entry["benchmark_time"] = measurement.run_seconds * milliseconds_per_second;
    for (const auto& [name, value] : numbers_.of_trial(trial.number))
      if (!entry.contains(name)) entry[name] = value;
    for (const LoggedNumber& number : resource_numbers(measurement))
      if (!entry.contains(number.name)) entry[number.name] = number.value;
    for (const LoggedNumber& number : metric_numbers(measurement))
      if (!entry.contains(number.name)) entry[number.name] = number.value;
    entry["strategy_time"] = 0;
    entry["framework_time"] = 0;
    entry["timestamp"] = timestamp_text(began_seconds_.value_or(0) + trial.finished_seconds);
  }

  const ExportRequest& request_;
  const ExportedSession& session_;
  ScalarParameters parameters_;
  TrialNumbers numbers_;
  std::optional<double> began_seconds_;
  std::vector<std::pair<std::string, OrderedJson>> entries_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::size_t repeated_ = 0;
};

/**
 * Checks the size of permutations: a cache lists every value of a parameter, and all orders of ten items take
 * a quarter of a gigabyte.
 */
Status check_orders(const space::SearchSpace& space) {
  constexpr std::uint32_t max_listed = 1'000'000;
  for (const space::Knob& knob : space.knobs())
    if (knob.kind() == space::KnobKind::Permutation && knob.count() > max_listed)
      return fail(ErrorCode::Refused,
                  fmt::format("a cache of Kernel Tuner lists all values of a parameter, and {} has {}",
                              base::one_line(knob.name()), base::count_text(knob.count())),
                  "export it with --format json, csv or t4");
  return {};
}

bool is_own_kernel_tuner_cache(std::string_view head) {
  return head.starts_with("{\"device_name\": ") && head.contains(own_session_beginning);
}

Status export_kernel_tuner_cache(const ExportRequest& request) {
  const ExportedSession session = TRY(read_exported_session(request));
  TRY(check_orders(session.space));
  const schedule::TargetDescription target =
      TRY(schedule::target_from_json(session.summary.record.target_json));
  TrialNumbers numbers = TRY(TrialNumbers::of(request, session.summary.record));
  CacheWriter writer(request, session, std::move(numbers));
  TRY(writer.collect());
  const std::string text = TRY(writer.text(target));
  note_what_is_left_out(request, session);
  if (request.notices && writer.repeated() > 0)
    request.notices->push_back(
        fmt::format("a cache contains each configuration once: {} earlier trials of the same configurations "
                    "are only there",
                    writer.repeated()));
  return write_text_output(output_of(request), [&](const TextSink& sink) { return sink(text); });
}

}  // namespace

ExportFormat kernel_tuner_export() {
  return {.name = "kernel-tuner",
          .summary = "a cache of Kernel Tuner",
          .to_standard_output = true,
          .recognises_own = is_own_kernel_tuner_cache,
          .write = export_kernel_tuner_cache};
}

}  // namespace kernelscape::exchange

// Exports a session as a log of AutoTVM 0.2.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/formats/autotvm_task.h"
#include "core/exchange/text_output.h"
#include "core/schedule/template.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

constexpr double cost_of_errors = 1e9;

/**
 * Returns the template's own space if the template is unchanged since it was tuned: its indices are those of
 * AutoTVM.
 */
std::optional<space::SearchSpace> template_space(const ExportedSession& session,
                                                 const schedule::TargetDescription& target) {
  const store::SessionRecord& record = session.summary.record;
  if (record.template_name.empty()) return std::nullopt;
  const Result<schedule::ScheduledKernel> kernel =
      schedule::apply_template(session.task, target, record.template_name);
  if (!kernel || kernel->template_version() != record.template_version) return std::nullopt;
  return kernel->space();
}

/** Returns the Unix time of "2026-01-02T03:04:05Z"; 0 if the text is not a time. */
double unix_seconds(const std::string& utc) {
  std::tm time{};
  const char* end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  return end && *end == '\0' ? static_cast<double>(timegm(&time)) : 0;
}

space::Json exported_entity(const space::Knob& knob, std::uint32_t index) {
  space::Json numbers = space::Json::array();
  switch (knob.kind()) {
    case space::KnobKind::Factorization:
    case space::KnobKind::Permutation:
      for (const std::int64_t element : knob.row(index)) numbers.push_back(element);
      return space::Json::array(
          {knob.name(), knob.kind() == space::KnobKind::Permutation ? "re" : "sp", std::move(numbers)});
    case space::KnobKind::Ordinal:
    case space::KnobKind::Categorical:
      break;
  }
  return space::Json::array({knob.name(), "ot", space::value_to_json(knob.value(index))});
}

space::Json costs_of(const trial::Measurement& measurement) {
  if (!measurement.valid()) return space::Json::array({cost_of_errors});
  if (measurement.samples_seconds.empty()) return space::Json::array({measurement.recorded_seconds});
  return measurement.samples_seconds;
}

class LogWriter {
 public:
  LogWriter(const ExportedSession& session, const schedule::TargetDescription& target)
      : session_(session), space_(template_space(session, target)) {
    const store::SessionRecord& record = session.summary.record;
    AutotvmName name = autotvm_name(session.task, target, record.template_name, space_.has_value());
    input_ = fmt::format("[{}, {}, {}, {{}}]", space::to_text(space::Json(autotvm_target_text(target))),
                         space::to_text(space::Json(name.task)), name.args_json);
    began_seconds_ = unix_seconds(record.created_utc);
    version_ = space::to_text(space::Json("kernelscape " + record.program_version));
  }

  Result<std::string> line(const trial::Trial& trial) {
    const space::SearchSpace& own = session_.space;
    base::uint128 index = own.index_of(trial.configuration);
    if (space_ && space_->knobs() != own.knobs()) {
      const auto there = space_->configuration_from_json(own.configuration_to_json(trial.configuration));
      if (!there)
        return fail(
            ErrorCode::Refused,
            fmt::format("trial {} has no index in the template: {}", trial.number, there.error().message),
            "export the session with --format json");
      index = space_->index_of(*there);
    }
    space::Json entities = space::Json::array();
    for (std::size_t i = 0; i < own.knobs().size(); ++i)
      entities.push_back(exported_entity(own.knobs()[i], trial.configuration.indices[i]));
    const trial::Measurement& measurement = trial.measurement;
    const space::Json result{costs_of(measurement), static_cast<int>(measurement.category),
                             measurement.build_seconds + measurement.run_seconds,
                             began_seconds_ + trial.finished_seconds};
    return fmt::format(
        "{{\"input\": {}, \"config\": {{\"index\": {}, \"code_hash\": null, \"entity\": {}}}, "
        "\"result\": {}, \"version\": 0.2, \"tvm_version\": {}}}\n",
        input_, base::to_string(index), space::to_text(entities), space::to_text(result), version_);
  }

 private:
  const ExportedSession& session_;
  std::optional<space::SearchSpace> space_;
  std::string input_;
  std::string version_;
  double began_seconds_ = 0;
};

/** Reports the parts of a session that a log cannot contain. */
void note_left_out(const ExportRequest& request, const ExportedSession& session) {
  if (!request.notices) return;
  request.notices->emplace_back(
      "AutoTVM logs cannot contain messages of failures, resources of kernels, batches, series and "
      "confirmations: they are omitted");
  request.notices->emplace_back(
      "building and running are one cost in the log; a trial is ranked by the mean of its samples");
  if (session.task.op) return;
  request.notices->emplace_back("the task is not an operator: other programs cannot identify it");
}

bool is_own_autotvm_log(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.starts_with("{\"input\": [") && line.contains("\"tvm_version\": \"kernelscape ");
}

Status export_autotvm_log(const ExportRequest& request) {
  const ExportedSession session = TRY(read_exported_session(request));
  const schedule::TargetDescription target =
      TRY(schedule::target_from_json(session.summary.record.target_json));
  note_left_out(request, session);
  LogWriter writer(session, target);
  return write_text_output(output_of(request), [&](const TextSink& sink) {
    TextPieces text(sink);
    const Status written = visit_timed_trials(request, session, [&](const trial::Trial& trial) -> Status {
      const Result<std::string> line = writer.line(trial);
      return line ? text.add(*line) : Status(std::unexpected(line.error()));
    });
    return written ? text.flush() : written;
  });
}

}  // namespace

ExportFormat autotvm_export() {
  return {.name = "autotvm",
          .summary = "a log of AutoTVM 0.2",
          .to_standard_output = true,
          .recognises_own = is_own_autotvm_log,
          .write = export_autotvm_log};
}

}  // namespace kernelscape::exchange

#include <fmt/format.h>

#include "core/base/output_file.h"
#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/session_recording.h"
#include "core/schedule/target.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording.h"
#include "core/trial/recording_builder.h"

namespace kernelscape::exchange {
namespace {

std::string origin_of(const store::SessionRecord& record) {
  if (record.kind == store::SessionKind::Imported)
    return fmt::format("imported from {}", record.origin.empty() ? record.program_version : record.origin);
  return fmt::format("Kernelscape {}, tuner {}", record.program_version, record.tuner);
}

/** Returns the number of workers that built kernels of a measured session concurrently. */
Result<int> builders_of(const store::SessionRecord& record, const schedule::TargetDescription& target) {
  if (record.kind != store::SessionKind::Measured) return 1;
  const trial::MeasureOptions options = TRY(trial::stored_measure_options(record.options_json));
  if (options.builders > 0) return options.builders;
  return static_cast<int>(std::max<std::int64_t>(1, target.cores));
}

/** Returns the header of a measured session from its record. */
Result<trial::RecordingHeader> measured_header(const store::Store& store, const ExportedSession& session) {
  const store::SessionRecord& record = session.summary.record;
  const schedule::TargetDescription target = TRY(schedule::target_from_json(record.target_json));
  const int builders = TRY(builders_of(record, target));
  trial::RecordingHeader header;
  header.name = record.template_name.empty() ? record.task_name
                                             : fmt::format("{} {}", record.task_name, record.template_name);
  header.created_utc = record.created_utc;
  header.program_version = record.program_version;
  header.origin = origin_of(record);
  header.task_json = record.task_json;
  header.target_name = record.target_name;
  header.target_json = record.target_json;
  header.template_name = record.template_name;
  header.template_version = record.template_version;
  header.options_json = record.options_json;
  header.vendor_json = session.summary.status.vendor_json;
  header.seed = record.seed;
  header.builders = builders;
  header.pipelined = target.builds_beside_runs();
  header.usual_probe = record.usual_probe;
  header.probe_version = record.probe_version;
  if (!record.project_hash.empty()) header.project_json = TRY(store.sessions().project_json(record.id));
  return header;
}

Result<std::shared_ptr<const trial::Recording>> build_recording(const ExportRequest& request,
                                                                const ExportedSession& session,
                                                                trial::RecordingHeader header,
                                                                const space::SearchSpace& swept) {
  trial::RecordingBuilder builder(std::move(header), swept);
  TRY(visit_chosen_trials(request, session, [&](const trial::Trial& trial) {
    return builder.add(trial.configuration, trial.measurement);
  }));
  if (builder.size() == 0) {
    return fail(ErrorCode::NotFound, fmt::format("session {} has no trial to record", request.session),
                "measure trials first, or remove --where");
  }
  return builder.build();
}

/** Returns the session's recording, unchanged or filtered, or else a recording of its own trials. */
Result<std::shared_ptr<const trial::Recording>> recorded_trials(const ExportRequest& request,
                                                                const ExportedSession& session) {
  const store::SessionRecord& record = session.summary.record;
  if (record.recording == 0) {
    trial::RecordingHeader header = TRY(measured_header(request.store, session));
    return build_recording(request, session, std::move(header), session.space);
  }
  std::shared_ptr<const trial::Recording> source = TRY(request.store.recordings().get(record.recording));
  if (record.kind == store::SessionKind::Recorded && request.filter.empty()) return source;
  return build_recording(request, session, source->header(), source->whole_space());
}

bool is_own_recording(std::string_view head) { return head.starts_with("KSREC"); }

Status export_recording(const ExportRequest& request) {
  const ExportedSession session = TRY(read_exported_session(request));
  const std::shared_ptr<const trial::Recording> recording = TRY(recorded_trials(request, session));
  return base::write_output(output_of(request), recording->bytes());
}

}  // namespace

Result<std::shared_ptr<const trial::Recording>> recording_of_session(const store::Store& store,
                                                                     store::SessionId session) {
  const ExportRequest request{.store = store, .session = session};
  return recorded_trials(request, TRY(read_exported_session(request)));
}

ExportFormat recording_export() {
  return {.name = "recorded",
          .summary = "a recorded space (.ksrec), for fast replays with --target recorded:FILE",
          .recognises_own = is_own_recording,
          .write = export_recording};
}

}  // namespace kernelscape::exchange

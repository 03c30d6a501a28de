#include "core/exchange/export_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace kernelscape {

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> formats = {
      {"kernel",
       "a folder with the kernel's source: C that builds, checks and times itself; CUDA or OpenCL with how "
       "to "
       "launch it",
       true, false, is_own_kernel_manifest, export_kernel_folder},
      {"configuration", "JSON of a configuration with its measurements and where it comes from", true, true,
       is_own_configuration_json, export_configuration_json},
      {"json", "the whole session with all trials, for import", false, true, is_own_session_json,
       export_session_json},
      {"recorded", "a recorded space (.ksrec), which tunes in a blink with --target recorded:FILE", false,
       false, is_own_recording, export_recording},
      {"csv", "a table of trials", false, true, is_own_trials_csv, export_trials_csv},
      {"autotvm", "a log of AutoTVM 0.2", false, true, is_own_autotvm_log, export_autotvm_log},
      {"kernel-tuner", "a cache of Kernel Tuner", false, true, is_own_kernel_tuner_cache,
       export_kernel_tuner_cache},
      {"t4", "results in the T4 format of the autotuning methodology", false, true, is_own_t4_results,
       export_t4_results},
  };
  return formats;
}

Result<const ExportFormat*> find_export_format(std::string_view name) {
  const auto found = std::ranges::find(export_formats(), name, &ExportFormat::name);
  if (found != export_formats().end()) return &*found;
  std::vector<std::string> known;
  for (const ExportFormat& format : export_formats()) known.push_back(format.name);
  return fail(ErrorCode::InvalidArgument, fmt::format("there is no export format \"{}\"", name),
              suggest(name, known));
}

Status export_session(const ExportFormat& format, const ExportRequest& request) {
  const auto refuse = [&](std::string_view what, std::string hint) {
    return fail(ErrorCode::InvalidArgument, fmt::format("the format {} {}", format.name, what),
                std::move(hint));
  };
  if (request.path.empty()) return refuse("needs a place to write to", "name one with --out");
  if (request.raw && format.name != "csv")
    return refuse("has no raw form: no spreadsheet calculates its texts",
                  "leave --raw out, or use --format csv");
  if (request.path == "-" && !format.to_standard_output)
    return refuse("cannot be written to standard output", "name a folder with --out");
  if (format.one_trial && (!request.filter.empty() || !request.columns.empty()))
    return refuse("writes one trial", "choose it with --trial; --where and --columns are for csv");
  if (!format.one_trial && request.trial)
    return refuse("writes many trials",
                  fmt::format("choose them with --where, such as trial={}", *request.trial));
  if (format.one_trial && !request.trial) {
    return fail(ErrorCode::NotFound, fmt::format("session {} has no valid trial", request.session),
                "export its trials with --format csv, or name one with --trial");
  }
  ExportRequest of_kind = request;
  of_kind.kind = output_kind(format);
  TRY(format.write(of_kind));
  if (request.notices == nullptr) return {};
  const SessionSummary session = TRY(request.store.session(request.session));
  if (const std::string origin = origin_text(session.record); !origin.empty())
    request.notices->push_back(fmt::format("session {} is {}", request.session, origin));
  return {};
}

OutputKind output_kind(const ExportFormat& format) {
  return {.name = fmt::format("export in the format {}", format.name),
          .recognises_own = format.recognises_own,
          .recording = format.name == "recorded"};
}

OutputRequest output_of(const ExportRequest& request) {
  return {
      .path = request.path, .kind = request.kind, .force = request.force, .sources = {request.store.path()}};
}

}  // namespace kernelscape

#include "core/exchange/export_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace kernelscape::exchange {

/** One line per format, in the order of the help; each is a function in its exporter's file. */
#define KERNELSCAPE_EXPORT_FORMATS(ENTRY) \
  ENTRY(kernel_export)                    \
  ENTRY(configuration_export)             \
  ENTRY(session_json_export)              \
  ENTRY(recording_export)                 \
  ENTRY(trials_csv_export)                \
  ENTRY(autotvm_export)                   \
  ENTRY(kernel_tuner_export)              \
  ENTRY(t4_export)

#define KERNELSCAPE_DECLARE(function) ExportFormat function();
KERNELSCAPE_EXPORT_FORMATS(KERNELSCAPE_DECLARE)
#undef KERNELSCAPE_DECLARE

const std::vector<ExportFormat>& export_formats() {
#define KERNELSCAPE_CALL(function) function(),
  static const std::vector<ExportFormat> formats{KERNELSCAPE_EXPORT_FORMATS(KERNELSCAPE_CALL)};
#undef KERNELSCAPE_CALL
  return formats;
}

Result<const ExportFormat*> find_export_format(std::string_view name) {
  const auto found = std::ranges::find(export_formats(), name, &ExportFormat::name);
  if (found != export_formats().end()) return &*found;
  std::vector<std::string> known;
  for (const ExportFormat& format : export_formats()) known.push_back(format.name);
  return fail(ErrorCode::InvalidArgument, fmt::format("there is no export format \"{}\"", name),
              base::suggest(name, known));
}

Status export_session(const ExportFormat& format, const ExportRequest& request) {
  const auto refuse = [&](std::string_view what, std::string hint) {
    return fail(ErrorCode::InvalidArgument, fmt::format("the format {} {}", format.name, what),
                std::move(hint));
  };
  if (request.path.empty()) return refuse("needs an output path", "give the path with --out");
  if (request.raw && format.name != "csv")
    return refuse("does not support --raw: no spreadsheet evaluates its texts",
                  "remove --raw, or use --format csv");
  if (request.path == "-" && !format.to_standard_output)
    return refuse("cannot be written to standard output", "name a folder with --out");
  if (format.one_trial && (!request.filter.empty() || !request.columns.empty()))
    return refuse("writes a single trial",
                  "choose the trial with --trial; --where and --columns are for csv");
  if (format.name != "csv" && !request.columns.empty())
    return refuse("does not support --columns", "remove --columns, or use --format csv");
  if (!format.one_trial && request.trial)
    return refuse("writes several trials",
                  fmt::format("choose trials with --where, such as trial={}", *request.trial));
  if (format.one_trial && !request.trial) {
    return fail(ErrorCode::NotFound, fmt::format("session {} has no valid trial", request.session),
                "export its trials with --format csv, or name one with --trial");
  }
  ExportRequest of_kind = request;
  of_kind.kind = output_kind(format);
  TRY(format.write(of_kind));
  if (request.notices == nullptr) return {};
  const store::SessionSummary session = TRY(request.store.sessions().get(request.session));
  if (const std::string origin = store::origin_text(session.record); !origin.empty())
    request.notices->push_back(fmt::format("session {} is {}", request.session, origin));
  for (const std::string& text : trial::disturbances(TRY(request.store.notices().of(request.session))))
    request.notices->push_back(fmt::format("note on session {}: {}", request.session, text));
  return {};
}

base::OutputKind output_kind(const ExportFormat& format) {
  return {.name = fmt::format("export in the format {}", format.name),
          .recognises_own = format.recognises_own,
          .recording = format.name == "recorded"};
}

base::OutputRequest output_of(const ExportRequest& request) {
  return {
      .path = request.path, .kind = request.kind, .force = request.force, .sources = {request.store.path()}};
}

}  // namespace kernelscape::exchange

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape {

/** What of a session is exported, and where to. */
struct ExportRequest {
  const Store& store;
  SessionId session = 0;
  std::optional<std::int64_t> trial{};  ///< what a format of one configuration writes
  std::string filter{};                 ///< of trials; empty: all
  std::vector<std::string> columns{};   ///< of trials; empty: all
  bool raw = false;                     ///< csv: texts that a spreadsheet would calculate stay as they are
  std::string path{};                   ///< "-": standard output
  std::vector<std::string>*
      notices{};       ///< takes what is left out, and who measured it if not we; may be null
  bool force = false;  ///< replaces what is no earlier export; see OutputFile for the limits
  OutputKind kind{};   ///< of the file: export_session() sets it
};

/**
 * To add a format: one file formats/export_NAME.cpp with its exporter and what its files are recognised by,
 * and one line in export_formats.cpp.
 */
struct ExportFormat {
  std::string name;
  std::string summary;     ///< one line
  bool one_trial = false;  ///< writes request.trial; otherwise all trials that pass the filter
  bool to_standard_output = false;
  /** Whether this format of ours wrote a file that begins so (up to 1 MiB); no other format's files do. */
  bool (*recognises_own)(std::string_view head);
  std::function<Status(const ExportRequest&)> write;
};

/** In the order of the help; constant while the program runs. */
const std::vector<ExportFormat>& export_formats();

/** By name; the error offers the nearest names. */
Result<const ExportFormat*> find_export_format(std::string_view name);

/** Writes the request; what the format does not take is InvalidArgument. */
Status export_session(const ExportFormat& format, const ExportRequest& request);

/** What export_session() gives the request: the kind of the format's file. */
OutputKind output_kind(const ExportFormat& format);

/** The file of a request, with the database that it reads as a source. */
OutputRequest output_of(const ExportRequest& request);

/** Whether the format's exporter wrote a file that begins so; each is defined beside its exporter. */
bool is_own_kernel_manifest(std::string_view head);
bool is_own_configuration_json(std::string_view head);  ///< by the order of its members
bool is_own_session_json(std::string_view head);        ///< by its first member
bool is_own_recording(std::string_view head);           ///< any recorded space
bool is_own_trials_csv(std::string_view head);          ///< all columns, or any of those that all trials have
bool is_own_autotvm_log(std::string_view head);         ///< its first line names this program
bool is_own_kernel_tuner_cache(std::string_view head);  ///< it has a session
bool is_own_t4_results(std::string_view head);          ///< it has a session

/** Exporters; each is defined in its own file and listed in export_formats.cpp. */
Status export_kernel_folder(const ExportRequest& request);
/** One configuration as JSON, with its measurements and provenance. */
Status export_configuration_json(const ExportRequest& request);
/** The whole session with all trials that pass the filter: see session_json.h. */
Status export_session_json(const ExportRequest& request);
/** A recorded space (.ksrec). InvalidArgument: columns were chosen; NotFound: no trial to record. */
Status export_recording(const ExportRequest& request);
/** A table of trials with the chosen columns, in order of arrival. */
Status export_trials_csv(const ExportRequest& request);
/** A log of AutoTVM 0.2: one JSON record per line. */
Status export_autotvm_log(const ExportRequest& request);
/** A cache file of Kernel Tuner, with the session beside the entries: see session_key.h. */
Status export_kernel_tuner_cache(const ExportRequest& request);
/** Results in the T4 format of the autotuning methodology, with the session beside them. */
Status export_t4_results(const ExportRequest& request);

}  // namespace kernelscape

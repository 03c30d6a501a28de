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
 * To add a format: one file formats/export_NAME.cpp with its exporter, what its files are recognised by and a
 * function that gives this, and that function's line in export_formats.cpp.
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

}  // namespace kernelscape

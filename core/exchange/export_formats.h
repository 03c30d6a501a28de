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

namespace kernelscape::exchange {

/** The part of a session that is exported, and the destination. */
struct ExportRequest {
  const store::Store& store;
  store::SessionId session = 0;
  std::optional<std::int64_t> trial{};  ///< the trial that a format of a single configuration writes
  std::string filter{};                 ///< filter of trials; empty: all
  std::vector<std::string> columns{};   ///< columns of trials; empty: all
  bool raw = false;                     ///< csv: texts that a spreadsheet would evaluate as formulas are not
                                        ///< escaped
  std::string path{};                   ///< "-": standard output
  std::vector<std::string>* notices{};  ///< receives what is omitted, and who measured the session if not
                                        ///< this program; may be null
  bool force = false;       ///< replaces files that are not earlier exports; see OutputFile for the limits
  base::OutputKind kind{};  ///< of the file; set by export_session()
};

/**
 * A format of exported files. To add a format, write one file formats/export_NAME.cpp with the exporter, a
 * recogniser of its files and a function that returns this struct, and add that function's line to
 * export_formats.cpp.
 */
struct ExportFormat {
  std::string name;
  std::string summary;     ///< one line
  bool one_trial = false;  ///< writes only request.trial; otherwise all trials that pass the filter
  bool to_standard_output = false;
  /**
   * Returns true if this program wrote the file with this beginning (up to 1 MiB) in this format. No other
   * format recognises the file.
   */
  bool (*recognises_own)(std::string_view head);
  std::function<Status(const ExportRequest&)> write;
};

/** Returns all formats in the order of the help; constant while the program runs. */
const std::vector<ExportFormat>& export_formats();

/** Finds a format by name. The error lists the most similar names. */
Result<const ExportFormat*> find_export_format(std::string_view name);

/** Writes the request. Returns InvalidArgument for options that the format does not support. */
Status export_session(const ExportFormat& format, const ExportRequest& request);

/** Returns the kind of the format's file, which export_session() sets in the request. */
base::OutputKind output_kind(const ExportFormat& format);

/** Returns the output file of a request, with the database as one of its sources. */
base::OutputRequest output_of(const ExportRequest& request);

}  // namespace kernelscape::exchange

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/formats/own_session_reader.h"
#include "core/exchange/formats/trials_csv.h"
#include "core/exchange/importer.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {

// Formats of other tuners cannot represent most of a session. Files that Kernelscape writes in these formats
// contain the whole session as an additional member, "kernelscape", which other readers ignore:
//
//   {"entries_crc": CRC-32 of the results, "session": {what export writes with --format json}}
//
// Import uses the member if it precedes the results, and if the results are those with which it was written.

inline constexpr std::string_view session_key_name = "kernelscape";
/** The beginning of a line with the member, by which files of this program are recognised. */
inline constexpr std::string_view own_session_beginning = "\n\"kernelscape\": {\"entries_crc\": ";

/** The checksum of the results of a file, by their values and in their order: white space is ignored. */
class EntriesChecksum {
 public:
  /** Adds the next result. The order of results matters. */
  void add(const space::Json& entry);
  std::uint32_t value() const { return value_; }  ///< CRC-32 of the added results

 private:
  std::uint32_t value_ = 0;
};

/** Writes a whole session as export writes it with --format json. Defined in export_json.cpp. */
Status write_session_json(const ExportRequest& request, const ExportedSession& session, const TextSink& sink);

/** Returns the value of the member. */
Result<std::string> session_key_text(const ExportRequest& request, const ExportedSession& session,
                                     std::uint32_t entries_crc);

/** Returns true if the member was written with these results. */
bool session_key_fits(const space::Json& key, std::uint32_t entries_crc);

/**
 * Returns the session as it was exported. @param reader read the session's members while the file was read
 * @param columns columns of the results: in files of earlier versions the only copy of a recorded space's
 * metrics
 */
Result<ImportedFile> read_session_key(OwnSessionReader& reader, const space::Json& key,
                                      std::vector<trial::RecordedColumn> columns);

}  // namespace kernelscape::exchange

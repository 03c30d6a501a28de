// Imports whole sessions as export writes them with --format json.
#include <fmt/format.h>

#include "core/exchange/formats/own_session_reader.h"
#include "core/exchange/formats/session_json.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

std::unexpected<Error> in_file(const ImportText& file, std::string_view what, const Error& error) {
  return fail(error.code, fmt::format("{}, {}: {}", file.path().string(), what, error.message), error.hint);
}

/** Recognises files. Other formats may contain a session as well, beside a checksum. */
bool recognises_kernelscape(std::string_view head) {
  return begins_as_object(head) && names_key(head, session_json_format) && !names_key(head, "entries_crc");
}

Result<ImportedFile> read_kernelscape_json(ImportText& file) {
  OwnSessionReader reader(file);
  const Result<StreamedJson> json = stream_import_json(file, reader.members({}));
  if (!json) return in_file(file, "as JSON", json.error());
  Result<ImportedFile> imported = reader.finish(*json->rest);
  if (!imported) return in_file(file, "a session of Kernelscape", imported.error());
  return imported;
}

}  // namespace

ImportFormat kernelscape_import() {
  return {.name = "kernelscape",
          .summary = "a whole session, as export writes it with --format json",
          .files = "exported sessions",
          .endings = {".json"},
          .recognises = recognises_kernelscape,
          .read = read_kernelscape_json};
}

}  // namespace kernelscape::exchange

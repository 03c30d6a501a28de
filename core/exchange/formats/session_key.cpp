#include "core/exchange/formats/session_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/crc32.h"
#include "core/exchange/formats/logged_export.h"
#include "core/exchange/formats/session_json.h"

namespace kernelscape::exchange {

void EntriesChecksum::add(const space::Json& entry) {
  value_ = base::crc32(fmt::format("{:08x}{}", value_, space::to_text(entry)));
}

Result<std::string> session_key_text(const ExportRequest& request, const ExportedSession& session,
                                     std::uint32_t entries_crc) {
  std::string text = fmt::format("{{\"entries_crc\": {}, \"session\": ", entries_crc);
  TRY(write_session_json(request, session, [&](std::string_view piece) -> Status {
    text += piece;
    return {};
  }));
  while (text.ends_with('\n')) text.pop_back();
  return text + "}";
}

bool session_key_fits(const space::Json& key, std::uint32_t entries_crc) {
  const space::Json* crc = space::member_of(key, "entries_crc");
  return crc && space::integer_of(*crc) == std::int64_t{entries_crc};
}

Result<ImportedFile> read_session_key(OwnSessionReader& reader, const space::Json& key,
                                      std::vector<trial::RecordedColumn> columns) {
  const space::Json* session = space::member_of(key, "session");
  if (!session)
    return fail(ErrorCode::InvalidArgument, "its member \"kernelscape\" has no session",
                "remove the member: the results in the format of the other tuner are kept");
  Result<ImportedFile> own = reader.finish(*session);
  if (!own || own->natural != ImportAs::Recorded) return own;
  ImportedTrials& part = own->parts.front();
  const bool with_resources = std::ranges::any_of(
      part.trials, [](const ImportedTrial& trial) { return trial.measurement.resources.has_value(); });
  std::set<std::string> metrics;  // files of earlier versions have none in the session
  for (const ImportedTrial& trial : part.trials)
    for (const trial::Metric& metric : trial.measurement.metrics) metrics.insert(metric.name);
  std::erase_if(columns, [&](const trial::RecordedColumn& column) {
    const bool known = is_resource_number(column.name);
    return column.values.size() != part.trials.size() || (with_resources && known) ||
           metrics.contains(column.name);
  });
  part.columns = std::move(columns);
  return own;
}

}  // namespace kernelscape::exchange

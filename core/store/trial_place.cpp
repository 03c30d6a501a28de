#include "core/store/trial_place.h"

#include <fmt/format.h>

#include "core/store/connection.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {

Result<TrialPlace> trial_place(Connection& connection, SessionId id) {
  sqlite::Query query = connection.database.query(
      // The description of a class of fleet devices contains the kind of the device.
      "SELECT kind, recording, CASE WHEN target_name LIKE 'fleet:%' AND json_valid(target_json) "
      "THEN json_extract(target_json, '$.kind') IS NOT 0 ELSE target_name <> 'cpu' END, checksum IS NOT "
      "NULL, "
      "CASE WHEN kind = 1 THEN options_json END FROM session WHERE id = ?");
  query.bind(id);
  TrialPlace place;
  if (query.next()) {
    place = {static_cast<SessionKind>(query.integer(0)), query.integer(1), query.integer(2) != 0,
             query.integer(3) != 0};
    // An unreadable value is reported when the session itself is read.
    if (place.kind == SessionKind::Replayed) {
      const Result<trial::MeasureOptions> options = trial::stored_measure_options(query.text(4));
      if (options && options->replay_samples) place.sampling = *options;
    }
    const bool replays = place.kind == SessionKind::Replayed || place.kind == SessionKind::Recorded;
    if (!plausible_count<std::int32_t>(place.recording) || place.stored() == replays)
      return std::unexpected(
          connection.damaged(fmt::format("the recorded space of session {} is missing", id)));
  }
  return Connection::finish(query, place);
}

}  // namespace kernelscape::store

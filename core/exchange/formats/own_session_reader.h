#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/import_json.h"
#include "core/exchange/importer.h"
#include "core/space/search_space.h"

namespace kernelscape {

/**
 * Takes a session that export wrote with --format json (session_json.h), its trials and series one by one as
 * the text comes. It may be all of a file, or a member of one. Defined in import_kernelscape_json.cpp.
 */
class OwnSessionReader {
 public:
  /** @param file what is read, and what errors name; it has to live as long */
  explicit OwnSessionReader(ImportText& file) : file_(file) {}

  /** What stream_import_json() has to hand over. @param path keys that lead to the session */
  std::vector<StreamedMember> members(const std::vector<std::string>& path);

  /** The session, once the text was read. @param json its object, without what was handed over */
  Result<ImportedFile> finish(const Json& json);

 private:
  Status take_trial(const Json& before, JsonEntry entry);
  Status take_series(const JsonEntry& entry);
  Status begin(const Json& json);
  Status read_session(const Json& json);
  Status add_trial(const Json& json);
  Status finish_parts(const Json& json);

  ImportText& file_;
  ImportedOwnSession own_;
  std::optional<SearchSpace> space_;
  std::vector<ImportedTrial> trials_;
  std::vector<LongJson<Json>> waiting_;                       ///< trials that stand before the session
  std::unordered_map<std::int64_t, std::int64_t> positions_;  ///< of the trials, by their numbers
  std::int64_t last_number_ = -1;
  bool begun_ = false;
  std::optional<Error> error_;  ///< the first; only a session that counts has to be without
};

}  // namespace kernelscape

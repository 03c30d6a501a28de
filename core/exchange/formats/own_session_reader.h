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

namespace kernelscape::exchange {

/**
 * Reads a session that export wrote with --format json (session_json.h). Its trials and series are read one
 * by one as the text arrives. The session may be a whole file, or a member of one.
 */
class OwnSessionReader {
 public:
  /** Creates a reader. @param file the text, which errors name; must outlive the reader */
  explicit OwnSessionReader(ImportText& file) : file_(file) {}

  /**
   * Returns the members that stream_import_json() passes to this reader. @param path keys that lead to the
   * session
   */
  std::vector<StreamedMember> members(const std::vector<std::string>& path);

  /**
   * Returns the session after the text was read. @param json the session's object without its streamed
   * members
   */
  Result<ImportedFile> finish(const space::Json& json);

 private:
  Status take_trial(const space::Json& before, JsonEntry entry);
  Status take_series(const JsonEntry& entry);
  Status begin(const space::Json& json);
  Status read_session(const space::Json& json);
  Status add_trial(const space::Json& json);
  Status finish_parts(const space::Json& json);

  ImportText& file_;
  ImportedOwnSession own_;
  std::optional<space::SearchSpace> space_;
  std::vector<ImportedTrial> trials_;
  std::vector<base::LongJson<space::Json>> waiting_;          ///< trials that precede the session in the text
  std::unordered_map<std::int64_t, std::int64_t> positions_;  ///< positions of the trials, by their numbers
  std::int64_t last_number_ = -1;
  bool begun_ = false;
  std::optional<Error> error_;  ///< the first error; it is reported only if the session is used
};

}  // namespace kernelscape::exchange

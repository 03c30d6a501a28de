#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "core/base/result.h"
#include "core/store/sqlite.h"

namespace kernelscape::store {

/**
 * Messages and logs of trials that are stored together: each is searched for once. An empty text has the id
 * 0.
 */
class StoredTexts {
 public:
  explicit StoredTexts(sqlite::Database& database) : database_(database) {}

  /** Returns the id of a text, which is stored if the database does not have it. */
  Result<std::int64_t> id_of(std::string_view text);

 private:
  sqlite::Database& database_;
  std::map<std::string_view, std::int64_t> ids_;
};

}  // namespace kernelscape::store

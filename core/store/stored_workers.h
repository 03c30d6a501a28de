#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/sqlite.h"

namespace kernelscape::store {

struct Connection;

/**
 * The numbers of a session's workers, from 1. A worker without a number is stored, as long as numbers are
 * left.
 */
class StoredWorkers {
 public:
  /** @param known the workers that the session has, see read_workers() */
  StoredWorkers(sqlite::Database& database, SessionId session, std::vector<std::string> known);

  /** Returns the number of a worker; 0 for an empty or too long name, and if no number is left. */
  Result<std::uint16_t> place_of(const std::string& name);

 private:
  std::uint16_t next_place() const { return static_cast<std::uint16_t>(places_.size() + 1); }

  sqlite::Database& database_;
  SessionId session_;
  std::map<std::string, std::uint16_t> places_;
};

/**
 * Reads the names of a session's workers, in the order of their numbers from 1. Returns Corrupt if they
 * differ from what was stored.
 */
Result<std::vector<std::string>> read_workers(Connection& connection, SessionId id);

}  // namespace kernelscape::store

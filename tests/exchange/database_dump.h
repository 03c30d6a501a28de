#pragma once

#include <sqlite3.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace kernelscape::exchange_tests {

/** A connection of its own, as another program has it. */
class OtherConnection {
 public:
  explicit OtherConnection(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) throw std::runtime_error("cannot open " + path);
  }
  OtherConnection(const OtherConnection&) = delete;
  OtherConnection& operator=(const OtherConnection&) = delete;
  ~OtherConnection() { sqlite3_close(database_); }

  /** Every row, each value with its type before it; throws where SQLite refuses. */
  std::vector<std::string> rows(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(database_));
    std::vector<std::string> rows;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      std::string& row = rows.emplace_back();
      for (int column = 0; column < sqlite3_column_count(statement); ++column) {
        row += std::to_string(sqlite3_column_type(statement, column)) + ':';
        const void* bytes = sqlite3_column_blob(statement, column);
        if (bytes != nullptr)
          row.append(static_cast<const char*>(bytes),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
        row += '\x1f';
      }
    }
    if (sqlite3_finalize(statement) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(database_));
    return rows;
  }

 private:
  sqlite3* database_ = nullptr;
};

/** All that a database's tables hold; what numbers come next does not count. */
inline std::string database_dump(const std::string& path) {
  OtherConnection database(path);
  std::string dump;
  const std::string tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  for (const std::string& row : database.rows(tables)) {
    const std::string name = row.substr(2, row.size() - 3);
    if (name.starts_with("sqlite_")) continue;
    dump += name + '\n';
    for (const std::string& values : database.rows("SELECT * FROM \"" + name + "\"")) dump += values + '\n';
  }
  return dump;
}

}  // namespace kernelscape::exchange_tests

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exchange/formats/delimited_records.h"
#include "core/exchange/formats/result_table.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/skipped_entries.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {

/** Facts about one task of a file whose columns are known. */
struct TableTask {
  std::string problem{};  ///< "xgemm_1 m=1024"
  std::string device{};   ///< empty: unknown
  double flops = 0;       ///< of a call; 0: unknown
};

/**
 * The tables of a file of a known program, one for each task. Readers derive nothing from it: they add rows
 * to the table of a key, and finish.
 */
class KnownTables {
 public:
  /** @param file must outlive this object @param format its name @param program the program's name */
  KnownTables(ImportText& file, std::string format, std::string program)
      : file_(file), format_(std::move(format)), program_(std::move(program)), skipped_(file.path()) {}

  /** Returns the table of a task; a new key adds one. Errors: too many. */
  Result<ResultTable*> table(const std::string& key);
  /**
   * Reads the file as JSON with a list of entries, and passes each of them to `add`. Entries that it refuses
   * are skipped. Returns the rest of the file. Errors have the name of the file.
   */
  Result<StreamedJson> read_entries(const std::string& list,
                                    const std::function<Status(const space::Json&)>& add);
  /**
   * Reads the records of a table: calls `read_names` at the first one, whose error ends the file, and `add`
   * at each of the others. Records that it refuses are skipped. Errors have the name of the file.
   */
  Status read_records(DelimitedRecords& records, const std::function<Status()>& read_names,
                      const std::function<Status()>& add);
  /** Skips an entry that cannot be read, and drops what was set of it in the last table. */
  Status skip(std::string_view place, const Error& why);
  /** Returns an error with the name of the file. */
  std::unexpected<Error> in_file(const Error& error) const;

  /**
   * Returns the file with a part for each table that has rows. @param describe returns the task of a key and
   * its table @param keep_constants as for ResultTable::take()
   */
  Result<ImportedFile> finish(const auto& describe, bool keep_constants) {
    ImportedFile imported{.format = format_, .path = file_.path(), .natural = ImportAs::Recorded};
    for (auto& [key, table] : tables_) {
      if (table.size() == 0) continue;
      const TableTask task = describe(key, table);
      Result<ImportedTrials> part = part_of(table, task, keep_constants);
      if (!part) return in_file(part.error());
      imported.parts.push_back(std::move(*part));
    }
    return with_notices(std::move(imported));
  }

 private:
  Result<ImportedTrials> part_of(ResultTable& table, const TableTask& task, bool keep_constants) const;
  Result<ImportedFile> with_notices(ImportedFile imported) const;

  ImportText& file_;
  std::string format_;
  std::string program_;
  SkippedEntries skipped_;
  std::vector<std::pair<std::string, ResultTable>> tables_;
  std::map<std::string, std::size_t> positions_;
  std::size_t last_ = 0;  ///< the table that was returned last
};

/** Returns a scalar of a file as the text that a table has: texts unchanged, null empty. */
std::string table_text(const space::Json& value);
/** Returns table_text() of an object's member; empty: it has none of this name. */
std::string member_text(const space::Json& object, std::string_view name);

}  // namespace kernelscape::exchange

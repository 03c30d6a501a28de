#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/long_json.h"
#include "core/base/result.h"
#include "core/exchange/import_text.h"
#include "core/exchange/reading_budget.h"
#include "core/exchange/text_cursor.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {

/**
 * Parses JSON of a file that may be hostile. Extensions of JSON that Python writes are accepted: NaN,
 * Infinity and -Infinity as non-finite numbers, None, True and False. Refused, each with line and column:
 * invalid JSON, a key that an object has twice, numbers beyond the range of doubles, and texts that exceed
 * the budget. Integers beyond 64 bits become doubles. Errors do not name the file.
 */
Result<space::Json> parse_import_json(std::string_view text, const ReadingBudget& budget = ReadingBudget());

/** Returns a value for messages, on one line; non-finite numbers as Python writes them: NaN, Infinity. */
std::string shown_json(const space::Json& json);

/** Returns true if a text with this beginning can be a JSON object. */
bool begins_as_object(std::string_view head);

/** Returns true if `"key"` occurs in the beginning of a text, at any depth. */
bool names_key(std::string_view head, std::string_view key);

/** An entry of a long list or object in a file. */
struct JsonEntry {
  std::string key;                ///< empty in lists
  std::size_t number = 0;         ///< 0-based
  TextPlace place;                ///< end of the entry
  std::vector<std::string> keys;  ///< all keys in the entry, in the order of the text; only for the first
                                  ///< eight entries
  std::uint64_t held_bytes = 0;   ///< memory that `value` takes: for ImportText::keep() if it is kept
  std::optional<Error> error{};   ///< why the entry is invalid although it is JSON: it has a key twice
  base::LongJson<space::Json> value{};
};

/** A list or object in a file that is too long for memory and is read by entries. */
struct StreamedMember {
  std::vector<std::string> path;  ///< the keys that lead to the member, the outermost object's first
  /**
   * Receives the members that precede the streamed member in its object, and the entry; an error ends the
   * reading.
   */
  std::function<Status(const space::Json& before, JsonEntry entry)> visit;
  bool may_be_cut = false;  ///< a text that ends within the member is not an error; for a member of the
                            ///< outermost object
};

/** The remaining JSON without the streamed members. */
struct StreamedJson {
  base::LongJson<space::Json> rest;  ///< the outermost object; the streamed members are empty in it
  bool truncated = false;            ///< the text ended within a member that may be cut
  bool dropped = false;              ///< the text ended within an entry, which was not visited
};

/**
 * Parses JSON like parse_import_json(), but passes the entries of some members to their visitors one by one
 * without keeping them, including repeated keys. A key that is twice within an entry makes that entry
 * invalid, not the file. Everything else counts against the text's budget while it is in memory. Errors of
 * the text itself are returned as well.
 */
Result<StreamedJson> stream_import_json(ImportText& text, const std::vector<StreamedMember>& members);

}  // namespace kernelscape::exchange

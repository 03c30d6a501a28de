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

namespace kernelscape {

/**
 * Reads JSON of a file that may be hostile. What Python writes beside JSON is read too: NaN, Infinity and
 * -Infinity as numbers that are not finite, None, True and False. Refused, each with line and column: what is
 * no JSON, a key that an object has twice, numbers beyond the range of doubles, and what exceeds the budget.
 * Whole numbers beyond 64 bits become doubles. Errors don't name the file.
 */
Result<Json> parse_import_json(std::string_view text, const ReadingBudget& budget = ReadingBudget());

/** A value for messages, on one line; what is no finite number as Python writes it: NaN, Infinity. */
std::string shown_json(const Json& json);

/** Whether a text of which this is the beginning can be a JSON object. */
bool begins_as_object(std::string_view head);

/** Whether `"key"` stands somewhere in the beginning of a text, at whatever depth. */
bool names_key(std::string_view head, std::string_view key);

/** An entry of a long list or object in a file. */
struct JsonEntry {
  std::string key;                ///< empty in lists
  std::size_t number = 0;         ///< 0-based
  TextPlace place;                ///< of its end
  std::vector<std::string> keys;  ///< all in it, in the order of the text; of the first eight entries alone
  std::uint64_t held_bytes = 0;   ///< memory that `value` takes: for ImportText::keep() where it is kept
  std::optional<Error> error{};   ///< why the entry is wrong although it is JSON: it has a key twice
  LongJson<Json> value{};
};

/** A member of a file's objects that is too long to be held: a list or an object of entries. */
struct StreamedMember {
  std::vector<std::string> path;  ///< the keys that lead to it, the outermost object's first
  /** Takes the members that stand before it in its object, and the entry; an error ends the reading. */
  std::function<Status(const Json& before, JsonEntry entry)> visit;
  bool may_be_cut = false;  ///< a text that ends in it is no error; for a member of the outermost object
};

/** What is not in the streamed members. */
struct StreamedJson {
  LongJson<Json> rest;     ///< the outermost object; the streamed members are empty in it
  bool truncated = false;  ///< the text ended within a member that may be cut
  bool dropped = false;    ///< ... and within an entry, which was not visited
};

/**
 * The same, but entries of some members are handed over one by one and not held, also those of one key. A
 * key that is twice within an entry makes that entry wrong, not the file. Everything else counts
 * against the text's budget as long as it is in memory. Errors of the text itself come out here too.
 */
Result<StreamedJson> stream_import_json(ImportText& text, const std::vector<StreamedMember>& members);

}  // namespace kernelscape

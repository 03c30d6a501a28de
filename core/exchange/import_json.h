#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/space/knob_json.h"

namespace kernelscape {

/** Nested deeper, a file is refused: no tuner writes such files, and destroying deep values takes stack. */
inline constexpr std::size_t deepest_import_json = 64;

/**
 * JSON of a file that may be hostile. Refused, each with line and column: what is no JSON, values nested
 * deeper than 64, a key that an object has twice, NaN and Infinity, numbers beyond the range of doubles.
 * Whole numbers beyond 64 bits become doubles. Errors don't name the file.
 */
Result<Json> parse_import_json(std::string_view text);

/** An entry of a long list or object in a file. */
struct JsonEntry {
  std::string key;         ///< empty in lists
  std::size_t number = 0;  ///< 0-based
  std::size_t offset = 0;  ///< in the text, of its end
  Json value{};
};

/** What is not in the streamed member. */
struct StreamedJson {
  Json rest;               ///< the outermost object without the entries
  bool truncated = false;  ///< the text ended within the streamed member
  bool dropped = false;    ///< ... and within an entry, which was not visited
};

/**
 * The same, but the entries of one member of the outermost object, a list or an object, are handed over one
 * by one and not kept. A text that ends in this member is no error.
 * @param visit takes the members before the streamed one and the entry; an error ends the reading
 */
Result<StreamedJson> stream_import_json(
    std::string_view text, std::string_view member,
    const std::function<Status(const Json& before, JsonEntry entry)>& visit);

/** "line 12, column 5" of an offset, both from 1, columns in bytes. */
std::string place_in_text(std::string_view text, std::size_t offset);

}  // namespace kernelscape

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/** What Redis answers. */
struct RedisValue {
  enum class Kind : std::uint8_t { Nothing, Integer, Text, List, Error };

  Kind kind = Kind::Nothing;
  std::int64_t integer = 0;
  std::string text{};  ///< any bytes; of an error its code and words
  std::vector<RedisValue> items{};

  bool nothing() const { return kind == Kind::Nothing; }  ///< a key that is not there, a wait in vain
  /** Whether it is an error with this code: "NOGROUP", "OOM". */
  bool is_error(std::string_view code) const {
    return kind == Kind::Error && std::string_view(text).starts_with(code);
  }
  /** The items of a list; none of anything else. */
  const std::vector<RedisValue>& list() const { return items; }
};

/** The text that follows the name in a list of names and values; empty where the name is not there. */
inline std::string_view value_after(const std::vector<RedisValue>& fields, std::string_view name) {
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
    if (fields[i].text == name) return fields[i + 1].text;
  return {};
}

/** An entry of a stream, [id, [name, value, ...]]. */
struct StreamEntry {
  std::string id{};
  std::vector<RedisValue> fields{};

  /** A field's text; empty where it has none of this name. */
  std::string_view field(std::string_view name) const { return value_after(fields, name); }
};

/** An entry as streams' commands answer it; an empty one where it is none. */
inline StreamEntry stream_entry(const RedisValue& value) {
  if (value.items.size() < 2) return {};
  return {value.items[0].text, value.items[1].items};
}

/** The entries that XREAD or XREADGROUP of one stream answered. */
inline std::vector<StreamEntry> stream_entries(const RedisValue& answer) {
  std::vector<StreamEntry> entries;
  if (answer.items.empty() || answer.items[0].items.size() < 2) return entries;
  for (const RedisValue& item : answer.items[0].items[1].items) entries.push_back(stream_entry(item));
  return entries;
}

}  // namespace kernelscape

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::fleet {

/** A reply of Redis. */
struct RedisValue {
  enum class Kind : std::uint8_t { Nothing, Integer, Text, List, Error };

  Kind kind = Kind::Nothing;
  std::int64_t integer = 0;
  std::string text{};  ///< any bytes; for an error its code and message
  std::vector<RedisValue> items{};

  bool nothing() const { return kind == Kind::Nothing; }  ///< a missing key, or a wait that timed out
  /** Returns true if the value is an error with this code: "NOGROUP", "OOM". */
  bool is_error(std::string_view code) const {
    return kind == Kind::Error && std::string_view(text).starts_with(code);
  }
  /** Returns the items of a list; empty for any other kind. */
  const std::vector<RedisValue>& list() const { return items; }
};

/** Returns the text after the name in a list of names and values; empty if the name is missing. */
inline std::string_view value_after(const std::vector<RedisValue>& fields, std::string_view name) {
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
    if (fields[i].text == name) return fields[i + 1].text;
  return {};
}

/** An entry of a stream, [id, [name, value, ...]]. */
struct StreamEntry {
  std::string id{};
  std::vector<RedisValue> fields{};

  /** Returns the text of a field; empty if there is no field with this name. */
  std::string_view field(std::string_view name) const { return value_after(fields, name); }
};

/** Returns an entry in the format of stream commands; an empty entry if the value is not one. */
inline StreamEntry stream_entry(const RedisValue& value) {
  if (value.items.size() < 2) return {};
  return {value.items[0].text, value.items[1].items};
}

/** Returns the entries in the reply of XREAD or XREADGROUP for one stream. */
inline std::vector<StreamEntry> stream_entries(const RedisValue& answer) {
  std::vector<StreamEntry> entries;
  if (answer.items.empty() || answer.items[0].items.size() < 2) return entries;
  for (const RedisValue& item : answer.items[0].items[1].items) entries.push_back(stream_entry(item));
  return entries;
}

}  // namespace kernelscape::fleet

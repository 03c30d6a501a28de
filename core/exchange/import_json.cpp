#include "core/exchange/import_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/numbers.h"
#include "core/base/visible_text.h"

namespace kernelscape::exchange {
namespace {

// The digits that the parser receives for Python's non-finite numbers. The parser accepts them as numbers.
constexpr std::string_view infinity_digits = "11e307";
constexpr std::string_view nan_digits = "12e307";

/** A value as Python writes it, and the JSON that the parser receives for it. */
struct PythonWord {
  std::string_view word;
  std::string_view json;
};
constexpr std::array python_words{PythonWord{"NaN", nan_digits}, PythonWord{"Infinity", infinity_digits},
                                  PythonWord{"None", "null"}, PythonWord{"True", "true"},
                                  PythonWord{"False", "false"}};
constexpr std::size_t max_word_letters = std::string_view("Infinity").size() + 1;

/** Passes the characters of a text to the parser, with JSON in place of Python's words outside of strings. */
class JsonCharacters {
 public:
  explicit JsonCharacters(TextCursor& cursor) : cursor_(cursor) {}

  bool ended() { return pending_.empty() && cursor_.ended(); }
  char current() {
    if (pending_.empty() && !quoted_ && begins_word(cursor_.current())) read_word();
    return pending_.empty() ? cursor_.current() : pending_.front();
  }
  void advance() {
    if (!pending_.empty()) return pending_.remove_prefix(1);
    follow_quotes(cursor_.current());
    cursor_.advance();
  }

  /** Returns how many characters of an unknown word the cursor is ahead of the parser. */
  std::size_t letters_ahead() const { return pending_.size(); }

 private:
  static bool begins_word(char letter) {
    return std::ranges::any_of(python_words, [&](const PythonWord& word) { return word.word[0] == letter; });
  }

  void read_word() {
    word_.clear();
    while (word_.size() < max_word_letters && !cursor_.ended() &&
           std::isalpha(static_cast<unsigned char>(cursor_.current())) != 0) {
      word_ += cursor_.current();
      cursor_.advance();
    }
    const auto* const known = std::ranges::find(python_words, word_, &PythonWord::word);
    pending_ = known == python_words.end() ? std::string_view(word_) : known->json;
  }

  void follow_quotes(char letter) {
    if (quoted_ && letter == '\\' && !escaped_) {
      escaped_ = true;
      return;
    }
    if (letter == '"' && !escaped_) quoted_ = !quoted_;
    escaped_ = false;
  }

  TextCursor& cursor_;
  std::string word_;
  std::string_view pending_;  ///< characters that precede the cursor's
  bool quoted_ = false;
  bool escaped_ = false;
};

/** Iterates over the characters for the parser; the default value is the end. */
class CharacterIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit CharacterIterator(JsonCharacters* characters) : characters_(characters) {}
  char operator*() const { return characters_->current(); }
  CharacterIterator& operator++() {
    characters_->advance();
    return *this;
  }
  CharacterIterator operator++(int) {
    const CharacterIterator old = *this;
    ++*this;
    return old;
  }
  /** Compares with the end: one of the iterators must be the end. */
  bool operator==(const CharacterIterator& other) const {
    return (characters_ != nullptr ? characters_ : other.characters_)->ended();
  }

 private:
  JsonCharacters* characters_;
};

/** Returns the number that Python wrote as Infinity, -Infinity or NaN. */
std::optional<double> python_number(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (digits == nan_digits) return std::numeric_limits<double>::quiet_NaN();
  if (digits != infinity_digits) return std::nullopt;
  return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

/** Returns nlohmann's reason without its number and place: "invalid literal; last read: 'x'". */
std::string reason_of(std::string_view text) {
  const std::size_t detail = text.find(" - ");
  if (detail != std::string_view::npos) return std::string(text.substr(detail + 3));
  const std::size_t prefix = text.find("] ");
  return std::string(prefix == std::string_view::npos ? text : text.substr(prefix + 2));
}

/**
 * The number of entries of a streamed member that are passed with their keys: the first entries may be wrong.
 */
constexpr std::size_t max_ordered_entries = 8;
constexpr const char* damaged_hint = "the file is damaged, or is in another format";
constexpr const char* strange_hint = "no tuner writes such files";

/** Builds values from the events of the parser, and passes entries of streamed members to their visitors. */
class ImportEvents {
 public:
  ImportEvents(TextCursor& cursor, const ReadingBudget& budget, HeldMemory& held,
               const std::vector<StreamedMember>& members)
      : cursor_(cursor), characters_(cursor), budget_(budget), held_(held), members_(members) {}

  Result<StreamedJson> run() {
    const bool read =
        space::Json::sax_parse(CharacterIterator(&characters_), CharacterIterator(nullptr), this);
    if (cursor_.error()) return std::unexpected(*cursor_.error());
    if (read) return StreamedJson{.rest = std::move(root_)};
    const std::size_t streamed_depth = 2;
    if (!ended_early_ || frames_.size() < streamed_depth || frames_[1].streamed == nullptr ||
        !frames_[1].streamed->may_be_cut)
      return std::unexpected(std::move(error_));
    return StreamedJson{
        .rest = std::move(frames_.front().value), .truncated = true, .dropped = within_entry_};
  }

  bool null() { return add(space::Json()); }
  bool boolean(bool value) { return add(space::Json(value)); }
  bool number_integer(std::int64_t value) { return add(space::Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(space::Json(value)); }
  bool number_float(double value, const std::string& digits) {
    if (digits.size() > budget_.max_number_bytes)
      return refuse_size("a number", digits.size(), budget_.max_number_bytes);
    return add(space::Json(python_number(digits).value_or(value)));
  }
  bool string(std::string& value) {
    base::JsonSize size;
    size.add_text(value.size());
    return hold(size) && add(space::Json(std::move(value)));
  }
  bool binary(space::Json::binary_t&) { return refuse("binary values are not JSON"); }
  bool start_object(std::size_t) { return start(space::Json::value_t::object); }
  bool end_object() { return finish(); }
  bool start_array(std::size_t) { return start(space::Json::value_t::array); }
  bool end_array() { return finish(); }

  bool key(std::string& name) {
    if (name.size() > budget_.max_key_bytes) return refuse_size("a key", name.size(), budget_.max_key_bytes);
    Frame& frame = frames_.back();
    // Streamed entries with equal keys are passed one by one.
    if (frame.streamed == nullptr && frame.value->contains(name) && !take_repeated_key(name)) return false;
    base::JsonSize size;
    size.add_key(name.size());
    within_entry_ = true;
    if (ordered_entries_ > 0 && frame.streamed == nullptr) {
      entry_keys_.push_back(name);
      size.add_text(name.size());
    }
    frame.key = std::move(name);
    return hold(size);
  }

  bool parse_error(std::size_t, const std::string&, const space::Json::exception& exception) {
    if (cursor_.error()) return false;
    TextPlace at = cursor_.place_before();
    at.column -= characters_.letters_ahead();
    const std::string place = to_string(at);
    const std::string rest = cursor_.from_last(2);
    ended_early_ = rest.size() <= 1 && cursor_.ended() && !frames_.empty();
    const std::string reason = reason_of(exception.what());
    // There is no event yet within a string or a number.
    within_entry_ = within_entry_ || !reason.contains("unexpected end of input");
    if (ended_early_) return refuse_at(place, "the text ends too early: " + reason, damaged_hint);
    return refuse_at(place, reason, damaged_hint);
  }

 private:
  struct Frame {
    base::LongJson<space::Json> value;
    std::string key = {};                      ///< key of the current member
    const StreamedMember* streamed = nullptr;  ///< set if the entries are passed to a visitor
    std::size_t entries = 0;
  };

  /** Handles a repeated key. Within a streamed entry it makes the entry wrong, not the file. */
  bool take_repeated_key(const std::string& name) {
    refuse(fmt::format("the key {} occurs twice", base::quoted_line(name)), "remove one of them");
    if (open_ == nullptr) return false;
    const Error error = std::exchange(error_, {});
    if (!entry_error_) entry_error_ = error;
    return true;
  }

  bool refuse(std::string_view reason, std::string hint = damaged_hint) {
    return refuse_at(to_string(cursor_.place_before()), reason, std::move(hint));
  }

  bool refuse_at(std::string_view place, std::string_view reason, std::string hint,
                 ErrorCode code = ErrorCode::InvalidArgument) {
    constexpr std::size_t max_characters = 240;  // the parser quotes the whole token
    error_ = {code, fmt::format("{}: {}", place, base::one_line(reason, max_characters)), std::move(hint)};
    return false;
  }

  bool refuse_size(std::string_view what, std::size_t bytes, std::size_t max_bytes) {
    return refuse_at(to_string(cursor_.place_before()),
                     fmt::format("{} has {} characters, at most {} are read", what, bytes, max_bytes),
                     strange_hint, ErrorCode::Refused);
  }

  /** Counts memory before it is allocated; returns false if that exceeds the budget. */
  bool hold(const base::JsonSize& size) {
    cursor_.mark();
    values_ += size.values;
    bytes_ += size.bytes;
    if (values_ > budget_.max_values)
      return refuse_at(to_string(cursor_.place_before()),
                       fmt::format("more than {} values would be in memory at once", budget_.max_values),
                       strange_hint, ErrorCode::Refused);
    if (held_.take(size.bytes)) return true;
    const Error error = out_of_reading_memory(held_);
    return refuse_at(to_string(cursor_.place_before()), error.message, error.hint, error.code);
  }

  bool start(space::Json::value_t type) {
    if (frames_.size() == budget_.max_depth)
      return refuse(fmt::format("values are nested more than {} deep", budget_.max_depth));
    base::JsonSize size;
    size.add_container();
    if (!hold(size)) return false;
    within_entry_ = true;
    const StreamedMember* streamed = open_ == nullptr ? member_here() : nullptr;
    frames_.push_back({.value = space::Json(type), .streamed = streamed});
    if (streamed != nullptr) {
      open_ = streamed;
      ordered_entries_ = max_ordered_entries;
      begin_entry();
    }
    return true;
  }

  /** Returns the streamed member whose value begins here, or null. */
  const StreamedMember* member_here() const {
    const auto leads_here = [&](const StreamedMember& member) {
      return std::ranges::equal(member.path, frames_, [](const std::string& key, const Frame& frame) {
        return frame.value->is_object() && frame.key == key;
      });
    };
    const auto found = std::ranges::find_if(members_, leads_here);
    return found == members_.end() ? nullptr : &*found;
  }

  void begin_entry() {
    within_entry_ = false;
    values_before_entry_ = values_;
    bytes_before_entry_ = bytes_;
  }

  bool finish() {
    if (frames_.back().streamed != nullptr) {
      open_ = nullptr;
      ordered_entries_ = 0;
    }
    base::LongJson<space::Json> value = std::move(frames_.back().value);
    frames_.pop_back();
    return add(std::move(value));
  }

  bool add(base::LongJson<space::Json> value) {
    base::JsonSize size;
    size.add_value();
    if (!hold(size)) return false;
    if (frames_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& parent = frames_.back();
    if (parent.streamed != nullptr) return hand_over(parent, std::move(value));
    if (parent.value->is_array())
      parent.value->push_back(value.release());
    else
      parent.value->emplace(std::move(parent.key), value.release());
    return true;
  }

  bool hand_over(Frame& parent, base::LongJson<space::Json> value) {
    JsonEntry entry{.key = std::move(parent.key),
                    .number = parent.entries++,
                    .place = cursor_.place(),
                    .keys = std::exchange(entry_keys_, {}),
                    .held_bytes = bytes_ - bytes_before_entry_,
                    .error = std::exchange(entry_error_, {})};
    entry.value = std::move(value);
    if (ordered_entries_ > 0) --ordered_entries_;
    // The visitor counts what it keeps.
    held_.release_bytes(entry.held_bytes);
    values_ = values_before_entry_;
    bytes_ = bytes_before_entry_;
    const Status visited = parent.streamed->visit(*frames_[frames_.size() - 2].value, std::move(entry));
    if (!visited) error_ = visited.error();
    begin_entry();
    return visited.has_value();
  }

  TextCursor& cursor_;
  JsonCharacters characters_;
  const ReadingBudget& budget_;
  HeldMemory& held_;
  const std::vector<StreamedMember>& members_;
  std::vector<Frame> frames_;
  const StreamedMember* open_ = nullptr;  ///< the member whose entries are being read
  std::vector<std::string> entry_keys_;   ///< keys of one of the first entries, while it is being read
  std::optional<Error> entry_error_;      ///< error of the entry that is being read
  std::uint64_t values_ = 0;              ///< in memory
  std::uint64_t bytes_ = 0;               ///< in memory
  std::uint64_t values_before_entry_ = 0;
  std::uint64_t bytes_before_entry_ = 0;
  base::LongJson<space::Json> root_;
  Error error_;
  std::size_t ordered_entries_ = 0;  ///< remaining entries of the streamed member that are passed with their
                                     ///< keys
  bool within_entry_ = false;        ///< something was read since the last entry, or since the beginning of
                                     ///< the member
  bool ended_early_ = false;
};

}  // namespace

std::string shown_json(const space::Json& json) {
  if (!json.is_number_float() || std::isfinite(json.get<double>()))
    return base::one_line(space::to_text(json));
  if (std::isnan(json.get<double>())) return "NaN";
  return json.get<double>() < 0 ? "-Infinity" : "Infinity";
}

bool begins_as_object(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

bool names_key(std::string_view head, std::string_view key) {
  return head.contains(fmt::format("\"{}\"", key));
}

Result<space::Json> parse_import_json(std::string_view text, const ReadingBudget& budget) {
  TextCursor cursor(text);
  HeldMemory held(budget.max_memory_bytes);
  const std::vector<StreamedMember> none;
  StreamedJson read = TRY(ImportEvents(cursor, budget, held, none).run());
  return read.rest.release();
}

Result<StreamedJson> stream_import_json(ImportText& text, const std::vector<StreamedMember>& members) {
  ImportEvents events(text, text.budget(), text.held(), members);
  return events.run();
}

}  // namespace kernelscape::exchange

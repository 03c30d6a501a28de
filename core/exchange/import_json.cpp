#include "core/exchange/import_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/numbers.h"
#include "core/base/visible_text.h"

namespace kernelscape {
namespace {

/** A cursor as the parser walks it; without one, the end. */
class CursorIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit CursorIterator(TextCursor* cursor) : cursor_(cursor) {}
  char operator*() const { return cursor_->current(); }
  CursorIterator& operator++() {
    cursor_->advance();
    return *this;
  }
  CursorIterator operator++(int) {
    const CursorIterator old = *this;
    ++*this;
    return old;
  }
  /** One of them is the end. */
  bool operator==(const CursorIterator& other) const {
    return (cursor_ != nullptr ? cursor_ : other.cursor_)->ended();
  }

 private:
  TextCursor* cursor_;
};

/** nlohmann's reason without its number and place: "invalid literal; last read: 'x'". */
std::string reason_of(std::string_view text) {
  const std::size_t detail = text.find(" - ");
  if (detail != std::string_view::npos) return std::string(text.substr(detail + 3));
  const std::size_t prefix = text.find("] ");
  return std::string(prefix == std::string_view::npos ? text : text.substr(prefix + 2));
}

constexpr const char* damaged_hint = "the file is damaged, or is in another format";
constexpr const char* strange_hint = "no tuner writes such files";

/** Events of the parser become values; entries of streamed members are handed over. */
class ImportEvents {
 public:
  ImportEvents(TextCursor& cursor, const ReadingBudget& budget, HeldMemory& held,
               const std::vector<StreamedMember>& members)
      : cursor_(cursor), budget_(budget), held_(held), members_(members) {}

  Result<StreamedJson> run() {
    const bool read = Json::sax_parse(CursorIterator(&cursor_), CursorIterator(nullptr), this);
    if (cursor_.error()) return std::unexpected(*cursor_.error());
    if (read) return StreamedJson{.rest = std::move(root_)};
    const std::size_t streamed_depth = 2;
    if (!ended_early_ || frames_.size() < streamed_depth || frames_[1].streamed == nullptr ||
        !frames_[1].streamed->may_be_cut)
      return std::unexpected(std::move(error_));
    return StreamedJson{
        .rest = std::move(frames_.front().value), .truncated = true, .dropped = within_entry_};
  }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(double value, const std::string& digits) {
    if (digits.size() > budget_.most_number_bytes)
      return refuse_size("a number", digits.size(), budget_.most_number_bytes);
    return add(Json(value));
  }
  bool string(std::string& value) {
    JsonSize size;
    size.add_text(value.size());
    return hold(size) && add(Json(std::move(value)));
  }
  bool binary(Json::binary_t&) { return refuse("binary values are no JSON"); }
  bool start_object(std::size_t) { return start(Json::value_t::object); }
  bool end_object() { return finish(); }
  bool start_array(std::size_t) { return start(Json::value_t::array); }
  bool end_array() { return finish(); }

  bool key(std::string& name) {
    if (name.size() > budget_.most_key_bytes)
      return refuse_size("a key", name.size(), budget_.most_key_bytes);
    Frame& frame = frames_.back();
    const bool twice = frame.streamed ? !seen_.insert(name).second : frame.value->contains(name);
    if (twice)
      return refuse(fmt::format("the key {} is there twice", quoted_line(name)), "remove one of them");
    JsonSize size;
    size.add_key(name.size());
    within_entry_ = true;
    if (first_entry_ && frame.streamed == nullptr) {
      entry_keys_.push_back(name);
      size.add_text(name.size());
    }
    frame.key = std::move(name);
    return hold(size);
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& exception) {
    if (cursor_.error()) return false;
    const std::string place = to_string(cursor_.place_before());
    const std::string rest = cursor_.from_last(std::string_view("Infinity").size());
    ended_early_ = rest.size() <= 1 && cursor_.ended() && !frames_.empty();
    const std::string reason = reason_of(exception.what());
    // Within a text or a number there was no event yet.
    within_entry_ = within_entry_ || !reason.contains("unexpected end of input");
    for (const std::string_view word : {"NaN", "Infinity"})
      if (rest.starts_with(word))
        return refuse_at(place, fmt::format("{} is no number in JSON", word),
                         "programs in Python write it where they measured none: replace it by null");
    if (ended_early_) return refuse_at(place, "the text ends too early: " + reason, damaged_hint);
    return refuse_at(place, reason, damaged_hint);
  }

 private:
  struct Frame {
    LongJson<Json> value;
    std::string key = {};                      ///< of the member that is being read
    const StreamedMember* streamed = nullptr;  ///< its entries are handed over
    std::size_t entries = 0;
  };

  bool refuse(std::string_view reason, std::string hint = damaged_hint) {
    return refuse_at(to_string(cursor_.place_before()), reason, std::move(hint));
  }

  bool refuse_at(std::string_view place, std::string_view reason, std::string hint,
                 ErrorCode code = ErrorCode::InvalidArgument) {
    constexpr std::size_t most_characters = 240;  // the parser quotes all of a token
    error_ = {code, fmt::format("{}: {}", place, one_line(reason, most_characters)), std::move(hint)};
    return false;
  }

  bool refuse_size(std::string_view what, std::size_t bytes, std::size_t most_bytes) {
    return refuse_at(to_string(cursor_.place_before()),
                     fmt::format("{} has {} characters, at most {} are read", what, bytes, most_bytes),
                     strange_hint, ErrorCode::Refused);
  }

  /** Counts what is about to be held; false where that exceeds the budget. */
  bool hold(const JsonSize& size) {
    cursor_.mark();
    values_ += size.values;
    bytes_ += size.bytes;
    if (values_ > budget_.most_values)
      return refuse_at(to_string(cursor_.place_before()),
                       fmt::format("over {} values have to be held at once", budget_.most_values),
                       strange_hint, ErrorCode::Refused);
    if (held_.take(size.bytes)) return true;
    const Error error = out_of_reading_memory(held_);
    return refuse_at(to_string(cursor_.place_before()), error.message, error.hint, error.code);
  }

  bool start(Json::value_t type) {
    if (frames_.size() == budget_.most_depth)
      return refuse(fmt::format("values are nested more than {} deep", budget_.most_depth));
    JsonSize size;
    size.add_container();
    if (!hold(size)) return false;
    within_entry_ = true;
    const StreamedMember* streamed = open_ == nullptr ? member_here() : nullptr;
    frames_.push_back({.value = Json(type), .streamed = streamed});
    if (streamed != nullptr) {
      open_ = streamed;
      first_entry_ = true;
      seen_.clear();
      begin_entry();
    }
    return true;
  }

  /** The member that a value begins of, where it is to be streamed. */
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
      first_entry_ = false;
    }
    LongJson<Json> value = std::move(frames_.back().value);
    frames_.pop_back();
    return add(std::move(value));
  }

  bool add(LongJson<Json> value) {
    JsonSize size;
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

  bool hand_over(Frame& parent, LongJson<Json> value) {
    JsonEntry entry{.key = std::move(parent.key),
                    .number = parent.entries++,
                    .place = cursor_.place(),
                    .keys = std::exchange(entry_keys_, {}),
                    .held_bytes = bytes_ - bytes_before_entry_};
    entry.value = std::move(value);
    first_entry_ = false;
    // The visitor counts what it keeps; of keys, one is kept here.
    JsonSize seen;
    if (!entry.key.empty()) seen.add_key(entry.key.size());
    held_.give_back(entry.held_bytes);
    values_ = values_before_entry_;
    bytes_ = bytes_before_entry_;
    const Status visited = parent.streamed->visit(*frames_[frames_.size() - 2].value, std::move(entry));
    if (!visited) error_ = visited.error();
    begin_entry();
    if (!visited) return false;
    const bool kept = hold(seen);
    begin_entry();
    return kept;
  }

  TextCursor& cursor_;
  const ReadingBudget& budget_;
  HeldMemory& held_;
  const std::vector<StreamedMember>& members_;
  std::vector<Frame> frames_;
  const StreamedMember* open_ = nullptr;  ///< the member whose entries are being read
  std::unordered_set<std::string> seen_;  ///< keys of the streamed object
  std::vector<std::string> entry_keys_;   ///< of its first entry, while that is read
  std::uint64_t values_ = 0;              ///< held
  std::uint64_t bytes_ = 0;               ///< held
  std::uint64_t values_before_entry_ = 0;
  std::uint64_t bytes_before_entry_ = 0;
  LongJson<Json> root_;
  Error error_;
  bool first_entry_ = false;   ///< that of a streamed member is being read
  bool within_entry_ = false;  ///< something was read since the last entry, or since the member began
  bool ended_early_ = false;
};

}  // namespace

bool begins_as_object(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

bool names_key(std::string_view head, std::string_view key) {
  return head.contains(fmt::format("\"{}\"", key));
}

Result<Json> parse_import_json(std::string_view text, const ReadingBudget& budget) {
  TextCursor cursor(text);
  HeldMemory held(budget.most_memory_bytes);
  const std::vector<StreamedMember> none;
  StreamedJson read = TRY(ImportEvents(cursor, budget, held, none).run());
  return read.rest.release();
}

Result<StreamedJson> stream_import_json(ImportText& text, const std::vector<StreamedMember>& members) {
  ImportEvents events(text, text.budget(), text.held(), members);
  return events.run();
}

}  // namespace kernelscape

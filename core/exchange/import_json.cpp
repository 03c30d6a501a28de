#include "core/exchange/import_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/visible_text.h"

namespace kernelscape {
namespace {

/** Walks the text and tells how far the parser has read. */
class WatchedText {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedText(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  WatchedText& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  WatchedText operator++(int) {
    WatchedText old = *this;
    ++*this;
    return old;
  }
  bool operator==(const WatchedText& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/** nlohmann's reason without its number and place: "invalid literal; last read: 'x'". */
std::string reason_of(std::string_view text) {
  const std::size_t detail = text.find(" - ");
  if (detail != std::string_view::npos) return std::string(text.substr(detail + 3));
  const std::size_t prefix = text.find("] ");
  return std::string(prefix == std::string_view::npos ? text : text.substr(prefix + 2));
}

/** Events of the parser become values; those of a streamed member are handed over. */
class ImportEvents {
 public:
  using Visit = std::function<Status(const Json& before, JsonEntry entry)>;

  ImportEvents(std::string_view text, std::string_view streamed, const Visit* visit)
      : text_(text), read_(text.data()), streamed_(streamed), visit_(visit) {}

  Result<StreamedJson> run() {
    const WatchedText begin(text_.data(), &read_);
    const WatchedText end(text_.data() + text_.size(), &read_);
    const bool read = Json::sax_parse(begin, end, this);
    if (read) return StreamedJson{.rest = std::move(root_)};
    const std::size_t streamed_depth = 2;
    if (!ended_early_ || frames_.size() < streamed_depth || !frames_[1].streamed)
      return std::unexpected(std::move(error_));
    const bool within = text_.find_first_not_of(" \t\r\n,", entry_end_) != std::string_view::npos;
    return StreamedJson{.rest = std::move(frames_.front().value), .truncated = true, .dropped = within};
  }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(double value, const std::string&) { return add(Json(value)); }
  bool string(std::string& value) { return add(Json(std::move(value))); }
  bool binary(Json::binary_t&) { return refuse("binary values are no JSON"); }
  bool start_object(std::size_t) { return start(Json::value_t::object); }
  bool end_object() { return finish(); }
  bool start_array(std::size_t) { return start(Json::value_t::array); }
  bool end_array() { return finish(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    const bool twice = frame.streamed ? !seen_.insert(name).second : frame.value.contains(name);
    if (twice)
      return refuse(fmt::format("the key {} is there twice", quoted_line(name)), "remove one of them");
    frame.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& exception) {
    ended_early_ = offset() == text_.size() && !frames_.empty();
    const std::string_view rest = text_.substr(offset() == 0 ? 0 : offset() - 1);
    for (const std::string_view word : {"NaN", "Infinity"})
      if (rest.starts_with(word))
        return refuse(fmt::format("{} is no number in JSON", one_line(word)),
                      "programs in Python write it where they measured none: replace it by null");
    if (ended_early_) return refuse("the text ends too early: " + reason_of(exception.what()));
    return refuse(reason_of(exception.what()));
  }

 private:
  struct Frame {
    Json value;
    std::string key = {};   ///< of the member that is being read
    bool streamed = false;  ///< entries are handed over
    std::size_t entries = 0;
  };

  std::size_t offset() const { return static_cast<std::size_t>(read_ - text_.data()); }

  bool refuse(std::string_view reason, std::string hint = "the file is damaged, or is in another format") {
    const std::size_t last_read = offset() == 0 ? 0 : offset() - 1;
    error_ = {ErrorCode::InvalidArgument, fmt::format("{}: {}", place_in_text(text_, last_read), reason),
              std::move(hint)};
    return false;
  }

  bool start(Json::value_t type) {
    if (frames_.size() == deepest_import_json)
      return refuse(fmt::format("values are nested more than {} deep", deepest_import_json));
    const bool streamed = visit_ != nullptr && frames_.size() == 1 && frames_[0].value.is_object() &&
                          frames_[0].key == streamed_;
    frames_.push_back({.value = Json(type), .streamed = streamed});
    if (streamed) entry_end_ = offset();
    return true;
  }

  bool finish() {
    Json value = std::move(frames_.back().value);
    frames_.pop_back();
    return add(std::move(value));
  }

  bool add(Json value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& parent = frames_.back();
    if (parent.streamed) return hand_over(parent, std::move(value));
    if (parent.value.is_array())
      parent.value.push_back(std::move(value));
    else
      parent.value.emplace(std::move(parent.key), std::move(value));
    return true;
  }

  bool hand_over(Frame& parent, Json value) {
    JsonEntry entry{.key = std::move(parent.key), .number = parent.entries++, .offset = offset()};
    entry.value = std::move(value);
    entry_end_ = entry.offset;
    const Status visited = (*visit_)(frames_.front().value, std::move(entry));
    if (!visited) error_ = visited.error();
    return visited.has_value();
  }

  std::string_view text_;
  const char* read_;  ///< all before it was read
  std::string_view streamed_;
  const Visit* visit_;
  std::vector<Frame> frames_;
  std::unordered_set<std::string> seen_;  ///< keys of the streamed object
  Json root_;
  Error error_;
  std::size_t entry_end_ = 0;  ///< of the streamed entries that were read, or their beginning
  bool ended_early_ = false;
};

}  // namespace

Result<Json> parse_import_json(std::string_view text) {
  StreamedJson read = TRY(ImportEvents(text, {}, nullptr).run());
  return std::move(read.rest);
}

Result<StreamedJson> stream_import_json(
    std::string_view text, std::string_view member,
    const std::function<Status(const Json& before, JsonEntry entry)>& visit) {
  return ImportEvents(text, member, &visit).run();
}

std::string place_in_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none: npos + 1
  return fmt::format("line {}, column {}", line, before.size() - line_begin + 1);
}

}  // namespace kernelscape

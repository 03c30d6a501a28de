#include "core/exchange/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/numbers.h"

namespace kernelscape::exchange {

std::string to_string(const TextPlace& place) {
  return fmt::format("line {}, column {}", place.line, place.column);
}

/**
 * Reads the next piece. The previous piece stays in memory until there is more, because errors refer to the
 * last character.
 */
bool TextCursor::refill() {
  if (error_ || finished_) return false;
  if (offset() - marked_offset_ > max_token_bytes_) {
    error_ = Error{ErrorCode::Refused,
                   fmt::format("{}: a text, a number or a line is longer than {}", to_string(place_before()),
                               base::bytes_text(static_cast<double>(max_token_bytes_))),
                   "no tuner writes such files"};
    return false;
  }
  const bool new_line = begin_ != end_ && end_[-1] == '\n';
  if (begin_ != end_) count_lines(end_ - 1);
  const Result<std::string_view> piece = next_piece();
  if (!piece) error_ = piece.error();
  finished_ = piece && piece->empty();
  if (!piece || piece->empty()) return false;
  piece_offset_ = offset();
  if (new_line) {
    ++full_lines_;
    line_offset_ = piece_offset_;
  }
  begin_ = at_ = counted_ = piece->data();
  end_ = begin_ + piece->size();
  return true;
}

void TextCursor::count_lines(const char* until) {
  while (counted_ < until) {
    const auto* found =
        static_cast<const char*>(std::memchr(counted_, '\n', static_cast<std::size_t>(until - counted_)));
    if (found == nullptr) {
      counted_ = until;
      return;
    }
    counted_ = found + 1;
    ++full_lines_;
    line_offset_ = piece_offset_ + static_cast<std::uint64_t>(counted_ - begin_);
  }
}

TextPlace TextCursor::place_before() {
  if (at_ == begin_) return {full_lines_ + 1, std::max<std::uint64_t>(offset() - line_offset_, 1)};
  count_lines(at_ - 1);
  return {full_lines_ + 1, offset() - line_offset_};
}

TextPlace TextCursor::place() {
  const TextPlace before = place_before();
  if (offset() == 0) return before;
  if (at_ != begin_ && at_[-1] == '\n') return {before.line + 1, 1};
  return {before.line, before.column + 1};
}

std::string TextCursor::from_last(std::size_t max_bytes) {
  std::string text;
  if (at_ != begin_) text += at_[-1];
  while (text.size() < max_bytes && !ended()) {
    text += current();
    advance();
  }
  return text;
}

std::optional<std::string_view> TextCursor::next_line() {
  mark();
  line_.clear();
  if (ended()) return std::nullopt;
  while (!ended()) {
    const auto rest = static_cast<std::size_t>(end_ - at_);
    const auto* found = static_cast<const char*>(std::memchr(at_, '\n', rest));
    const char* line_end = found != nullptr ? found : end_;
    const std::string_view part(at_, static_cast<std::size_t>(line_end - at_));
    at_ = found != nullptr ? found + 1 : end_;
    // A line within one piece is not copied. The last line of the text is copied, because nothing else marks
    // its end.
    if (found != nullptr && line_.empty()) return part;
    line_ += part;
    if (found != nullptr) return line_;
  }
  if (error_) return std::nullopt;
  return line_;
}

}  // namespace kernelscape::exchange

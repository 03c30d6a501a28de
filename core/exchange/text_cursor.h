#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::exchange {

/** The place of a character: line and column from 1, columns in bytes. */
struct TextPlace {
  std::uint64_t line = 1;
  std::uint64_t column = 1;

  bool operator==(const TextPlace&) const = default;
};

/** Returns "line 12, column 5". */
std::string to_string(const TextPlace& place);

/**
 * Reads a text once from its beginning to its end. The text may come in pieces, of which only one is in
 * memory.
 */
class TextCursor {
 public:
  /** Creates a cursor over a complete text, which must outlive the cursor. */
  explicit TextCursor(std::string_view text) : begin_(text.data()), end_(begin_ + text.size()) {}
  TextCursor(const TextCursor&) = delete;
  TextCursor& operator=(const TextCursor&) = delete;
  virtual ~TextCursor() = default;

  /** Returns true if no character is left, or if no more characters can be read: see error(). */
  bool ended() { return at_ == end_ && !refill(); }
  char current() const { return *at_; }  ///< call only after ended() returned false
  void advance() { ++at_; }              ///< moves past current()

  /** Returns the number of characters that were read: the offset of current(). */
  std::uint64_t offset() const { return piece_offset_ + static_cast<std::uint64_t>(at_ - begin_); }
  /** Returns the place of current(). Call it soon after the character was read. */
  TextPlace place();
  /** Returns the place of the character before current(). */
  TextPlace place_before();
  /**
   * Returns the last character that was read and the text after it, at most `max_bytes` bytes: the subject
   * of an error.
   */
  std::string from_last(std::size_t max_bytes);

  /** Marks the end of a token, from which limit_tokens() counts. */
  void mark() { marked_offset_ = offset(); }
  /**
   * Refuses texts with more than about `max_bytes` bytes between two marks, which the parser would have to
   * keep in memory.
   */
  void limit_tokens(std::uint64_t max_bytes) { max_token_bytes_ = max_bytes; }

  /** Returns the error that ended the text early. */
  const std::optional<Error>& error() const { return error_; }

  /**
   * Returns the next line without its line end, valid until the next call; nullopt after the last line or an
   * error.
   */
  std::optional<std::string_view> next_line();

 protected:
  /** Returns the next piece, valid until the next call; an empty piece ends the text. */
  virtual Result<std::string_view> next_piece() { return std::string_view(); }

 private:
  bool refill();
  void count_lines(const char* until);

  const char* begin_;  ///< beginning of the piece
  const char* end_;
  const char* at_ = begin_;
  const char* counted_ = begin_;  ///< lines before this position are counted
  std::uint64_t piece_offset_ = 0;
  std::uint64_t full_lines_ = 0;   ///< number of lines that end before counted_
  std::uint64_t line_offset_ = 0;  ///< offset of the beginning of the current line
  std::uint64_t marked_offset_ = 0;
  std::uint64_t max_token_bytes_ = ~std::uint64_t{0};
  std::string line_;  ///< a line that spans several pieces
  std::optional<Error> error_;
  bool finished_ = false;
};

}  // namespace kernelscape::exchange

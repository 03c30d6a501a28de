#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/** Where a character stands, both from 1, columns in bytes. */
struct TextPlace {
  std::uint64_t line = 1;
  std::uint64_t column = 1;

  bool operator==(const TextPlace&) const = default;
};

/** "line 12, column 5". */
std::string to_string(const TextPlace& place);

/** Walks a text once, from its beginning to its end. It may come in pieces: only one is in memory. */
class TextCursor {
 public:
  /** Of a text that is all there; it has to live as long. */
  explicit TextCursor(std::string_view text) : begin_(text.data()), end_(begin_ + text.size()) {}
  TextCursor(const TextCursor&) = delete;
  TextCursor& operator=(const TextCursor&) = delete;
  virtual ~TextCursor() = default;

  /** No character is left, or none can be read: see error(). */
  bool ended() { return at_ == end_ && !refill(); }
  char current() const { return *at_; }  ///< after ended() said false
  void advance() { ++at_; }              ///< past current()

  /** Characters that were read: the offset of current(). */
  std::uint64_t offset() const { return piece_offset_ + static_cast<std::uint64_t>(at_ - begin_); }
  /** Of current(). Ask soon after a character was read. */
  TextPlace place();
  /** Of the character before. */
  TextPlace place_before();
  /** The character read last and what follows it, at most so many bytes: what an error is about. */
  std::string from_last(std::size_t most_bytes);

  /** A token ended here: limit_tokens() counts from here on. */
  void mark() { marked_offset_ = offset(); }
  /** Refuses texts with more than about so many bytes between two marks; the parser would hold them all. */
  void limit_tokens(std::uint64_t most_bytes) { most_token_bytes_ = most_bytes; }

  /** Why the text ended before its end. */
  const std::optional<Error>& error() const { return error_; }

  /** The next line without its end, whole, until the next call; nothing after the last one or an error. */
  std::optional<std::string_view> next_line();

 protected:
  /** The next piece, which lives until the one after it is asked for; an empty one ends the text. */
  virtual Result<std::string_view> next_piece() { return std::string_view(); }

 private:
  bool refill();
  void count_lines(const char* until);

  const char* begin_;  ///< of the piece
  const char* end_;
  const char* at_ = begin_;
  const char* counted_ = begin_;  ///< lines before it are counted
  std::uint64_t piece_offset_ = 0;
  std::uint64_t full_lines_ = 0;   ///< that end before counted_
  std::uint64_t line_offset_ = 0;  ///< of the beginning of the line that goes on there
  std::uint64_t marked_offset_ = 0;
  std::uint64_t most_token_bytes_ = ~std::uint64_t{0};
  std::string line_;  ///< one that lies in several pieces
  std::optional<Error> error_;
  bool finished_ = false;
};

}  // namespace kernelscape

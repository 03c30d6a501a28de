#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::project {

/** A word of a source line. */
struct SourceWord {
  std::string_view text;
  std::string_view before;  ///< the operator, word or number directly before it; empty at the start of a line
};

/** A line of a source as a preprocessor sees it. */
struct SourceLine {
  std::string_view directive;  ///< "define", "if"; empty: code, or a # without a directive
  std::string_view text;       ///< the text behind the directive, or the whole line
  std::size_t number = 0;      ///< line number in the file, from 1
};

/**
 * A source in C, CUDA or OpenCL C after the first phases of its translation: continued lines are joined,
 * comments are replaced by blanks, raw strings have no line ends and byte order marks are blanks. No macro is
 * expanded.
 */
class SourceLines {
 public:
  explicit SourceLines(std::string_view source);
  SourceLines(const SourceLines&) = delete;  ///< lines refer to the text
  SourceLines& operator=(const SourceLines&) = delete;

  /** Returns the lines in their order. */
  const std::vector<SourceLine>& lines() const { return lines_; }
  std::string_view text() const { return text_; }  ///< text of all lines
  /** Returns the position in the source for a position in text(). */
  std::size_t source_place(std::size_t place) const;

 private:
  void join_lines(std::string_view source);
  void blank_comments();
  void split(std::string_view source);

  struct Joint {
    std::size_t place = 0;    ///< position in the text
    std::size_t removed = 0;  ///< number of bytes of the source omitted before this position
  };
  std::string text_;
  std::vector<Joint> joints_;
  std::vector<SourceLine> lines_;
};

/** Returns true if a character may be part of a word. */
bool is_word_letter(char letter);

/** Returns whether a text has the name as a word. */
bool has_word(std::string_view text, std::string_view name);

/** The words of a line in their order; those in strings and character constants are left out. */
std::vector<SourceWord> text_of_words(std::string_view text);

/** Returns the source without its byte order marks, except those in strings and character constants. */
std::string without_byte_order_marks(std::string source);

}  // namespace kernelscape::project

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/** A word of a source line. */
struct SourceWord {
  std::string_view text;
  std::string_view before;  ///< the operator, the word or the number right before it; empty at a line's start
};

/** A line of a source as a preprocessor sees it. */
struct SourceLine {
  std::string_view directive;  ///< "define", "if"; empty: code, or a lone #
  std::string_view text;       ///< behind the directive, or the whole line
  std::size_t number = 0;      ///< from 1, in the file
};

/**
 * A source in C, CUDA or OpenCL C after the first steps of its translation: continued lines are joined,
 * comments are blanks, raw strings keep no line ends and byte order marks are blanks. No macro is expanded.
 */
class SourceLines {
 public:
  explicit SourceLines(std::string_view source);
  SourceLines(const SourceLines&) = delete;  ///< lines refer to the text
  SourceLines& operator=(const SourceLines&) = delete;

  const std::vector<SourceLine>& lines() const { return lines_; }
  std::string_view text() const { return text_; }  ///< of all lines
  /** The place in the source of a place in text(). */
  std::size_t source_place(std::size_t place) const;

 private:
  void join_lines(std::string_view source);
  void blank_comments();
  void split(std::string_view source);

  struct Joint {
    std::size_t place = 0;    ///< in the text
    std::size_t removed = 0;  ///< bytes of the source left out before this place
  };
  std::string text_;
  std::vector<Joint> joints_;
  std::vector<SourceLine> lines_;
};

/** Whether a letter may stand in a word. */
bool is_word_letter(char letter);

/** Returns whether a text has the name as a word. */
bool has_word(std::string_view text, std::string_view name);

/** The words of a line in their order; those in strings and character constants are left out. */
std::vector<SourceWord> words_of(std::string_view text);

/** The source without its byte order marks, save those that stand in strings and character constants. */
std::string without_byte_order_marks(std::string source);

}  // namespace kernelscape

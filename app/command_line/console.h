#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/media/offered_command.h"
#include "core/base/media/terminal.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/schedule/target.h"

namespace kernelscape {

/** Sets how the program was called. Commands that texts offer are completed with it from then on, where they
 * are printed. */
void set_program_call(ProgramCall call);
/** Returns a text in which the commands that it offers are completed, for JSON. */
std::string with_commands(std::string_view text);

/** On standard output; everything that a command prints goes through here but JSON, which escapes by itself.
 */
void print(const TerminalText& text);
/** Formats as write<Terminal>() does and prints. */
template <typename... Arguments>
void print(FormatFor<Terminal, Arguments...> format, const Arguments&... arguments) {
  print(write<Terminal>(format, arguments...));
}
/** Draws over the terminal's last line, in which a text is cut to the width there is. */
void print_over(std::string_view text);
/** Prints at once what was printed so far, so that a reader of a pipe sees it as it happens. */
void flush_printed();

/** The terminal's last line while something runs: drawn again and again, and cleared before what is to stay.
 */
class LiveLine {
 public:
  void draw(std::string_view text);  ///< at once, as print_over() does
  void clear();                      ///< where something is drawn

 private:
  bool shown_ = false;
};

/** A message or a reason, which may quote a compiler or a file: one line, of a long one the beginning and the
 * end. */
TerminalText message_text(std::string_view message);

/** "kernelscape: error: MESSAGE\n  HINT\n": a line each. */
TerminalText error_text(const Error& error);
/** The same on standard error. */
void print_error(const Error& error);
/** "kernelscape: note: TEXT" on standard error. */
void print_note(std::string_view text);

/** 2 for the user's input, 1 for everything else. */
int exit_code_of(const Error& error);

/** Decides between a progress bar and plain lines. */
bool standard_output_is_terminal();
/** Columns of the terminal; 100 where there is none. */
std::size_t terminal_width();

/** Rows of texts in aligned columns under a header, two spaces apart; numbers are aligned to the right. Texts
 * are escaped: a row is one line. */
class TextTable {
 public:
  explicit TextTable(const std::vector<std::string>& header) { add(header); }
  /** As many texts as the header has. */
  void add(const std::vector<std::string>& row);
  TerminalText text() const;  ///< all rows, each ended by a line feed

 private:
  std::vector<std::vector<std::string>> rows_;  ///< escaped
};

/** "2 cores", "132 multiprocessors", "64 compute units". */
std::string cores_text(const TargetDescription& target);
/** "cpu (AMD EPYC, 2 cores)", "cuda:0 (NVIDIA H200, 132 multiprocessors)", "cuda (sm_80, no device)". */
std::string target_text(const TargetDescription& target);

}  // namespace kernelscape

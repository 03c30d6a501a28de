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

namespace kernelscape::command_line {

/** Sets how the program was called. From then on, commands in printed texts are completed with it. */
void set_program_call(base::ProgramCall call);
/** Returns a text with its commands completed, for JSON. */
std::string with_commands(std::string_view text);

/**
 * Prints on standard output. All output of commands goes through this function except JSON, which has its own
 * escaping.
 */
void print(const base::TerminalText& text);
/** Formats a text as write<Terminal>() does and prints it. */
template <typename... Arguments>
void print(base::FormatFor<base::Terminal, Arguments...> format, const Arguments&... arguments) {
  print(base::write<base::Terminal>(format, arguments...));
}
/** Overwrites the terminal's last line with a text, cut to the width of the terminal. */
void print_over(std::string_view text);
/** Flushes the printed text, so that a reader of a pipe sees it as it happens. */
void flush_printed();

/** The terminal's last line while a task runs: redrawn repeatedly, and cleared before permanent output. */
class LiveLine {
 public:
  void draw(std::string_view text);  ///< draws immediately, as print_over() does
  void clear();                      ///< clears the line if it is drawn

 private:
  bool shown_ = false;
};

/**
 * Returns a message or a reason, which may quote a compiler or a file, as one line; a long text is reduced to
 * its beginning and end.
 */
base::TerminalText message_text(std::string_view message);

/** Returns "kernelscape: error: MESSAGE\n  HINT\n". */
base::TerminalText error_text(const Error& error);
/** Prints error_text() on standard error. */
void print_error(const Error& error);
/** Prints "kernelscape: note: TEXT" on standard error. */
void print_note(std::string_view text);

/** Returns the exit code of an error: 2 for mistakes in the user's input, 1 for all others. */
int exit_code_of(const Error& error);

/** Returns true if standard output is a terminal, which decides between a progress bar and plain lines. */
bool standard_output_is_terminal();
/** Returns the columns of the terminal; 100 if there is no terminal. */
std::size_t terminal_width();

/**
 * A table of texts in columns under a header, two spaces apart; numbers are aligned to the right. Texts are
 * escaped, so that a row is one line.
 */
class TextTable {
 public:
  explicit TextTable(const std::vector<std::string>& header) { add(header); }
  /** Adds a row with as many texts as the header. */
  void add(const std::vector<std::string>& row);
  base::TerminalText text() const;  ///< all rows, each ended by a line feed

 private:
  std::vector<std::vector<std::string>> rows_;  ///< escaped
};

/** Returns the cores of a target: "2 cores", "132 multiprocessors", "64 compute units". */
std::string cores_text(const schedule::TargetDescription& target);
/**
 * Returns a target: "cpu (AMD EPYC, 2 cores)", "cuda:0 (NVIDIA H200, 132 multiprocessors)", "cuda (sm_80, no
 * device)".
 */
std::string target_text(const schedule::TargetDescription& target);

}  // namespace kernelscape::command_line

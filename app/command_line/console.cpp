#include "app/command_line/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/command_line/command.h"
#include "core/base/visible_text.h"

namespace kernelscape::command_line {
namespace {

// A message names a path and quotes a line; a hint may list what is known.
constexpr std::size_t max_shown_of_message = 600;
constexpr std::size_t max_shown_of_hint = 2000;
constexpr std::size_t max_shown_in_cell = 500;

base::ProgramCall& program_call() {
  static base::ProgramCall call;
  return call;
}

/** If standard error cannot be written, there is no other place to report to. */
void notify(const base::TerminalText& text) { std::fputs(text.text().c_str(), stderr); }

/** Characters on the screen: bytes that begin a UTF-8 sequence. */
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/** "1.4x" is one, and the name "x" is not. */
bool looks_like_number(const std::string& text) {
  return text.find_first_of("0123456789") != std::string::npos &&
         text.find_first_not_of("0123456789.,-%x+e") == std::string::npos;
}

std::string padded(const std::string& text, std::size_t width, bool last) {
  const std::string fill(width - std::min(width, display_width(text)), ' ');
  if (looks_like_number(text)) return fill + text;
  return last ? text : text + fill;
}

}  // namespace

void set_program_call(base::ProgramCall call) { program_call() = std::move(call); }

std::string with_commands(std::string_view text) { return base::complete_commands(text, program_call()); }

void print(const base::TerminalText& text) { fmt::print("{}", with_commands(text.text())); }

void print_over(std::string_view text) {
  constexpr std::size_t ellipsis = 4;  // its dots, and the last column, behind which lines wrap
  const std::size_t width = std::max(terminal_width(), ellipsis + 1);
  print("\r{}\x1b[K", base::one_line(text, width - ellipsis));
}

void flush_printed() { std::fflush(stdout); }

void LiveLine::draw(std::string_view text) {
  print_over(text);
  flush_printed();
  shown_ = true;
}

void LiveLine::clear() {
  if (!shown_) return;
  print("\r\x1b[K");
  flush_printed();
  shown_ = false;
}

base::TerminalText message_text(std::string_view message) {
  return base::Terminal::line(message, max_shown_of_message);
}

base::TerminalText error_text(const Error& error) {
  base::TerminalText text =
      base::write<base::Terminal>("kernelscape: error: {}\n", message_text(error.message));
  if (!error.hint.empty())
    text += base::write<base::Terminal>("  {}\n",
                                        base::Terminal::line(with_commands(error.hint), max_shown_of_hint));
  return text;
}

void print_error(const Error& error) { notify(error_text(error)); }

void print_note(std::string_view text) {
  notify(base::write<base::Terminal>("kernelscape: note: {}\n",
                                     base::Terminal::line(with_commands(text), max_shown_of_hint)));
}

int exit_code_of(const Error& error) {
  const bool input = error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::NotFound;
  return input ? exit_wrong_usage : exit_failed;
}

bool standard_output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

void TextTable::add(const std::vector<std::string>& row) {
  std::vector<std::string>& cells = rows_.emplace_back();
  for (const std::string& cell : row) cells.push_back(base::visible_text(cell, max_shown_in_cell));
}

base::TerminalText TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], display_width(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      line += (column == 0 ? "" : "  ") + padded(row[column], widths[column], column + 1 == row.size());
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return base::Terminal::lines(text);
}

std::string cores_text(const schedule::TargetDescription& target) {
  switch (target.kind) {
    case schedule::TargetKind::Cpu:
      return fmt::format("{} cores", target.cores);
    case schedule::TargetKind::Cuda:
      return fmt::format("{} multiprocessors", target.cores);
    case schedule::TargetKind::OpenCl:
      break;
  }
  return fmt::format("{} compute units", target.cores);
}

std::string target_text(const schedule::TargetDescription& target) {
  if (target.architecture_only) return fmt::format("{} ({}, no device)", target.name, target.isa);
  return fmt::format("{} ({}, {})", target.name, target.device, cores_text(target));
}

}  // namespace kernelscape::command_line

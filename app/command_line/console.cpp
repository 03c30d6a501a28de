#include "app/command_line/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/command_line/command.h"

namespace kernelscape {
namespace {

/** Characters on the screen: bytes that begin a UTF-8 sequence. */
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool looks_like_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.,-%x+e") == std::string::npos;
}

std::string padded(const std::string& text, std::size_t width, bool last) {
  const std::string fill(width - std::min(width, display_width(text)), ' ');
  if (looks_like_number(text)) return fill + text;
  return last ? text : text + fill;
}

}  // namespace

void print_error(const Error& error) {
  std::string text = fmt::format("kernelscape: error: {}\n", error.message);
  if (!error.hint.empty()) text += fmt::format("  {}\n", error.hint);
  // Where nobody hears it there is nobody else to tell.
  std::fputs(text.c_str(), stderr);
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

std::string TextTable::text() const {
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
  return text;
}

std::string cores_text(const TargetDescription& target) {
  switch (target.kind) {
    case TargetKind::Cpu:
      return fmt::format("{} cores", target.cores);
    case TargetKind::Cuda:
      return fmt::format("{} multiprocessors", target.cores);
    case TargetKind::OpenCl:
      break;
  }
  return fmt::format("{} compute units", target.cores);
}

std::string target_text(const TargetDescription& target) {
  if (target.architecture_only) return fmt::format("{} ({}, no device)", target.name, target.isa);
  return fmt::format("{} ({}, {})", target.name, target.device, cores_text(target));
}

}  // namespace kernelscape

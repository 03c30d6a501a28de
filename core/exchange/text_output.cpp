#include "core/exchange/text_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/base/media/terminal.h"
#include "core/base/system_error.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t piece_bytes = 64 << 10;

/**
 * Returns the text with control characters made visible instead of executed; line ends are kept, including
 * those of CSV.
 */
std::string shown_in_terminal(std::string_view text) {
  std::string shown;
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    const bool csv = end != std::string_view::npos && line.ends_with('\r');
    if (csv) line.remove_suffix(1);
    shown += base::Terminal::escaped(line);
    if (end == std::string_view::npos) return shown;
    shown += csv ? "\r\n" : "\n";
    text.remove_prefix(end + 1);
  }
}

/** Writes to standard output. @param text whole characters */
Status write_to_standard_output(std::string_view text) {
  std::string shown;
  if (isatty(STDOUT_FILENO) == 1) text = shown = shown_in_terminal(text);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return {};
  return fail(ErrorCode::Environment, "cannot write to standard output: " + base::system_error_text(errno),
              "write to a file with --out");
}

}  // namespace

Status write_text_output(const base::OutputRequest& request,
                         const std::function<Status(const TextSink&)>& write) {
  if (request.path == "-") return write(write_to_standard_output);
  base::OutputFile file = TRY(base::OutputFile::create(request));
  const Status written = write([&](std::string_view text) { return file.write(text); });
  return written ? file.commit() : written;
}

Status TextPieces::add(std::string_view text) {
  text_ += text;
  return text_.size() < piece_bytes ? Status{} : flush();
}

Status TextPieces::flush() {
  const Status taken = sink_(text_);
  text_.clear();
  return taken;
}

}  // namespace kernelscape::exchange

#include "app/command_line/line_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace kernelscape::command_line {

StandardLines::Received StandardLines::read(std::chrono::milliseconds patience) {
  for (;;) {
    if (Received line = take_line(); line.kind != Kind::None) return line;
    if (ended_) {
      // A last line without an end: a client that died within a line leaves no complete object.
      if (bytes_.empty() || dropping_) return {Kind::End};
      searched_ = 0;
      return {Kind::Line, std::exchange(bytes_, {})};
    }
    if (!fill(patience)) return {};
  }
}

StandardLines::Received StandardLines::take_line() {
  const std::size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    if (bytes_.size() <= session::max_client_line_bytes) return {};
    bytes_.clear();
    searched_ = 0;
    return std::exchange(dropping_, true) ? Received{} : Received{Kind::TooLong};
  }
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  searched_ = 0;
  if (std::exchange(dropping_, false)) return take_line();
  if (line.size() > session::max_client_line_bytes) return {Kind::TooLong};
  const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
  return blank ? take_line() : Received{Kind::Line, std::move(line)};
}

bool StandardLines::fill(std::chrono::milliseconds patience) {
  pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
  const int ready = poll(&input, 1, static_cast<int>(patience.count()));
  if (ready <= 0) return false;
  std::array<char, 65'536> buffer{};
  const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
  if (count > 0) {
    bytes_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }
  // A signal or another reader of the descriptor: try again. Any other error means that nothing will arrive.
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  ended_ = true;
  return true;
}

void StandardLines::write(std::string_view line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace kernelscape::command_line

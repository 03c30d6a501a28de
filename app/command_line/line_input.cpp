#include "app/command_line/line_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

namespace kernelscape::command_line {

StandardLines::Received StandardLines::read(std::chrono::milliseconds patience) {
  Received line = take_line();
  if (line.kind == Kind::None && !ended_) {
    fill(patience);
    line = take_line();
  }
  if (line.kind != Kind::None || !ended_) return line;
  // A last line without an end: a client that died within a line leaves no complete object.
  if (bytes_.empty() || dropping_) return {Kind::End};
  searched_ = 0;
  return {Kind::Line, std::exchange(bytes_, {})};
}

StandardLines::Received StandardLines::take_line() {
  Received received;
  std::size_t begin = 0;  // of the first line that is neither blank nor dropped
  while (received.kind == Kind::None) {
    const std::size_t end = bytes_.find('\n', std::max(begin, searched_));
    if (end == std::string::npos) break;
    const std::string_view line = std::string_view(bytes_).substr(begin, end - begin);
    begin = end + 1;
    if (std::exchange(dropping_, false)) continue;
    if (line.size() > session::max_client_line_bytes)
      received.kind = Kind::TooLong;
    else if (line.find_first_not_of(" \t\r") != std::string_view::npos)
      received = {Kind::Line, std::string(line)};
  }
  bytes_.erase(0, begin);
  searched_ = received.kind == Kind::None ? bytes_.size() : 0;
  if (received.kind != Kind::None || bytes_.size() <= session::max_client_line_bytes) return received;
  bytes_.clear();
  searched_ = 0;
  return std::exchange(dropping_, true) ? Received{} : Received{Kind::TooLong};
}

void StandardLines::fill(std::chrono::milliseconds patience) {
  pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (poll(&input, 1, static_cast<int>(patience.count())) <= 0) return;
  std::array<char, 65'536> buffer{};
  const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
  if (count > 0) {
    bytes_.append(buffer.data(), static_cast<std::size_t>(count));
    return;
  }
  // A signal or another reader of the descriptor: try again. Any other error means that nothing will arrive.
  ended_ = count == 0 || (errno != EINTR && errno != EAGAIN);
}

void StandardLines::write(std::string_view line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace kernelscape::command_line

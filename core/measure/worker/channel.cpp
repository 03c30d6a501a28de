#include "core/measure/worker/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <vector>

namespace kernelscape::measure {
namespace {

std::unexpected<ChannelError> problem(ChannelProblem kind, std::string message) {
  return std::unexpected(ChannelError{kind, Error{ErrorCode::Environment, std::move(message), {}}});
}

bool retry(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Channel::Channel(UniqueFd socket, std::optional<std::uint64_t> token)
    : socket_(std::move(socket)), token_(token.value_or(0)), parser_(token) {
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

std::expected<void, ChannelError> Channel::wait(short events, Deadline deadline,
                                                const Interruption& interruption) const {
  while (true) {
    std::array<pollfd, 2> waits{{{.fd = socket_.get(), .events = events, .revents = 0},
                                 {.fd = interruption.descriptor, .events = POLLIN, .revents = 0}}};
    const int milliseconds = poll_milliseconds(deadline);
    const int ready = poll(waits.data(), waits.size(), interruption.limit_poll(milliseconds));
    if (interruption.now()) return problem(ChannelProblem::Interrupted, "interrupted");
    if (ready > 0 && waits[0].revents != 0) return {};
    if (milliseconds == 0) return problem(ChannelProblem::TimedOut, "the worker does not answer");
  }
}

std::expected<void, ChannelError> Channel::send_payload(MessageType type, const std::string& payload,
                                                        Deadline deadline, const Interruption& interruption) {
  const std::string bytes = encode_frame(type, token_, payload);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (!retry(errno)) {
      return problem(ChannelProblem::Closed, "the other end of the worker's channel is gone");
    } else if (auto ready = wait(POLLOUT, deadline, interruption); !ready) {
      return ready;
    }
  }
  return {};
}

std::expected<Frame, ChannelError> Channel::receive_frame(Deadline deadline,
                                                          const Interruption& interruption) {
  std::vector<char> buffer(1 << 16);
  while (true) {
    auto next = parser_.next();
    if (!next) return std::unexpected(ChannelError{ChannelProblem::Broken, next.error()});
    if (next->has_value()) {
      token_ = (*next)->token;
      return std::move(**next);
    }
    const ssize_t count = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (count > 0) {
      parser_.feed({buffer.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || !retry(errno)) {
      return problem(ChannelProblem::Closed, "the other end of the worker's channel is gone");
    } else if (auto ready = wait(POLLIN, deadline, interruption); !ready) {
      return std::unexpected(ready.error());
    }
  }
}

}  // namespace kernelscape::measure

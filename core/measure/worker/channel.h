#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "core/measure/interruption.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

enum class ChannelProblem : std::uint8_t { Closed, TimedOut, Interrupted, Broken };

struct ChannelError {
  ChannelProblem problem = ChannelProblem::Closed;
  Error error;
};

/** Frames over a stream socket, with deadlines; either end of the worker protocol. */
class Channel {
 public:
  Channel() = default;
  /** Without a token the first frame received gives it. */
  explicit Channel(UniqueFd socket, std::optional<std::uint64_t> token = std::nullopt);

  /**
   * One frame with this payload. TimedOut at the deadline, Interrupted, Closed where the other end is gone; a
   * frame may be sent in part then.
   */
  std::expected<void, ChannelError> send_payload(MessageType type, const std::string& payload,
                                                 Deadline deadline, const Interruption& interruption);
  /** The next whole frame, of any type. Broken where the bytes are no frame with our token. */
  std::expected<Frame, ChannelError> receive_frame(Deadline deadline, const Interruption& interruption);

  /** Encodes the message and sends it: errors as of send_payload(). */
  template <typename Message>
  std::expected<void, ChannelError> send(const Message& message, Deadline deadline,
                                         const Interruption& interruption = {}) {
    return send_payload(Message::type, encode_message(message), deadline, interruption);
  }

  /** Broken where another message arrives. */
  template <typename Message>
  std::expected<Message, ChannelError> receive(Deadline deadline, const Interruption& interruption = {}) {
    auto frame = TRY(receive_frame(deadline, interruption));
    auto message = decode_message<Message>(frame);
    if (!message) return std::unexpected(ChannelError{ChannelProblem::Broken, message.error()});
    return std::move(*message);
  }

  int descriptor() const { return socket_.get(); }  ///< for poll(); -1 once closed
  void close() { socket_.reset(); }                 ///< the other end reads end of file

 private:
  std::expected<void, ChannelError> wait(short events, Deadline deadline,
                                         const Interruption& interruption) const;

  UniqueFd socket_;
  std::uint64_t token_ = 0;
  FrameParser parser_;
};

}  // namespace kernelscape

#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "core/measure/interruption.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

enum class ChannelProblem : std::uint8_t { Closed, TimedOut, Interrupted, Broken };

struct ChannelError {
  ChannelProblem problem = ChannelProblem::Closed;
  Error error;
};

/** One end of the worker protocol: frames over a stream socket, with deadlines. */
class Channel {
 public:
  Channel() = default;
  /** Without a token, the token of the first frame received is used. */
  explicit Channel(UniqueFd socket, std::optional<std::uint64_t> token = std::nullopt);

  /**
   * Sends one frame with this payload. Returns TimedOut at the deadline, Interrupted, or Closed if the other
   * end is gone; a frame may be partly sent then.
   */
  std::expected<void, ChannelError> send_payload(MessageType type, const std::string& payload,
                                                 Deadline deadline, const Interruption& interruption);
  /**
   * Receives the next complete frame, of any type. Returns Broken if the bytes are no frame with this
   * channel's token.
   */
  std::expected<Frame, ChannelError> receive_frame(Deadline deadline, const Interruption& interruption);

  /** Encodes and sends a message. Errors are those of send_payload(). */
  template <typename Message>
  std::expected<void, ChannelError> send(const Message& message, Deadline deadline,
                                         const Interruption& interruption = {}) {
    return send_payload(Message::type, encode_message(message), deadline, interruption);
  }

  /** Receives a message of this type. Returns Broken if another message arrives. */
  template <typename Message>
  std::expected<Message, ChannelError> receive(Deadline deadline, const Interruption& interruption = {}) {
    auto frame = TRY(receive_frame(deadline, interruption));
    auto message = decode_message<Message>(frame);
    if (!message) return std::unexpected(ChannelError{ChannelProblem::Broken, message.error()});
    return std::move(*message);
  }

  int descriptor() const { return socket_.get(); }  ///< descriptor for poll(); -1 once closed
  void close() { socket_.reset(); }                 ///< the other end reads end of file

 private:
  std::expected<void, ChannelError> wait(short events, Deadline deadline,
                                         const Interruption& interruption) const;

  UniqueFd socket_;
  std::uint64_t token_ = 0;
  FrameParser parser_;
};

}  // namespace kernelscape::measure

#include "core/measure/worker/protocol.h"

#include <fmt/format.h>

#include <utility>

namespace kernelscape::measure {
namespace {

struct FrameHeader {
  std::uint32_t magic = frame_magic;
  std::uint16_t version = protocol_version;
  std::uint16_t type = 0;
  std::uint64_t token = 0;
  std::uint64_t length = 0;
};

std::unexpected<Error> broken(std::string reason) {
  return fail(ErrorCode::Corrupt, "broken worker protocol: " + std::move(reason));
}

Status check_header(const FrameHeader& header, const std::optional<std::uint64_t>& token,
                    std::uint64_t max_bytes) {
  if (header.magic != frame_magic) return broken("these bytes are no frame");
  if (header.version != protocol_version) {
    return fail(ErrorCode::Environment,
                fmt::format("the worker speaks version {} of the protocol, this program version {}",
                            header.version, protocol_version),
                "install kernelscape and kernelscape-worker from the same build");
  }
  if (header.type >= wire_enumerators<MessageType>)
    return broken(fmt::format("unknown message type {}", header.type));
  if (token && header.token != *token) return broken("a frame with the token of another process");
  if (header.length > max_bytes)
    return broken(fmt::format("a frame of {} bytes, at most {} are allowed", header.length, max_bytes));
  return {};
}

}  // namespace

template <>
struct WireMembers<FrameHeader> {
  using M = FrameHeader;
  static constexpr auto value = std::tuple{&M::magic, &M::version, &M::type, &M::token, &M::length};
};

std::string encode_frame(MessageType type, std::uint64_t token, std::string_view payload) {
  WireWriter writer;
  writer.write(FrameHeader{.type = std::to_underlying(type), .token = token, .length = payload.size()});
  std::string bytes = writer.take();
  bytes.append(payload);
  return bytes;
}

Result<std::optional<Frame>> FrameParser::next() {
  if (buffer_.size() < frame_header_bytes) return std::nullopt;
  FrameHeader header;
  WireReader(std::string_view(buffer_).substr(0, frame_header_bytes)).read(header);
  TRY(check_header(header, token_, max_bytes_));
  if (buffer_.size() - frame_header_bytes < header.length) return std::nullopt;
  token_ = header.token;
  Frame frame{.type = static_cast<MessageType>(header.type), .token = header.token, .payload = {}};
  buffer_.erase(0, frame_header_bytes);
  if (buffer_.size() == header.length) {
    frame.payload = std::exchange(buffer_, {});  // A large payload is not copied, and its memory is released.
  } else {
    frame.payload = buffer_.substr(0, header.length);
    buffer_.erase(0, header.length);
  }
  return frame;
}

}  // namespace kernelscape::measure

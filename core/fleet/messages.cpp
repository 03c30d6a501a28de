#include "core/fleet/messages.h"

#include <fmt/format.h>

#include "core/fleet/signature.h"

namespace kernelscape::fleet {
namespace {

/** Tasks and answers are signed with different purposes, so that one cannot be used as the other. */
template <typename Message>
constexpr std::string_view purpose = "";
template <>
constexpr std::string_view purpose<Task> = "task";
template <>
constexpr std::string_view purpose<Answer> = "answer";

template <typename Message>
std::string signature_of(std::string_view body, std::string_view key) {
  return hmac_sha256(hmac_sha256(key, purpose<Message>), body);
}

}  // namespace

template <typename Message>
SignedBody sign(const Message& message, std::string_view key) {
  SignedBody made{measure::encode_message(message), {}};
  made.signature = signature_of<Message>(made.body, key);
  return made;
}

template <typename Message>
Result<Message> verify(std::string_view body, std::string_view signature, std::string_view key) {
  constexpr const char* way_out = "give all workers and controllers of the fleet the same secret";
  if (!equal_secrets(signature, signature_of<Message>(body, key))) {
    return fail(ErrorCode::Refused,
                fmt::format("a {} of the fleet is not signed with the fleet's key", purpose<Message>),
                way_out);
  }
  std::uint16_t version = 0;
  measure::WireReader(body).read(version);
  if (version != fleet_version) {
    return fail(ErrorCode::Environment,
                fmt::format("a {} of the fleet has version {}, this program uses version {}",
                            purpose<Message>, version, fleet_version),
                "install the same kernelscape on all machines of the fleet");
  }
  Message message;
  measure::WireReader reader(body);
  if (!reader.read(message) || !reader.complete())
    return fail(ErrorCode::Corrupt, fmt::format("a {} of the fleet is damaged", purpose<Message>));
  return message;
}

template SignedBody sign(const Task&, std::string_view);
template SignedBody sign(const Answer&, std::string_view);
template Result<Task> verify(std::string_view, std::string_view, std::string_view);
template Result<Answer> verify(std::string_view, std::string_view, std::string_view);

Result<measure::Frame> only_frame(std::string_view bytes) {
  measure::FrameParser parser;
  parser.feed(bytes);
  std::optional<measure::Frame> frame = TRY(parser.next());
  if (!frame || frame->payload.size() + measure::frame_header_bytes != bytes.size())
    return fail(ErrorCode::Corrupt, "a message of the fleet is incomplete");
  return *std::move(frame);
}

}  // namespace kernelscape::fleet

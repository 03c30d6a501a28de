#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/protocol.h"

/**
 * The messages in streams: complete frames of the worker protocol with the fields that a queue needs, signed.
 * A body that was modified or was not created by a member of the fleet is refused before any of its content
 * is used.
 */
namespace kernelscape::fleet {

constexpr std::uint16_t fleet_version = 2;
/**
 * The version of everything on which controllers and workers must agree. It increases with each of the two
 * versions, and is part of stream names.
 */
constexpr std::int64_t fleet_protocol = measure::protocol_version + fleet_version - 1;

enum class TaskKind : std::uint8_t { Build, Run, Baseline };

/** A task for a worker. */
struct Task {
  std::uint16_t version = fleet_version;
  TaskKind kind = TaskKind::Build;
  std::string id{};          ///< permanent id of the task; a task that is posted again keeps it
  std::string controller{};  ///< the controller that receives the result
  std::string stream{};      ///< the stream of the task: a worker refuses a task from any other stream
  std::string nonce{};
  std::int64_t expires_seconds = 0;  ///< by the clock of Redis, since 1970
  std::string frame{};               ///< BuildRequest, RunRequest without its artefact, BaselineRequest
  std::string artefact_sha256{};     ///< of a run: the blob to run
  std::string prepare_sha256{};      ///< of a run: the blob with the frame of its PrepareRequest
};

enum class TaskEnding : std::uint8_t {
  Answer,   ///< the task was executed: the frame holds the result
  Refused,  ///< the task was not started: unsigned, expired, replayed, or of another version
  Missing,  ///< a blob is missing or damaged
  Dead      ///< workers were lost repeatedly with this task
};

/** Why a task was refused. The reaction of the controller depends on it. */
enum class Refusal : std::uint8_t { None, Signature, Expired, Replayed, Version };

/** The result of a task. */
struct Answer {
  std::uint16_t version = fleet_version;
  TaskEnding kind = TaskEnding::Answer;
  Refusal refusal = Refusal::None;
  std::string task{};
  std::string worker{};
  std::string frame{};            ///< BuildReply without its artefact, RunReply, BaselineReply
  std::string artefact_sha256{};  ///< of a build: the blob with its artefact
  std::string message{};          ///< why there is no answer
  std::string hint{};
};

}  // namespace kernelscape::fleet

namespace kernelscape::measure {

template <>
inline constexpr std::uint64_t wire_enumerators<fleet::TaskKind> = 3;
template <>
inline constexpr std::uint64_t wire_enumerators<fleet::TaskEnding> = 4;
template <>
inline constexpr std::uint64_t wire_enumerators<fleet::Refusal> = 5;
template <>
struct WireMembers<fleet::Task> {
  using M = fleet::Task;
  static constexpr auto value = std::tuple{&M::version,         &M::kind,   &M::id,
                                           &M::controller,      &M::stream, &M::nonce,
                                           &M::expires_seconds, &M::frame,  &M::artefact_sha256,
                                           &M::prepare_sha256};
};
template <>
struct WireMembers<fleet::Answer> {
  using M = fleet::Answer;
  static constexpr auto value =
      std::tuple{&M::version,         &M::kind,    &M::refusal, &M::task, &M::worker, &M::frame,
                 &M::artefact_sha256, &M::message, &M::hint};
};

}  // namespace kernelscape::measure

namespace kernelscape::fleet {

/** A message body with its signature. */
struct SignedBody {
  std::string body;
  std::string signature;
};

/** Returns the message as bytes with a signature. */
template <typename Message>
SignedBody sign(const Message& message, std::string_view key);

/**
 * Returns the message of a body. Errors: Refused if the signature does not match the key, Corrupt if the body
 * is not a message of this type, Environment if its version differs.
 */
template <typename Message>
Result<Message> verify(std::string_view body, std::string_view signature, std::string_view key);

/** Returns a message of the worker protocol as a frame for a stream. */
template <typename Message>
std::string frame_of(const Message& message) {
  return measure::encode_frame(Message::type, 0, measure::encode_message(message));
}

/**
 * Returns the only frame in the bytes. Errors: Environment if the frame has another protocol version; Corrupt
 * if the bytes are not exactly one frame.
 */
Result<measure::Frame> only_frame(std::string_view bytes);

/** Returns the message in the only frame of the bytes. Errors: as only_frame(). */
template <typename Message>
Result<Message> message_of(std::string_view bytes) {
  const measure::Frame frame = TRY(only_frame(bytes));
  return measure::decode_message<Message>(frame);
}

}  // namespace kernelscape::fleet

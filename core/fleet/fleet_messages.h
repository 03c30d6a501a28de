#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/protocol.h"

/**
 * What travels in streams: the worker protocol's own messages as whole frames, with what a queue needs beside
 * them, signed. A body that was changed on its way, or that nobody of the fleet made, is refused before
 * anything of it is believed.
 */
namespace kernelscape {

constexpr std::uint16_t fleet_version = 2;
/** Of all that controllers and workers have to agree on: it rises with either version, and streams are named
 * by it. */
constexpr std::int64_t fleet_protocol = protocol_version + fleet_version - 1;

enum class TaskKind : std::uint8_t { Build, Run, Baseline };
template <>
inline constexpr std::uint64_t wire_enumerators<TaskKind> = 3;

/** Something to do for a worker. */
struct FleetTask {
  std::uint16_t version = fleet_version;
  TaskKind kind = TaskKind::Build;
  std::string id{};          ///< of the task, for good: one that is given again keeps it
  std::string controller{};  ///< whose results it goes to
  std::string stream{};      ///< that it is put into: it is nothing for workers of another
  std::string nonce{};
  std::int64_t expires_seconds = 0;  ///< by Redis's clock, since 1970
  std::string frame{};               ///< BuildRequest, RunRequest without its artefact, BaselineRequest
  std::string artefact_sha256{};     ///< of a run: the blob that is run
  std::string prepare_sha256{};      ///< of a run: the blob with the frame of its PrepareRequest
};

enum class TaskEnding : std::uint8_t {
  Answer,   ///< it was done: the frame says what came out
  Refused,  ///< it was not begun: unsigned, expired, seen before, of another version
  Missing,  ///< a blob is not there any more, or not what it should be
  Dead      ///< workers were lost with it, again and again
};
template <>
inline constexpr std::uint64_t wire_enumerators<TaskEnding> = 4;

/** Why a task was refused: what its controller does about it depends on that. */
enum class Refusal : std::uint8_t { None, Signature, Expired, Replayed, Version };
template <>
inline constexpr std::uint64_t wire_enumerators<Refusal> = 5;

/** What became of a task. */
struct FleetAnswer {
  std::uint16_t version = fleet_version;
  TaskEnding kind = TaskEnding::Answer;
  Refusal refusal = Refusal::None;
  std::string task{};
  std::string worker{};
  std::string frame{};            ///< BuildReply without its artefact, RunReply, BaselineReply
  std::string artefact_sha256{};  ///< of a build: its blob
  std::string message{};          ///< why there is no answer
  std::string hint{};
};

template <>
struct WireMembers<FleetTask> {
  using M = FleetTask;
  static constexpr auto value = std::tuple{&M::version,         &M::kind,   &M::id,
                                           &M::controller,      &M::stream, &M::nonce,
                                           &M::expires_seconds, &M::frame,  &M::artefact_sha256,
                                           &M::prepare_sha256};
};
template <>
struct WireMembers<FleetAnswer> {
  using M = FleetAnswer;
  static constexpr auto value =
      std::tuple{&M::version,         &M::kind,    &M::refusal, &M::task, &M::worker, &M::frame,
                 &M::artefact_sha256, &M::message, &M::hint};
};

/** A body with its signature. */
struct SignedBody {
  std::string body;
  std::string signature;
};

/** The message as bytes, signed. */
template <typename Message>
SignedBody sign(const Message& message, std::string_view key);

/** The message of a body; Refused where the signature is not that of the key, Corrupt where it is no such
 * message, Environment where it is of another version. */
template <typename Message>
Result<Message> verify(std::string_view body, std::string_view signature, std::string_view key);

/** A message of the worker protocol as a frame of a stream. */
template <typename Message>
std::string frame_of(const Message& message) {
  return encode_frame(Message::type, 0, encode_message(message));
}

/** The one frame in the bytes. Environment: of another version of the protocol; Corrupt. */
Result<Frame> only_frame(std::string_view bytes);

/** The message in the only frame of the bytes; errors as only_frame(). */
template <typename Message>
Result<Message> message_of(std::string_view bytes) {
  const Frame frame = TRY(only_frame(bytes));
  return decode_message<Message>(frame);
}

}  // namespace kernelscape

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/measure/measurer.h"
#include "core/measure/vendor_result.h"
#include "core/measure/wire.h"
#include "core/trial/measurement.h"

/**
 * The worker protocol. A frame is a header (magic, version, type, token, length; 24 bytes) and a payload. The
 * token is drawn by whoever starts the worker and stands in every frame, so that bytes from elsewhere are no
 * frames. Messages are self-contained: source text, options, seeds, artefact bytes; no path, no pointer.
 */
namespace kernelscape {

constexpr std::uint16_t protocol_version = 2;
constexpr std::uint32_t frame_magic = 0x5057534b;  // "KSWP"
constexpr std::size_t frame_header_bytes = 24;
constexpr std::uint64_t max_frame_bytes = 256ULL << 20;
constexpr std::size_t max_artefact_bytes = 64ULL << 20;

enum class MessageType : std::uint16_t {
  Hello,
  Ready,
  BuildRequest,
  BuildReply,
  PrepareRequest,
  PrepareReply,
  RunRequest,
  RunReply,
  BaselineRequest,
  BaselineReply
};
template <>
inline constexpr std::uint64_t wire_enumerators<MessageType> = 10;

/** The first frame to a worker: its token is the one to use. */
struct Hello {
  static constexpr MessageType type = MessageType::Hello;
};

struct Ready {
  static constexpr MessageType type = MessageType::Ready;
  std::int64_t process_id = 0;
};

/** Compile a C source into a shared object. */
struct BuildRequest {
  static constexpr MessageType type = MessageType::BuildRequest;
  std::string compiler;  ///< command, perhaps with arguments
  std::vector<std::string> flags;
  std::string text;
  double timeout_seconds = 10;
};

enum class BuildStatus : std::uint8_t { Built, Failed, TimedOut, MachineFault };
template <>
inline constexpr std::uint64_t wire_enumerators<BuildStatus> = 4;

struct BuildReply {
  static constexpr MessageType type = MessageType::BuildReply;
  BuildStatus status = BuildStatus::MachineFault;
  std::string artefact;  ///< bytes of the shared object
  std::string message;   ///< diagnostics; for a machine's fault its reason
  std::string hint;      ///< the way out of a machine's fault
  double seconds = 0;
};

/** Make inputs and reference of a task, once for all runs. */
struct PrepareRequest {
  static constexpr MessageType type = MessageType::PrepareRequest;
  std::string task_json;
  std::uint64_t input_seed = 1;
  std::int32_t threads = 1;
};

struct PrepareReply {
  static constexpr MessageType type = MessageType::PrepareReply;
  std::string problem;  ///< empty: ready for runs
};

/** Load, check and time a kernel of the prepared task. */
struct RunRequest {
  static constexpr MessageType type = MessageType::RunRequest;
  std::string artefact;
  std::string entry;
  std::vector<KernelArgument> arguments;
  MeasureOptions options;
  std::int32_t threads = 1;
  double best_seconds = 0;
};

struct RunReply {
  static constexpr MessageType type = MessageType::RunReply;
  Measurement measurement;
  std::string machine_fault;  ///< not empty: nothing was measured, for this reason
};

/** Time the vendor library on a task; the first request for a task also prepares it. */
struct BaselineRequest {
  static constexpr MessageType type = MessageType::BaselineRequest;
  std::string task_json;
  MeasureOptions options;
  std::int32_t threads = 1;
};

struct BaselineReply {
  static constexpr MessageType type = MessageType::BaselineReply;
  VendorResult result;
};

struct Frame {
  MessageType type = MessageType::Hello;
  std::uint64_t token = 0;
  std::string payload;
};

std::string encode_frame(MessageType type, std::uint64_t token, std::string_view payload);

/** Cuts a stream of hostile bytes into frames. */
class FrameParser {
 public:
  /** Frames with another token are errors; without one any token is accepted and then kept. */
  explicit FrameParser(std::optional<std::uint64_t> token = std::nullopt) : token_(token) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }

  /** The next frame, nothing while it is incomplete, or Corrupt: no frame follows a broken one. */
  Result<std::optional<Frame>> next();

 private:
  std::optional<std::uint64_t> token_;
  std::string buffer_;
};

template <>
struct WireMembers<LayoutDimension> {
  static constexpr auto value =
      std::tuple{&LayoutDimension::source, &LayoutDimension::divisor, &LayoutDimension::extent};
};
template <>
struct WireMembers<Layout> {
  static constexpr auto value = std::tuple{&Layout::name, &Layout::shape, &Layout::dimensions};
};
template <>
struct WireMembers<KernelArgument> {
  static constexpr auto value = std::tuple{&KernelArgument::name, &KernelArgument::element_type,
                                           &KernelArgument::output, &KernelArgument::layout};
};
template <>
inline constexpr std::uint64_t wire_enumerators<AdaptivePerformance> = 2;
template <>
struct WireMembers<MeasureOptions> {
  using M = MeasureOptions;
  static constexpr auto value = std::tuple{&M::threads,
                                           &M::builders,
                                           &M::warmups,
                                           &M::repeats,
                                           &M::min_repeat_seconds,
                                           &M::build_timeout_seconds,
                                           &M::run_timeout_seconds,
                                           &M::give_up_factor,
                                           &M::flush_caches,
                                           &M::input_seed,
                                           &M::memory_limit_bytes,
                                           &M::adaptive_batch,
                                           &M::adaptive_threshold,
                                           &M::adaptive_minimum,
                                           &M::adaptive_performance};
};
template <>
inline constexpr std::uint64_t wire_enumerators<ErrorCategory> = error_category_count;
template <>
struct WireMembers<Measurement> {
  using M = Measurement;
  static constexpr auto value = std::tuple{&M::category,      &M::samples_seconds, &M::build_seconds,
                                           &M::run_seconds,   &M::cut_short,       &M::preempted_samples,
                                           &M::samples_saved, &M::worst_error,     &M::message};
};
template <>
struct WireMembers<VendorResult> {
  using M = VendorResult;
  static constexpr auto value =
      std::tuple{&M::name, &M::implementation, &M::layouts, &M::samples_seconds, &M::worst_error, &M::reason};
};
template <>
struct WireMembers<Hello> {
  static constexpr auto value = std::tuple{};
};
template <>
struct WireMembers<Ready> {
  static constexpr auto value = std::tuple{&Ready::process_id};
};
template <>
struct WireMembers<BuildRequest> {
  using M = BuildRequest;
  static constexpr auto value = std::tuple{&M::compiler, &M::flags, &M::text, &M::timeout_seconds};
};
template <>
struct WireMembers<BuildReply> {
  using M = BuildReply;
  static constexpr auto value = std::tuple{&M::status, &M::artefact, &M::message, &M::hint, &M::seconds};
};
template <>
struct WireMembers<PrepareRequest> {
  using M = PrepareRequest;
  static constexpr auto value = std::tuple{&M::task_json, &M::input_seed, &M::threads};
};
template <>
struct WireMembers<PrepareReply> {
  static constexpr auto value = std::tuple{&PrepareReply::problem};
};
template <>
struct WireMembers<RunRequest> {
  using M = RunRequest;
  static constexpr auto value =
      std::tuple{&M::artefact, &M::entry, &M::arguments, &M::options, &M::threads, &M::best_seconds};
};
template <>
struct WireMembers<RunReply> {
  static constexpr auto value = std::tuple{&RunReply::measurement, &RunReply::machine_fault};
};
template <>
struct WireMembers<BaselineRequest> {
  using M = BaselineRequest;
  static constexpr auto value = std::tuple{&M::task_json, &M::options, &M::threads};
};
template <>
struct WireMembers<BaselineReply> {
  static constexpr auto value = std::tuple{&BaselineReply::result};
};

template <typename Message>
std::string encode_message(const Message& message) {
  WireWriter writer;
  writer.write(message);
  return writer.take();
}

/** The message in a frame's payload; Corrupt where it is none of this type. */
template <typename Message>
Result<Message> decode_message(const Frame& frame) {
  Message message;
  WireReader reader(frame.payload);
  if (frame.type != Message::type || !reader.read(message) || !reader.complete()) {
    return fail(ErrorCode::Corrupt, "a worker's message is damaged");
  }
  return message;
}

}  // namespace kernelscape

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/measure/machine_conditions.h"
#include "core/measure/measurer.h"
#include "core/measure/vendor_library.h"
#include "core/measure/worker/wire.h"
#include "core/project/program_data.h"
#include "core/trial/fields.h"
#include "core/trial/measurement.h"
#include "core/trial/vendor_result.h"

/**
 * The worker protocol. A frame is a header (magic, version, type, token, length; 24 bytes) and a payload. The
 * process that starts the worker draws the token; every frame contains it, so that bytes from elsewhere are
 * no frames. Messages are self-contained: source text, options, seeds, artefact bytes; no path, no pointer.
 */
namespace kernelscape::measure {

constexpr std::uint16_t protocol_version = 11;
constexpr std::uint32_t frame_magic = 0x5057534b;  // "KSWP"
constexpr std::size_t frame_header_bytes = 24;
constexpr std::uint64_t max_frame_bytes = 1ULL << 30;  // from a worker, which may be broken
constexpr std::uint64_t max_request_bytes = 33ULL
                                            << 30;  // to a worker: a user's arguments and their reference
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
  BaselineReply,
  ProbeRequest,
  ProbeReply,
  LimitsRequest,
  LimitsReply,
  ModelRequest,
  ModelReply,
  SpeedProbeRequest,
  SpeedProbeReply,
  CommandRequest,
  CommandReply
};
template <>
inline constexpr std::uint64_t wire_enumerators<MessageType> = 20;

/** The first frame to a worker; the worker uses its token from then on. */
struct Hello {
  static constexpr MessageType type = MessageType::Hello;
};

struct Ready {
  static constexpr MessageType type = MessageType::Ready;
  std::int64_t process_id = 0;
};

template <>
inline constexpr std::uint64_t wire_enumerators<codegen::Dialect> = 3;

/**
 * Requests a build: of a C source into a shared object, CUDA C++ into a cubin, or OpenCL C into a program
 * binary.
 */
struct BuildRequest {
  static constexpr MessageType type = MessageType::BuildRequest;
  codegen::Dialect dialect = codegen::Dialect::C;
  std::string compiler{};      ///< C: command, perhaps with arguments; else unused
  std::string device{};        ///< OpenCL: "opencl:0"
  std::string architecture{};  ///< CUDA: "sm_90a"; "compute_90a" gives PTX
  std::string entry{};         ///< GPU: name of the kernel whose resources are requested
  bool user_source = false;    ///< CUDA: may include headers of the toolkit, and C++ mangles its entry
  std::vector<codegen::IncludedFile> includes{};  ///< files included by a user's source
  std::vector<std::string> flags{};
  std::string text{};
  double timeout_seconds = 10;
};

enum class BuildStatus : std::uint8_t { Built, Failed, TimedOut, MachineFault };
template <>
inline constexpr std::uint64_t wire_enumerators<BuildStatus> = 4;

struct BuildReply {
  static constexpr MessageType type = MessageType::BuildReply;
  BuildStatus status = BuildStatus::MachineFault;
  std::string artefact{};              ///< bytes of the shared object, the cubin, or the program binary
  std::string message{};               ///< diagnostics; the reason of a machine fault
  std::string hint{};                  ///< remedy for a machine fault
  std::string log{};                   ///< compiler's log of a GPU kernel that was built
  trial::KernelResources resources{};  ///< resources of a GPU kernel; occupancy and threads are not filled in
  std::string entry{};                 ///< CUDA: the mangled name of the kernel; else empty
  std::int64_t code_bytes = 0;         ///< bytes of machine code; 0: not known
  double seconds = 0;
};

template <>
inline constexpr std::uint64_t wire_enumerators<project::ElementType> = project::element_type_count;
template <>
inline constexpr std::uint64_t wire_enumerators<project::ArgumentMemory> = 4;
template <>
inline constexpr std::uint64_t wire_enumerators<project::ArgumentAccess> = 3;
template <>
inline constexpr std::uint64_t wire_enumerators<project::FillKind> = 4;

/** The reference of a user's kernel: the bytes of its outputs, or a built kernel that computes them. */
struct PreparedAnswer {
  std::vector<std::string> bytes{};  ///< one per checked argument; empty if a kernel computes them
  std::string artefact{};            ///< a shared object, a cubin, or an OpenCL program
  codegen::Dialect dialect = codegen::Dialect::C;  ///< dialect of the artefact
  std::string entry{};
  codegen::Launch launch{};
  std::int32_t threads = 1;  ///< C: number of threads that take part
  double timeout_seconds = 0;
};

/** The description of a user's kernel for a run worker: its arguments and its reference. */
struct ProgramRequest {
  std::vector<project::ProgramArgument> arguments{};
  PreparedAnswer answer{};
};

/** Requests the inputs and the reference of a task, made once for all runs. */
struct PrepareRequest {
  static constexpr MessageType type = MessageType::PrepareRequest;
  std::string task_json;
  std::uint64_t input_seed = 1;
  std::int32_t threads = 1;               ///< threads for the reference and for CPU kernels
  std::string device = "cpu";             ///< device of the kernels to run: "cpu", "cuda:0", "opencl:1"
  std::vector<ProgramRequest> program{};  ///< exactly one for a user's kernel, whose task has no operator
  std::string probe_target_json{};        ///< GPU: its description, for the speed probe; empty: no probe
  std::string probe_artefact{};           ///< the built kernel of the probe; empty: it is built
};

struct PrepareReply {
  static constexpr MessageType type = MessageType::PrepareReply;
  std::string problem{};       ///< empty: ready for runs
  bool machine_fault = false;  ///< true: the device is not available; false: the task is wrong
  std::string hint{};
  /**
   * Outputs of the reference of a user's kernel, one per checked argument, so that a replacement worker need
   * not run the reference again. Empty if they are too large to send.
   */
  std::vector<std::string> right{};
  std::string probe_artefact{};  ///< GPU: the built kernel of the speed probe, for a replacement worker
  std::string probe_problem{};   ///< why trials have no readings of the probe; empty: they have
};

/** Requests that a kernel of the prepared task is loaded, checked and timed. */
struct RunRequest {
  static constexpr MessageType type = MessageType::RunRequest;
  std::string artefact{};
  std::string entry{};
  std::vector<codegen::KernelArgument> arguments{};  ///< arguments of a template's kernel
  codegen::Launch launch{};                          ///< launch parameters of a GPU kernel
  trial::MeasureOptions options{};
  std::int32_t threads = 1;
  double best_seconds = 0;
  bool counters = false;  ///< CPU: read processor counters in addition to the timing
};

struct RunReply {
  static constexpr MessageType type = MessageType::RunReply;
  trial::Measurement measurement;
  std::string machine_fault;    ///< not empty: nothing was measured, for this reason
  std::string hint{};           ///< remedy for a machine fault
  bool device_lost = false;     ///< a fault made the device context unusable: later runs need another worker
  GpuConditions gpu{};          ///< GPU: what its driver reported after the run; not known: not read
  MachineConditions machine{};  ///< of a fleet: of the worker's machine after the run; at 0 s: not read
  std::string counters_json{};  ///< a CounterReading if one was requested and the kernel is correct
};

/** Requests a reading of the speed probe from a prepared run worker. */
struct SpeedProbeRequest {
  static constexpr MessageType type = MessageType::SpeedProbeRequest;
  /// threads of the probe if the worker has not run a trial yet; else it has as many as the last trial's
  /// kernel
  std::int32_t threads = 1;
};

struct SpeedProbeReply {
  static constexpr MessageType type = MessageType::SpeedProbeReply;
  trial::ProbeSeconds seconds{};  ///< unknown: the device has no probe
};

template <>
inline constexpr std::uint64_t wire_enumerators<VendorLibrary> = vendor_library_count;

/**
 * Requests a timing of a vendor library on a task; the first request for a task and a library also prepares
 * it. The result is empty, without a reason, if a library other than the device's own is not installed or
 * does not apply to the task.
 */
struct BaselineRequest {
  static constexpr MessageType type = MessageType::BaselineRequest;
  std::string task_json;
  trial::MeasureOptions options;
  std::int32_t threads = 1;
  std::string device = "cpu";
  VendorLibrary library = VendorLibrary::OfDevice;
};

struct BaselineReply {
  static constexpr MessageType type = MessageType::BaselineReply;
  trial::VendorResult result;
};

/** Requests the list of GPUs. A worker does this, so that a broken driver does not end the program. */
struct ProbeRequest {
  static constexpr MessageType type = MessageType::ProbeRequest;
};

/** The devices of each platform, or the reason why there are none. */
struct ProbeReply {
  static constexpr MessageType type = MessageType::ProbeReply;
  std::vector<std::string> cuda_json;  ///< one ProbedDevice each
  std::vector<std::string> opencl_json;
  std::string cuda_problem;  ///< why there is no CUDA device, or empty
  std::string cuda_hint;
  std::string opencl_problem;
  std::string opencl_hint;
};

/** Requests the limits of a GPU, measured with Kernelscape's own kernels. */
struct LimitsRequest {
  static constexpr MessageType type = MessageType::LimitsRequest;
  std::string target_json;
  double working_set_bytes = 0;
};

struct LimitsReply {
  static constexpr MessageType type = MessageType::LimitsReply;
  double peak_gflops = 0;  ///< 0: not measured
  double bandwidth_bytes_per_second = 0;
  std::string problem;  ///< why they were not measured
};

struct Frame {
  MessageType type = MessageType::Hello;
  std::uint64_t token = 0;
  std::string payload;
};

/** Returns a frame: the header (type, token, length), then the unchanged payload. */
std::string encode_frame(MessageType type, std::uint64_t token, std::string_view payload);

/** Splits a stream of untrusted bytes into frames. */
class FrameParser {
 public:
  /**
   * Frames with another token are errors. Without a token, the first token received is accepted and then
   * required, and frames may have max_request_bytes: the parser is that of a worker, which reads requests.
   */
  explicit FrameParser(std::optional<std::uint64_t> token = std::nullopt)
      : token_(token), max_bytes_(token ? max_frame_bytes : max_request_bytes) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }  ///< adds bytes of the socket, split anywhere

  /** Returns the next frame, nullopt while it is incomplete, or Corrupt: no frame follows a broken one. */
  Result<std::optional<Frame>> next();

 private:
  std::optional<std::uint64_t> token_;
  std::uint64_t max_bytes_;  ///< of a frame's payload
  std::string buffer_;
};

template <>
struct WireMembers<loop_nest::LayoutDimension> {
  static constexpr auto value =
      std::tuple{&loop_nest::LayoutDimension::source, &loop_nest::LayoutDimension::divisor,
                 &loop_nest::LayoutDimension::extent};
};
template <>
struct WireMembers<loop_nest::Layout> {
  static constexpr auto value = std::tuple{&loop_nest::Layout::name, &loop_nest::Layout::shape,
                                           &loop_nest::Layout::dimensions, &loop_nest::Layout::winograd_tile};
};
template <>
struct WireMembers<codegen::KernelArgument> {
  static constexpr auto value =
      std::tuple{&codegen::KernelArgument::name, &codegen::KernelArgument::element_type,
                 &codegen::KernelArgument::output, &codegen::KernelArgument::layout};
};
template <>
struct WireMembers<codegen::Launch> {
  static constexpr auto value =
      std::tuple{&codegen::Launch::grid, &codegen::Launch::block, &codegen::Launch::dynamic_shared_bytes,
                 &codegen::Launch::local_bytes};
};
template <>
struct WireMembers<codegen::IncludedFile> {
  static constexpr auto value = std::tuple{&codegen::IncludedFile::name, &codegen::IncludedFile::text};
};
template <>
struct WireMembers<project::ArgumentFill> {
  using M = project::ArgumentFill;
  static constexpr auto value = std::tuple{&M::kind, &M::value, &M::seed, &M::bytes};
};
template <>
struct WireMembers<project::AnswerTolerance> {
  static constexpr auto value =
      std::tuple{&project::AnswerTolerance::absolute, &project::AnswerTolerance::relative};
};
template <>
struct WireMembers<project::ProgramArgument> {
  using M = project::ProgramArgument;
  static constexpr auto value = std::tuple{&M::name,  &M::type, &M::lanes,   &M::memory,   &M::access,
                                           &M::count, &M::fill, &M::checked, &M::tolerance};
};
template <>
struct WireMembers<PreparedAnswer> {
  using M = PreparedAnswer;
  static constexpr auto value = std::tuple{&M::bytes,  &M::artefact, &M::dialect,        &M::entry,
                                           &M::launch, &M::threads,  &M::timeout_seconds};
};
template <>
struct WireMembers<ProgramRequest> {
  static constexpr auto value = std::tuple{&ProgramRequest::arguments, &ProgramRequest::answer};
};
template <>
inline constexpr std::uint64_t wire_enumerators<trial::OccupancyLimit> =
    trial::enumerator_count<trial::OccupancyLimit>;
template <>
struct WireMembers<trial::KernelResources> {
  static constexpr auto value = trial::field_members<trial::gpu_fields, &trial::FieldFacts::wire>();
};
template <>
inline constexpr std::uint64_t wire_enumerators<trial::AdaptivePerformance> = 2;
template <>
struct WireMembers<trial::MeasureOptions> {
  using M = trial::MeasureOptions;
  static constexpr auto value = std::tuple{&M::threads,
                                           &M::builders,
                                           &M::warmups,
                                           &M::repeats,
                                           &M::min_repeat_seconds,
                                           &M::calls_per_sample,
                                           &M::build_timeout_seconds,
                                           &M::run_timeout_seconds,
                                           &M::give_up_factor,
                                           &M::slow_phase_patience_seconds,
                                           &M::flush_caches,
                                           &M::build_only,
                                           &M::input_seed,
                                           &M::memory_limit_bytes,
                                           &M::adaptive_batch,
                                           &M::adaptive_threshold,
                                           &M::adaptive_minimum,
                                           &M::adaptive_performance};
};
template <>
inline constexpr std::uint64_t wire_enumerators<trial::ErrorCategory> =
    trial::enumerator_count<trial::ErrorCategory>;
template <>
struct WireMembers<trial::Metric> {
  static constexpr auto value = std::tuple{&trial::Metric::name, &trial::Metric::unit, &trial::Metric::value};
};
template <>
struct WireMembers<trial::Measurement> {
  static constexpr auto value =
      std::tuple_cat(trial::field_members<trial::trial_fields, &trial::FieldFacts::wire>(),
                     trial::field_members<trial::probe_fields, &trial::FieldFacts::wire>(),
                     std::tuple{&trial::Measurement::metrics});
};
template <>
struct WireMembers<trial::ProbeSeconds> {
  static constexpr auto value = std::tuple{&trial::ProbeSeconds::compute, &trial::ProbeSeconds::memory};
};
template <>
struct WireMembers<trial::VendorCandidate> {
  using M = trial::VendorCandidate;
  static constexpr auto value =
      std::tuple{&M::name, &M::algorithm, &M::implementation, &M::samples_seconds, &M::reason};
};
template <>
struct WireMembers<trial::VendorResult> {
  using M = trial::VendorResult;
  static constexpr auto value =
      std::tuple{&M::name,        &M::implementation, &M::layouts,   &M::samples_seconds,
                 &M::worst_error, &M::reason,         &M::algorithm, &M::candidates};
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
  static constexpr auto value =
      std::tuple{&M::dialect,     &M::compiler, &M::device, &M::architecture, &M::entry,
                 &M::user_source, &M::includes, &M::flags,  &M::text,         &M::timeout_seconds};
};
template <>
struct WireMembers<BuildReply> {
  using M = BuildReply;
  static constexpr auto value = std::tuple{&M::status,    &M::artefact, &M::message,    &M::hint,   &M::log,
                                           &M::resources, &M::entry,    &M::code_bytes, &M::seconds};
};
template <>
struct WireMembers<PrepareRequest> {
  using M = PrepareRequest;
  static constexpr auto value =
      std::tuple{&M::task_json, &M::input_seed,        &M::threads,       &M::device,
                 &M::program,   &M::probe_target_json, &M::probe_artefact};
};
template <>
struct WireMembers<PrepareReply> {
  using M = PrepareReply;
  static constexpr auto value =
      std::tuple{&M::problem, &M::machine_fault, &M::hint, &M::right, &M::probe_artefact, &M::probe_problem};
};
template <>
struct WireMembers<RunRequest> {
  using M = RunRequest;
  static constexpr auto value = std::tuple{&M::artefact, &M::entry,   &M::arguments,    &M::launch,
                                           &M::options,  &M::threads, &M::best_seconds, &M::counters};
};
template <>
struct WireMembers<GpuConditions> {
  using M = GpuConditions;
  static constexpr auto value =
      std::tuple{&M::core_hertz, &M::max_core_hertz, &M::memory_hertz, &M::max_memory_hertz,
                 &M::celsius,    &M::watts,          &M::clock_limits};
};
template <>
struct WireMembers<MachineConditions> {
  using M = MachineConditions;
  static constexpr auto value = std::tuple{&M::at_seconds,
                                           &M::total_processor_seconds,
                                           &M::total_steal_seconds,
                                           &M::total_waiting_seconds,
                                           &M::total_quota_seconds,
                                           &M::total_heat_throttles,
                                           &M::hertz,
                                           &M::max_hertz,
                                           &M::celsius,
                                           &M::gpu};
};
template <>
struct WireMembers<RunReply> {
  using M = RunReply;
  static constexpr auto value = std::tuple{&M::measurement,   &M::machine_fault, &M::hint,   &M::device_lost,
                                           &M::counters_json, &M::gpu,           &M::machine};
};
template <>
struct WireMembers<SpeedProbeRequest> {
  static constexpr auto value = std::tuple{&SpeedProbeRequest::threads};
};
template <>
struct WireMembers<SpeedProbeReply> {
  static constexpr auto value = std::tuple{&SpeedProbeReply::seconds};
};
template <>
struct WireMembers<BaselineRequest> {
  using M = BaselineRequest;
  static constexpr auto value = std::tuple{&M::task_json, &M::options, &M::threads, &M::device, &M::library};
};
template <>
struct WireMembers<BaselineReply> {
  static constexpr auto value = std::tuple{&BaselineReply::result};
};

template <>
struct WireMembers<ProbeRequest> {
  static constexpr auto value = std::tuple{};
};
template <>
struct WireMembers<ProbeReply> {
  using M = ProbeReply;
  static constexpr auto value = std::tuple{&M::cuda_json, &M::opencl_json,    &M::cuda_problem,
                                           &M::cuda_hint, &M::opencl_problem, &M::opencl_hint};
};
template <>
struct WireMembers<LimitsRequest> {
  static constexpr auto value = std::tuple{&LimitsRequest::target_json, &LimitsRequest::working_set_bytes};
};
template <>
struct WireMembers<LimitsReply> {
  using M = LimitsReply;
  static constexpr auto value = std::tuple{&M::peak_gflops, &M::bandwidth_bytes_per_second, &M::problem};
};

/** Returns the payload of a message: its members in the order of WireMembers. */
template <typename Message>
std::string encode_message(const Message& message) {
  WireWriter writer;
  writer.write(message);
  return writer.take();
}

/** Decodes the message in a frame's payload. Returns Corrupt if it is no message of this type. */
template <typename Message>
Result<Message> decode_message(const Frame& frame) {
  Message message;
  WireReader reader(frame.payload);
  if (frame.type != Message::type || !reader.read(message) || !reader.complete()) {
    return fail(ErrorCode::Corrupt, "a worker's message is damaged");
  }
  return message;
}

}  // namespace kernelscape::measure

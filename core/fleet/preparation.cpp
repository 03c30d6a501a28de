#include "core/fleet/preparation.h"

#include <fmt/format.h>

#include <string_view>
#include <tuple>
#include <utility>

#include "core/fleet/keys.h"
#include "core/fleet/request.h"
#include "core/measure/builder_pool.h"
#include "core/measure/program_reference.h"
#include "core/measure/runner.h"
#include "core/project/data_file.h"
#include "core/space/member_search.h"

namespace kernelscape::fleet {
namespace {

constexpr int max_attempts = 3;  // attempts after Redis lost data

/** Determines the reference outputs of a user's kernels with one synchronous request after the other. */
class FleetReference {
 public:
  FleetReference(const kernel::Family& family, const Measuring& measuring,
                 const trial::MeasureOptions& options, const std::function<bool()>& stop, Request question)
      : family_(family),
        data_(*family.data()),
        measuring_(measuring),
        target_(measuring.device.target),
        options_(options),
        stop_(stop),
        question_(std::move(question)) {}

  /** Returns the frame of the PrepareRequest; nullopt: it was stopped. */
  Result<std::optional<std::string>> make() {
    switch (data_.answer.kind) {
      case project::AnswerKind::Bytes:
        return frame_with({.bytes = data_.answer.bytes});
      case project::AnswerKind::Kernel:
      case project::AnswerKind::Function:
        return build_reference();
      case project::AnswerKind::FirstValid:
        break;
    }
    return find_first_valid();
  }

 private:
  /** The result of a build; the message of a failed build says why. */
  using Built = std::optional<measure::BuildOutcome>;

  std::string frame_with(measure::PreparedAnswer answer) const {
    measure::PrepareRequest request = measure::prepare_request_of(family_.task(), target_, options_);
    request.program.push_back({.arguments = data_.arguments, .answer = std::move(answer)});
    return frame_of(request);
  }

  Result<Built> build(const codegen::KernelSource& source) {
    const std::string stream = keys::build_stream(measuring_.device.tool_chain);
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      const auto answer = TRY(question_.ask(
          build_task_of(source, measuring_.device, options_.build_timeout_seconds), stream, stop_));
      if (!answer) return std::nullopt;
      if (answer->kind != TaskEnding::Answer) return failed(answer->message);
      measure::BuildReply reply = TRY(message_of<measure::BuildReply>(answer->frame));
      if (answer->artefact_sha256.empty()) return measure::build_outcome_of(std::move(reply), source.dialect);
      auto artefact =
          TRY(read_blob(question_.poster().connection(), measuring_.access.times, answer->artefact_sha256));
      if (!artefact) continue;
      reply.artefact = std::move(*artefact);
      return measure::build_outcome_of(std::move(reply), source.dialect);
    }
    return std::unexpected(lost_blobs("built artefacts"));
  }

  static Built failed(std::string message) {
    return measure::BuildOutcome{.category = trial::ErrorCategory::UnknownError,
                                 .message = std::move(message)};
  }

  /** Returns the error for blobs that Redis lost, which is not the fault of a kernel. */
  static Error lost_blobs(std::string_view what) {
    return {ErrorCode::Corrupt, fmt::format("the fleet's Redis has lost {}, {} times", what, max_attempts),
            "give it more memory (maxmemory), or let it evict less"};
  }

  Result<std::optional<std::string>> build_reference() {
    const codegen::KernelSource& source = data_.answer.reference;
    Built built = TRY(build(source));
    if (!built) return std::nullopt;
    if (built->category != trial::ErrorCategory::NoError)
      return std::unexpected(measure::reference_not_built(built->category, built->message));
    return frame_with(measure::answer_of_kernel(source, std::move(*built), target_, options_));
  }

  Result<std::optional<std::string>> find_first_valid() {
    std::string first_problem;
    const space::FirstMembers first =
        space::first_members(family_.space(), measure::max_first_members, stop_);
    if (stop_ && stop_()) return std::nullopt;
    for (const space::Configuration& configuration : first.members) {
      auto source = family_.source(configuration);
      std::string problem = source ? std::string() : source.error().message;
      if (source) {
        Built built = TRY(build(*source));
        if (!built) return std::nullopt;
        problem = built->message;
        if (built->category == trial::ErrorCategory::NoError) {
          if (!built->entry.empty()) source->entry = built->entry;
          const std::string artefact = built->artefact;
          std::string frame =
              frame_with(measure::answer_of_kernel(*source, std::move(*built), target_, options_));
          const std::optional<std::string> ran = TRY(problem_of_run(*source, artefact, frame));
          if (!ran) return std::nullopt;
          if (ran->empty()) return frame;
          problem = *ran;
        }
      }
      if (first_problem.empty())
        first_problem = fmt::format("{}: {}", family_.space().describe(configuration), problem);
    }
    return std::unexpected(measure::no_member_runs(family_.space(), first, first_problem));
  }

  /**
   * Returns why a kernel gives no outputs. A worker that ran a second kernel against these outputs has them.
   * nullopt: it was stopped.
   */
  Result<std::optional<std::string>> problem_of_run(const codegen::KernelSource& source,
                                                    const std::string& artefact, const std::string& prepare) {
    trial::MeasureOptions once = options_;
    once.repeats = 1;
    once.give_up_factor = 0;
    once.adaptive_batch = 0;
    TaskPoster& poster = question_.poster();
    Task task{.kind = TaskKind::Run};
    task.frame = frame_of(
        measure::run_request_of(source, {}, once, options_.kernel_threads(schedule::host_cores(target_))));
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      task.artefact_sha256 = TRY(poster.put_blob(artefact));
      task.prepare_sha256 = TRY(poster.put_blob(prepare));
      const auto answer = TRY(question_.ask(task, keys::run_stream(measuring_.device.id), stop_));
      if (!answer) return std::nullopt;
      if (answer->kind == TaskEnding::Answer) return std::string();
      if (answer->kind != TaskEnding::Missing)
        return answer->message.empty() ? "no worker executed it" : answer->message;
    }
    return std::unexpected(lost_blobs("the blobs to run"));
  }

  const kernel::Family& family_;
  const project::ProgramData& data_;
  const Measuring& measuring_;
  const schedule::TargetDescription& target_;
  const trial::MeasureOptions& options_;
  const std::function<bool()>& stop_;
  Request question_;
};

}  // namespace

std::vector<std::string> flags_for(const DeviceClass& device, const std::vector<std::string>& flags) {
  std::vector<std::string> here;
  for (const std::string& flag : flags) {
    if (flag == "-march=native" && !device.native_flags.empty()) {
      here.insert(here.end(), device.native_flags.begin(), device.native_flags.end());
    } else {
      here.push_back(flag);
    }
  }
  return here;
}

Task build_task_of(codegen::KernelSource source, const DeviceClass& device, double timeout_seconds) {
  const bool reference_of_gpu =
      source.dialect == codegen::Dialect::C && device.target.kind != schedule::TargetKind::Cpu;
  measure::BuildRequest request =
      measure::build_request_of(std::move(source), device.target, timeout_seconds);
  // The builder and the worker that runs the reference may have different processors, and the runner's is
  // unknown.
  if (reference_of_gpu) std::erase(request.flags, "-march=native");
  request.flags = flags_for(device, request.flags);
  return {.kind = TaskKind::Build, .frame = frame_of(request)};
}

Result<std::optional<std::string>> prepare_on_fleet(const kernel::Family& family, const Measuring& measuring,
                                                    const trial::MeasureOptions& options,
                                                    const std::function<bool()>& stop) {
  if (family.data() == nullptr)
    return frame_of(measure::prepare_request_of(family.task(), measuring.device.target, options));
  if (project::has_data_files(*family.data()))
    return fail(
        ErrorCode::Refused,
        "the project leaves its data files on this machine (kernelscape.DataFiles), and the workers of "
        "a fleet cannot read them",
        "set kernelscape.DataFiles to \"Stored\", or tune on this machine");
  return FleetReference(family, measuring, options, stop, TRY(Request::open(measuring, stop))).make();
}

}  // namespace kernelscape::fleet

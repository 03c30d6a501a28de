#include "core/measure/gpu/gpu_code.h"

#include <fmt/format.h>

#include <array>

#include "core/base/temporary_folder.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/worker_process.h"

namespace kernelscape::measure {
namespace {

constexpr std::uint64_t disassembler_memory_bytes = 4ULL << 30;
constexpr double worker_grace_seconds = 60;  // time to open NVRTC first, perhaps from a slow disk
constexpr const char* disassembly_name = "kernel.sass";
constexpr const char* line_option = "--generate-line-info";

Result<BuildReply> build_with(WorkerProcess& worker, const BuildRequest& request) {
  const Deadline deadline = deadline_after(request.timeout_seconds + worker_grace_seconds);
  if (const auto sent = worker.channel().send(request, deadline); !sent)
    return fail(ErrorCode::Environment, "the build worker was lost: " + worker.describe_end(), "try again");
  auto reply = worker.channel().receive<BuildReply>(deadline);
  if (!reply) {
    worker.kill();
    return fail(ErrorCode::Environment, "the build worker gave no answer: " + worker.describe_end(),
                "try again");
  }
  if (reply->status != BuildStatus::Built)
    return fail(ErrorCode::Environment, fmt::format("NVRTC made no code: {}", reply->message), reply->hint);
  return std::move(*reply);
}

/** Returns the output of a disassembler for a cubin; empty if it is not installed or fails. */
std::string disassemble(const std::vector<std::string>& words, const std::string& folder,
                        double timeout_seconds) {
  const ExecTexts arguments(words);
  const ExecTexts environment(confined_environment(folder));
  Confinement confinement = Confinement::of_compiler(folder);
  const ConfinedOutcome outcome = run_confined({.arguments = arguments,
                                                .environment = environment,
                                                .folder = folder,
                                                .limits = {.cpu_seconds = timeout_seconds,
                                                           .address_space_bytes = disassembler_memory_bytes,
                                                           .file_bytes = max_artefact_bytes,
                                                           .stack_bytes = 0},
                                                .confinement = &confinement,
                                                .output_file = disassembly_name},
                                               timeout_seconds, -1);
  const bool done =
      outcome.start_error == 0 && outcome.child.end == ChildEnd::Exited && outcome.child.code == 0;
  return done ? read_private_file(folder + "/" + disassembly_name, max_artefact_bytes) : std::string();
}

std::string sass_of(const std::string& cubin, double timeout_seconds) {
  const Result<base::TemporaryFolder> folder = base::TemporaryFolder::make();
  if (!folder || write_private_file(folder->path() + "/kernel.cubin", cubin) != 0) return {};
  constexpr std::array folders{"", "/usr/local/cuda/bin/"};
  for (const char* place : folders) {
    for (const auto& words :
         {std::vector<std::string>{std::string(place) + "nvdisasm", "-g", "kernel.cubin"},
          std::vector<std::string>{std::string(place) + "cuobjdump", "-sass", "kernel.cubin"}}) {
      std::string text = disassemble(words, folder->path(), timeout_seconds);
      if (!text.empty()) return text;
    }
  }
  return {};
}

}  // namespace

Result<GpuCode> build_gpu_code(const codegen::KernelSource& kernel, const schedule::TargetDescription& target,
                               double timeout_seconds) {
  WorkerProcess worker = TRY(WorkerProcess::start(WorkerRole::Build));
  TRY(worker.await_ready());
  BuildRequest request{.dialect = codegen::Dialect::Cuda,
                       .architecture = target.isa,
                       .entry = kernel.entry,
                       .flags = kernel.flags.words(),
                       .text = kernel.text,
                       .timeout_seconds = timeout_seconds};
  request.flags.emplace_back(line_option);
  BuildReply device = TRY(build_with(worker, request));
  // A virtual architecture gives PTX: compute_90a for sm_90a.
  if (request.architecture.starts_with("sm_")) request.architecture.replace(0, 3, "compute_");
  BuildReply virtual_code = TRY(build_with(worker, request));
  GpuCode code{.ptx = std::move(virtual_code.artefact)};
  code.resources = device.resources;
  code.sass = sass_of(device.artefact, timeout_seconds);
  if (code.sass.empty())
    code.notes.emplace_back(
        "The instructions are PTX, not device code: install nvdisasm or cuobjdump of a CUDA toolkit to see "
        "device code.");
  return code;
}

}  // namespace kernelscape::measure

#include <sys/prctl.h>

#include <csignal>
#include <optional>

#include "core/machine_code/code_size.h"
#include "core/measure/cpu/compiler.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/worker/confinement.h"
#include "core/measure/worker/worker_main.h"

namespace kernelscape::measure {
namespace {

using MakeDeviceCompiler = Result<std::unique_ptr<DeviceCompiler>> (*)();

BuildReply machine_fault(const Error& error) {
  return {.status = BuildStatus::MachineFault, .message = error.message, .hint = error.hint};
}

/** The compilers of a build worker, each made at its first request, and kept. */
class Compilers {
 public:
  explicit Compilers(int hang_up) : hang_up_(hang_up) {}

  BuildReply build(const BuildRequest& request) {
    switch (request.dialect) {
      case codegen::Dialect::C:
        break;
      case codegen::Dialect::Cuda:
        return build_for_device(request, cuda_, make_cuda_compiler);
      case codegen::Dialect::OpenCl:
        return build_for_device(request, opencl_, make_opencl_compiler);
    }
    return build_for_host(request);
  }

 private:
  BuildReply build_for_host(const BuildRequest& request) {
    if (!folder_) {
      auto made = base::TemporaryFolder::make();
      if (!made) return machine_fault(made.error());
      folder_.emplace(std::move(*made));
    }
    return compile_shared_object(request, *folder_, hang_up_);
  }

  static BuildReply build_for_device(const BuildRequest& request, std::unique_ptr<DeviceCompiler>& compiler,
                                     MakeDeviceCompiler make) {
    if (!compiler) {
      // The channel is not read during such a compile: the worker has to end with its parent.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      auto made = make();
      if (!made) return machine_fault(made.error());
      compiler = std::move(*made);
      // The worker is confined only now, since a driver may start a helper with more privileges while it is
      // opened.
      Confinement::of_driver().apply();
    }
    BuildReply reply = compiler->compile(request);
    if (reply.artefact.size() <= max_artefact_bytes) return reply;
    return {.status = BuildStatus::Failed,
            .message = "the compiler made a program of over 64 MiB",
            .seconds = reply.seconds};
  }

  int hang_up_;
  std::optional<base::TemporaryFolder> folder_;
  std::unique_ptr<DeviceCompiler> cuda_;
  std::unique_ptr<DeviceCompiler> opencl_;
};

}  // namespace

void serve_builds(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  Compilers compilers(channel.descriptor());
  while (auto request = channel.receive<BuildRequest>(never)) {
    BuildReply reply = compilers.build(*request);
    reply.code_bytes = machine_code::code_bytes(reply.artefact).value_or(0);
    if (!channel.send(reply, never)) return;
  }
}

}  // namespace kernelscape::measure

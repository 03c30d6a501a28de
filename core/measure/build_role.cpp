#include "core/measure/compiler.h"
#include "core/measure/worker_main.h"

namespace kernelscape {

void serve_builds(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  const auto folder = TemporaryFolder::make();
  while (auto request = channel.receive<BuildRequest>(never)) {
    BuildReply reply{.status = BuildStatus::MachineFault, .artefact = {}, .message = {}, .hint = {}};
    if (folder) {
      reply = compile_shared_object(*request, *folder, channel.descriptor());
    } else {
      reply.message = folder.error().message;
      reply.hint = folder.error().hint;
    }
    if (!channel.send(reply, never)) return;
  }
}

}  // namespace kernelscape

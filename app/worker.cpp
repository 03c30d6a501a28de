#include <span>
#include <string_view>

#include "app/fleet_worker_main.h"
#include "core/base/last_handler.h"
#include "core/measure/worker/worker_main.h"
#include "core/onnx_reader/model_role.h"

namespace kernelscape::app {
namespace {

int run_worker(std::span<char* const> arguments) {
  if (arguments.size() > 1 && std::string_view(arguments[1]).starts_with("--")) return join_fleet(arguments);
  constexpr measure::AddedRole models{measure::WorkerRole::Model, onnx_reader::serve_models};
  return measure::worker_main(arguments, {&models, 1});
}

}  // namespace
}  // namespace kernelscape::app

/** Builds and runs kernels, and reads models, for kernelscape, which starts it: nothing untrusted runs in the
 * program itself. With --join it does so for a fleet. */
// NOLINTNEXTLINE(bugprone-exception-escape): the last handler reports what is thrown
int main(int argc, char** argv) {
  kernelscape::base::install_last_handler(
      "kernelscape-worker", "start the worker again: its tasks are given to another worker, or tried again");
  return kernelscape::app::run_worker({argv, static_cast<std::size_t>(argc)});
}

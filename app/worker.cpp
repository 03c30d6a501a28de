#include <span>
#include <string_view>

#include "app/fleet_worker_main.h"
#include "core/measure/worker/worker_main.h"
#include "core/onnx/model_role.h"

/** Builds and runs kernels, and reads models, for kernelscape, which starts it: nothing untrusted runs in the
 * program itself. With --join it does so for a fleet. */
int main(int argc, char** argv) {
  using namespace kernelscape;
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
  if (argc > 1 && std::string_view(argv[1]).starts_with("--")) return join_fleet(arguments);
  constexpr AddedRole models{WorkerRole::Model, serve_models};
  return worker_main(arguments, {&models, 1});
}

#include <span>

#include "core/measure/worker/worker_main.h"
#include "core/onnx/model_role.h"

/** Builds and runs kernels, and reads models, for kernelscape, which starts it: nothing untrusted runs in the
 * program itself. */
int main(int argc, char** argv) {
  using namespace kernelscape;
  constexpr AddedRole models{WorkerRole::Model, serve_models};
  return worker_main(std::span<char* const>(argv, static_cast<std::size_t>(argc)), {&models, 1});
}

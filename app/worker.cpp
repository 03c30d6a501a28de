#include <span>

#include "core/measure/worker/worker_main.h"

/** Builds and runs kernels for kernelscape, which starts it: nothing untrusted runs in the program itself. */
int main(int argc, char** argv) {
  return kernelscape::worker_main(std::span<char* const>(argv, static_cast<std::size_t>(argc)));
}

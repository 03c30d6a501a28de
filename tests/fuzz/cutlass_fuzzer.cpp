#include "tests/fuzz/import_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return kernelscape::fuzz_reader("cutlass", data, size);
}

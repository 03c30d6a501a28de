#include <cstddef>
#include <cstdint>

#include "tests/fuzz/machine_code_fuzzing.h"

/** Any bytes as a GPU's instructions: NVRTC's PTX, and SASS of either disassembler. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const machine_code::MachineLanguage language :
       {machine_code::MachineLanguage::Ptx, machine_code::MachineLanguage::Sass})
    fuzz_machine_code(text, language);
  return 0;
}

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/machine_code_fuzzing.h"

/** Any bytes as a processor's assembly: what compilers write, and text that is none. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const machine_code::MachineLanguage language :
       {machine_code::MachineLanguage::X86, machine_code::MachineLanguage::Aarch64,
        machine_code::MachineLanguage::Other})
    fuzz_machine_code(text, language);
  return 0;
}

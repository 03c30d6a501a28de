#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/machine_code/loop_bound.h"

/** Any bytes as llvm-mca's output and as /proc/cpuinfo: a bound that is a number of cycles, or none. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (machine_code::port_model_of(machine_code::parse_processor_identity(text)).model == nullptr)
    std::abort();
  machine_code::MachineLoop loop;
  loop.mix.multiply_adds = 16;
  const auto bound = machine_code::parse_mca_output(text, loop);
  if (!bound) return 0;
  const auto finite = [](double number) { return std::isfinite(number); };
  if (!finite(bound->cycles) || bound->cycles <= 0 || bound->parts.empty()) std::abort();
  if (!std::ranges::all_of(bound->parts, finite, &machine_code::BoundPart::cycles)) std::abort();
  return 0;
}

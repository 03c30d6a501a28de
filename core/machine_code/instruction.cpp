#include "core/machine_code/instruction.h"

#include <numeric>

namespace kernelscape::machine_code {
namespace {

struct ClassNames {
  std::string_view one;
  std::string_view many;
};

constexpr std::array<ClassNames, instruction_class_count> class_names{{
    {"multiply-add", "multiply-adds"},
    {"other vector operation", "other vector operations"},
    {"load", "loads"},
    {"store", "stores"},
    {"spill load", "spill loads"},
    {"spill store", "spill stores"},
    {"shuffle or move", "shuffles and moves"},
    {"integer operation", "integer operations"},
    {"branch", "branches"},
    {"barrier", "barriers"},
    {"other", "others"},
}};

}  // namespace

std::string_view name_of(InstructionClass instruction_class) {
  return class_names[static_cast<std::size_t>(instruction_class)].one;
}

std::string_view plural_of(InstructionClass instruction_class) {
  return class_names[static_cast<std::size_t>(instruction_class)].many;
}

int InstructionMix::instructions() const { return std::accumulate(counts.begin(), counts.end(), 0); }

}  // namespace kernelscape::machine_code

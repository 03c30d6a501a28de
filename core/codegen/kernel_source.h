#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/codegen/dialect.h"
#include "core/codegen/known_flags.h"
#include "core/loop_nest/layout.h"

namespace kernelscape {

/** A pointer parameter of a kernel, in order. Inputs first, the output last. */
struct KernelArgument {
  std::string name;
  std::string element_type;  ///< "f32"
  bool output = false;
  Layout layout;

  bool operator==(const KernelArgument&) const = default;
};

/** GPU launch; all ones on a CPU. */
struct Launch {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};

  std::int64_t threads() const { return block[0] * block[1] * block[2]; }  ///< of one block
  bool operator==(const Launch&) const = default;
};

/**
 * All that a builder takes. A C kernel is
 *   void entry(int part, int parts, const T* input0, const T* input1, T* output)
 * and computes part `part` of `parts` of the output: the caller owns the threads. Parts may run in any order
 * and at the same time. A CUDA or OpenCL kernel takes the pointers alone and computes the whole output in one
 * launch.
 */
struct KernelSource {
  Dialect dialect = Dialect::C;
  std::string text;
  std::string entry;
  KnownFlags flags;  ///< for the compiler: those of the target's description that are known
  std::vector<KernelArgument> arguments;
  Launch launch;
  std::int64_t shared_bytes = 0;  ///< static shared memory of a block

  bool operator==(const KernelSource&) const = default;
};

}  // namespace kernelscape

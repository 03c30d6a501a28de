#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/codegen/dialect.h"
#include "core/codegen/known_flags.h"
#include "core/loop_nest/layout.h"

namespace kernelscape::codegen {

/** A pointer parameter of a kernel, in order: inputs, the output, operands of an epilogue. */
struct KernelArgument {
  std::string name;
  std::string element_type;  ///< "f32"
  bool output = false;
  loop_nest::Layout layout;

  bool operator==(const KernelArgument&) const = default;
};

/** The launch of a GPU; all ones on a CPU. */
struct Launch {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;    ///< CUDA: of a block, in addition to what the source declares
  std::vector<std::int64_t> local_bytes{};  ///< OpenCL: of each Local argument of a user's kernel, in order

  std::int64_t threads() const { return block[0] * block[1] * block[2]; }  ///< of one block
  bool operator==(const Launch&) const = default;
};

/**
 * A file that a user's source includes, by the name in the include directive. It is transferred as text,
 * never as a path.
 */
struct IncludedFile {
  std::string name;
  std::string text;

  bool operator==(const IncludedFile&) const = default;
};

/**
 * The complete input of a builder. A C kernel is
 *   void entry(int part, int parts, const T* input0, const T* input1, T* output, const T* operand0, ...)
 * with the operands of its task's epilogue, which most tasks do not have, and computes part `part` of `parts`
 * of the output: the caller provides the threads. Parts may run in any order and concurrently. A CUDA or
 * OpenCL kernel takes only the pointers and computes the whole output in one launch. A user's kernel takes
 * the arguments of its ProgramData instead, in their order; a C kernel with `parts` takes them after (part,
 * parts), a C kernel without runs on a single thread.
 */
struct KernelSource {
  Dialect dialect = Dialect::C;
  std::string text;
  std::string entry;
  KnownFlags flags;  ///< known flags of the target's description, for the compiler
  std::vector<KernelArgument> arguments;
  Launch launch;
  std::int64_t shared_bytes = 0;  ///< static shared memory of a block
  bool parts = true;              ///< C: the entry takes (part, parts) first
  /// of a project that its user trusts: any text; appended to `flags`
  std::vector<std::string> user_flags{};
  std::vector<IncludedFile> includes{};  ///< of a user's source

  bool operator==(const KernelSource&) const = default;
};

}  // namespace kernelscape::codegen

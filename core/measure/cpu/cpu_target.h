#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/target.h"

namespace kernelscape {

/** Whether a description needs a compiler that works: looking at a space does not. */
enum class CompilerNeed { Required, Optional };

/**
 * This machine's CPU: model, vector instructions, cores that we may use (hardware threads of one core count
 * once), caches; and the C compiler ($CC, else cc, else gcc) with version and flags. Environment where a
 * compiler is required and there is none, or one that fails on a trivial kernel.
 */
Result<TargetDescription> describe_cpu_target(CompilerNeed need = CompilerNeed::Required);

/** The C compiler of that description, "cc" where none starts: it builds references of kernels for a GPU. */
std::string host_compiler();

/**
 * Whether the compiler has the dot products of bytes that the CPU has (TargetDescription::extensions):
 * kernels would be built without them, and nobody would know why they are slow. Environment where it has not.
 * @param target of describe_cpu_target(), which tested the compiler
 */
Status check_dot_products(const TargetDescription& target);

/** Instruction set from the flags of /proc/cpuinfo; sets isa, extensions, vector_bits and vector_registers.
 */
void describe_instruction_set(std::string_view cpuinfo, TargetDescription& target);

/** "AMD EPYC 9654": the model's name in the text of /proc/cpuinfo; "CPU" where it has none. */
std::string cpu_model(std::string_view cpuinfo);

/** Bytes of "32K", "8M", "512"; 0 where it is no size. */
std::int64_t parse_cache_size(std::string_view text);

}  // namespace kernelscape

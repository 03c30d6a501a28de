#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/target.h"

namespace kernelscape::measure {

/** Whether a description needs a working compiler. Viewing a space does not. */
enum class CompilerNeed { Required, Optional };

/**
 * Describes this machine's CPU: model, vector instructions, available cores (hardware threads of one core
 * count once), caches; and the C compiler ($CC, else cc, else gcc) with version and flags. Returns
 * Environment if a compiler is required and there is none, or if it fails on a trivial kernel.
 */
Result<schedule::TargetDescription> describe_cpu_target(CompilerNeed need = CompilerNeed::Required);

/**
 * Returns the C compiler of that description, or "cc" if none starts. It builds the references of GPU
 * kernels.
 */
std::string host_compiler();

/**
 * Checks that the compiler supports dot products of the CPU: at least one of the extensions of a kernel's
 * target. Without them, kernels would be slow for no visible reason. Returns Environment if the compiler does
 * not support them.
 * @param target the target of a kernel, whose compiler was tested by describe_cpu_target()
 */
Status check_dot_products(const schedule::TargetDescription& target);

/**
 * Determines the instruction set from the flags in the text of /proc/cpuinfo; sets isa, extensions,
 * vector_bits and vector_registers.
 */
void describe_instruction_set(std::string_view cpuinfo, schedule::TargetDescription& target);

/** Returns the model name, such as "AMD EPYC 9654", from the text of /proc/cpuinfo; "CPU" if it has none. */
std::string cpu_model(std::string_view cpuinfo);

/** Converts "32K", "8M" or "512" to bytes; returns 0 if the text is no size. */
std::int64_t parse_cache_size(std::string_view text);

}  // namespace kernelscape::measure

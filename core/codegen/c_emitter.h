#pragma once

#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/** What the header comment of a kernel says. */
struct KernelDescription {
  std::string entry = "kernel";
  std::string task;
  std::string template_name;
  std::string configuration;
  std::string target;
  std::vector<std::string> flags;
};

/**
 * A loop nest after its passes as C with GCC's and Clang's vector extensions: no header, one function
 * void entry(int part, int parts, const float *..., float *output).
 */
KernelSource emit_c(const LoopNest& nest, const KernelDescription& description);

}  // namespace kernelscape

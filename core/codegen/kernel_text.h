#pragma once

#include <functional>
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

/** The header comment: what the kernel computes, for whom, and how its tensors lie; `notes` are its last
 * lines. */
std::string header_comment(const LoopNest& nest, const KernelDescription& description,
                           const std::vector<std::string>& notes);

/** Spells an index. */
using IndexSpelling = std::function<std::string(const IndexExpression&)>;

/** C tests that together say that a condition holds: only the sides that the ranges leave open. */
std::vector<std::string> condition_tests(const Condition& condition, const Ranges& ranges,
                                         const IndexSpelling& spell);

/** The pointers that a kernel takes, in order. */
std::vector<KernelArgument> kernel_arguments(const LoopNest& nest);

}  // namespace kernelscape

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
  KnownFlags flags;
};

/** The header comment: what the kernel computes, for whom, and how its tensors lie; `notes` are its last
 * lines. */
std::string header_comment(const LoopNest& nest, const KernelDescription& description,
                           const std::vector<std::string>& notes);

/** The body of a kernel as it is written, line by line: what the dialects share. */
class KernelBody {
 public:
  explicit KernelBody(const LoopNest& nest) : nest_(nest) {}

 protected:
  /** How the text spells a loop variable, by its number. */
  const std::string& name_of(int variable) const {
    return nest_.variables[static_cast<std::size_t>(variable)];
  }
  /** By its number in the nest, as accesses name it. */
  const Buffer& buffer(int number) const { return nest_.buffers[static_cast<std::size_t>(number)]; }
  /** An expression in C, with the nest's names of variables. */
  std::string spell(const IndexExpression& expression) const;
  /** "data[n * 64 + k]" */
  std::string element(const BufferAccess& access) const;
  /** All of the conditions, joined by &&. */
  std::string tests(const std::vector<Condition>& conditions) const;
  /** Adds a line to the body, indented by two spaces per level of `depth`. */
  void line(int depth, const std::string& text);

  const LoopNest& nest_;
  std::string body_;
};

/** The pointers that a kernel takes, in order. */
std::vector<KernelArgument> kernel_arguments(const LoopNest& nest);

}  // namespace kernelscape

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

/** The header comment: what the kernel computes, for whom, and how its tensors lie; `notes` are its last
 * lines. */
std::string header_comment(const LoopNest& nest, const KernelDescription& description,
                           const std::vector<std::string>& notes);

/** The body of a kernel as it is written, line by line: what the dialects share. */
class KernelBody {
 public:
  explicit KernelBody(const LoopNest& nest) : nest_(nest) {}

 protected:
  const std::string& name_of(int variable) const {
    return nest_.variables[static_cast<std::size_t>(variable)];
  }
  const Buffer& buffer(int number) const { return nest_.buffers[static_cast<std::size_t>(number)]; }
  std::string spell(const IndexExpression& expression) const;
  /** "data[n * 64 + k]" */
  std::string element(const BufferAccess& access) const;
  /** All of the conditions, joined by &&. */
  std::string tests(const std::vector<Condition>& conditions) const;
  void line(int depth, const std::string& text);

  const LoopNest& nest_;
  std::string body_;
};

/** The pointers that a kernel takes, in order. */
std::vector<KernelArgument> kernel_arguments(const LoopNest& nest);

}  // namespace kernelscape

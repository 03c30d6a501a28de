#pragma once

#include <string>
#include <utility>
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

/** By line of a source - 1: the number of the statement (nest_text.h) that it was written for; -1: none. */
using LineStatements = std::vector<int>;

/** Those of a whole source: a head that was written for none, then the body's lines. */
LineStatements line_statements(const std::string& head, const std::vector<int>& body);

/** The body of a kernel as it is written, line by line: what the dialects share. */
class KernelBody {
 public:
  explicit KernelBody(const LoopNest& nest) : nest_(nest) {}

  /** By line of the body: the number of the statement (nest_text.h) that it was written for; -1: none. */
  const std::vector<int>& statements() const { return statements_; }

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

  /** Lines that `write` adds belong to the next statement: all are begun in the order of their numbers. */
  template <typename Write>
  void as_next_statement(const Write& write) {
    const int around = std::exchange(statement_, next_statement_++);
    write();
    statement_ = around;
  }
  /** Of statements that no line is written for. */
  void skip_statements(int count) { next_statement_ += count; }

  const LoopNest& nest_;
  std::string body_;
  int statement_ = -1;  ///< which lines are written for

 private:
  std::vector<int> statements_;
  int next_statement_ = 0;
};

/** The pointers that a kernel takes, in order. */
std::vector<KernelArgument> kernel_arguments(const LoopNest& nest);

}  // namespace kernelscape

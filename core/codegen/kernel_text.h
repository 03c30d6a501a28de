#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape::codegen {

/** The content of a kernel's header comment. */
struct KernelDescription {
  std::string entry = "kernel";
  std::string task;
  std::string template_name;
  std::string configuration;
  std::string target;
  KnownFlags flags;
};

/**
 * Returns the header comment: the kernel's computation, target and tensor layouts; `notes` are its last
 * lines.
 */
std::string header_comment(const loop_nest::LoopNest& nest, const KernelDescription& description,
                           const std::vector<std::string>& notes);

/**
 * By line of a source - 1: the number of the statement (nest_text.h) for which the line was written; -1:
 * none.
 */
using LineStatements = std::vector<int>;

/** Returns the line statements of a whole source: a head without statements, then the body's lines. */
LineStatements line_statements(const std::string& head, const std::vector<int>& body);

/** The body of a kernel while it is written, line by line: the part that the dialects share. */
class KernelBody {
 public:
  explicit KernelBody(const loop_nest::LoopNest& nest) : nest_(nest) {}

  /**
   * Returns, by line of the body, the number of the statement (nest_text.h) for which the line was written;
   * -1: none.
   */
  const std::vector<int>& statements() const { return statements_; }

 protected:
  /** Returns the name of a loop variable in the text, by its number. */
  const std::string& name_of(int variable) const {
    return nest_.variables[static_cast<std::size_t>(variable)];
  }
  /** Returns a buffer by its number in the nest, which accesses use. */
  const loop_nest::Buffer& buffer(int number) const {
    return nest_.buffers[static_cast<std::size_t>(number)];
  }
  /** Returns an expression in C, with the nest's names of variables. */
  std::string spell(const loop_nest::IndexExpression& expression) const;
  /** Returns an element access in C: "data[n * 64 + k]". */
  std::string element(const loop_nest::BufferAccess& access) const;
  /** Returns the conditions in C, joined by &&. */
  std::string tests(const std::vector<loop_nest::Condition>& conditions) const;
  /** Adds a line to the body, indented by two spaces per level of `depth`. */
  void line(int depth, const std::string& text);

  /**
   * Attributes the lines that `write` adds to the next statement. Statements must be begun in the order of
   * their numbers.
   */
  template <typename Write>
  void as_next_statement(const Write& write) {
    const int around = std::exchange(statement_, next_statement_++);
    write();
    statement_ = around;
  }
  /** Skips the numbers of statements for which no line is written. */
  void skip_statements(int count) { next_statement_ += count; }

  const loop_nest::LoopNest& nest_;
  std::string body_;
  int statement_ = -1;  ///< statement for which lines are written

 private:
  std::vector<int> statements_;
  int next_statement_ = 0;
};

/** Returns the pointers that a kernel takes, in order. */
std::vector<KernelArgument> kernel_arguments(const loop_nest::LoopNest& nest);

}  // namespace kernelscape::codegen

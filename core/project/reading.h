#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/project/compiler_flags.h"
#include "core/project/files.h"
#include "core/project/kernel_project.h"
#include "core/project/source_macros.h"
#include "core/project/text.h"

namespace kernelscape::project {

/** Maximum bytes of all arguments of a kernel together. */
inline constexpr std::uint64_t max_argument_bytes = 16ULL << 30;

/** The shared state of the steps of reading a project; each step fills its part of `project`. */
struct Reading {
  Text text;
  Files files;
  KernelProject project{};
  CompilerFlags headers{};  ///< folders of headers, and files to include, that the kernel's flags name
  std::optional<SourceMacros> macros{};  ///< of the source, once it is read

  /** Returns the root value of the file. */
  JsonPlace root() const { return text.root(); }
  /** Returns the part with the launch, the source and the arguments. */
  JsonPlace kernel() const { return root()["KernelSpecification"]; }
  JsonPlace ours() const { return root()["kernelscape"]; }  ///< the additions to T1

  /** Returns an error at a value: "FILE:LINE: PATH WHAT". */
  std::unexpected<Error> fail_at(const JsonPlace& place, std::string_view what, std::string hint = {}) const;
  /** Returns an error with its location prepended. */
  std::unexpected<Error> placed(const JsonPlace& place, Error error) const;
  /** Adds a notice for the project's user: "LINE: PATH WHAT". */
  void notice(const JsonPlace& place, std::string_view what);
  /** Adds notices of the unknown members of an object, which are ignored; "Comment" may stand everywhere. */
  void notice_unknown(const JsonPlace& object, std::span<const std::string_view> known);

  /**
   * Returns a text, number or expression as text; if it is missing, `otherwise`, or an error without
   * `otherwise`.
   */
  Result<std::string> text_of(const JsonPlace& place, std::optional<std::string> otherwise = {}) const;
  /** Returns an integer; if it is missing, `otherwise`. Another value is an error. */
  Result<std::int64_t> integer_at(const JsonPlace& place, std::optional<std::int64_t> otherwise = {}) const;
  /** Returns a finite number; if it is missing, `otherwise`. Another value is an error. */
  Result<double> number_of(const JsonPlace& place, std::optional<double> otherwise = {}) const;
  /** Parses the expression in a text or a number; an error if it is none. */
  Result<PythonExpression> expression_of(const JsonPlace& place, std::string otherwise = {}) const;

  /**
   * Checks that all names of an expression are known in the project; the error names the most similar known
   * name.
   */
  Status check_names(const JsonPlace& place, const PythonExpression& expression, bool problem_size) const;
  /** Returns the names of all parameters, and "ProblemSize" if `problem_size` is true. */
  std::vector<std::string> known_names(bool problem_size) const;
  /**
   * Evaluates an expression that does not depend on a configuration: a parameter's name stands for the list
   * of all its values.
   */
  Result<PythonValue> constant_value(const JsonPlace& place, const PythonExpression& expression) const;
  /** Evaluates such an expression to an integer. */
  Result<std::int64_t> constant_integer(const JsonPlace& place, const PythonExpression& expression) const;
  /** Returns the names bound to the first value of each parameter. */
  PythonNames first_names() const;
};

// The steps of reading, in this order: each fills its part of the project, or names the invalid value.

/** Reads TuningParameters: names, types, values. */
Status read_parameters(Reading& reading);
/** Reads and parses the conditions, and checks their names. */
Status read_conditions(Reading& reading);
/** Reads ProblemSize. */
Status read_problem_size(Reading& reading);
/** Reads FLOPs or Bytes of one run; 0 if the file does not say. */
Result<double> read_amount(const Reading& reading, const JsonPlace& place);
/** Reads GlobalSize, LocalSize, GridDivX and the like, and SharedMemory. */
Status read_launch(Reading& reading);
/** Reads CompilerOptions and the added member Flags. */
Status read_flags(Reading& reading);
/** Reads the source, its included files, the kernel and its language. */
Status read_source(Reading& reading);
/** Reads the arguments: types, sizes, contents. */
Status read_arguments(Reading& reading);
/** Reads the reference and the tolerance of outputs. */
Status read_answer(Reading& reading);
/**
 * Compares the source with the rest of the project: reports parameters that no line uses, and macros that are
 * no parameters.
 */
void compare_source(Reading& reading);

/** A source and the files that it includes by names in quotes, recursively. */
struct ReadSource {
  std::string text;
  std::vector<codegen::IncludedFile> includes;
};
/**
 * Reads the source that a value names. Errors: it does not exist, or is outside the project's folder.
 * @param headers include folders, and files to include before the source
 */
Result<ReadSource> read_source_file(Reading& reading, const JsonPlace& place, const CompilerFlags& headers);

/**
 * Reads the flags in a list of texts, splits them, and translates them for the compiler of a language. Flags
 * that this compiler does not support add an obstacle and a notice. Errors: a value that is no text, or an
 * unknown parameter name.
 */
Result<CompilerFlags> read_compiler_flags(Reading& reading, const JsonPlace& list, codegen::Dialect dialect);

/** Reads the sizes of `place` (GlobalSize, LocalSize, ...), which may name parameters. */
Result<std::array<PythonExpression, 3>> read_sizes(Reading& reading, const JsonPlace& place);

/** Returns the expressions between braces, in order. Errors: an unmatched brace, or an invalid expression. */
Result<std::vector<PythonExpression>> values_in_flag(std::string_view flag);

/** Returns one value as an element of an argument's type, as in memory; nullopt if it does not fit. */
std::optional<std::string> element_of(ElementType type, const PythonValue& value);

/**
 * Reads an argument's fill from a place with FillType, FillValue, RandomSeed and DataSource.
 * @param own members with the same names that take precedence; may be missing
 */
Result<ArgumentFill> read_fill(Reading& reading, const JsonPlace& place, const JsonPlace& own,
                               const ProgramArgument& argument);

/** Returns the tolerance of an output of this type if a project does not specify one. */
decltype(ProgramArgument::tolerance) default_tolerance(ElementType type);

/**
 * Reads what a program has in place of a kernel: its files, steps, numbers and permissions. Called after the
 * space was read.
 */
Status read_program(Reading& reading);

/** Returns a value as flags and commands contain it: truth values as 1 and 0. */
std::string flag_text(const PythonValue& value);

/** Returns true if a text is an identifier of C. */
bool is_identifier(std::string_view text);

}  // namespace kernelscape::project

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/project/compiler_flags.h"
#include "core/project/kernel_project.h"
#include "core/project/project_files.h"
#include "core/project/project_text.h"
#include "core/project/source_macros.h"

namespace kernelscape {

/** Most bytes of all arguments of a kernel together. */
inline constexpr std::uint64_t most_argument_bytes = 16ULL << 30;

/** What the steps of reading a project share; each step fills its part of `project`. */
struct ProjectReading {
  ProjectText text;
  ProjectFiles files;
  KernelProject project{};
  CompilerFlags headers{};  ///< folders of headers, and files to include, that the kernel's flags name
  std::optional<SourceMacros> macros{};  ///< of the source, once it is read

  /** The file's whole value. */
  JsonPlace root() const { return text.root(); }
  /** The launch, the source and the arguments. */
  JsonPlace kernel() const { return root()["KernelSpecification"]; }
  JsonPlace ours() const { return root()["kernelscape"]; }  ///< what T1 lacks

  /** An error at a value: "FILE:LINE: PATH WHAT". */
  std::unexpected<Error> fail_at(const JsonPlace& place, std::string_view what, std::string hint = {}) const;
  /** The same error, with where it was met before it. */
  std::unexpected<Error> placed(const JsonPlace& place, Error error) const;
  /** What the project's user should hear: "LINE: PATH WHAT". */
  void notice(const JsonPlace& place, std::string_view what);
  /** Notices of the members of an object that nobody reads; "Comment" may stand everywhere. */
  void notice_unknown(const JsonPlace& object, std::span<const std::string_view> known);

  /** Text, number or expression of a value; `otherwise` where it is missing, else an error. */
  Result<std::string> text_of(const JsonPlace& place, std::optional<std::string> otherwise = {}) const;
  /** A whole number; an error where it is none. */
  Result<std::int64_t> integer_at(const JsonPlace& place, std::optional<std::int64_t> otherwise = {}) const;
  /** A finite number; an error where it is none. */
  Result<double> number_of(const JsonPlace& place, std::optional<double> otherwise = {}) const;
  /** The expression that a text or a number is; an error where it is none. */
  Result<PythonExpression> expression_of(const JsonPlace& place, std::string otherwise = {}) const;

  /** A name of the project's; an error with the nearest where it is none. */
  Status check_names(const JsonPlace& place, const PythonExpression& expression, bool problem_size) const;
  /** The names of all parameters, "ProblemSize" among them where it may stand there. */
  std::vector<std::string> known_names(bool problem_size) const;
  /** An expression that belongs to no configuration: a parameter's name is all its values. */
  Result<PythonValue> constant_value(const JsonPlace& place, const PythonExpression& expression) const;
  /** The same, as a whole number. */
  Result<std::int64_t> constant_integer(const JsonPlace& place, const PythonExpression& expression) const;
  /** Of the first value of each parameter. */
  PythonNames first_names() const;
};

// A step each, in this order: it fills its part of the project, or names the value that is wrong.

/** TuningParameters: names, types, values. */
Status read_parameters(ProjectReading& reading);
/** Conditions, parsed, with names that there are. */
Status read_conditions(ProjectReading& reading);
/** ProblemSize. */
Status read_problem_size(ProjectReading& reading);
/** GlobalSize, LocalSize, GridDivX and the like, SharedMemory. */
Status read_launch(ProjectReading& reading);
/** CompilerOptions and our Flags. */
Status read_flags(ProjectReading& reading);
/** The source, what it includes, the kernel and its language. */
Status read_source(ProjectReading& reading);
/** Arguments: types, sizes, contents. */
Status read_arguments(ProjectReading& reading);
/** What is right, and how far from it an output may be. */
Status read_answer(ProjectReading& reading);
/** What the source and the rest say of each other: parameters in no line, macros that are no parameters. */
void compare_source(ProjectReading& reading);

/** A source and what it includes by names in quotes, recursively. */
struct ReadSource {
  std::string text;
  std::vector<IncludedFile> includes;
};
/**
 * The source that a value names; errors: it is not there, or outside the project's folder.
 * @param headers folders in which included files are looked for, and files to include before the source
 */
Result<ReadSource> read_source_file(ProjectReading& reading, const JsonPlace& place,
                                    const CompilerFlags& headers);

/**
 * The flags of a list of texts, split and translated for the compiler of a language. Flags that this compiler
 * does not take are an obstacle and a notice; an error is a text that is none, or names what is no parameter.
 */
Result<CompilerFlags> read_compiler_flags(ProjectReading& reading, const JsonPlace& list, Dialect dialect);

/** The launch of `place` (GlobalSize, LocalSize, ...), which may name parameters. */
Result<std::array<PythonExpression, 3>> read_sizes(ProjectReading& reading, const JsonPlace& place);

/** What stands between braces, in order; errors: a brace without its other one, no expression. */
Result<std::vector<PythonExpression>> values_in_flag(std::string_view flag);

/** The elements of one value of an argument's type, as in memory; none: it does not fit. */
std::optional<std::string> element_of(ElementType type, const PythonValue& value);

/**
 * An argument's fill, read from a place with FillType, FillValue, RandomSeed and DataSource.
 * @param own the same members where they count first; may be missing
 */
Result<ArgumentFill> read_fill(ProjectReading& reading, const JsonPlace& place, const JsonPlace& own,
                               const ProgramArgument& argument);

/** What an output of the type may differ from what is right, where a project does not say. */
decltype(ProgramArgument::tolerance) default_tolerance(ElementType type);

/** Whether a text is an identifier of C. */
bool is_identifier(std::string_view text);

}  // namespace kernelscape

#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/project/python_expression.h"

namespace kernelscape::project {

// Programs: what is tuned is a command that builds and a command that runs, in place of a kernel.

/** Commands of a program, started one after the other and without a shell. */
struct ProgramStep {
  std::vector<std::vector<std::string>> commands;  ///< each the name of a program and its arguments
  std::map<std::string, std::string> environment;  ///< variables in addition to those of Kernelscape
  double timeout_seconds = 0;                      ///< of each command; 0: that of the session

  bool operator==(const ProgramStep&) const = default;
};

/** How a number is read from a run. The order is that of reading_kinds. */
enum class ReadingKind : std::uint8_t {
  WallTime,        ///< from the start of the process to its end, in seconds
  PeakMemory,      ///< the largest resident set of a process of the run, in bytes
  FileSize,        ///< of a file after the run, in bytes
  Pattern,         ///< the group of a regular expression, which is applied to each line
  Pointer,         ///< a number, or a list of numbers, in JSON
  Hyperfine,       ///< the times in a file of `hyperfine --export-json`, in seconds
  GoogleBenchmark  ///< the real times in JSON of google-benchmark, in seconds
};

/** Which of several numbers counts. The order is that of number_choices. */
enum class NumberChoice : std::uint8_t {
  Only,  ///< several numbers are an error
  First,
  Last,
  All  ///< each number is a sample
};

/** A number that is read from each run, with its name and unit. */
struct ProgramNumber {
  std::string name;
  std::string unit;
  ReadingKind kind = ReadingKind::WallTime;
  std::string text;  ///< the pattern, the JSON pointer, or the name of the benchmark; empty: the only one
  std::string file;  ///< relative to the folder of the run; empty: standard output
  NumberChoice choice = NumberChoice::Only;
  bool higher_is_better = false;

  bool operator==(const ProgramNumber&) const = default;
};

/** What a program may do beyond reading the system's files and changing its own folder. */
struct ProgramPermissions {
  bool network = false;
  std::vector<std::string> read;   ///< files and folders, absolute or below "~/"
  std::vector<std::string> write;  ///< likewise; they may also be read
  double memory_bytes = -1;        ///< address space of a process; 0: not limited; -1: the session's limit

  bool operator==(const ProgramPermissions&) const = default;
};

/** A program: how it is built, run, checked and measured. Texts in braces are expressions over parameters. */
struct Program {
  ProgramStep build;  ///< no command: nothing is built
  ProgramStep run;    ///< one command
  ProgramStep check;  ///< at most one command, whose exit code 0 says that the result is right
  ProgramNumber objective;
  std::vector<ProgramNumber> metrics;
  ProgramPermissions permissions;

  bool operator==(const Program&) const = default;
};

struct KernelProject;

/** A step for one configuration: arguments and variables ("NAME=value") in which braces are replaced. */
struct StepCommands {
  std::vector<std::vector<std::string>> commands;
  std::vector<std::string> environment;

  auto operator<=>(const StepCommands&) const = default;
};

/**
 * Returns the commands of a step for one configuration: expressions between braces are replaced by their
 * values as flags_of() writes them, "{{" by "{" and "}}" by "}". InvalidArgument if an expression has no
 * value, or if a text contains a null byte.
 */
Result<StepCommands> step_commands(const ProgramStep& step, const PythonNames& names);

/** A text between braces and the text before it; the last part of a text has no expression. */
struct BracePart {
  std::string text;
  std::optional<PythonExpression> value;
};

/** Returns the parts of a text. Errors: an unmatched brace, or an invalid expression. */
Result<std::vector<BracePart>> brace_parts(std::string_view text);

/** Returns the commands of a step as a user reads them: one line each, with arguments in quotes if needed. */
std::vector<std::string> command_lines(const std::vector<std::vector<std::string>>& commands);

/**
 * Returns the commands of all steps that a program has, each with the name of its step and its variables:
 * "run: TILE={TILE} ./blur 8".
 */
std::vector<std::string> program_lines(const Program& program);
/** Returns what a program may do beyond its folder, one line each: "may use the network". */
std::vector<std::string> permission_lines(const ProgramPermissions& permissions);

/** Returns true if the unit is one of time: s, ms, us, ns, min or h. */
bool is_time_unit(std::string_view unit);
/** Returns true if more is better where nothing else is said: for FLOPS and for rates such as "it/s". */
bool is_rate_unit(std::string_view unit);

/** Returns true if the number is a time or a rate, which a slower machine makes worse. */
bool follows_machine_speed(const ProgramNumber& number);

/**
 * Returns the seconds that stand for a positive value of the objective, so that less is better: a time in
 * seconds; the work divided by a rate, which is the project's FLOPs for FLOPS, its bytes for B/s and 1 for
 * all other rates; any other number as it is.
 */
double objective_seconds(const KernelProject& project, double value);

/**
 * Sets FLOPs or bytes of a project without them to 10^9 if its objective is FLOPS or B/s, so that speeds are
 * shown as the program reports them.
 */
void set_work_of_rate(KernelProject& project);

}  // namespace kernelscape::project

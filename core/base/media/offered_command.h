#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kernelscape::base {

/**
 * How this program was called: used to complete the commands that messages suggest, so that they work when
 * pasted into a shell.
 */
struct ProgramCall {
  std::string program = "kernelscape";  ///< as the user called it
  std::string database{};  ///< file given with --db; empty: the default database, which needs no option
  /** Returns whether a command, "show", has the option --db. */
  std::function<bool(std::string_view command)> takes_database{};
};

/** Returns " --db FILE", as a shell reads it. */
std::string option_of_database(const std::string& database);

/**
 * Returns a text in which each offered command, `kernelscape show 3` between backquotes, names the program as
 * it was called, and the database in force with --db if the command takes one and names none. Code that
 * offers a command therefore need not know how the program was called; it escapes its arguments with
 * ShellScript.
 */
std::string complete_commands(std::string_view text, const ProgramCall& call);

}  // namespace kernelscape::base

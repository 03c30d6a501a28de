#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kernelscape {

/** How this program was called: what a command that it offers needs to do the same elsewhere in a shell. */
struct ProgramCall {
  std::string program = "kernelscape";  ///< as the user called it
  std::string database{};               ///< of --db; empty: the user's own, which needs no option
  /** Returns whether a command, "show", has the option --db. */
  std::function<bool(std::string_view command)> takes_database{};
};

/** Returns " --db FILE", as a shell reads it. */
std::string option_of_database(const std::string& database);

/**
 * Returns a text in which each offered command, `kernelscape show 3` between backquotes, names the program as
 * it was called, and the database in force with --db if the command takes one and names none. So code that
 * offers a command knows nothing of how the program was called; its own words are those of ShellScript.
 */
std::string complete_commands(std::string_view text, const ProgramCall& call);

}  // namespace kernelscape

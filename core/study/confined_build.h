#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/stop_request.h"

namespace kernelscape::study {

/** A file of C with the compiler options of its kernel. */
struct ConfinedSource {
  std::string file;
  std::vector<std::string> flags;
};

/**
 * Compiles and runs the programs of an exported library in its folder, in the sandbox of compilers. Errors of
 * all commands are Environment, with the end of their output; Refused: the user stopped the run.
 */
class ConfinedBuild {
 public:
  /**
   * @param folder private folder that holds the library's files; commands run in it
   * @param compiler command of the C compiler
   * @param threads number of compilers that run at the same time
   * @param stop ends the build between two files; outlives this object
   */
  ConfinedBuild(std::string folder, std::string compiler, int threads, const session::StopRequest& stop)
      : folder_(std::move(folder)), compiler_(std::move(compiler)), threads_(threads), stop_(stop) {}

  const std::string& folder() const { return folder_; }  ///< where commands run
  /** Returns the words of a command of the C compiler: "gcc -std=gnu11", and these. */
  std::vector<std::string> compiler_words(std::span<const std::string> more) const;
  /** Compiles every file to FILE.o, several at the same time. */
  Status compile_all(std::span<const ConfinedSource> sources) const;
  /** Runs a compiler or linker. */
  Status run_compiler(std::vector<std::string> words) const;
  /**
   * Runs a program of the library.
   * @param environment "NAME=VALUE" texts
   * @param output_file file in the folder that receives the standard output; null: an error quotes it
   */
  Status run_program(std::vector<std::string> words, std::vector<std::string> environment,
                     const char* output_file) const;
  /** Returns the text of a file in the folder; empty: there is none. */
  std::string text_of(const std::string& file) const;

 private:
  Status run_command(std::vector<std::string> words, std::vector<std::string> environment,
                     double timeout_seconds, const char* output_file) const;

  std::string folder_;
  std::string compiler_;
  int threads_;
  const session::StopRequest& stop_;
};

/** Returns the error of a build that the user stopped. */
std::unexpected<Error> build_stopped();

}  // namespace kernelscape::study

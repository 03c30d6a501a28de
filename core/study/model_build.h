#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/model/model_library.h"
#include "core/session/stop_request.h"
#include "core/study/confined_build.h"
#include "core/study/model_latency.h"

namespace kernelscape::study {

/** What the program `bench` of a model's library measured. */
struct ModelBench {
  int threads = 1;
  LatencyTimes times = {};
  LatencyParts parts = {};
  std::vector<double> step_seconds = {};  ///< mean time of each step of a run, in their order
};

/** The files of one build of a model's library, as names in the folder of builds. */
struct BuiltModel {
  std::string bench;                 ///< program
  std::string check;                 ///< program
  std::string weights;               ///< file of the weights
  std::string reference;             ///< file of inputs and outputs
  std::vector<std::string> objects;  ///< of all sources
};

/**
 * Builds and runs libraries of one model in a private folder, in the sandbox of compilers. An object file is
 * kept under the text of its source and the options of its compiler, so that the next library compiles only
 * what differs. Several builds exist side by side. Errors are those of ConfinedBuild.
 */
class LibraryBuilder {
 public:
  /**
   * @param folder private folder
   * @param compiler command of the C compiler
   * @param threads number of compilers that run at the same time, and of threads that run the model
   * @param stop ends a build between two files; outlives this object
   */
  LibraryBuilder(std::string folder, std::string compiler, int threads, const session::StopRequest& stop)
      : build_(std::move(folder), std::move(compiler), threads, stop), threads_(threads) {}

  /** Writes a library's files, compiles the sources without an object file, and links its programs. */
  Result<BuiltModel> build(const exchange::ModelLibrary& library);
  /** Returns how many sources were compiled so far. */
  std::size_t compiled() const { return compiled_; }

  /** Compares the outputs of the library with the reference's; the error says what differs. */
  Status check(const BuiltModel& model) const;
  /** Measures the latency, then the time of each step, for about `seconds` each. */
  Result<ModelBench> bench(const BuiltModel& model, double seconds) const;
  /**
   * Runs the model beside onnxruntime.
   * @param file the model; it and its data are copied, since the sandbox shows programs no other folder
   * @param data files that the model names for its weights
   */
  Result<LatencyComparison> compare(const BuiltModel& model, const std::filesystem::path& file,
                                    std::span<const std::filesystem::path> data) const;
  /** Removes the programs and the weights of a build. Its object files stay. */
  void discard(const BuiltModel& model);

 private:
  Status write(const std::string& file, const std::string& text);
  Status compile(std::span<const ConfinedSource> sources);
  Status link(const std::string& source, const std::string& program, const BuiltModel& model,
              const std::vector<std::string>& more) const;
  Status run_program(const BuiltModel& model, const std::string& program,
                     const std::vector<std::string>& arguments, const char* output_file) const;

  ConfinedBuild build_;
  int threads_;
  std::set<std::string> object_files_;  ///< sources with a valid object file
  std::set<std::string> tensor_files_;  ///< files of tensors that are complete
  std::size_t compiled_ = 0;
};

}  // namespace kernelscape::study

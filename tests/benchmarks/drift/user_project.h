#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/project/new_project.h"
#include "tests/benchmarks/benchmark_support.h"

namespace kernelscape::drift {

/**
 * Writes a user's own kernel into a folder: what new-kernel writes, with more values of its parameters. Keeps
 * the user's list of trusted kernels as it is.
 * @return the project's file
 */
inline std::string make_user_project(const std::filesystem::path& folder) {
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  std::string path;
  for (const project::NewProjectFile& file : value_or_stop(project::new_project("drift", "c"))) {
    const std::filesystem::path written = folder / file.name;
    std::string text = file.text;
    if (written.extension() == ".json") {
      path = written.string();
      nlohmann::json project = nlohmann::json::parse(text);
      nlohmann::json& parameters = project["ConfigurationSpace"]["TuningParameters"];
      parameters[0]["Values"] = "[32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536]";
      parameters[1]["Values"] = "[1, 2, 3, 4, 6, 8, 12, 16, 32]";
      text = project.dump(2);
    }
    std::ofstream(written) << text;
  }
  return path;
}

}  // namespace kernelscape::drift

#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/project/kernel_project.h"

namespace kernelscape {

/** A folder with a project in it, gone with this object. */
class ProjectFolder {
 public:
  std::filesystem::path path() const { return folder_.path().toStdString(); }

  /** A file in the folder, with the folders above it. */
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    const std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  Result<project::KernelProject> read(const nlohmann::json& project, bool outside = false) const {
    return project::read_project(write("project.json", project.dump(2)), outside);
  }

 private:
  QTemporaryDir folder_;
};

/** A project in C of two parameters that reads "kernel.c"; tests change what they are about. */
inline nlohmann::json small_project() {
  return nlohmann::json::parse(R"({
  "General": {"BenchmarkName": "small"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "TILE", "Type": "int", "Values": "[1, 2, 4]", "Default": 2},
      {"Name": "MODE", "Type": "string", "Values": "['fast', 'exact']", "Default": "fast"}],
    "Conditions": [{"Expression": "TILE < 4", "Parameters": ["TILE"]}]},
  "KernelSpecification": {
    "Language": "C", "KernelName": "run", "KernelFile": "kernel.c", "ProblemSize": [8, 4],
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]", "Output": 1},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 3},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "ProblemSize[0]"}]},
  "kernelscape": {"Flags": ["-D{MODE}"], "FLOPs": "2 * ProblemSize[0]"}
})");
}

inline constexpr std::string_view small_kernel =
    "void run(float* y, const float* x, int n) {\n  for (int i = 0; i < n; ++i) y[i] = TILE * x[i];\n}\n";

/** The same for a GPU, with a launch. */
inline nlohmann::json small_gpu_project(const std::string& language) {
  nlohmann::json project = small_project();
  nlohmann::json& kernel = project["KernelSpecification"];
  kernel["Language"] = language;
  kernel["GlobalSize"] = {{"X", "ProblemSize[0]"}};
  kernel["LocalSize"] = {{"X", "TILE"}};
  return project;
}

}  // namespace kernelscape

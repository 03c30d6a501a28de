#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/project/project_folder.h"

namespace kernelscape {

/** A program of two parameters, of which CHUNK reaches the run alone. It reports 10 ms times CHUNK. */
inline nlohmann::json small_program() {
  return nlohmann::json::parse(R"json({
  "General": {"BenchmarkName": "small program"},
  "ConfigurationSpace": {"TuningParameters": [
      {"Name": "LEVEL", "Type": "int", "Values": "[1, 2]"},
      {"Name": "CHUNK", "Type": "int", "Values": "[4, 2, 1]"}]},
  "KernelSpecification": {"Language": "Program"},
  "kernelscape": {
    "Files": ["build.sh", "parts/run.sh"],
    "Build": {"Command": ["sh", "build.sh", "{LEVEL}"]},
    "Run": {"Command": ["./parts/run.sh", "{CHUNK * 10}"], "Environment": {"CHUNK": "{CHUNK}"}},
    "Objective": {"Kind": "Pattern", "Pattern": "time: ([0-9.]+) ms", "Unit": "ms"},
    "Metrics": [{"Name": "builds", "Kind": "Pattern", "Pattern": "builds: *([0-9]+)", "Unit": "builds"}]}
})json");
}

/** Writes the files of small_program(). */
inline void write_small_program(const ProjectFolder& folder) {
  folder.write("build.sh", "echo \"$1\" >> built\n");
  folder.write(
      "parts/run.sh",
      "#!/bin/sh\necho \"time: $1 ms\"\necho \"chunk: $CHUNK\"\necho \"builds: $(wc -l < built)\"\n");
}

/** A program without files whose only parameter is CASE, and whose run is this shell script. */
inline nlohmann::json script_program(const std::string& script) {
  nlohmann::json project = small_program();
  project["ConfigurationSpace"]["TuningParameters"] = {
      {{"Name", "CASE"}, {"Type", "int"}, {"Values", "[7]"}}};
  nlohmann::json& ours = project["kernelscape"];
  ours.erase("Files");
  ours.erase("Build");
  ours.erase("Metrics");
  ours["Run"] = {{"Command", {"sh", "-c", script, "sh", "{CASE}"}}};
  return project;
}

}  // namespace kernelscape

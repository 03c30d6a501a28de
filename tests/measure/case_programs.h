#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/kernel/project_family.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/space/member_search.h"
#include "tests/measure/kernel_sources.h"
#include "tests/project/project_folder.h"

namespace kernelscape::case_programs {

/** What CASE makes of the kernel, and what each is worth. */
struct Behaviour {
  const char* name;
  const char* body;
  trial::ErrorCategory category;
  const char* message;  ///< that the trial's has to hold
};

inline const std::array behaviours{
    Behaviour{"right", "", trial::ErrorCategory::NoError, ""},
    Behaviour{"wrong", "if (part == 0) y[7] += 1;", trial::ErrorCategory::WrongAnswer, "y[7]"},
    Behaviour{"leaves out", "if (part == 0) y[9] = unwritten;", trial::ErrorCategory::WrongAnswer,
              "of y are wrong"},
    Behaviour{"beyond", "if (part == 0) y[n] = 1;", trial::ErrorCategory::WrongAnswer, "wrote beyond y"},
    Behaviour{"writes its input", "((float*)x)[3] = 2;", trial::ErrorCategory::RuntimeDevice, "SIGSEGV"},
    Behaviour{"never ends", "for (volatile int i = 0;; ++i) {}", trial::ErrorCategory::RunTimeout,
              "stopped after"},
    Behaviour{"ends its process", "exit(3);", trial::ErrorCategory::RuntimeDevice, "exit code 3"},
    Behaviour{"is refused", "this is no C;", trial::ErrorCategory::CompileHost, "kernel.c:"},
    Behaviour{"right again", "", trial::ErrorCategory::NoError, ""}};

/** y = scale * x + old y: of y is read what was there at first, whatever calls came before. */
inline std::string case_source() {
  std::string text = "#include <stdlib.h>\n#include \"part/add.h\"\n";
  text += "static const float unwritten = 0.0f / 0.0f;\n";
  text += "void run(int part, int parts, float* y, const float* x, int n, double scale, short offset) {\n";
  text += "  for (int i = part; i < n; i += parts) y[i] = add(y[i], (float)scale * x[i]) + offset;\n";
  int number = 0;
  for (const Behaviour& behaviour : behaviours) {
    text += fmt::format("#if CASE == {}\n  {}\n#endif\n", number++, behaviour.body);
  }
  return text + "  (void)unwritten;\n}\n";
}

inline nlohmann::json case_project() {
  nlohmann::json project = nlohmann::json::parse(R"json({
  "ConfigurationSpace": {"TuningParameters": [{"Name": "CASE", "Type": "int", "Values": "list(range(9))"}]},
  "KernelSpecification": {
    "Language": "C", "KernelName": "run", "KernelFile": "kernel.c", "ProblemSize": [1000],
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 5, "Output": 1},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 6},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "ProblemSize[0]"},
      {"Name": "scale", "Type": "double", "MemoryType": "Scalar", "FillValue": 1.5},
      {"Name": "offset", "Type": "int16", "MemoryType": "Scalar", "FillValue": -3}]},
  "kernelscape": {"Parts": true, "Reference": {"Kind": "Function", "File": "right.c", "Name": "right"}}
})json");
  return project;
}

inline constexpr const char* right_source =
    "void right(float* y, const float* x, int n, double scale, short offset) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = y[i] + (float)scale * x[i] + offset;\n}\n";

inline trial::MeasureOptions options_of_the_test() {
  trial::MeasureOptions options = quick_options();
  options.run_timeout_seconds = 1;
  options.give_up_factor = 0;
  return options;
}

inline std::vector<trial::Measurement> measure_all(measure::Measurer& measurer,
                                                   const std::vector<space::Configuration>& batch,
                                                   std::string& problem) {
  std::vector<trial::Measurement> measured(batch.size());
  if (auto submitted = measurer.submit(batch); !submitted)
    return problem = describe(submitted.error()), measured;
  std::size_t finished = 0;
  while (finished < batch.size()) {
    auto completed = measurer.collect(std::chrono::milliseconds(200));
    if (!completed) return problem = describe(completed.error()), measured;
    for (measure::Completed& one : *completed) measured[one.position] = std::move(one.measurement);
    finished += completed->size();
  }
  return measured;
}

inline std::vector<space::Configuration> whole_space(const space::SearchSpace& space) {
  std::vector<space::Configuration> all;
  for (base::uint128 index = 0; index < space.size(); ++index) all.push_back(space.at(index));
  return all;
}

/** A folder with the case project's files, and what measuring its kernels says. */
class CaseFolder {
 public:
  CaseFolder() {
    folder_.write("part/add.h", "static inline float add(float a, float b) { return a + b; }\n");
    folder_.write("kernel.c", case_source());
    folder_.write("right.c", right_source);
  }

  void write(const std::string& name, std::string_view text) const { folder_.write(name, text); }
  Result<project::KernelProject> read(const nlohmann::json& project) const { return folder_.read(project); }

  std::shared_ptr<const kernel::ProjectFamily> family_of(const nlohmann::json& project,
                                                         const schedule::TargetDescription& target) const {
    auto read = folder_.read(project);
    if (!read) {
      qWarning("%s", describe(read.error()).c_str());
      return nullptr;
    }
    auto family =
        kernel::ProjectFamily::make(std::make_shared<const project::KernelProject>(std::move(*read)), target);
    if (!family) qWarning("%s", describe(family.error()).c_str());
    return family ? *family : nullptr;
  }

  /** What measuring the first member says; empty: it is right. */
  std::string first_problem_of_member(const nlohmann::json& project,
                                      const schedule::TargetDescription& target) const {
    auto read = folder_.read(project);
    if (!read) return describe(read.error());
    auto family =
        kernel::ProjectFamily::make(std::make_shared<const project::KernelProject>(std::move(*read)), target);
    if (!family) return describe(family.error());
    const space::FirstMembers first = space::first_members((*family)->space(), 1);
    return problem_of(*family, target, first.members.empty() ? (*family)->space().at(0) : first.members[0]);
  }

  /** What measuring the first configuration says; empty: it is right. */
  std::string first_problem(const nlohmann::json& project, const schedule::TargetDescription& target) const {
    const auto family = family_of(project, target);
    if (!family) return "no family";
    return problem_of(family, target, family->space().at(0));
  }

 private:
  static std::string problem_of(const std::shared_ptr<const kernel::ProjectFamily>& family,
                                const schedule::TargetDescription& target,
                                const space::Configuration& configuration) {
    auto measurer = measure::make_kernel_measurer(family, target, options_of_the_test());
    if (!measurer) return describe(measurer.error());
    std::string problem;
    const auto measured = measure_all(**measurer, {configuration}, problem);
    if (!problem.empty()) return problem;
    if (measured[0].valid()) return {};
    return std::string(trial::to_string(measured[0].category)) + ": " + measured[0].message;
  }

  ProjectFolder folder_;
};

}  // namespace kernelscape::case_programs

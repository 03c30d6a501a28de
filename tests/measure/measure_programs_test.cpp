#include <QtTest>
#include <array>

#include "core/measure/confirmation.h"
#include "tests/measure/case_programs.h"
#include "tests/measure/gpu_test_support.h"
#include "tests/test_program.h"

namespace kernelscape::measure_programs_test {
using namespace kernelscape::case_programs;
using nlohmann::json;

/** Users' own kernels through real compilers and workers. */
class MeasureProgramsTest : public QObject {
  Q_OBJECT

  schedule::TargetDescription cpu_;
  CaseFolder folder_;

 private slots:
  void initTestCase() {
    const auto described = measure::describe_cpu_target();
    QVERIFY(described);
    cpu_ = *described;
  }

  void each_kernel_is_one_trial_and_the_next_one_works() {
    const auto family = folder_.family_of(case_project(), cpu_);
    QVERIFY(family);
    auto measurer = measure::make_kernel_measurer(family, cpu_, options_of_the_test());
    QVERIFY2(measurer, measurer ? "" : describe(measurer.error()).c_str());
    std::string problem;
    const auto measured = measure_all(**measurer, whole_space(family->space()), problem);
    QVERIFY2(problem.empty(), problem.c_str());
    for (std::size_t i = 0; i < behaviours.size(); ++i) {
      const trial::Measurement& trial = measured[i];
      const std::string what =
          fmt::format("{}: {}: {}", behaviours[i].name, trial::to_string(trial.category), trial.message);
      QVERIFY2(trial.category == behaviours[i].category, what.c_str());
      QVERIFY2(trial.message.contains(behaviours[i].message), what.c_str());
    }
    QVERIFY(measured[0].samples_seconds.size() >= 1);
    // And once more, interleaved, from a fresh worker.
    const std::vector<space::Configuration> two{family->space().at(0), family->space().at(8)};
    const auto again = measure::measure_interleaved(*family, cpu_, options_of_the_test(), two, 2);
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
    QVERIFY(again->configurations[0].valid() && again->configurations[1].valid());
    QVERIFY(again->vendor.reason.contains("of your own"));
  }

  void what_is_wrong_with_a_reference_is_said_before_any_trial() {
    const auto with_reference = [&](const std::string& text) {
      folder_.write("right.c", text);
      const std::string problem = folder_.first_problem(case_project(), cpu_);
      folder_.write("right.c", right_source);
      return problem;
    };
    const std::string body = "void right(float* y, const float* x, int n, double scale, short offset) ";
    QVERIFY(with_reference(body + "{ no C }\n").contains("the reference can't be built: line"));
    QVERIFY(
        with_reference("#include <stdlib.h>\n" + body + "{ abort(); }\n").contains("the reference fails"));
    const std::string nan =
        with_reference(body + "{ for (int i = 0; i < n; ++i) y[i] = i == 17 ? 0.0f / 0.0f : 1; }\n");
    QVERIFY2(nan.contains("y[17] is nan"), nan.c_str());
    QCOMPARE(with_reference(right_source), "");
  }

  void without_a_reference_the_first_configuration_that_runs_is_right() {
    json project = case_project();
    project["kernelscape"]["Reference"] = {{"Kind", "FirstValid"}};
    // The first ends its process, the second is what others are compared with.
    project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[6, 1, 0]";
    const auto family = folder_.family_of(project, cpu_);
    QVERIFY(family);
    auto measurer = measure::make_kernel_measurer(family, cpu_, options_of_the_test());
    QVERIFY(measurer);
    std::string problem;
    const auto measured = measure_all(**measurer, whole_space(family->space()), problem);
    QVERIFY2(problem.empty(), problem.c_str());
    QCOMPARE(measured[0].category, trial::ErrorCategory::RuntimeDevice);
    QCOMPARE(measured[1].category, trial::ErrorCategory::NoError);
    QCOMPARE(measured[2].category, trial::ErrorCategory::WrongAnswer);
    project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[6, 7]";
    QVERIFY(folder_.first_problem(project, cpu_).contains("none of the first"));
  }

  /** The kernel's fault is named only where there is a configuration to run. */
  void without_a_reference_a_sparse_space_is_not_blamed_on_the_kernel() {
    json project = case_project();
    project["kernelscape"]["Reference"] = {{"Kind", "FirstValid"}};
    json& space = project["ConfigurationSpace"];
    space["TuningParameters"] = json::array();
    space["Conditions"] = json::array();
    for (int i = 0; i < 12; ++i)
      space["TuningParameters"].push_back({{"Name", i == 0 ? "CASE" : fmt::format("P{}", i)},
                                           {"Type", "int"},
                                           {"Values", "list(range(-100, 100))"}});
    const auto require = [&](const std::string& expression) {
      space["Conditions"].push_back({{"Expression", expression}, {"Parameters", json::array()}});
    };
    require("CASE == P1");
    for (int i = 1; i < 11; ++i) require(fmt::format("P{} == P{}", i, i + 1));
    require("P7 >= 9");
    QCOMPARE(folder_.first_problem_of_member(project, cpu_), "");
    space["Conditions"] = json::array();
    require("2 * (CASE + P1 + P2 + P3 + P4 + P5) == 2 * (P6 + P7 + P8 + P9 + P10 + P11) + 1");
    const std::string problem = folder_.first_problem_of_member(project, cpu_);
    QVERIFY2(problem.contains("no feasible configuration was found"), problem.c_str());
  }

  void kernels_do_not_inherit_a_fleets_secrets() {
    const auto problem_where = [&](const char* variable) {
      folder_.write(
          "asks.c",
          fmt::format("#include <stdlib.h>\n"
                      "void run(int part, int parts, float* y, const float* x, int n, "
                      "double scale, short offset) {{\n"
                      "  for (int i = part; i < n; i += parts) y[i] += (float)scale * x[i] + offset;\n"
                      "  if (getenv(\"{}\")) y[part] = 1e9f;\n}}\n",
                      variable));
      json project = case_project();
      project["KernelSpecification"]["KernelFile"] = "asks.c";
      qputenv(variable, "sesame");
      const std::string problem = folder_.first_problem(project, cpu_);
      qunsetenv(variable);
      return problem;
    };
    QVERIFY(problem_where("KERNELSCAPE_TEST_INHERITED").contains("WRONG_ANSWER"));
    QCOMPARE(problem_where("KERNELSCAPE_FLEET_PASSWORD"), "");
  }

  void a_language_is_for_its_own_targets() {
    schedule::TargetDescription gpu = schedule::default_cuda_target();
    auto read = folder_.read(case_project());
    QVERIFY(read);
    const auto family =
        kernel::ProjectFamily::make(std::make_shared<const project::KernelProject>(std::move(*read)), gpu);
    QVERIFY(!family && family.error().hint.contains("--target cpu"));
  }

  void opencl_kernels_have_scalars_local_memory_and_what_is_restored() {
    if (const std::string missing = testing::missing_opencl(); !missing.empty()) QSKIP(missing.c_str());
    const schedule::TargetDescription target = testing::first_opencl_target();
    json project = case_project();
    json& kernel = project["KernelSpecification"];
    kernel["Language"] = "OpenCL";
    kernel["KernelFile"] = "kernel.cl";
    kernel["GlobalSizeType"] = "CUDA";
    kernel["GlobalSize"] = {{"X", "ProblemSize[0]"}};
    kernel["LocalSize"] = {{"X", "BLOCK"}};
    kernel["GridDivX"] = {"BLOCK"};
    // A macro with blanks: drivers split their options at them.
    kernel["CompilerOptions"] = {"-cl-mad-enable -DREAD='x [ i ]'"};
    project["ConfigurationSpace"]["TuningParameters"] = json::parse(
        R"([{"Name": "BLOCK", "Type": "int", "Values": "[8, 64]"}, {"Name": "CASE", "Type": "int", "Values": "[0, 1, 2, 3]"}])");
    kernel["Arguments"].push_back(json::parse(
        R"({"Name": "scratch", "Type": "float", "MemoryType": "Local", "Size": "2 * BLOCK", "AccessType": "ReadOnly"})"));
    project["kernelscape"].erase("Parts");
    folder_.write("right.c",
                  "void right(float* y, const float* x, int n, double scale, short offset, void* none) {\n"
                  "  for (int i = 0; i < n; ++i) y[i] = y[i] + (float)scale * x[i] + offset;\n}\n");
    folder_.write("kernel.cl", R"(
#include "part/add.h"
__kernel void run(__global float* y, __global const float* x, int n, double scale, short offset, __local float* scratch) {
  const int i = get_global_id(0);
  scratch[get_local_id(0) + BLOCK] = i < n ? READ : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) y[i] = add(y[i], (float)scale * scratch[get_local_id(0) + BLOCK]) + offset;
#if CASE == 1
  if (i == 7) y[i] += 1;
#elif CASE == 2
  if (i == 0) y[n] = 1;
#elif CASE == 3
  if (i == 0) ((__global float*)x)[3] = 100;
#endif
}
)");
    const auto family = folder_.family_of(project, target);
    QVERIFY(family);
    auto measurer = measure::make_kernel_measurer(family, target, options_of_the_test());
    QVERIFY2(measurer, measurer ? "" : describe(measurer.error()).c_str());
    std::string problem;
    const auto all = whole_space(family->space());
    const auto measured = measure_all(**measurer, all, problem);
    folder_.write("right.c", right_source);
    QVERIFY2(problem.empty(), problem.c_str());
    const std::array messages{"", "y[7]", "beyond y", ""};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto which = all[i].indices[1];
      const std::string what = fmt::format("{}: {}: {}", family->space().describe(all[i]),
                                           trial::to_string(measured[i].category), measured[i].message);
      QVERIFY2(measured[i].valid() == (which == 0), what.c_str());
      if (which > 0) QVERIFY2(measured[i].message.contains(messages[which]), what.c_str());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureProgramsTest)

}  // namespace kernelscape::measure_programs_test
#include "measure_programs_test.moc"

#include <QtTest>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>

#include "core/base/random.h"
#include "core/kernel/project_family.h"
#include "core/measure/confirmation.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/space/member_search.h"
#include "tests/measure/gpu_test_support.h"
#include "tests/measure/kernel_sources.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::measure_programs_test {
using nlohmann::json;

namespace {

/** What CASE makes of the kernel, and what each is worth. */
struct Behaviour {
  const char* name;
  const char* body;
  ErrorCategory category;
  const char* message;  ///< that the trial's has to hold
};

const std::array behaviours{
    Behaviour{"right", "", ErrorCategory::NoError, ""},
    Behaviour{"wrong", "if (part == 0) y[7] += 1;", ErrorCategory::WrongAnswer, "y[7]"},
    Behaviour{"leaves out", "if (part == 0) y[9] = unwritten;", ErrorCategory::WrongAnswer, "of y are wrong"},
    Behaviour{"beyond", "if (part == 0) y[n] = 1;", ErrorCategory::WrongAnswer, "wrote beyond y"},
    Behaviour{"writes its input", "((float*)x)[3] = 2;", ErrorCategory::RuntimeDevice, "SIGSEGV"},
    Behaviour{"never ends", "for (volatile int i = 0;; ++i) {}", ErrorCategory::RunTimeout, "stopped after"},
    Behaviour{"ends its process", "exit(3);", ErrorCategory::RuntimeDevice, "exit code 3"},
    Behaviour{"is refused", "this is no C;", ErrorCategory::CompileHost, "kernel.c:"},
    Behaviour{"right again", "", ErrorCategory::NoError, ""}};

/** y = scale * x + old y: of y is read what was there at first, whatever calls came before. */
std::string case_source() {
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

json case_project() {
  json project = json::parse(R"json({
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

constexpr const char* right_source =
    "void right(float* y, const float* x, int n, double scale, short offset) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = y[i] + (float)scale * x[i] + offset;\n}\n";

MeasureOptions options_of_the_test() {
  MeasureOptions options = quick_options();
  options.run_timeout_seconds = 1;
  options.give_up_factor = 0;
  return options;
}

std::vector<Measurement> measure_all(Measurer& measurer, const std::vector<Configuration>& batch,
                                     std::string& problem) {
  std::vector<Measurement> measured(batch.size());
  if (auto submitted = measurer.submit(batch); !submitted)
    return problem = describe(submitted.error()), measured;
  std::size_t finished = 0;
  while (finished < batch.size()) {
    auto completed = measurer.collect(std::chrono::milliseconds(200));
    if (!completed) return problem = describe(completed.error()), measured;
    for (Completed& one : *completed) measured[one.position] = std::move(one.measurement);
    finished += completed->size();
  }
  return measured;
}

/** Scalars of the types that the call of a kernel can name, and their types in C. */
constexpr std::array<std::pair<const char*, const char*>, 12> scalar_types{{{"bool", "_Bool"},
                                                                            {"int8", "signed char"},
                                                                            {"uint8", "unsigned char"},
                                                                            {"int16", "short"},
                                                                            {"uint16", "unsigned short"},
                                                                            {"int32", "int"},
                                                                            {"uint32", "unsigned int"},
                                                                            {"int64", "long long"},
                                                                            {"uint64", "unsigned long long"},
                                                                            {"half", "_Float16"},
                                                                            {"float", "float"},
                                                                            {"double", "double"}}};

/** The case project with a scalar of every type; of each scalar the function adds 1 to every element. */
json scalars_project() {
  json project = case_project();
  json& arguments = project["KernelSpecification"]["Arguments"];
  arguments.erase(arguments.begin() + 3, arguments.end());
  for (const auto& [type, c_type] : scalar_types)
    arguments.push_back(
        {{"Name", std::string("of_") + type}, {"Type", type}, {"MemoryType", "Scalar"}, {"FillValue", 1}});
  arguments.push_back(
      {{"Name", "of_four"}, {"Type", "float4"}, {"MemoryType", "Scalar"}, {"FillValue", 1.0}});
  return project;
}

std::string scalars_function(const std::string& name, bool parts) {
  std::string parameters = "float* y, const float* x, int n";
  std::string sum = "x[i]";
  for (const auto& [type, c_type] : scalar_types) {
    parameters += fmt::format(", {} of_{}", c_type, type);
    sum += fmt::format(" + of_{}", type);
  }
  return fmt::format(
      "typedef float four __attribute__((vector_size(16)));\nvoid {}({}{}, four of_four) {{\n"
      "  for (int i = {}; i < n; i += {}) y[i] += {} + of_four[1];\n}}\n",
      name, parts ? "int part, int parts, " : "", parameters, parts ? "part" : "0", parts ? "parts" : "1",
      sum);
}

/** The identifiers of a C text outside its comments and strings. */
std::set<std::string> identifiers_of(const std::string& text) {
  static const std::regex identifier("\"[^\"]*\"|[A-Za-z_][A-Za-z_0-9]*");
  std::set<std::string> names;
  for (std::sregex_iterator word(text.begin(), text.end(), identifier), end; word != end; ++word)
    if (word->str().front() != '"') names.insert(word->str());
  return names;
}

/** A source whose own lines are compiled without these macros, which are in force again behind it. */
std::string shielded(const std::set<std::string>& macros, const std::string& source) {
  std::string before;
  std::string behind;
  for (const std::string& name : macros) {
    before += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
    behind += fmt::format("#pragma pop_macro(\"{}\")\n", name);
  }
  return before + source + behind;
}

std::vector<Configuration> whole_space(const SearchSpace& space) {
  std::vector<Configuration> all;
  for (uint128 index = 0; index < space.size(); ++index) all.push_back(space.at(index));
  return all;
}

}  // namespace

/** Users' own kernels through real compilers and workers. */
class MeasureProgramsTest : public QObject {
  Q_OBJECT

  TargetDescription cpu_;
  ProjectFolder folder_;

  std::shared_ptr<const ProjectFamily> family_of(const json& project, const TargetDescription& target) {
    auto read = folder_.read(project);
    if (!read) {
      qWarning("%s", describe(read.error()).c_str());
      return nullptr;
    }
    auto family = ProjectFamily::make(std::make_shared<const KernelProject>(std::move(*read)), target);
    if (!family) qWarning("%s", describe(family.error()).c_str());
    return family ? *family : nullptr;
  }

  /** What measuring the first member on the processor says; empty: it is right. */
  std::string first_problem_of_member(const json& project) {
    auto read = folder_.read(project);
    if (!read) return describe(read.error());
    auto family = ProjectFamily::make(std::make_shared<const KernelProject>(std::move(*read)), cpu_);
    if (!family) return describe(family.error());
    const FirstMembers first = first_members((*family)->space(), 1);
    return problem_of(*family, cpu_, first.members.empty() ? (*family)->space().at(0) : first.members[0]);
  }

  /** What measuring the first configuration says; empty: it is right. */
  std::string first_problem(const json& project, const TargetDescription& target) {
    const auto family = family_of(project, target);
    if (!family) return "no family";
    return problem_of(family, target, family->space().at(0));
  }

  static std::string problem_of(const std::shared_ptr<const ProjectFamily>& family,
                                const TargetDescription& target, const Configuration& configuration) {
    auto measurer = make_kernel_measurer(family, target, options_of_the_test());
    if (!measurer) return describe(measurer.error());
    std::string problem;
    const auto measured = measure_all(**measurer, {configuration}, problem);
    if (!problem.empty()) return problem;
    if (measured[0].valid()) return {};
    return std::string(to_string(measured[0].category)) + ": " + measured[0].message;
  }

 private slots:
  void initTestCase() {
    const auto described = describe_cpu_target();
    QVERIFY(described);
    cpu_ = *described;
    folder_.write("part/add.h", "static inline float add(float a, float b) { return a + b; }\n");
    folder_.write("kernel.c", case_source());
    folder_.write("right.c", right_source);
  }

  void each_kernel_is_one_trial_and_the_next_one_works() {
    const auto family = family_of(case_project(), cpu_);
    QVERIFY(family);
    auto measurer = make_kernel_measurer(family, cpu_, options_of_the_test());
    QVERIFY2(measurer, measurer ? "" : describe(measurer.error()).c_str());
    std::string problem;
    const auto measured = measure_all(**measurer, whole_space(family->space()), problem);
    QVERIFY2(problem.empty(), problem.c_str());
    for (std::size_t i = 0; i < behaviours.size(); ++i) {
      const Measurement& trial = measured[i];
      const std::string what =
          fmt::format("{}: {}: {}", behaviours[i].name, to_string(trial.category), trial.message);
      QVERIFY2(trial.category == behaviours[i].category, what.c_str());
      QVERIFY2(trial.message.contains(behaviours[i].message), what.c_str());
    }
    QVERIFY(measured[0].samples_seconds.size() >= 1);
    // And once more, interleaved, from a fresh worker.
    const std::vector<Configuration> two{family->space().at(0), family->space().at(8)};
    const auto again = measure_interleaved(*family, cpu_, options_of_the_test(), two, 2);
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
    QVERIFY(again->configurations[0].valid() && again->configurations[1].valid());
    QVERIFY(again->vendor.reason.contains("of your own"));
  }

  void what_is_wrong_with_a_reference_is_said_before_any_trial() {
    const auto with_reference = [&](const std::string& text) {
      folder_.write("right.c", text);
      const std::string problem = first_problem(case_project(), cpu_);
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
    const auto family = family_of(project, cpu_);
    QVERIFY(family);
    auto measurer = make_kernel_measurer(family, cpu_, options_of_the_test());
    QVERIFY(measurer);
    std::string problem;
    const auto measured = measure_all(**measurer, whole_space(family->space()), problem);
    QVERIFY2(problem.empty(), problem.c_str());
    QCOMPARE(measured[0].category, ErrorCategory::RuntimeDevice);
    QCOMPARE(measured[1].category, ErrorCategory::NoError);
    QCOMPARE(measured[2].category, ErrorCategory::WrongAnswer);
    project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[6, 7]";
    QVERIFY(first_problem(project, cpu_).contains("none of the first"));
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
    QCOMPARE(first_problem_of_member(project), "");
    space["Conditions"] = json::array();
    require("2 * (CASE + P1 + P2 + P3 + P4 + P5) == 2 * (P6 + P7 + P8 + P9 + P10 + P11) + 1");
    const std::string problem = first_problem_of_member(project);
    QVERIFY2(problem.contains("no feasible configuration was found"), problem.c_str());
  }

  /** Every identifier of the text that is added to a source is tried as the name of a parameter. */
  void parameters_may_have_the_names_of_the_call() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed);
    json project = scalars_project();
    folder_.write("right.c", scalars_function("right", false));
    project["KernelSpecification"]["KernelFile"] = "scalars.c";
    folder_.write("scalars.c", scalars_function("run", true));
    const auto plain = family_of(project, cpu_);
    QVERIFY(plain);
    const std::string whole = plain->source(plain->space().at(0))->text;
    const std::string behind = whole.substr(whole.find("of_four[1];"));
    std::set<std::string> all = identifiers_of(behind);
    QVERIFY(all.contains("kernelscape_program_entry") && all.contains("_Float16"));
    for (const char* name : {"part", "parts", "arguments", "size", "main", "i", "kernel", "NULL", "errno",
                             "assert", "int32_t", "size_t", "restrict", "inline", "static", "extern"})
      all.insert(name);
    for (const char* name : {"run", "of_four"}) all.erase(name);  // of the kernel itself
    for (int round = 0; round < 4; ++round) {
      std::set<std::string> macros = all;
      if (round > 0) std::erase_if(macros, [&](const std::string&) { return random.chance(0.7); });
      json parameters = json::array();
      for (const std::string& name : macros)
        parameters.push_back({{"Name", name}, {"Type", "int"}, {"Values", "[4]"}});
      parameters.push_back({{"Name", "CASE"}, {"Type", "int"}, {"Values", "[0]"}});
      project["ConfigurationSpace"]["TuningParameters"] = parameters;
      folder_.write("scalars.c", shielded(macros, scalars_function("run", true)));
      const std::string problem = first_problem(project, cpu_);
      QVERIFY2(problem.empty(), problem.c_str());
    }
    folder_.write("right.c", right_source);
  }

  /** The compiler's folder has names of its own for sources. */
  void a_source_may_include_a_file_of_any_name() {
    folder_.write("outer.c", "#include \"kernel.c\"\n");
    json project = case_project();
    project["KernelSpecification"]["KernelFile"] = "outer.c";
    QCOMPARE(first_problem(project, cpu_), "");
  }

  /** A parameter with texts as values chooses the function that the project calls. */
  void a_parameter_may_choose_the_kernel() {
    folder_.write("chosen.c",
                  "void twice(float* y, const float* x, int n, double scale, short offset) {\n"
                  "  for (int i = 0; i < n; ++i) y[i] = y[i] + (float)scale * x[i] + offset;\n}\n");
    json project = case_project();
    project["KernelSpecification"]["KernelFile"] = "chosen.c";
    project["KernelSpecification"]["KernelName"] = "twice";
    project["kernelscape"].erase("Parts");
    project["ConfigurationSpace"]["TuningParameters"] =
        json::parse(R"([{"Name": "twice", "Type": "string", "Values": "['once', 'again']"}])");
    QCOMPARE(first_problem(project, cpu_), "");
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
      const std::string problem = first_problem(project, cpu_);
      qunsetenv(variable);
      return problem;
    };
    QVERIFY(problem_where("KERNELSCAPE_TEST_INHERITED").contains("WRONG_ANSWER"));
    QCOMPARE(problem_where("KERNELSCAPE_FLEET_PASSWORD"), "");
  }

  /** A wrong call is the compiler's to find. */
  void arguments_that_do_not_fit_are_refused_by_the_compiler() {
    json project = case_project();
    project["KernelSpecification"]["Arguments"].erase(4);
    folder_.write("right.c", "void right(float* y, const float* x, int n, double scale) { y[0] = 1; }\n");
    const std::string problem = first_problem(project, cpu_);
    folder_.write("right.c", right_source);
    QVERIFY2(problem.starts_with("COMPILE_HOST") && problem.contains("too few arguments"), problem.c_str());
  }

  void a_language_is_for_its_own_targets() {
    TargetDescription gpu = default_cuda_target();
    auto read = folder_.read(case_project());
    QVERIFY(read);
    const auto family = ProjectFamily::make(std::make_shared<const KernelProject>(std::move(*read)), gpu);
    QVERIFY(!family && family.error().hint.contains("--target cpu"));
  }

  void opencl_kernels_have_scalars_local_memory_and_what_is_restored() {
    if (const std::string missing = testing::missing_opencl(); !missing.empty()) QSKIP(missing.c_str());
    const TargetDescription target = testing::first_opencl_target();
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
    const auto family = family_of(project, target);
    QVERIFY(family);
    auto measurer = make_kernel_measurer(family, target, options_of_the_test());
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
                                           to_string(measured[i].category), measured[i].message);
      QVERIFY2(measured[i].valid() == (which == 0), what.c_str());
      if (which > 0) QVERIFY2(measured[i].message.contains(messages[which]), what.c_str());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureProgramsTest)

}  // namespace kernelscape::measure_programs_test
#include "measure_programs_test.moc"

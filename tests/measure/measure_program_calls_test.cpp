#include <QtTest>
#include <random>
#include <regex>
#include <set>

#include "core/base/random.h"
#include "tests/measure/case_programs.h"
#include "tests/test_program.h"

namespace kernelscape::measure_program_calls_test {
using namespace kernelscape::case_programs;
using nlohmann::json;

namespace {

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

}  // namespace

/** How users' own kernels are called, whatever the names of their parameters, files and functions are. */
class MeasureProgramCallsTest : public QObject {
  Q_OBJECT

  schedule::TargetDescription cpu_;
  CaseFolder folder_;

 private slots:
  void initTestCase() {
    const auto described = measure::describe_cpu_target();
    QVERIFY(described);
    cpu_ = *described;
  }

  /** Every identifier of the text that is added to a source is tried as the name of a parameter. */
  void parameters_may_have_the_names_of_the_call() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    json project = scalars_project();
    folder_.write("right.c", scalars_function("right", false));
    project["KernelSpecification"]["KernelFile"] = "scalars.c";
    folder_.write("scalars.c", scalars_function("run", true));
    const auto plain = folder_.family_of(project, cpu_);
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
      const std::string problem = folder_.first_problem(project, cpu_);
      QVERIFY2(problem.empty(), problem.c_str());
    }
    folder_.write("right.c", right_source);
  }

  /** The compiler's folder has names of its own for sources. */
  void a_source_may_include_a_file_of_any_name() {
    folder_.write("outer.c", "#include \"kernel.c\"\n");
    json project = case_project();
    project["KernelSpecification"]["KernelFile"] = "outer.c";
    QCOMPARE(folder_.first_problem(project, cpu_), "");
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
    QCOMPARE(folder_.first_problem(project, cpu_), "");
  }

  /** A wrong call is the compiler's to find. */
  void arguments_that_do_not_fit_are_refused_by_the_compiler() {
    json project = case_project();
    project["KernelSpecification"]["Arguments"].erase(4);
    folder_.write("right.c", "void right(float* y, const float* x, int n, double scale) { y[0] = 1; }\n");
    const std::string problem = folder_.first_problem(project, cpu_);
    folder_.write("right.c", right_source);
    QVERIFY2(problem.starts_with("COMPILE_HOST") && problem.contains("too few arguments"), problem.c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureProgramCallsTest)

}  // namespace kernelscape::measure_program_calls_test
#include "measure_program_calls_test.moc"

#include "core/project/kernel_project.h"

#include <QTest>
#include <algorithm>

#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::kernel_project_test {
using nlohmann::json;

namespace {

bool says(const project::KernelProject& project, std::string_view text) {
  return std::ranges::any_of(project.notices,
                             [text](const std::string& notice) { return notice.contains(text); });
}

/** Whether reading is an error whose message has all of these. */
bool refuses(const Result<project::KernelProject>& project, std::initializer_list<std::string_view> texts) {
  if (project) {
    qWarning("it was read");
    return false;
  }
  for (const std::string_view text : texts) {
    if (describe(project.error()).contains(text)) continue;
    qWarning("%s", describe(project.error()).c_str());
    return false;
  }
  return true;
}

}  // namespace

class KernelProjectTest final : public QObject {
  Q_OBJECT

 private slots:
  void everything_of_a_project_is_read() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    const auto project = folder.read(small_project());
    QVERIFY2(project.has_value(), project ? "" : describe(project.error()).c_str());
    QCOMPARE(project->name, std::string("small"));
    QCOMPARE(project->parameters.size(), 2U);
    QCOMPARE(project->parameters[0].values, (std::vector<space::KnobValue>{1L, 2L, 4L}));
    QCOMPARE(project->parameters[1].values,
             (std::vector<space::KnobValue>{std::string("fast"), std::string("exact")}));
    QCOMPARE(project->problem_size, (std::vector<std::int64_t>{8, 4}));
    QCOMPARE(project->flops, 16.0);
    QCOMPARE(project->data.arguments.size(), 3U);
    QCOMPARE(project->data.arguments[0].count, 8);
    QVERIFY(project->data.arguments[0].checked);
    QCOMPARE(project->data.arguments[1].fill.kind, project::FillKind::Random);
    QCOMPARE(project->data.arguments[1].fill.seed, 3U);
    QCOMPARE(project->data.arguments[2].fill.value, 8.0);
    QCOMPARE(project->data.answer.kind, project::AnswerKind::FirstValid);
    QVERIFY(project->notices.empty());
    QVERIFY(project::check_runnable(*project).has_value());
    const project::PythonNames names = [](std::string_view name) -> std::optional<project::PythonBinding> {
      if (name == "MODE") return project::PythonBinding{{std::string("exact")}, false};
      return std::nullopt;
    };
    QCOMPARE(project::flags_of(*project, names).value(), (std::vector<std::string>{"-Dexact"}));
  }

  void values_are_lists_of_python() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    const auto values = [&](const json& written, const char* type) {
      json project = small_project();
      project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = written;
      project["ConfigurationSpace"]["TuningParameters"][0]["Type"] = type;
      project["ConfigurationSpace"]["Conditions"] = json::array();
      return folder.read(project);
    };
    QCOMPARE(values("list(range(1, 9, 3))", "int")->parameters[0].values,
             (std::vector<space::KnobValue>{1L, 4L, 7L}));
    QCOMPARE(values("[2**3, 2*5,]", "uint")->parameters[0].values, (std::vector<space::KnobValue>{8L, 10L}));
    QCOMPARE(values("(1, 0.5)", "float")->parameters[0].values, (std::vector<space::KnobValue>{1.0, 0.5}));
    QCOMPARE(values("[True, False]", "bool")->parameters[0].values,
             (std::vector<space::KnobValue>{true, false}));
    QCOMPARE(values(json::array({3, 1}), "int")->parameters[0].values,
             (std::vector<space::KnobValue>{3L, 1L}));
    QVERIFY(says(*values("[1, 2, 1]", "int"), "twice"));
    for (const char* bad : {"", "16", "[", "[1, 2", "[1,, 2]", "[1](", "range(1, 9, 0)", "range(10**12)",
                            "[]", "open('x')", "[x for x in y]", "['a', 'b']", "[1.5]", "[1]]"})
      QVERIFY2(refuses(values(bad, "int"), {"project.json:", "TuningParameters[0].Values"}), bad);
    QVERIFY(refuses(values("[-1]", "uint"), {"-1"}));
    QVERIFY(refuses(values("[2]", "bool"), {"truth value"}));
    QVERIFY(refuses(values("[1]", "complex"), {"Type", "int, uint, float, bool or string"}));
  }

  /** Line, member and the nearest name: of conditions and sizes; a launch can be looked at all the same. */
  void unknown_names_are_found() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    json project = small_project();
    project["ConfigurationSpace"]["Conditions"][0]["Expression"] = "TIEL < 4";
    QVERIFY(refuses(folder.read(project), {"project.json:", "ConfigurationSpace.Conditions[0].Expression",
                                           "\"TIEL\"", "mean TILE"}));
    project = small_project();
    project["KernelSpecification"]["Arguments"][1]["Size"] = "ProblemSize[0] * TIL";
    QVERIFY(refuses(folder.read(project), {"KernelSpecification.Arguments[1].Size", "\"TIL\""}));
    project = small_project();
    project["kernelscape"]["Flags"] = {"-O{LEVEL}"};
    QVERIFY(refuses(folder.read(project), {"kernelscape.Flags[0]", "\"LEVEL\""}));
    project = small_gpu_project("CUDA");
    project["KernelSpecification"]["LocalSize"]["X"] = "block_size_x";
    const auto read = folder.read(project);
    QVERIFY(read.has_value());
    QVERIFY(says(*read, "KernelSpecification.LocalSize.X names \"block_size_x\""));
    QVERIFY(!project::check_runnable(*read).has_value());
    QVERIFY(!project::check_runnable(project::project_from_json(project::project_to_json(*read)).value())
                 .has_value());
  }

  void the_line_is_the_members() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    std::string text = small_project().dump(2);
    const std::size_t found = text.find("\"TILE < 4\"");
    const auto line = 1 + std::ranges::count(text.substr(0, found), '\n');
    text.replace(found, 10, "\"TILE <\"");
    QVERIFY(
        refuses(project::read_project(folder.write("other.json", text)),
                {"other.json:" + std::to_string(line) + ": ConfigurationSpace.Conditions[0].Expression"}));
    QVERIFY(
        refuses(project::read_project(folder.write("broken.json", "{\n\"a\": 1,\n}")), {"broken.json:3"}));
    QVERIFY(refuses(project::read_project(folder.write("list.json", "[1]")), {"list.json"}));
    QVERIFY(refuses(project::read_project(folder.path() / "missing.json"), {"missing.json"}));
  }

  void what_t1_allows_and_nobody_runs_is_refused() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    for (const char* language : {"Vulkan", "Hypertuner"}) {
      json project = small_gpu_project(language);
      const auto read = folder.read(project);
      QVERIFY(refuses(read, {"KernelSpecification.Language", language}));
      QCOMPARE(read.error().code, ErrorCode::Refused);
    }
    for (const char* fill : {"Script", "Generator", "BinaryHDF"}) {
      json project = small_project();
      project["KernelSpecification"]["Arguments"][1]["FillType"] = fill;
      const auto read = folder.read(project);
      QVERIFY(refuses(read, {"Arguments[1].FillType", fill, "numpy.save"}));
      QCOMPARE(read.error().code, ErrorCode::Refused);
    }
  }

  void contradictions_are_said() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    json project = small_project();
    project["ConfigurationSpace"]["TuningParameters"][0]["Default"] = 3;
    project["ConfigurationSpace"]["Conditions"][0]["Parameters"] = {"MODE"};
    project["KernelSpecification"]["BenchmarkName"] = "other";
    project["KernelSpecification"]["Surprise"] = 1;
    project["KernelSpecification"]["Arguments"].erase(1);
    project["Budget"] = json::array();
    const auto read = folder.read(project);
    QVERIFY(read.has_value());
    QVERIFY(says(*read, "Default is 3, which is not a value of TILE"));
    QVERIFY(says(*read, "Conditions[0].Parameters omits TILE"));
    QVERIFY(says(*read, "Conditions[0].Parameters has MODE"));
    QVERIFY(says(*read, "KernelSpecification.BenchmarkName is \"other\""));
    QVERIFY(says(*read, "KernelSpecification.Surprise is unknown"));
    QVERIFY(says(*read, "passes run 2 arguments"));
    QVERIFY(says(*read, "Budget is not used"));
  }

  void parameters_and_macros_are_compared_with_the_source() {
    const ProjectFolder folder;
    folder.write("kernel.c",
                 "#define WIDTH 4\n#ifdef USE_CACHE\n#endif\n/* MODE TILE */\n"
                 "void run(float* y, const float* x, int n) { y[0] = TILES * WIDTH * x[n] * FLT_MAX; }\n");
    json project = small_project();
    project["kernelscape"].erase("Flags");
    const auto read = folder.read(project);
    QVERIFY(read.has_value());
    QVERIFY(says(*read, "is \"MODE\", which no line of kernel.c mentions: it has no effect"));
    // A condition that names it is use enough.
    QVERIFY(!says(*read, "\"TILE\", which no line"));
    QVERIFY(says(
        *read,
        "(kernel.c, line 5) uses \"TILES\", which is neither a parameter nor defined; did you mean TILE?"));
    QVERIFY(!says(*read, "WIDTH"));
    QVERIFY(!says(*read, "USE_CACHE"));
    QVERIFY(!says(*read, "FLT_MAX"));
    folder.write("kernel.c", "int walk;\n");
    QVERIFY(refuses(folder.read(project), {"KernelName", "\"run\"", "kernel.c"}));
  }

  /** As Kernel Tuner has it: GridDiv divides ProblemSize, and GlobalSize stands beside it. */
  void a_divided_axis_is_the_problems() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    json project = small_gpu_project("CUDA");
    project["KernelSpecification"]["GridDivX"] = {"TILE"};
    project["KernelSpecification"]["GlobalSize"]["X"] = "262144 // TILE";
    auto read = folder.read(project);
    QVERIFY(read.has_value());
    QCOMPARE(read->launch.global[0].text(), std::string("ProblemSize[0]"));
    QCOMPARE(read->launch.global[1].text(), std::string("1"));
    QCOMPARE(read->launch.grid_divisors[0].size(), 1U);
    QVERIFY(says(*read, "GridDivX divides ProblemSize[0] = 8"));
    project["KernelSpecification"].erase("GridDivX");
    read = folder.read(project);
    QCOMPARE(read->launch.global[0].text(), std::string("262144 // TILE"));
  }

  void sizes_are_expressions_within_bounds() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    const auto sized = [&](const json& size) {
      json project = small_project();
      project["KernelSpecification"]["Arguments"][1]["Size"] = size;
      return folder.read(project);
    };
    QCOMPARE(sized("ProblemSize[1] + max(TILE) - 1")->data.arguments[1].count, 7);
    QCOMPARE(sized(12)->data.arguments[1].count, 12);
    for (const json& bad :
         {json("-1"), json(0), json(-5), json("ProblemSize[0] / 3"), json("2**40"), json("2**62"),
          json("1 // 0"), json("ProblemSize[2]"), json("TILE"), json(nullptr), json::array()})
      QVERIFY2(refuses(sized(bad), {"project.json:", "KernelSpecification.Arguments[1].Size"}),
               bad.dump().c_str());
  }

  void all_arguments_together_are_bounded() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    json project = small_project();
    json& arguments = project["KernelSpecification"]["Arguments"];
    arguments[1]["Size"] = "2**32 - 8";
    QVERIFY(folder.read(project).has_value());
    arguments.push_back(arguments[1]);
    arguments.back()["Name"] = "z";
    arguments.back()["Size"] = 1;
    QVERIFY(refuses(folder.read(project), {"Arguments[3].Size", "16 GiB"}));
  }

  void scalars_fit_their_types() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    const auto scalar = [&](const char* type, const json& value) {
      json project = small_project();
      project["KernelSpecification"]["Arguments"][2]["Type"] = type;
      project["KernelSpecification"]["Arguments"][2]["FillValue"] = value;
      return folder.read(project);
    };
    QCOMPARE(scalar("uint8", 255)->data.arguments[2].fill.value, 255.0);
    QCOMPARE(scalar("int64", 9007199254740993)->data.arguments[2].fill.bytes,
             std::string("\x01\0\0\0\0\0\x20\0", 8));
    QCOMPARE(scalar("float2", json::array({1.0, 0.0}))->data.arguments[2].fill.bytes,
             std::string("\0\0\x80\x3f\0\0\0\0", 8));
    QCOMPARE(scalar("half2", json::array({1.0, -2.5}))->data.arguments[2].fill.bytes,
             std::string("\x00\x3c\x00\xc1", 4));
    for (const auto& [type, value] : std::vector<std::pair<const char*, json>>{{"uint8", 256},
                                                                               {"uint32", -1},
                                                                               {"int32", 0.5},
                                                                               {"float", 1e300},
                                                                               {"half", 65520},
                                                                               {"bool", 2},
                                                                               {"float2", json::array({1.0})},
                                                                               {"int32", "1 // 0"},
                                                                               {"float", nullptr},
                                                                               {"int32", json::object()}})
      QVERIFY2(refuses(scalar(type, value), {"Arguments[2].FillValue"}), value.dump().c_str());
    QVERIFY(refuses(scalar("custom", 1), {"Arguments[2].Type", "uint8"}));
    QVERIFY(refuses(scalar("float3", 1), {"Arguments[2].Type"}));
  }

  void memory_is_the_languages() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    json project = small_gpu_project("OpenCL");
    json& argument = project["KernelSpecification"]["Arguments"][1];
    argument["MemoryType"] = "Local";
    argument["Size"] = "TILE * 16";
    auto read = folder.read(project);
    QVERIFY(read.has_value());
    QCOMPARE(read->data.arguments[1].count, 16);
    QCOMPARE(read->local_counts.front().text(), std::string("TILE * 16"));
    argument["MemoryType"] = "Symbol";
    QVERIFY(refuses(folder.read(project), {"Arguments[1].MemoryType", "CUDA"}));
    project["KernelSpecification"]["Language"] = "CUDA";
    argument["Size"] = 16;
    QCOMPARE(folder.read(project)->data.arguments[1].memory, project::ArgumentMemory::Constant);
    argument["MemoryType"] = "Vector";
    argument["MemType"] = "Constant";
    QCOMPARE(folder.read(project)->data.arguments[1].memory, project::ArgumentMemory::Constant);
  }

  void answers_come_from_references_and_files() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    folder.write("right.c", "#include \"shared.h\"\nvoid right(float* y, const float* x, int n) {}\n");
    folder.write("shared.h", "int shared;\n");
    folder.write("right.bin", std::string(32, '\1'));
    json project = small_project();
    json& own = project["kernelscape"];
    own["Reference"] = {
        {"Kind", "Function"}, {"File", "right.c"}, {"Name", "right"}, {"Flags", {"-DN={max(TILE)}"}}};
    own["Tolerance"] = {{"y", {{"Absolute", 0.5}, {"Relative", 0.25}}}};
    auto read = folder.read(project);
    QVERIFY2(read.has_value(), read ? "" : describe(read.error()).c_str());
    QCOMPARE(read->data.answer.kind, project::AnswerKind::Function);
    QCOMPARE(read->data.answer.reference.entry, std::string("right"));
    QCOMPARE(read->data.answer.reference.user_flags, (std::vector<std::string>{"-DN=4"}));
    QCOMPARE(read->data.answer.reference.includes,
             (std::vector<codegen::IncludedFile>{{"shared.h", "int shared;\n"}}));
    QCOMPARE(read->data.arguments[0].tolerance.absolute, 0.5);
    QCOMPARE(read->data.arguments[0].tolerance.relative, 0.25);
    own["Reference"] = {{"Kind", "Files"}, {"Files", {{"y", "right.bin"}}}};
    read = folder.read(project);
    QVERIFY2(read.has_value(), read ? "" : describe(read.error()).c_str());
    QCOMPARE(read->data.answer.bytes, (std::vector<std::string>{std::string(32, '\1')}));
    own["Reference"]["Files"] = {{"x", "right.bin"}};
    QVERIFY(refuses(folder.read(project), {"kernelscape.Reference.Files.x", "mean y"}));
    folder.write("right.bin", "short");
    own["Reference"]["Files"] = {{"y", "right.bin"}};
    QVERIFY(refuses(folder.read(project), {"right.bin", "5 bytes", "32"}));
    own.erase("Reference");
    project["KernelSpecification"]["ReferenceArguments"] = {
        {{"Name", "r"},
         {"TargetName", "y"},
         {"FillType", "Constant"},
         {"FillValue", 1.0},
         {"ValidationMethod", "SideBySideRelativeComparison"},
         {"ValidationThreshold", 0.125}}};
    read = folder.read(project);
    QVERIFY2(read.has_value(), read ? "" : describe(read.error()).c_str());
    QCOMPARE(read->data.answer.bytes.front().substr(0, 4), std::string("\0\0\x80\x3f", 4));
    QCOMPARE(read->data.arguments[0].tolerance.absolute, 0.0);
    QCOMPARE(read->data.arguments[0].tolerance.relative, 0.125);
  }

  /** Any letter taken away, doubled or replaced gives a project or an error that names the file. */
  void damage_is_an_error_that_names_the_file() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    const std::string whole = small_project().dump(1);
    constexpr std::uint64_t seed = 20;
    qInfo("seed %d", static_cast<int>(seed));
    base::Random random(seed);
    for (int round = 0; round < 400; ++round) {
      std::string text = whole;
      for (std::uint64_t change = 0; change <= random.below(3); ++change) {
        const std::size_t at = random.below(text.size());
        const std::string letters = "\"{}[],:0x-\\\n(";
        switch (random.below(3)) {
          case 0:
            text.erase(at, 1 + random.below(8));
            break;
          case 1:
            text.insert(at, 1, letters[random.below(letters.size())]);
            break;
          default:
            text[at] = letters[random.below(letters.size())];
            break;
        }
      }
      const auto read = project::read_project(folder.write("project.json", text));
      if (read)
        QCOMPARE(
            project::project_to_json(project::project_from_json(project::project_to_json(*read)).value()),
            project::project_to_json(*read));
      else
        QVERIFY2(read.error().message.contains("project.json"), describe(read.error()).c_str());
    }
  }

  void projects_are_recognised_by_their_members() {
    QVERIFY(project::is_project(small_project().dump()));
    QVERIFY(!project::is_project("{}"));
    QVERIFY(!project::is_project("{\"cache\": {}}"));
    QVERIFY(!project::is_project("no JSON"));
  }
};

KERNELSCAPE_PLAIN_TEST(KernelProjectTest)

}  // namespace kernelscape::kernel_project_test
#include "kernel_project_test.moc"

#include <QTest>
#include <functional>
#include <set>

#include "core/base/random.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::project_json_test {
using nlohmann::json;

namespace {

/** Something of everything: files with all bytes, a source that is no UTF-8, includes, a reference. */
project::KernelProject rich_project() {
  const ProjectFolder folder;
  folder.write("kernel.c", "#include \"part.h\"\n" + std::string(small_kernel) + "/* caf\xe9 */\n");
  folder.write("part.h", "int part;\n");
  folder.write("right.c", "void right(float* y, const float* x, int n) {}\n");
  std::string bytes;
  for (int byte = 0; byte < 32; ++byte) bytes += static_cast<char>(byte * 9);
  folder.write("x.bin", bytes);
  json project = small_gpu_project("OpenCL");
  project["KernelSpecification"]["Arguments"][1]["FillType"] = "BinaryRaw";
  project["KernelSpecification"]["Arguments"][1]["DataSource"] = "x.bin";
  project["KernelSpecification"]["GridDivX"] = {"TILE", "2"};
  project["KernelSpecification"]["Arguments"].push_back(
      {{"Name", "scratch"}, {"Type", "float4"}, {"MemoryType", "Local"}, {"Size", "TILE"}});
  project["kernelscape"]["Reference"] = {
      {"Kind", "Function"}, {"File", "right.c"}, {"Name", "right"}, {"Flags", {"-lm"}}};
  return folder.read(project).value();
}

}  // namespace

class ProjectJsonTest final : public QObject {
  Q_OBJECT

 private slots:
  void a_stored_project_comes_back() {
    const project::KernelProject project = rich_project();
    const std::string text = project::project_to_json(project);
    const auto back = project::project_from_json(text);
    QVERIFY2(back.has_value(), back ? "" : describe(back.error()).c_str());
    QCOMPARE(project::project_to_json(*back), text);
    QCOMPARE(project::content_hash(*back), project::content_hash(project));
    QCOMPARE(back->source, project.source);
    QVERIFY(back->source.contains("caf\xe9"));
    QVERIFY(back->data == project.data);
    QVERIFY(back->includes == project.includes);
    QVERIFY(back->parameters == project.parameters);
    QCOMPARE(back->flag_values.size(), project.flag_values.size());
    QVERIFY(project::project_differences(project, *back).empty());
  }

  /** Each change of the content is another hash, and is told; a notice is none of it. */
  void the_hash_is_of_everything_that_runs() {
    const project::KernelProject project = rich_project();
    using Change = std::function<void(project::KernelProject&)>;
    const auto expression = [](const char* text) { return project::PythonExpression::parse(text).value(); };
    const std::vector<Change> changes{
        [](project::KernelProject& one) { one.name += "2"; },
        [](project::KernelProject& one) { one.dialect = codegen::Dialect::Cuda; },
        [](project::KernelProject& one) { one.kernel_name = "walk"; },
        [](project::KernelProject& one) { one.source_name = "other.c"; },
        [](project::KernelProject& one) { one.source += "\n"; },
        [](project::KernelProject& one) { one.includes[0].text += " "; },
        [](project::KernelProject& one) { one.includes[0].name = "other.h"; },
        [](project::KernelProject& one) { one.flags.emplace_back("-O3"); },
        [](project::KernelProject& one) { one.parameters[0].values.pop_back(); },
        [](project::KernelProject& one) { one.parameters[0].name = "TALE"; },
        [](project::KernelProject& one) { one.conditions.pop_back(); },
        [](project::KernelProject& one) { one.problem_size[1] = 5; },
        [](project::KernelProject& one) { one.launch.meaning = project::GlobalSizeMeaning::Blocks; },
        [&](project::KernelProject& one) { one.launch.global[1] = expression("2"); },
        [&](project::KernelProject& one) { one.launch.local[0] = expression("TILE * 2"); },
        [](project::KernelProject& one) { one.launch.grid_divisors[0].pop_back(); },
        [&](project::KernelProject& one) { one.launch.shared_bytes = expression("16"); },
        [](project::KernelProject& one) { one.parts = true; },
        [&](project::KernelProject& one) { one.local_counts[0] = expression("TILE * 2"); },
        [](project::KernelProject& one) { one.data.arguments[1].fill.bytes[31] = 'y'; },
        [](project::KernelProject& one) { one.data.arguments[0].fill.value = 1; },
        [](project::KernelProject& one) { one.data.arguments[0].checked = false; },
        [](project::KernelProject& one) {
          one.data.arguments[0].access = project::ArgumentAccess::ReadWrite;
        },
        [](project::KernelProject& one) { one.data.arguments[0].tolerance.absolute = 1; },
        [](project::KernelProject& one) { one.data.arguments[0].tolerance.relative = 1; },
        [](project::KernelProject& one) { one.data.arguments[2].type = project::ElementType::I64; },
        [](project::KernelProject& one) { std::swap(one.data.arguments[0], one.data.arguments[1]); },
        [](project::KernelProject& one) { one.data.answer.reference.text += " "; },
        [](project::KernelProject& one) { one.data.answer.reference.entry = "left"; },
        [](project::KernelProject& one) { one.data.answer.reference.user_flags.clear(); },
        [](project::KernelProject& one) { one.data.answer.reference.includes.push_back({"a.h", ""}); },
        [](project::KernelProject& one) { one.data.answer.kind = project::AnswerKind::FirstValid; },
        [](project::KernelProject& one) { one.flops = 1; },
        [](project::KernelProject& one) { one.bytes = 1; }};
    std::set<std::string> hashes{project::content_hash(project)};
    for (std::size_t index = 0; index < changes.size(); ++index) {
      project::KernelProject changed = project;
      changes[index](changed);
      QVERIFY2(hashes.insert(project::content_hash(changed)).second, std::to_string(index).c_str());
      QVERIFY2(!project::project_differences(project, changed).empty(), std::to_string(index).c_str());
    }
    project::KernelProject same = project;
    same.notices.emplace_back("anything");
    QCOMPARE(project::content_hash(same), project::content_hash(project));
    QCOMPARE(project::content_hash(project).size(), 64U);
  }

  void differences_are_for_people() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    const project::KernelProject before = folder.read(small_project()).value();
    folder.write("kernel.c", std::string(small_kernel) + "int more;\n");
    json changed = small_project();
    changed["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[1, 2]";
    const project::KernelProject now = folder.read(changed).value();
    const auto lines = project::project_differences(before, now);
    QVERIFY(std::ranges::find(lines, "parameters.TILE.values: [1,2,4] -> [1,2]") != lines.end());
    QVERIFY(std::ranges::find(lines, "  +4: int more;") != lines.end());
    QCOMPARE(lines.size(), 3U);
  }

  /** A change at the end of a long list or text is shown, and the unchanged part is not. */
  void a_difference_at_the_end_is_shown() {
    project::KernelProject before = rich_project();
    std::string name(300, 'n');
    before.name = name + "1";
    before.flags.assign(100, "-DLONG_ENOUGH");
    project::KernelProject now = before;
    now.name = name + "2";
    now.flags.back() = "-O3";
    const auto lines = project::project_differences(before, now);
    QVERIFY(std::ranges::find(lines, "  -100: \"-DLONG_ENOUGH\"") != lines.end());
    QVERIFY(std::ranges::find(lines, "  +100: \"-O3\"") != lines.end());
    const auto named =
        std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("name: "); });
    QVERIFY(named != lines.end());
    QVERIFY2(named->contains("n1\" -> ...") && named->ends_with("n2\""), named->c_str());
    QVERIFY2(named->size() < name.size(), named->c_str());
    QCOMPARE(lines.size(), 4U);
  }

  /** What names a file above its folder, or claims contents that it lacks, is no project. */
  void hostile_projects_are_errors() {
    const json whole = json::parse(project::project_to_json(rich_project()));
    const std::vector<std::pair<const char*, json>> damages{{"/includes/0/name", "../up.h"},
                                                            {"/includes/0/name", "/etc/passwd"},
                                                            {"/includes/0/name", "a/../../b.h"},
                                                            {"/includes/0/name", ""},
                                                            {"/includes/0/name", "a\nb.h"},
                                                            {"/includes/0/name", "sub/"},
                                                            {"/arguments/1/count", 1LL << 60},
                                                            {"/arguments/1/count", -1},
                                                            {"/arguments/1/lanes", 0},
                                                            {"/arguments/1/fill/bytes", "AAAA"},
                                                            {"/arguments/1/fill/bytes", "!"},
                                                            {"/arguments/1/type", "float128"},
                                                            {"/arguments/0/name", "x"},
                                                            {"/arguments/1/checked", true},
                                                            {"/kernel", "run(); evil"},
                                                            {"/dialect", "python"},
                                                            {"/flags/0", "{"},
                                                            {"/flags/0", 7},
                                                            {"/parameters/0/values", json::array()},
                                                            {"/parameters/0/values/0", "text"},
                                                            {"/parameters/0/name", "1x"},
                                                            {"/conditions/0", "TILE <"},
                                                            {"/problem_size/0", 0},
                                                            {"/launch/global", json::array({"1"})},
                                                            {"/launch/divisors", json::array()},
                                                            {"/local_counts", json::array()},
                                                            {"/answer/kind", "luck"},
                                                            {"/answer/reference/dialect", "cuda"},
                                                            {"/answer/reference/grid", json::array()},
                                                            {"/flops", -1},
                                                            {"/version", 2},
                                                            {"/format", "other"}};
    for (const auto& [path, value] : damages) {
      json damaged = whole;
      damaged[json::json_pointer(path)] = value;
      QVERIFY2(!project::project_from_json(damaged.dump()).has_value(), path);
    }
    for (const auto& [name, value] : whole.items()) {
      json damaged = whole;
      damaged.erase(name);
      QVERIFY2(!project::project_from_json(damaged.dump()).has_value(), name.c_str());
      damaged[name] = nullptr;
      QVERIFY2(!project::project_from_json(damaged.dump()).has_value(), name.c_str());
    }
    QVERIFY(!project::project_from_json("").has_value());
    QVERIFY(!project::project_from_json(std::string(5000, '[')).has_value());
  }

  void random_damage_is_an_error_or_a_project() {
    const std::string whole = project::project_to_json(rich_project());
    constexpr std::uint64_t seed = 22;
    qInfo("seed %d", static_cast<int>(seed));
    base::Random random(seed);
    for (int round = 0; round < 1000; ++round) {
      std::string text = whole;
      for (int change = 0; change < 2; ++change) {
        const std::size_t at = random.below(text.size());
        if (random.chance(0.5))
          text[at] = static_cast<char>(' ' + random.below(95));
        else
          text.erase(at, 1 + random.below(30));
      }
      const auto project = project::project_from_json(text);
      if (project)
        QCOMPARE(
            project::project_to_json(project::project_from_json(project::project_to_json(*project)).value()),
            project::project_to_json(*project));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectJsonTest)

}  // namespace kernelscape::project_json_test
#include "project_json_test.moc"

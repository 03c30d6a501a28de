#include <QTest>
#include <algorithm>

#include "core/base/random.h"
#include "core/project/new_project.h"
#include "core/project/source.h"
#include "core/task/data_folder.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/project/program_project.h"
#include "tests/test_program.h"

namespace kernelscape::project_program_test {
using nlohmann::json;

namespace {

std::string problem_of(const Result<project::KernelProject>& project) {
  return project ? std::string() : describe(project.error());
}

/** Names without values: no text of the test has expressions over them. */
const project::PythonNames no_names = [](std::string_view) -> std::optional<project::PythonBinding> {
  return std::nullopt;
};

}  // namespace

class ProjectProgramTest final : public QObject {
  Q_OBJECT

 private slots:
  void everything_of_a_program_is_read() {
    const ProjectFolder folder;
    write_small_program(folder);
    const auto project = folder.read(small_program());
    QVERIFY2(project.has_value(), problem_of(project).c_str());
    QVERIFY2(project->notices.empty(), project->notices.empty() ? "" : project->notices.front().c_str());
    QCOMPARE(project->name, std::string("small program"));
    QCOMPARE(project->includes.size(), 2U);
    QCOMPARE(project->includes[1].name, std::string("parts/run.sh"));
    const project::Program& program = *project->program;
    QCOMPARE(program.build.commands.size(), 1U);
    QCOMPARE(program.run.environment.at("CHUNK"), std::string("{CHUNK}"));
    QCOMPARE(program.objective.kind, project::ReadingKind::Pattern);
    QVERIFY(!program.objective.higher_is_better);
    QCOMPARE(program.metrics.front().unit, std::string("builds"));
    QVERIFY(!program.permissions.network);
    QCOMPARE(project::objective_seconds(*project, 20), 0.02);
    const auto space = project::make_project_space(project->parameters, project->conditions);
    QVERIFY(space.has_value());
    const space::Configuration first = space->space.at(0);
    const auto names = project::names_of_configuration(*project, space->space, first);
    const auto run = project::step_commands(program.run, names);
    QVERIFY(run.has_value());
    QCOMPARE(run->commands.front(), (std::vector<std::string>{"./parts/run.sh", "40"}));
    QCOMPARE(run->environment, (std::vector<std::string>{"CHUNK=4"}));
  }

  void a_folder_stands_for_its_files() {
    const ProjectFolder folder;
    write_small_program(folder);
    folder.write("parts/.git/config", "[core]\n");
    folder.write("parts/deep/data.bin", std::string("\0\xff", 2));
    json project = small_program();
    project["kernelscape"]["Files"] = {"build.sh", "parts"};
    const auto read = folder.read(project);
    QVERIFY2(read.has_value(), problem_of(read).c_str());
    std::vector<std::string> names;
    for (const auto& file : read->includes) names.push_back(file.name);
    QCOMPARE(names, (std::vector<std::string>{"build.sh", "parts/deep/data.bin", "parts/run.sh"}));
    const auto back = project::project_from_json(project::project_to_json(*read));
    QVERIFY2(back.has_value(), problem_of(back).c_str());
    QCOMPARE(back->includes[1].text, std::string("\0\xff", 2));
  }

  void a_stored_program_is_the_same() {
    const ProjectFolder folder;
    write_small_program(folder);
    json written = small_program();
    written["kernelscape"]["Check"] = {{"Command", {"grep", "-q", "chunk"}}, {"TimeoutSeconds", 3.5}};
    written["kernelscape"]["Allow"] = {{"Network", true}, {"Read", {"~/data"}}, {"MemoryBytes", 1e9}};
    const auto project = folder.read(written);
    QVERIFY2(project.has_value(), problem_of(project).c_str());
    const std::string stored = project::project_to_json(*project);
    const auto back = project::project_from_json(stored);
    QVERIFY2(back.has_value(), problem_of(back).c_str());
    QVERIFY(*back->program == *project->program);
    QCOMPARE(project::project_to_json(*back), stored);
    QCOMPARE(project::content_hash(*back), project::content_hash(*project));
    folder.write("build.sh", "echo other\n");
    const auto changed = folder.read(written);
    QVERIFY(project::content_hash(*changed) != project::content_hash(*project));
    QVERIFY(!project::project_differences(*project, *changed).empty());
  }

  void what_is_wrong_is_named_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* pointer, const char* value, const char* message) {
      QTest::newRow(name) << QString(pointer) << QString(value) << QString(message);
    };
    row("no run", "/Run", "null", "Run has 0 commands");
    row("a shell's line", "/Run/Command", "\"./run 1\"", "is not a list of a program and its arguments");
    row("an empty program", "/Run/Command", "[\"\"]", "is empty");
    row("a number", "/Run/Command", "[\"sleep\", 1]", "Run.Command[1] is not a text");
    row("an unknown name", "/Run/Command", "[\"run\", \"{CHUNKS}\"]", "did you mean CHUNK");
    row("an open brace", "/Run/Command", "[\"run\", \"{CHUNK\"]", "unmatched brace");
    row("a null byte", "/Run/Command", "[\"run\", \"a\\u0000b\"]", "null byte");
    row("two checks", "/Check", "{\"Commands\": [[\"a\"], [\"b\"]]}", "has several commands");
    row("a variable", "/Run/Environment", "{\"A=B\": \"1\"}", "is not the name of a variable");
    row("a time-out", "/Build/TimeoutSeconds", "-1", "is no number from 0");
    row("a pattern", "/Objective/Pattern", "\"time: ([0-9\"", "is no regular expression");
    row("no group", "/Objective/Pattern", "\"time: [0-9]+\"", "exactly one group");
    row("a kind", "/Objective/Kind", "\"Stopwatch\"", "WallTime, PeakMemory");
    row("a pointer", "/Objective", "{\"Kind\": \"Pointer\", \"Pointer\": \"time\"}", "no JSON pointer");
    row("a higher time", "/Objective/Better", "\"higher\"", "for a time");
    row("a file above", "/Objective/File", "\"../result\"", "below the folder of the run");
    row("a metric's name", "/Metrics", "[{\"Kind\": \"WallTime\"}]", "Name is missing");
    row("metrics twice", "/Metrics", "[{\"Name\": \"a\"}, {\"Name\": \"a\"}]", "occurs twice");
    row("a relative path", "/Allow", "{\"Read\": [\"data\"]}", "no absolute path");
    row("a missing file", "/Files", "[\"gone.c\"]", "there is no file");
    row("a file outside", "/Files", "[\"../../../../../etc/passwd\"]", "outside the project's folder");
    row("an objective's name", "/Objective",
        R"json({"Name": "builds", "Kind": "Pattern", "Pattern": "rate: ([0-9]+)", "Unit": "it/s"})json",
        "occurs twice");
    row("a name with a null byte", "/Objective/Name", "\"a\\u0000b\"", "control character");
    row("a unit with a line end", "/Objective/Unit", "\"m\\ns\"", "control character");
    row("a pattern that repeats", "/Objective/Pattern", "\"((?:a{99}){99})\"", "repeats parts over");
    row("the first of all times", "/Objective", R"({"Kind": "Hyperfine", "Take": "First"})", "leave it out");
  }
  void what_is_wrong_is_named() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, message);
    const ProjectFolder folder;
    write_small_program(folder);
    json project = small_program();
    project["kernelscape"][json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    const auto read = folder.read(project);
    QVERIFY(!read.has_value());
    const std::string problem = problem_of(read);
    QVERIFY2(problem.contains("project.json") && problem.contains(message.toStdString()), problem.c_str());
  }

  void a_name_longer_than_stored_ones_is_refused() {
    const ProjectFolder folder;
    write_small_program(folder);
    for (const char* member : {"Name", "Unit"}) {
      for (const std::size_t bytes : {1024U, 1025U}) {
        json project = small_program();
        project["kernelscape"]["Metrics"][0][member] = std::string(bytes, 'n');
        const auto read = folder.read(project);
        QCOMPARE(read.has_value(), bytes == 1024);
        if (!read) QVERIFY(problem_of(read).contains("has over 1024 bytes"));
      }
    }
  }

  void a_file_cannot_have_the_name_of_a_folder() {
    const ProjectFolder outside;
    const ProjectFolder folder;
    write_small_program(folder);
    json project = small_program();
    project["kernelscape"]["Files"].push_back(outside.write("parts", "a file").string());
    const auto read = folder.read(project, true);
    QVERIFY(!read);
    QVERIFY2(problem_of(read).contains("both a file and a folder"), problem_of(read).c_str());
  }

  void variables_and_permissions_are_shown() {
    const ProjectFolder folder;
    write_small_program(folder);
    json project = small_program();
    project["kernelscape"]["Allow"] = {
        {"Network", true}, {"Read", json::array({"/data"})}, {"Write", json::array({"/scratch files"})}};
    const auto read = folder.read(project);
    QVERIFY2(read.has_value(), problem_of(read).c_str());
    const std::vector<std::string> commands = project::program_lines(*read->program);
    QCOMPARE(commands.back(), std::string("run: CHUNK={CHUNK} ./parts/run.sh '{CHUNK * 10}'"));
    QCOMPARE(project::permission_lines(read->program->permissions),
             (std::vector<std::string>{"may use the network", "may read /data",
                                       "may read and change '/scratch files'"}));
  }

  void what_has_no_effect_is_noticed() {
    const ProjectFolder folder;
    write_small_program(folder);
    json project = small_program();
    project["kernelscape"]["Run"].erase("Environment");
    project["kernelscape"]["Run"]["Command"] = {"./parts/run.sh", "1"};
    project["kernelscape"]["Run"]["Shell"] = true;
    project["kernelscape"]["Flags"] = {"-O3"};
    const auto read = folder.read(project);
    QVERIFY2(read.has_value(), problem_of(read).c_str());
    for (const char* wanted : {"uses the parameter CHUNK", "Run.Shell", "kernelscape.Flags"})
      QVERIFY2(std::ranges::any_of(read->notices,
                                   [&](const std::string& notice) { return notice.contains(wanted); }),
               wanted);
  }

  void braces_are_replaced_and_doubled_ones_kept() {
    const auto expanded = [](const std::string& text) {
      const project::ProgramStep step{.commands = {{"program", text}}, .environment = {}};
      const auto made = project::step_commands(step, no_names);
      return made ? made->commands.front().back() : "error: " + describe(made.error());
    };
    QCOMPARE(expanded("{{x}} {1 + 1}{'ab'}{{{3}}} {True}"), std::string("{x} 2ab{3} 1"));
    QCOMPARE(expanded("a'b\"c\n$HOME `x` ~"), std::string("a'b\"c\n$HOME `x` ~"));
    QVERIFY(expanded("{1").starts_with("error"));
    QVERIFY(expanded("1}").starts_with("error"));
    QVERIFY(expanded("{'a\\0b'}").starts_with("error"));
  }

  void random_texts_in_doubled_braces_come_back() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 500; ++round) {
      std::string text;
      std::string doubled;
      for (std::uint64_t i = random.below(20); i > 0; --i) {
        const char letter = "{}ab' \"\n\\$"[random.below(10)];
        text += letter;
        doubled += letter;
        if (letter == '{' || letter == '}') doubled += letter;
      }
      const project::ProgramStep step{.commands = {{"program", doubled}}, .environment = {}};
      const auto made = project::step_commands(step, no_names);
      QVERIFY2(made.has_value(), doubled.c_str());
      QCOMPARE(made->commands.front().back(), text);
    }
  }

  void numbers_are_ranked_as_seconds() {
    const auto seconds = [](const char* unit, double value, double flops) {
      project::KernelProject project;
      project.program.emplace();
      project.program->objective.unit = unit;
      project.program->objective.higher_is_better = project::is_rate_unit(unit);
      project.flops = flops;
      project::set_work_of_rate(project);
      return project::objective_seconds(project, value);
    };
    QCOMPARE(seconds("s", 2, 0), 2.0);
    QCOMPARE(seconds("us", 2, 0), 2e-6);
    QCOMPARE(seconds("min", 2, 0), 120.0);
    QCOMPARE(seconds("J", 2, 0), 2.0);
    QCOMPARE(seconds("GFLOPS", 2, 0), 0.5);
    QCOMPARE(seconds("GFLOPS", 2, 4e9), 2.0);
    QCOMPARE(seconds("MB/s", 500, 0), 2.0);
    QCOMPARE(seconds("it/s", 4, 0), 0.25);
    for (const char* unit : {"GFLOPS", "GiB/s", "images/s"})
      QVERIFY2(seconds(unit, 3, 0) < seconds(unit, 2, 0), unit);
  }

  void what_is_written_and_bundled_is_read_without_a_notice() {
    const ProjectFolder folder;
    const auto written = project::new_project("my-program", "program");
    QVERIFY(written.has_value());
    for (const project::NewProjectFile& file : *written) {
      folder.write(file.name, file.text);
      QVERIFY2(!file.text.contains('@'), file.name.c_str());
    }
    std::vector<std::filesystem::path> files{folder.path() / "my-program.json"};
    for (const char* name : {"cmake/primes.json", "flags/flags.json", "numpy/smooth.json"})
      files.push_back(task::data_folder() / "kernels" / "program" / name);
    for (const std::filesystem::path& file : files) {
      const auto project = project::read_project(file);
      QVERIFY2(project.has_value(), problem_of(project).c_str());
      QVERIFY2(project->notices.empty(), project->notices.empty() ? "" : project->notices.front().c_str());
      QVERIFY(project->program.has_value());
      QVERIFY(project::make_project_space(project->parameters, project->conditions).has_value());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectProgramTest)

}  // namespace kernelscape::project_program_test
#include "project_program_test.moc"

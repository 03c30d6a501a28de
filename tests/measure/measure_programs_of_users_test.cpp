#include <QTest>
#include <csignal>
#include <fstream>
#include <sstream>

#include "core/measure/cpu/cpu_target.h"
#include "core/measure/program/program_measurer.h"
#include "core/measure/program/program_runner.h"
#include "core/measure/slow_phase_wait.h"
#include "core/measure/worker/confinement.h"
#include "tests/project/program_project.h"
#include "tests/test_program.h"

namespace kernelscape::measure_programs_of_users_test {
using nlohmann::json;
using trial::ErrorCategory;

namespace {

using Family = std::shared_ptr<const kernel::ProjectFamily>;

constexpr trial::MeasureOptions quick{.builders = 2,
                                      .warmups = 1,
                                      .repeats = 2,
                                      .build_timeout_seconds = 60,
                                      .run_timeout_seconds = 60,
                                      .give_up_factor = 0};

Family family_of(const ProjectFolder& folder, const json& project) {
  auto read = folder.read(project);
  if (!read) qFatal("%s", describe(read.error()).c_str());
  return kernel::ProjectFamily::make(std::make_shared<const project::KernelProject>(*std::move(read)), {})
      .value();
}

std::vector<space::Configuration> all_of(const space::SearchSpace& space) {
  std::vector<space::Configuration> all;
  for (base::uint128 i = 0; i < space.size(); ++i) all.push_back(space.at(i));
  return all;
}

/** The time that small_program() prints, by the value of CHUNK: 4, 2 or 1. */
double printed_seconds(const space::SearchSpace& space, const space::Configuration& configuration) {
  return 0.04 / (1U << configuration.indices[*space.find_knob("CHUNK")]);
}

const schedule::TargetDescription& this_machine() {
  static const schedule::TargetDescription target = measure::describe_cpu_target().value();
  return target;
}

std::unique_ptr<measure::Measurer> measurer_of(const Family& family,
                                               const trial::MeasureOptions& options = quick) {
  return measure::make_program_measurer(family, this_machine(), options).value();
}

/** Measures all configurations of a program in the order of its space. */
std::vector<trial::Measurement> measured(const Family& family, const trial::MeasureOptions& options = quick) {
  const auto measurer = measurer_of(family, options);
  const std::vector<space::Configuration> batch = all_of(family->space());
  std::vector<trial::Measurement> measurements(batch.size());
  measurer->submit(batch).value();
  for (std::size_t finished = 0; finished < batch.size();) {
    std::vector<measure::Completed> completed = measurer->collect(std::chrono::milliseconds(1000)).value();
    for (measure::Completed& one : completed) {
      measurements[one.position] = std::move(one.measurement);
      ++finished;
    }
  }
  return measurements;
}

trial::Measurement measured_script(const std::string& script, const json& added = json::object()) {
  const ProjectFolder folder;
  json project = script_program(script);
  project["kernelscape"].update(added, true);
  return measured(family_of(folder, project)).front();
}

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/** A program that is built and run once, without readings of the speed, whose folder can be looked at. */
class OneRun {
 public:
  explicit OneRun(const json& project)
      : family_(family_of(folder_, project)),
        builds_(family_->project(), quick),
        runner_(family_->project(), 0) {}

  trial::Measurement run(const space::Configuration& configuration) {
    const measure::ProgramCommands commands = measure::commands_of(*family_, configuration).value();
    if (!builds_.make({&commands.build, 1}, {}).value()) qFatal("it was interrupted");
    build_ = builds_.of(commands.build).folder;
    return runner_.run({.commands = commands, .build = builds_.of(commands.build), .options = quick}, {})
        .value()
        .value();
  }

  const space::SearchSpace& space() const { return family_->space(); }
  std::string file(const std::string& name) const { return text_of_file(build_ + "/" + name); }

 private:
  ProjectFolder folder_;
  Family family_;
  measure::ProgramBuilds builds_;
  measure::ProgramRunner runner_;
  std::string build_;
};

/** Returns true if a process runs; one that ended and was not waited for does not. */
bool runs(pid_t process) {
  const std::string stat = text_of_file("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] != 'Z' &&
         stat[name_end + 2] != 'X';
}

}  // namespace

/** Programs of users: commands in place of kernels. */
class MeasureProgramsOfUsersTest final : public QObject {
  Q_OBJECT

 private slots:
  void parameters_that_only_the_run_uses_share_a_build() {
    const ProjectFolder folder;
    write_small_program(folder);
    const Family family = family_of(folder, small_program());
    const std::vector<trial::Measurement> measurements = measured(family);
    QCOMPARE(measurements.size(), 6U);
    int built = 0;
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      const trial::Measurement& one = measurements[i];
      QVERIFY2(one.valid(), one.message.c_str());
      QCOMPARE(one.samples_seconds,
               std::vector<double>(2, printed_seconds(family->space(), family->space().at(i))));
      QCOMPARE(one.metrics, (std::vector<trial::Metric>{{"builds", "builds", 1}}));
      built += one.build_seconds > 0 ? 1 : 0;
      QVERIFY(one.run_seconds > 0);
    }
    QCOMPARE(built, 2);
  }

  void the_same_commands_are_measured_again_interleaved() {
    const ProjectFolder folder;
    write_small_program(folder);
    const Family family = family_of(folder, small_program());
    const auto again =
        measure::measure_programs_interleaved(*family, this_machine(), quick, all_of(family->space()), 3);
    QVERIFY2(again.has_value(), again ? "" : describe(again.error()).c_str());
    QCOMPARE(again->rounds, 3);
    QVERIFY(!again->vendor.reason.empty());
    QVERIFY(again->probe.known());
    for (std::size_t i = 0; i < again->configurations.size(); ++i)
      QCOMPARE(again->configurations[i].samples_seconds,
               std::vector<double>(3, printed_seconds(family->space(), family->space().at(i))));
  }

  void each_failure_has_its_category_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("added");
    QTest::addColumn<int>("category");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* script, const char* added, ErrorCategory category,
                        const char* message) {
      QTest::newRow(name) << QString(script) << QString(added) << static_cast<int>(category)
                          << QString(message);
    };
    row("right", "echo time: 2 ms", "{}", ErrorCategory::NoError, "");
    row("opens its outputs", "echo a > /dev/stderr; echo b | tee /dev/stderr; echo time: 2 ms > /dev/stdout",
        "{}", ErrorCategory::NoError, "");
    row("appends to its outputs", "echo a >> /dev/stderr; echo time: 2 ms >> /dev/stdout", "{}",
        ErrorCategory::NoError, "");
    row("keeps its errors", "echo first >&2; echo second > /dev/stderr; exit 3", "{}",
        ErrorCategory::RuntimeDevice, "first\nsecond");
    row("no number", "echo hello", "{}", ErrorCategory::RuntimeDevice, "has no number");
    row("two numbers", "echo time: 1 ms; echo time: 2 ms", "{}", ErrorCategory::RuntimeDevice,
        "has 2 numbers");
    row("zero", "echo time: 0 ms", "{}", ErrorCategory::RuntimeDevice, "above 0");
    row("an exit code", "echo because >&2; exit 3", "{}", ErrorCategory::RuntimeDevice,
        "ended with exit code 3\nbecause");
    row("a signal", "kill -SEGV $$", "{}", ErrorCategory::RuntimeDevice, "SIGSEGV");
    row("no command", "", R"({"Run": {"Command": ["no-such-command-anywhere"]}})",
        ErrorCategory::RuntimeDevice, "cannot be started: No such file");
    row("no build command", "echo time: 2 ms", R"({"Build": {"Command": ["./gone"]}})",
        ErrorCategory::CompileHost, "the build command \"./gone\" cannot be started: No such file");
    row("a failed build", "echo time: 2 ms",
        R"({"Build": {"Command": ["sh", "-c", "echo main.c:3:1: error: x >&2; exit 1"]}})",
        ErrorCategory::CompileHost, "main.c:3:1: error: x");
    row("a slow build", "echo time: 2 ms",
        R"({"Build": {"Command": ["sleep", "1000"], "TimeoutSeconds": 0.2}})", ErrorCategory::BuildTimeout,
        "was stopped after 0.2 s");
    row("ignores SIGTERM", "",
        R"({"Run": {"Command": ["sh", "-c", "trap '' TERM HUP INT; while :; do :; done"],
                    "TimeoutSeconds": 0.2}})",
        ErrorCategory::RunTimeout, "was stopped after 0.2 s");
    row("prints without end", "yes", "{}", ErrorCategory::RuntimeDevice, "printed over 16 MiB");
    row("a build prints without end", "echo time: 2 ms", R"({"Build": {"Command": ["yes"]}})",
        ErrorCategory::CompileHost, "printed over 16 MiB");
    row("a wrong result", "echo time: 2 ms; echo sum: 6",
        R"({"Check": {"Command": ["grep", "-q", "sum: 7"]}})", ErrorCategory::WrongAnswer,
        "the check command \"grep\" ended with exit code 1");
    row("a right result", "echo time: 2 ms; echo sum: 7",
        R"({"Check": {"Command": ["grep", "-q", "sum: {CASE}"]}})", ErrorCategory::NoError, "");
    row("no check command", "echo time: 2 ms", R"({"Check": {"Command": ["no-such-command-anywhere"]}})",
        ErrorCategory::RuntimeDevice, "the check command");
    row("no value", "echo time: 2 ms", R"({"Run": {"Command": ["echo", "{1 % (CASE - 7)}"]}})",
        ErrorCategory::InstantiationError, "");
  }
  void each_failure_has_its_category() {
    QFETCH(QString, script);
    QFETCH(QString, added);
    QFETCH(int, category);
    QFETCH(QString, message);
    const trial::Measurement one = measured_script(script.toStdString(), json::parse(added.toStdString()));
    QVERIFY2(static_cast<int>(one.category) == category, one.message.c_str());
    QVERIFY2(one.message.contains(message.toStdString()), one.message.c_str());
    QVERIFY(one.message.size() <= 4096);
    QCOMPARE(one.samples_seconds.empty(), !one.valid());
  }

  void make_builds_and_runs() {
    if (std::system("command -v make >/dev/null 2>&1") != 0) QSKIP("make is not installed");
    const ProjectFolder folder;
    folder.write("Makefile",
                 "built: ; @echo building; echo building >&2; touch built\nrun: ; @echo time: 2 ms\n");
    json project = script_program("");
    project["kernelscape"]["Files"] = json::array({"Makefile"});
    project["kernelscape"]["Build"] = {{"Command", json::array({"make", "built"})}};
    project["kernelscape"]["Run"] = {{"Command", {"make", "-s", "run"}}};
    const trial::Measurement one = measured(family_of(folder, project)).front();
    QVERIFY2(one.valid(), one.message.c_str());
    QCOMPARE(one.samples_seconds, std::vector<double>(2, 0.002));
  }

  void the_end_of_a_long_log_is_the_message() {
    const trial::Measurement one =
        measured_script("i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i + 1)); done; exit 2");
    QCOMPARE(one.category, ErrorCategory::RuntimeDevice);
    QVERIFY(one.message.starts_with("the run command \"sh\" ended with exit code 2\n"));
    QVERIFY(one.message.ends_with("line 1999"));
    QVERIFY(!one.message.contains("line 1\n"));
  }

  void no_shell_reads_the_value_of_a_parameter() {
    const std::vector<std::string> texts{
        "a b",     "\"quoted\"", "it's",     "$HOME `id` $(id)",     "two\nlines", "; exit 3",
        "*?[a]\\", "-n",         "{braces}", "\xc3\xa9\xe2\x82\xac", "a\tb",       "|&><"};
    json project =
        script_program(R"(printf '%s' "$1" > argument; printf '%s' "$TEXT" > variable; echo time: 1 ms)");
    project["ConfigurationSpace"]["TuningParameters"] = {
        {{"Name", "TEXT"}, {"Type", "string"}, {"Values", texts}}};
    project["kernelscape"]["Run"]["Command"].back() = "{TEXT}";
    project["kernelscape"]["Run"]["Environment"] = {{"TEXT", "<{TEXT}>"}};
    OneRun one(project);
    QCOMPARE(one.space().size(), base::uint128{texts.size()});
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const trial::Measurement measurement = one.run(one.space().at(i));
      QVERIFY2(measurement.valid(), measurement.message.c_str());
      QCOMPARE(one.file("argument"), texts[i]);
      QCOMPARE(one.file("variable"), "<" + texts[i] + ">");
    }
  }

  void what_a_run_leaves_behind_is_killed() {
    // Perl is part of every Debian. The second child has a group of its own; the third a session, if it may.
    // The run is repeated in one folder: files of the run before must not end the wait for the children.
    const std::string leaves =
        "unlink map {{ \"pid$_\" }} (0, 1, 2);"
        " for my $kind (0, 1, 2) {{ my $child = fork; next if $child; setpgrp(0, 0) if $kind == 1;"
        " if ($kind == 2) {{ require POSIX; POSIX::setsid(); }}"
        " open my $file, '>', \"pid$kind\"; print $file \"$$\\n\"; close $file; sleep 1000; }}"
        " for my $kind (0, 1, 2) {{ select(undef, undef, undef, 0.01) until -s \"pid$kind\" }}"
        " print \"time: 1 ms\\n\";";
    json project = script_program("");
    project["kernelscape"]["Run"]["Command"] = {"perl", "-e", leaves};
    OneRun one(project);
    const trial::Measurement measurement = one.run(one.space().at(0));
    QVERIFY2(measurement.valid(), measurement.message.c_str());
    for (const char* file : {"pid0", "pid1", "pid2"}) {
      const pid_t left = std::atoi(one.file(file).c_str());
      QVERIFY2(left > 1, file);
      QTRY_VERIFY2(!runs(left), file);
    }
  }

  void only_what_is_allowed_can_be_read_and_written() {
    if (measure::confinement_support().landlock_version < 1)
      QSKIP("this system cannot restrict access to files");
    const ProjectFolder elsewhere;
    const std::string given = elsewhere.write("given", "secret").string();
    const std::string made = (elsewhere.path() / "made").string();
    const std::string script = "cat '" + given + "' && echo x > '" + made + "' && echo time: 1 ms";
    const trial::Measurement refused = measured_script(script);
    QCOMPARE(refused.category, ErrorCategory::RuntimeDevice);
    QVERIFY2(refused.message.contains("Permission denied") && refused.message.contains("kernelscape.Allow"),
             refused.message.c_str());
    const trial::Measurement read =
        measured_script(script, {{"Allow", {{"Read", json::array({elsewhere.path().string()})}}}});
    QCOMPARE(read.category, ErrorCategory::RuntimeDevice);
    QVERIFY(!std::filesystem::exists(made));
    const trial::Measurement allowed =
        measured_script(script, {{"Allow", {{"Write", json::array({elsewhere.path().string()})}}}});
    QVERIFY2(allowed.valid(), allowed.message.c_str());
    QVERIFY(std::filesystem::exists(made));
    const trial::Measurement file_alone =
        measured_script("echo new > '" + given + "' && echo time: 1 ms && echo y > '" + made + "' || :",
                        {{"Allow", {{"Write", json::array({given})}}}});
    QVERIFY2(file_alone.valid(), file_alone.message.c_str());
    QCOMPARE(text_of_file(given), std::string("new\n"));
    QCOMPARE(text_of_file(made), std::string("x\n"));  // of the measurement before
  }

  void the_network_needs_permission() {
    if (!measure::confinement_support().system_calls) QSKIP("this system cannot filter system calls");
    json project = script_program("");
    project["kernelscape"]["Run"]["Command"] = {
        "perl", "-MSocket", "-e",
        "socket(my $s, AF_INET, SOCK_DGRAM, 0) or die \"no socket: $!\"; print \"time: 1 ms\\n\";"};
    const trial::Measurement refused = OneRun(project).run(space::Configuration{{0}});
    QVERIFY2(!refused.valid() && refused.message.contains("no socket"), refused.message.c_str());
    project["kernelscape"]["Allow"] = {{"Network", true}};
    const trial::Measurement allowed = OneRun(project).run(space::Configuration{{0}});
    QVERIFY2(allowed.valid(), allowed.message.c_str());
  }

  void a_result_of_an_earlier_run_does_not_count() {
    json project = script_program("[ -e once ] || echo '{{\"time\": 3}}' > result; touch once");
    project["kernelscape"]["Objective"] = {
        {"Kind", "Pointer"}, {"Pointer", "/time"}, {"File", "result"}, {"Unit", "s"}};
    const ProjectFolder folder;
    const trial::Measurement one = measured(family_of(folder, project)).front();
    QVERIFY2(!one.valid() && one.message.contains("no file result"), one.message.c_str());
  }

  void the_size_of_a_file_is_that_of_the_run_or_the_build() {
    json project = script_program("[ -e once ] || echo 1234 > out; touch once; echo time: 1 ms");
    project["kernelscape"]["Metrics"] = {{{"Name", "size"}, {"Kind", "FileSize"}, {"File", "out"}}};
    const ProjectFolder folder;
    const Family family = family_of(folder, project);
    const auto measurer = measurer_of(family);
    std::vector<std::string> notices;
    for (int round = 0; round < 2; ++round) {
      measurer->submit(all_of(family->space())).value();
      std::vector<measure::Completed> completed;
      while (completed.empty()) completed = measurer->collect(std::chrono::milliseconds(1000)).value();
      QVERIFY2(completed.front().measurement.valid(), completed.front().measurement.message.c_str());
      QVERIFY(completed.front().measurement.metrics.empty());
      for (std::string& notice : measurer->take_notices()) notices.push_back(std::move(notice));
    }
    QCOMPARE(notices.size(), 1U);
    QVERIFY2(notices.front().contains("\"size\"") && notices.front().contains("no file out"),
             notices.front().c_str());
    project["kernelscape"]["Build"] = {{"Command", {"sh", "-c", "echo 12345 > out; touch once"}}};
    const trial::Measurement built = measured(family_of(folder, project)).front();
    QVERIFY2(built.valid(), built.message.c_str());
    QCOMPARE(built.metrics, (std::vector<trial::Metric>{{"size", "bytes", 6}}));
  }

  void an_interruption_keeps_the_builds_that_are_finished() {
    const ProjectFolder elsewhere;
    const std::string log = elsewhere.write("log", "").string();
    json project = script_program("echo time: 1 ms");
    project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[1, 2]";
    project["kernelscape"]["Build"] = {
        {"Command", {"sh", "-c", "echo $1 >> '" + log + "'; [ $1 = 1 ] || exec sleep 1000", "sh", "{CASE}"}},
        {"TimeoutSeconds", 1000}};
    project["kernelscape"]["Allow"] = {{"Write", json::array({log})}};
    const ProjectFolder folder;
    const Family family = family_of(folder, project);
    trial::MeasureOptions options = quick;
    options.builders = 1;
    measure::ProgramBuilds builds(family->project(), options);
    std::vector<project::StepCommands> steps;
    for (const space::Configuration& one : all_of(family->space()))
      steps.push_back(measure::commands_of(*family, one).value().build);
    const measure::Interruption interruption{.descriptor = -1,
                                             .requested = [&] { return text_of_file(log).contains('2'); }};
    QVERIFY(!builds.make(steps, interruption).value());
    QVERIFY(builds.make({steps.data(), 1}, {}).value());
    QCOMPARE(text_of_file(log), std::string("1\n2\n"));
  }

  void a_run_with_enough_samples_is_not_repeated() {
    json project = script_program("echo run >> runs; echo time: 1 ms; echo time: 2 ms; echo time: 3 ms");
    project["kernelscape"]["Objective"]["Take"] = "All";
    OneRun one(project);
    const trial::Measurement measurement = one.run(one.space().at(0));
    QCOMPARE(measurement.samples_seconds, (std::vector<double>{0.001, 0.002, 0.003}));
    QCOMPARE(measurement.samples_saved, 0U);
    QCOMPARE(one.file("runs"), std::string("run\nrun\n"));  // the warm-up, and one more
  }

  void a_run_far_slower_than_the_best_is_cut_short() {
    trial::MeasureOptions options = quick;
    options.give_up_factor = 5;
    options.repeats = 7;
    const ProjectFolder folder;
    const Family family = family_of(folder, script_program("echo time: 100 ms"));
    const auto measurer = measurer_of(family, options);
    measurer->set_best_seconds(0.010);
    measurer->submit(all_of(family->space())).value();
    std::vector<measure::Completed> completed;
    while (completed.empty()) completed = measurer->collect(std::chrono::milliseconds(1000)).value();
    QVERIFY(completed.front().measurement.cut_short);
    QCOMPARE(completed.front().measurement.samples_seconds.size(), 1U);
  }

  void times_and_rates_are_measured_between_readings_of_the_speed_data() {
    QTest::addColumn<QString>("unit");
    QTest::addColumn<bool>("read");
    QTest::newRow("time") << "ms" << true;
    QTest::newRow("rate") << "images/s" << true;
    QTest::newRow("FLOPS") << "GFLOPS" << true;
    QTest::newRow("bytes") << "bytes" << false;
    QTest::newRow("score") << "" << false;
  }
  void times_and_rates_are_measured_between_readings_of_the_speed() {
    QFETCH(QString, unit);
    QFETCH(bool, read);
    json project = script_program("echo time: 3 ms");
    project["kernelscape"]["Objective"]["Unit"] = unit.toStdString();
    project["kernelscape"]["Objective"]["Name"] = "number";
    const ProjectFolder folder;
    const Family family = family_of(folder, project);
    const auto measurer = measurer_of(family);
    const auto speed = measurer->probe_speed({});
    QVERIFY2(speed, speed ? "" : describe(speed.error()).c_str());
    QCOMPARE(speed->has_value(), read);
    const trial::Measurement measurement = measured(family).front();
    QVERIFY2(measurement.valid(), measurement.message.c_str());
    QCOMPARE(measurement.probe_before().known(), read);
  }

  /** All readings are far slower than these usual times, so that a slow phase begins. */
  void no_trial_is_lost_while_the_machine_is_waited_for() {
    trial::MeasureOptions options = quick;
    options.slow_phase_patience_seconds = 0.2;
    const ProjectFolder folder;
    const Family family = family_of(folder, script_program("sleep 0.05; echo time: 3 ms"));
    const auto measurer = measurer_of(family, options);
    measure::shared_slow_phase_account(this_machine().name)->store(0);
    measurer->set_usual_probe({.compute = 1e-9, .memory = 1e-9});
    const std::vector<space::Configuration> batch(8, family->space().at(0));
    measurer->submit(batch).value();
    for (std::size_t finished = 0; finished < batch.size();) {
      const std::vector<measure::Completed> completed =
          measurer->collect(std::chrono::milliseconds(1000)).value();
      for (const measure::Completed& one : completed)
        QVERIFY2(one.measurement.valid(), one.measurement.message.c_str());
      finished += completed.size();
    }
    QVERIFY(measurer->take_busy_times().waiting_seconds > 0);
    QVERIFY(measurer->progress().speed.slower_than_usual());
  }

  void rates_rank_higher_numbers_first() {
    json project = script_program("echo rate: $((CASE * 10))");
    project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[1, 2, 3]";
    project["kernelscape"]["Run"]["Environment"] = {{"CASE", "{CASE}"}};
    project["kernelscape"]["Objective"] = {
        {"Name", "rate"}, {"Kind", "Pattern"}, {"Pattern", "rate: ([0-9]+)"}, {"Unit", "images/s"}};
    const ProjectFolder folder;
    const std::vector<trial::Measurement> all = measured(family_of(folder, project));
    for (std::size_t i = 0; i < all.size(); ++i) {
      QVERIFY2(all[i].valid(), all[i].message.c_str());
      QCOMPARE(all[i].ranking_seconds(), 0.1 / static_cast<double>(i + 1));
      QCOMPARE(all[i].metrics,
               (std::vector<trial::Metric>{{"rate", "images/s", 10.0 * static_cast<double>(i + 1)}}));
    }
  }

  void an_aborted_batch_ends_and_the_next_is_measured() {
    const ProjectFolder folder;
    write_small_program(folder);
    json project = small_program();
    project["kernelscape"]["Build"]["Command"] = {"sh", "-c", "[ $1 = 1 ] || exec sleep 1000", "sh",
                                                  "{LEVEL}"};
    project["kernelscape"]["Build"]["TimeoutSeconds"] = 1000;
    project["kernelscape"].erase("Metrics");
    const Family family = family_of(folder, project);
    const auto measurer = measurer_of(family);
    const std::vector<space::Configuration> all = all_of(family->space());
    const std::vector<space::Configuration> slow(all.begin() + 3, all.end());
    measurer->submit(slow).value();
    QTRY_VERIFY(measurer->progress().building > 0);
    measurer->abort();
    QVERIFY(measurer->collect(std::chrono::milliseconds(0)).value().empty());
    measurer->submit({all.data(), 1}).value();
    std::vector<measure::Completed> completed;
    while (completed.empty()) completed = measurer->collect(std::chrono::milliseconds(1000)).value();
    QVERIFY2(completed.front().measurement.valid(), completed.front().measurement.message.c_str());
  }
};

KERNELSCAPE_TEST(MeasureProgramsOfUsersTest, QCoreApplication)

}  // namespace kernelscape::measure_programs_of_users_test
#include "measure_programs_of_users_test.moc"

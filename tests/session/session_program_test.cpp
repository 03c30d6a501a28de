#include <sys/wait.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "core/base/random.h"
#include "core/session/kernels.h"
#include "core/session/local_run.h"
#include "core/session/program_run.h"
#include "core/session/project_preparation.h"
#include "core/session/report.h"
#include "core/task/data_folder.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/project/program_project.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_program_test {
using namespace kernelscape::session_tests;

namespace {

constexpr std::int64_t wanted_trials = 6;

session::TuningRequest request_of(const std::string& project, std::int64_t trials = wanted_trials) {
  session::TuningRequest request;
  request.task = project;
  request.tuner = "random";
  request.seed = 3;
  request.budget.trials = trials;
  request.measuring = {.builders = 2, .warmups = 0, .repeats = 1, .build_timeout_seconds = 120};
  request.trust = true;
  return request;
}

/** Runs a new session, or resumes the database's first. */
Result<session::Outcome> run(store::Store& store, const session::TuningRequest& request,
                             session::Observer& observer) {
  const auto sessions = store.sessions().all();
  if (!sessions) return std::unexpected(sessions.error());
  const bool resumed = !sessions->empty();
  const store::SessionId id = resumed ? sessions->front().record.id : 0;
  const session::PreparedTuning tuning =
      TRY(resumed ? session::prepare_resume(store, id) : session::prepare_tuning(request, store));
  const std::unique_ptr<measure::Measurer> measurer = TRY(session::make_measurer_here(tuning));
  const session::StopRequest stop;
  const session::Tools tools{.measurer = *measurer,
                             .observer = observer,
                             .stop = stop,
                             .clock = session::steady_clock_seconds(),
                             .confirmer = {}};
  return resumed ? session::resume_session(store, id, tuning.setup, tools)
                 : session::run_session(store, tuning.setup, tools);
}

/** The process that spawn() starts: it kills itself after some events. */
int run_child(int argc, char** argv) {
  if (argc != 5) return 4;
  long left = std::strtol(argv[4], nullptr, 10);
  store::Store store = *store::Store::open(argv[2]);
  RecordingObserver observer;
  observer.on_event = [&left] {
    if (left > 0 && --left == 0) std::raise(SIGKILL);
  };
  const auto outcome = run(store, request_of(argv[3]), observer);
  if (!outcome) std::fprintf(stderr, "%s\n", describe(outcome.error()).c_str());
  return outcome && outcome->status.state == store::SessionState::Done ? 0 : 1;
}

/** @return the exit code, or minus the signal that ended it */
int spawn(const std::string& database, const std::string& project, long moment) {
  const std::string moment_text = std::to_string(moment);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "session_tests", "session_program_test", "--child", database.c_str(),
          project.c_str(), moment_text.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/** What of a session does not depend on when it was interrupted. */
std::vector<std::pair<space::Configuration, std::vector<double>>> results_of(const std::string& database) {
  const store::Store store = *store::Store::open(database);
  std::vector<std::pair<space::Configuration, std::vector<double>>> results;
  const std::vector<trial::Trial> trials =
      store.trials().of(store.sessions().all()->front().record.id).value();
  for (const trial::Trial& trial : trials)
    results.emplace_back(trial.configuration, trial.measurement.samples_seconds);
  std::ranges::sort(results);
  return results;
}

bool has_program(const char* name) {
  return std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

/** Sessions of users' programs. */
class SessionProgramTest final : public QObject {
  Q_OBJECT

  QTemporaryDir home_;
  ProjectFolder folder_;

  std::string project(const nlohmann::json& json = small_program()) const {
    return folder_.write("project.json", json.dump()).string();
  }

 private slots:
  void initTestCase() {
    qputenv("XDG_CONFIG_HOME", home_.path().toUtf8());
    write_small_program(folder_);
  }

  void nothing_runs_without_trust() {
    const store::Store store = *store::Store::open(home_.filePath("trust.db").toStdString());
    session::TuningRequest request = request_of(project());
    request.trust = false;
    const auto refused = session::prepare_tuning(request, store);
    QVERIFY(!refused && refused.error().code == ErrorCode::Refused);
    QVERIFY2(refused.error().message.contains("build: sh build.sh {LEVEL}"), refused.error().message.c_str());
    request.trust = true;
    QVERIFY(session::prepare_tuning(request, store).has_value());
    request.trust = false;
    QVERIFY(session::prepare_tuning(request, store).has_value());
    nlohmann::json other = small_program();
    other["kernelscape"]["Run"]["Command"].push_back("more");
    other["kernelscape"]["Run"]["Environment"]["LD_PRELOAD"] = "evil.so";
    other["kernelscape"]["Allow"] = {{"Network", true}, {"Write", nlohmann::json::array({"/srv"})}};
    request.task = project(other);
    const auto changed = session::prepare_tuning(request, store);
    QVERIFY(!changed);
    for (const char* shown : {"LD_PRELOAD=evil.so", "may use the network", "may read and change /srv"})
      QVERIFY2(changed.error().message.contains(shown), changed.error().message.c_str());
  }

  void other_targets_are_refused() {
    const store::Store store = *store::Store::open(home_.filePath("target.db").toStdString());
    session::TuningRequest request = request_of(project());
    request.template_name = "direct";
    QVERIFY(!session::prepare_tuning(request, store));
  }

  void a_killed_session_is_resumed() {
    base::Random random(testing::random_seed());
    const std::string whole = home_.filePath("whole.db").toStdString();
    const std::string killed = home_.filePath("killed.db").toStdString();
    const std::string file = project();
    QCOMPARE(spawn(whole, file, 0), 0);
    int kills = 0;
    for (;;) {
      const int code = spawn(killed, file, 3 + static_cast<long>(random.below(8)));
      if (code == 0) break;
      QCOMPARE(code, -SIGKILL);
      QVERIFY2(++kills < 200, "the session makes no progress");
    }
    const auto expected = results_of(whole);
    const auto found = results_of(killed);
    QCOMPARE(expected.size(), static_cast<std::size_t>(wanted_trials));
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      QCOMPARE(found[i].first, expected[i].first);
      QCOMPARE(found[i].second, expected[i].second);
    }
  }

  void a_session_has_no_kernel_and_says_so() {
    store::Store store = *store::Store::open(home_.filePath("kernel.db").toStdString());
    RecordingObserver observer;
    const auto outcome = run(store, request_of(project()), observer);
    QVERIFY2(outcome.has_value(), outcome ? "" : describe(outcome.error()).c_str());
    const store::SessionRecord record = store.sessions().get(outcome->id)->record;
    const auto family = session::family_of_session(store, record);
    QVERIFY(family.has_value());
    const auto source = (*family)->source((*family)->space().at(0));
    QVERIFY(!source && source.error().message.contains("is a program"));
    QVERIFY((*family)->data() == nullptr);
    QVERIFY(!session::session_kernels(record));
    const auto report = session::make_session_report(store, outcome->id);
    QVERIFY2(report.has_value(), report ? "" : describe(report.error()).c_str());
    QVERIFY(report->program_checked.has_value() && !*report->program_checked);
    QCOMPARE(report->best.seconds, 0.01);
  }

  void the_examples_run_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("programs");
    QTest::newRow("cmake") << "cmake/primes.json" << QStringList{"cmake", "cc", "make"};
    QTest::newRow("flags") << "flags/flags.json" << QStringList{"gcc"};
    QTest::newRow("numpy") << "numpy/smooth.json" << QStringList{"python3"};
  }
  void the_examples_run() {
    QFETCH(QString, file);
    QFETCH(QStringList, programs);
    for (const QString& program : programs)
      if (!has_program(program.toLocal8Bit().constData()))
        QSKIP("a program of this example is not installed");
    if (programs.contains("python3") &&
        std::system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") != 0)
      QSKIP("the system's Python has no numpy");
    if (programs.contains("python3") && std::system("[ $(command -v python3) = /usr/bin/python3 ]") != 0)
      QSKIP("python3 is not the system's, whose files every program may read");
#if !defined(__x86_64__)
    if (file.startsWith("flags")) QSKIP("the flags of this example are for x86");
#endif
    const std::string path = (task::data_folder() / "kernels" / "program" / file.toStdString()).string();
    const std::string name = file.section('/', 0, 0).toStdString();
    store::Store store =
        *store::Store::open(home_.filePath(QString::fromStdString(name + ".db")).toStdString());
    RecordingObserver observer;
    session::TuningRequest request = request_of(path, 2);
    request.measuring.run_timeout_seconds = 120;
    const auto outcome = run(store, request, observer);
    QVERIFY2(outcome.has_value(), outcome ? "" : describe(outcome.error()).c_str());
    QCOMPARE(observer.trials.size(), 2U);
    for (const trial::Trial& trial : observer.trials) {
      QVERIFY2(trial.measurement.valid(), trial.measurement.message.c_str());
      QVERIFY(trial.measurement.ranking_seconds() > 0);
      QVERIFY(!trial.measurement.metrics.empty());
    }
  }
};

KERNELSCAPE_TEST_WITH_CHILD(SessionProgramTest, run_child)

}  // namespace kernelscape::session_program_test
#include "session_program_test.moc"

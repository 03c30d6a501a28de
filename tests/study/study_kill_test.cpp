#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <csignal>
#include <cstdlib>

#include "tests/loop_nest/random_seed.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_kill_test {
using namespace kernelscape::study_tests;

namespace {

/** Goes on with study 1 of the database and is killed at the given moment; 0: never. */
int run_child(const std::string& path, long moment) {
  StudyNotes notes;
  notes.on_event = [&] {
    if (moment > 0 && --moment == 0) std::raise(SIGKILL);
  };
  study::Options options;
  options.jobs = 2;
  const Result<study::Outcome> outcome = study::run_study(path, 1, options, notes, session::StopRequest());
  if (!outcome) std::fprintf(stderr, "%s\n", describe(outcome.error()).c_str());
  return outcome && outcome->progress.done == outcome->progress.runs ? 0 : 1;
}

/** @return the exit code, or minus the signal that ended it */
int spawn(const std::string& path, long moment) {
  const std::string moment_text = std::to_string(moment);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "study_tests", "study_kill_test", "--child", path.c_str(), moment_text.c_str(),
          nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/** The process that spawn() starts. */
int begin_child(int argc, char** argv) {
  return argc == 4 ? run_child(argv[2], std::strtol(argv[3], nullptr, 10)) : 4;
}

}  // namespace

class StudyKillTest : public QObject {
  Q_OBJECT

 private slots:
  void killedAndResumedEqualsThrough();
};

void StudyKillTest::killedAndResumedEqualsThrough() {
  QTemporaryDir folder;
  const study::Definition study = make_study(
      {"random", "nose", "ga"}, {write_recording(folder, "x", 1), write_recording(folder, "y", 2)}, 4, 150);
  const std::string through_path = folder.filePath("through.db").toStdString();
  const std::string killed_path = folder.filePath("killed.db").toStdString();
  for (const std::string& path : {through_path, killed_path}) {
    store::Store store = *store::Store::open(path);
    QCOMPARE(*study::create_study(store, study), 1);
  }
  QCOMPARE(spawn(through_path, 0), 0);
  base::Random random(kernelscape::testing::random_seed());
  int kills = 0;
  for (;;) {
    const int code = spawn(killed_path, 1 + static_cast<long>(random.below(12)));
    if (code == 0) break;
    QCOMPARE(code, -SIGKILL);
    QVERIFY2(++kills < 1000, "the study makes no progress");
  }
  QVERIFY(kills > 2);
  const store::Store through = *store::Store::open(through_path);
  const store::Store killed = *store::Store::open(killed_path);
  QCOMPARE(first_difference(study_trials(killed, 1), study_trials(through, 1)), std::string());
  QCOMPARE(killed.studies().get(1)->done_runs, 24);
  // No session was left that belongs nowhere.
  QVERIFY(killed.sessions().all()->empty());
}

KERNELSCAPE_TEST_WITH_CHILD(StudyKillTest, begin_child)

}  // namespace kernelscape::study_kill_test
#include "study_kill_test.moc"

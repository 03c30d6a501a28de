#include <sys/wait.h>

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstdlib>

#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_kill_test {
using namespace kernelscape::session_tests;

namespace {

constexpr std::int64_t trials_wanted = 120;
constexpr std::int64_t batch_size = 8;

/** Dies at the given moment, counted over everything that happens; 0: never. */
class Executioner {
 public:
  explicit Executioner(long moment) : left_(moment) {}
  void operator()() {
    if (left_ > 0 && --left_ == 0) std::raise(SIGKILL);
  }

 private:
  long left_;
};

/** One process of a session: begins it where the database has none, else resumes it; may be killed by itself.
 */
int run_child(const std::string& path, const std::string& tuner, std::uint64_t seed, std::int64_t trials,
              long moment) {
  Bench bench(path);
  Executioner executioner(moment);
  bench.measurer.on_submit = std::ref(executioner);
  bench.measurer.on_collect = std::ref(executioner);
  bench.observer.on_event = std::ref(executioner);
  const session::Setup setup = make_setup(tuner, seed, trials, batch_size);
  const auto sessions = bench.store.sessions().all();
  if (!sessions) return 3;
  const auto outcome =
      sessions->empty() ? bench.run(setup) : bench.resume(sessions->front().record.id, setup);
  if (!outcome) {
    std::fprintf(stderr, "%s\n", describe(outcome.error()).c_str());
    return 1;
  }
  return outcome->status.state == store::SessionState::Done ? 0 : 2;
}

/** @return the exit code, or minus the signal that ended it */
int spawn(const std::string& path, const std::string& tuner, std::uint64_t seed, std::int64_t trials,
          long moment) {
  const std::string seed_text = std::to_string(seed);
  const std::string trials_text = std::to_string(trials);
  const std::string moment_text = std::to_string(moment);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "session_tests", "session_kill_test", "--child", path.c_str(), tuner.c_str(),
          seed_text.c_str(), trials_text.c_str(), moment_text.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/** The process that spawn() starts. */
int begin_child(int argc, char** argv) {
  if (argc != 7) return 4;
  return run_child(argv[2], argv[3], std::strtoull(argv[4], nullptr, 10), std::strtoll(argv[5], nullptr, 10),
                   std::strtol(argv[6], nullptr, 10));
}

}  // namespace

class SessionKillTest : public QObject {
  Q_OBJECT

 private slots:
  void killedAndResumedEqualsUninterrupted_data();
  void killedAndResumedEqualsUninterrupted();
};

void SessionKillTest::killedAndResumedEqualsUninterrupted_data() {
  QTest::addColumn<QString>("tuner");
  QTest::addColumn<quint64>("seed");
  QTest::addColumn<qint64>("trials");
  QTest::addColumn<int>("max_events");
  // Up to two batches of events: within a batch, between its storing and its first trial, and at its end.
  constexpr int two_batches = 80;
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    for (const quint64 seed : {1ULL, 20260ULL, 777ULL}) {
      QTest::addRow("%s, seed %llu", tuner.name.c_str(), seed)
          << QString::fromStdString(tuner.name) << seed << qint64{trials_wanted} << two_batches;
    }
  }
  QTest::newRow("sweep") << QString("grid") << quint64{5} << qint64{0} << 20 * two_batches;
}

void SessionKillTest::killedAndResumedEqualsUninterrupted() {
  QFETCH(QString, tuner);
  QFETCH(quint64, seed);
  QFETCH(qint64, trials);
  QFETCH(int, max_events);
  QTemporaryDir folder;
  const std::string whole_path = folder.filePath("whole.db").toStdString();
  const std::string killed_path = folder.filePath("killed.db").toStdString();
  QCOMPARE(spawn(whole_path, tuner.toStdString(), seed, trials, 0), 0);

  base::Random random(seed);
  int kills = 0;
  for (;;) {
    const long moment = 1 + static_cast<long>(random.below(static_cast<std::uint64_t>(max_events)));
    const int code = spawn(killed_path, tuner.toStdString(), seed, trials, moment);
    if (code == 0) break;
    QCOMPARE(code, -SIGKILL);
    QVERIFY2(++kills < 2000, "the session makes no progress");
  }
  QVERIFY(kills > 2);

  const store::Store whole = *store::Store::open(whole_path);
  const store::Store killed = *store::Store::open(killed_path);
  const store::SessionId whole_id = whole.sessions().all()->front().record.id;
  const store::SessionId killed_id = killed.sessions().all()->front().record.id;
  const std::vector<trial::Trial> expected = comparable_trials(whole, whole_id);
  const std::int64_t all = trials > 0 ? trials : static_cast<std::int64_t>(make_space().size());
  QCOMPARE(std::ssize(expected), all);
  QVERIFY(comparable_trials(killed, killed_id) == expected);
  const store::SessionStatus status = killed.sessions().get(killed_id)->status;
  QCOMPARE(status.trial_count, all);
  QCOMPARE(status.best_trial, whole.sessions().get(whole_id)->status.best_trial);

  const auto whole_series = *whole.series().of(whole_id);
  const auto killed_series = *killed.series().of(killed_id);
  QCOMPARE(killed_series.size(), whole_series.size());
  for (std::size_t i = 0; i < whole_series.size(); ++i) {
    QCOMPARE(killed_series[i].trial, whole_series[i].trial);
    QCOMPARE(killed_series[i].series, whole_series[i].series);
    QCOMPARE(killed_series[i].value, whole_series[i].value);
  }
}

KERNELSCAPE_TEST_WITH_CHILD(SessionKillTest, begin_child)

}  // namespace kernelscape::session_kill_test
#include "session_kill_test.moc"

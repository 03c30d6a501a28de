#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <set>

#include "core/study/layer_scheduler.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/study/network_support.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_network_kill_test {
using namespace kernelscape::study_tests;

namespace {

constexpr int usual_rounds = 2;
constexpr int max_kills = 500;

/** When a process dies: as it is about to commit a transaction, or after so long; 0: never. */
struct Death {
  long commit = 0;        ///< the first is 1
  long microseconds = 0;  ///< since its begin
  int session = 0;        ///< from whose begin commits count, the first that is run being 1; 0: from its own
};

// Layers have their rounds in threads of their own.
std::atomic<long> commits = 0;  ///< of all connections of this process
std::atomic<int> sessions = 0;  ///< that were begun or resumed
Death death;

/** What is between two commits was never there: these are all moments that can be distinguished afterwards.
 */
int count_commit(void*) {
  if (sessions >= death.session && ++commits == death.commit) raise(SIGKILL);
  return 0;
}

int watch_commits(sqlite3* database, const char**, const void*) {
  sqlite3_commit_hook(database, count_commit, nullptr);
  return SQLITE_OK;
}

void die_after(long microseconds) {
  constexpr long million = 1'000'000;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  itimerspec when{};
  when.it_value = {microseconds / million, microseconds % million * 1000};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, nullptr) != 0)
    std::abort();
}

/** Where a database's processes write down what they run, each time they begin it. */
std::string rounds_file(const std::string& database) { return database + ".rounds"; }

Result<session::Outcome> run_and_tell(const std::string& database, store::Store& store,
                                      const session::PreparedTuning& tuning,
                                      std::optional<store::SessionId> resumed, session::Observer& observer,
                                      const session::StopRequest& stop) {
  std::ofstream(rounds_file(database), std::ios::app)
      << fmt::format("{} to {}{}\n", tuning.setup.task.text, tuning.setup.budget.trials,
                     tuning.setup.continues ? "" : ", end");
  ++sessions;
  session_tests::TestMeasurer measurer(session_tests::make_script());
  return run_by_script(measurer, store, tuning, resumed, observer, stop);
}

/** Goes on with study 1 of the database. */
int run_child(const std::string& path) {
  study::Options options;
  options.runner = [&](store::Store& store, const session::PreparedTuning& tuning,
                       std::optional<store::SessionId> resumed, session::Observer& observer,
                       const session::StopRequest& stop) {
    return run_and_tell(path, store, tuning, resumed, observer, stop);
  };
  StudyNotes notes;
  const Result<study::Outcome> outcome = study::run_study(path, 1, options, notes, session::StopRequest());
  if (!outcome) std::fprintf(stderr, "%s\n", describe(outcome.error()).c_str());
  return outcome && outcome->progress.done == outcome->progress.runs ? 0 : 1;
}

/** The process that spawn() starts. */
int begin_child(int argc, char** argv) {
  if (argc != 6) return 4;
  death = {std::strtol(argv[3], nullptr, 10), std::strtol(argv[4], nullptr, 10), std::atoi(argv[5])};
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch_commits));
  if (death.microseconds > 0) die_after(death.microseconds);
  return run_child(argv[2]);
}

/** @return the exit code, or minus the signal that ended it */
int spawn(const std::string& path, const Death& when) {
  const std::string commit_text = std::to_string(when.commit);
  const std::string microseconds_text = std::to_string(when.microseconds);
  const std::string session_text = std::to_string(when.session);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "study_tests", "study_network_kill_test", "--child", path.c_str(),
          commit_text.c_str(), microseconds_text.c_str(), session_text.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/** What was run, in its order: a process that goes on begins again what was broken off. An end that was
 * broken off may begin with a look whether its layer's last round has ended. */
std::vector<std::string> rounds_of(const std::string& database) {
  std::vector<std::string> rounds;
  std::ifstream file(rounds_file(database));
  for (std::string line; std::getline(file, line);) {
    const bool looked = !rounds.empty() && line == rounds.back() + ", end";
    if (looked) rounds.pop_back();
    if (rounds.empty() || rounds.back() != line) rounds.push_back(line);
  }
  return rounds;
}

/** Rounds at the same time begin in any order, and what follows a round may stand anywhere behind it. */
std::vector<std::string> without_order(const std::vector<std::string>& rounds) {
  const std::set<std::string> all(rounds.begin(), rounds.end());
  std::vector<std::string> sorted;
  for (const std::string& round : all)
    if (!all.contains(round + ", end")) sorted.push_back(round);
  return sorted;
}

std::int64_t trials_in(const std::string& database) {
  std::int64_t count = 0;
  for (const std::vector<trial::Trial>& trials :
       study_trials(*store::Store::open(database, store::OpenMode::ReadOnly), 1))
    count += std::ssize(trials);
  return count;
}

/** A study of the small network, any that is quick. */
study::Definition random_study(base::Random& random) {
  const std::vector<std::string> schedulers = study::layer_scheduler_names();
  const std::vector<std::string> tuners{"ga", "random", "gp", "nose"};
  study::Definition study =
      planned_network(*study::parse_layer_scheduler(schedulers[random.below(schedulers.size())]),
                      40 + static_cast<std::int64_t>(random.below(100)), tuners[random.below(tuners.size())]);
  study.seed = random.below(1000);
  if (random.chance(0.3)) study.budget.patience = 15;
  study.layers_at_once = 1 + static_cast<int>(random.below(3));
  // Also those of before there were first trials, and layers with a budget each.
  if (random.chance(0.3)) study.first_trials = 0;
  if (study.first_trials > 0 && random.chance(0.3)) study.scheduler.clear();
  return study;
}

/** At a commit, often one of the next ones, or at any instant of as long as a whole run takes. */
Death random_death(base::Random& random, long max_microseconds) {
  if (random.chance(0.3)) return {0, 1 + static_cast<long>(random.below(std::uint64_t(max_microseconds))), 0};
  return {1 + static_cast<long>(random.below(random.chance(0.3) ? 10 : 150)), 0, 0};
}

/** The clock aside: a batch that was broken off is measured in two parts. */
void verify_same_trials(const store::Store& killed, const store::Store& through) {
  std::vector<std::vector<trial::Trial>> left = study_trials(killed, 1);
  std::vector<std::vector<trial::Trial>> right = study_trials(through, 1);
  for (std::vector<std::vector<trial::Trial>>* const runs : {&left, &right})
    for (std::vector<trial::Trial>& run : *runs)
      for (trial::Trial& trial : run) trial.finished_seconds = 0;
  QCOMPARE(first_difference(left, right), std::string());
}

void verify_same_confirmations(const store::Store& killed, const store::Store& through) {
  const std::vector<store::StudyRun> left = *killed.studies().runs(1);
  const std::vector<store::StudyRun> right = *through.studies().runs(1);
  for (std::size_t run = 0; run < left.size(); ++run) {
    std::vector<trial::Confirmation> ours = *killed.confirmations().of(*left[run].session);
    std::vector<trial::Confirmation> theirs = *through.confirmations().of(*right[run].session);
    for (std::vector<trial::Confirmation>* const confirmations : {&ours, &theirs})
      for (trial::Confirmation& confirmation : *confirmations) confirmation.measured_utc.clear();
    QVERIFY(ours == theirs);
    QVERIFY(!theirs.empty());
    QCOMPARE(store::to_string(left[run].status.state), store::to_string(store::SessionState::Done));
    QCOMPARE(left[run].status.state_reason, right[run].status.state_reason);
    QCOMPARE(left[run].status.vendor_json, right[run].status.vendor_json);
  }
}

void verify_same_result(const store::Store& killed, const store::Store& through) {
  const study::NetworkOutcome left = *study::network_outcome(killed, 1);
  const study::NetworkOutcome right = *study::network_outcome(through, 1);
  QCOMPARE(left.seconds, right.seconds);
  QCOMPARE(left.missing, right.missing);
  QCOMPARE(left.vendor_seconds, right.vendor_seconds);
  QCOMPARE(left.seconds_beside_vendor, right.seconds_beside_vendor);
  for (std::size_t layer = 0; layer < left.layers.size(); ++layer) {
    QCOMPARE(left.layers[layer].trial, right.layers[layer].trial);
    QCOMPARE(left.layers[layer].trials, right.layers[layer].trials);
    QVERIFY(left.layers[layer].confirmed);
  }
  QCOMPARE(killed.studies().get(1)->done_runs, through.studies().get(1)->done_runs);
  // No session was left that belongs nowhere.
  QVERIFY(killed.sessions().all()->empty());
}

void verify_same_outcome(const std::string& killed_path, const std::string& through_path) {
  const store::Store through = *store::Store::open(through_path);
  const store::Store killed = *store::Store::open(killed_path);
  verify_same_trials(killed, through);
  verify_same_confirmations(killed, through);
  verify_same_result(killed, through);
  const bool in_order = study::stored_study(through, 1)->layers_at_once == 1;
  const std::vector<std::string> ours = rounds_of(killed_path);
  const std::vector<std::string> theirs = rounds_of(through_path);
  QCOMPARE(in_order ? ours : without_order(ours), in_order ? theirs : without_order(theirs));
}

bool is_created(const std::string& database, const study::Definition& study) {
  store::Store store = *store::Store::open(database);
  return study::create_study(store, study) == 1;
}

int rounds_wanted() {
  const char* given = std::getenv("KERNELSCAPE_TEST_ROUNDS");
  return given != nullptr ? std::max(1, std::atoi(given)) : usual_rounds;
}

}  // namespace

/** KERNELSCAPE_TEST_ROUNDS=100 makes it as many networks. */
class StudyNetworkKillTest : public QObject {
  Q_OBJECT

 private slots:
  void a_killed_network_resumes_exactly();
  void no_commit_is_a_wrong_moment();

 private:
  void kill_one(base::Random random);

  int kills_ = 0;
};

void StudyNetworkKillTest::a_killed_network_resumes_exactly() {
  const base::Random random(kernelscape::testing::random_seed());
  for (int round = 0; round < rounds_wanted(); ++round) {
    kill_one(random.fork("network " + std::to_string(round)));
    if (QTest::currentTestFailed()) return qWarning("in network %d", round);
  }
  qInfo("%d kills", kills_);
  // Of a few networks all may have been faster than their killers.
  QVERIFY(rounds_wanted() < 10 || kills_ > rounds_wanted());
}

void StudyNetworkKillTest::kill_one(base::Random random) {
  QTemporaryDir folder;
  const study::Definition study = random_study(random);
  const std::string through_path = folder.filePath("through.db").toStdString();
  const std::string killed_path = folder.filePath("killed.db").toStdString();
  QVERIFY(is_created(through_path, study) && is_created(killed_path, study));
  const auto begin = std::chrono::steady_clock::now();
  QCOMPARE(spawn(through_path, {}), 0);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  std::int64_t kept = 0;
  for (int kills = 0;; ++kills) {
    QVERIFY2(kills < max_kills, "the network makes no progress");
    const int code = spawn(killed_path, random_death(random, static_cast<long>(took.count())));
    if (code == 0) break;
    QCOMPARE(code, -SIGKILL);
    ++kills_;
    const std::int64_t trials = trials_in(killed_path);
    QVERIFY2(trials >= kept, "trials that were there are gone");
    kept = trials;
  }
  verify_same_outcome(killed_path, through_path);
}

/** The first commits of a layer's second round, and of the end, one after the other. */
void StudyNetworkKillTest::no_commit_is_a_wrong_moment() {
  QTemporaryDir folder;
  constexpr int layers = 4;
  constexpr long commits_of_a_round = 8;
  study::Definition study = planned_network(study::LayerScheduler::RoundRobin, 24);
  study.first_trials = 3;
  const std::string through_path = folder.filePath("through.db").toStdString();
  QVERIFY(is_created(through_path, study));
  QCOMPARE(spawn(through_path, {}), 0);
  QCOMPARE(rounds_of(through_path).size(), std::size_t{3 * layers});
  for (const int session : {1 + layers, 1 + 2 * layers}) {
    for (long commit = 1; commit <= commits_of_a_round; ++commit) {
      const std::string path = folder.filePath(QString("%1-%2.db").arg(session).arg(commit)).toStdString();
      QVERIFY(is_created(path, study));
      QCOMPARE(spawn(path, {commit, 0, session}), -SIGKILL);
      QCOMPARE(spawn(path, {}), 0);
      verify_same_outcome(path, through_path);
      if (QTest::currentTestFailed()) return qWarning("session %d, commit %ld", session, commit);
    }
  }
}

KERNELSCAPE_TEST_WITH_CHILD(StudyNetworkKillTest, begin_child)

}  // namespace kernelscape::study_network_kill_test
#include "study_network_kill_test.moc"

// Workers, Redis and controllers that are killed and frozen at any moment: each trial is there once, and
// right. KERNELSCAPE_TEST_ROUNDS=200 makes it as many faults.
#include <signal.h>
#include <sys/wait.h>

#include <QtTest>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_faults_test {
using namespace kernelscape::fleet_tests;

namespace {

constexpr std::int64_t trials_of_a_session = 48;
constexpr double lease_seconds = 1;

fleet::Access access_of(const std::string& folder) {
  fleet::Access access;
  access.address = *fleet::parse_redis_address("redis+unix://" + folder + "/redis.sock");
  access.secret = {"open sesame", "a key of tests"};
  access.times.lease_seconds = lease_seconds;
  access.patience_seconds = 20;
  return access;
}

/** A worker that builds and runs by the script until it is killed. */
int work(const std::string& folder, const std::string& id) {
  Script script;
  script.build_time = std::chrono::milliseconds(2);
  script.run_time = std::chrono::milliseconds(8);
  const Status served = fleet::serve_fleet(worker_setup(access_of(folder), id, 1, true, script));
  if (!served) std::fprintf(stderr, "%s\n", describe(served.error()).c_str());
  return served ? 0 : 1;
}

session::Setup setup_of(std::uint64_t seed) {
  return session_tests::make_setup("random", seed, trials_of_a_session, 16);
}

/** A controller with the session of this seed, which it begins or goes on with. */
int control(const std::string& folder, const std::string& database, std::uint64_t seed) {
  store::Store store = *store::Store::open(database);
  const session::Setup setup = setup_of(seed);
  const auto family = std::make_shared<ScriptedFamily>(setup.space);
  const auto measurer = fleet::make_fleet_measurer(family, measuring_on(access_of(folder)), setup.options);
  if (!measurer) return std::fprintf(stderr, "%s\n", describe(measurer.error()).c_str()), 1;
  session::Observer observer;
  const session::StopRequest stop;
  const session::Tools tools{**measurer, observer, stop, session::steady_clock_seconds(), {}};
  const auto sessions = store.sessions().all();
  const auto outcome = sessions && !sessions->empty()
                           ? session::resume_session(store, sessions->front().record.id, setup, tools)
                           : session::run_session(store, setup, tools);
  if (!outcome) std::fprintf(stderr, "%s\n", describe(outcome.error()).c_str());
  return outcome ? 0 : 1;
}

int child_main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 2, argv + argc);
  if (words.size() == 3 && words[0] == "worker") return work(words[1], words[2]);
  if (words.size() == 4 && words[0] == "controller")
    return control(words[1], words[2], std::strtoull(words[3].c_str(), nullptr, 10));
  return 2;
}

/** This program again, in a role of the fleet; killed at the latest with this object. */
class Member {
 public:
  explicit Member(std::vector<std::string> role) : role_(std::move(role)) { start(); }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  ~Member() { kill_now(); }

  void start() {
    std::vector<std::string> words{"/proc/self/exe", "fleet_faults_test", "--child"};
    words.insert(words.end(), role_.begin(), role_.end());
    process_ = fork();
    if (process_ != 0) return;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }

  void kill_now() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  void freeze() const { ::kill(process_, SIGSTOP); }
  void thaw() const { ::kill(process_, SIGCONT); }

  std::int64_t process() const { return process_; }

  /** Its exit code once it has ended; none: it goes on. */
  std::optional<int> ended() {
    int status = 0;
    if (process_ <= 0 || waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::vector<std::string> role_;
  pid_t process_ = -1;
};

int rounds() {
  constexpr int usual = 20;
  const char* given = std::getenv("KERNELSCAPE_TEST_ROUNDS");
  return given != nullptr ? std::atoi(given) : usual;
}

void pass(std::uint64_t milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/** Whether the worker of this number and process has joined. */
bool has_joined(const RedisServer& server, const std::string& id, const Member& member) {
  auto connection = fleet::RedisConnection::open(server.address(), server.password());
  if (!connection) return false;
  const auto workers = fleet::list_workers(*connection, 3 * lease_seconds);
  return workers && std::ranges::any_of(*workers, [&](const fleet::WorkerState& worker) {
           return worker.identity.id == id && worker.identity.process_id == member.process();
         });
}

/** Whether the controller has begun: a Redis that is not there when it starts is an error, as it should be.
 */
bool has_begun(const std::string& database) {
  std::error_code none;
  if (!std::filesystem::exists(database, none)) return false;
  const auto store = store::Store::open(database, store::OpenMode::ReadOnly);
  if (!store) return false;
  const auto sessions = store->sessions().all();
  return sessions && !sessions->empty();
}

/** What is wrong with the session's trials; empty: each is there once, and what the script gives. */
std::string problem_of(const std::string& database, std::uint64_t seed) {
  const store::Store store = *store::Store::open(database);
  const auto sessions = *store.sessions().all();
  if (sessions.size() != 1) return "there are " + std::to_string(sessions.size()) + " sessions";
  const auto trials = *store.trials().of(sessions.front().record.id);
  const ScriptedFamily family(setup_of(seed).space);
  std::set<std::int64_t> numbers;
  for (const trial::Trial& trial : trials) {
    if (!numbers.insert(trial.number).second)
      return "trial " + std::to_string(trial.number) + " is there twice";
    if (!is_scripted(family, trial.configuration, trial.measurement))
      return "trial " + std::to_string(trial.number) + " is wrong: " + trial.measurement.message;
  }
  if (std::ssize(trials) != trials_of_a_session) return std::to_string(trials.size()) + " trials are there";
  return {};
}

}  // namespace

class FleetFaultsTest : public QObject {
  Q_OBJECT

 private slots:
  void nothing_is_lost_or_doubled();
};

void FleetFaultsTest::nothing_is_lost_or_doubled() {
  NEEDS_REDIS();
  const std::uint64_t seed = std::random_device()();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  base::Random random(seed);
  RedisServer server;
  Member first({"worker", server.folder(), "first"});
  Member second({"worker", server.folder(), "second"});
  QVERIFY(
      wait_until([&] { return has_joined(server, "first", first) && has_joined(server, "second", second); }));
  for (int round = 0; round < rounds(); ++round) {
    const std::uint64_t session_seed = random.below(1'000'000);
    const std::string database = server.folder() + "/round" + std::to_string(round) + ".db";
    Member controller({"controller", server.folder(), database, std::to_string(session_seed)});
    pass(random.below(500));
    Member& worker = random.chance(0.5) ? first : second;
    const std::uint64_t fault = random.below(4);
    const char* const names[] = {"worker killed", "worker frozen", "Redis killed", "controller killed"};
    switch (fault) {
      case 0:
        worker.kill_now();
        pass(random.below(100));
        worker.start();
        QVERIFY(
            wait_until([&] { return has_joined(server, &worker == &first ? "first" : "second", worker); }));
        break;
      case 1:
        worker.freeze();
        pass(900 + random.below(600));
        worker.thaw();
        break;
      case 2:
        QVERIFY(wait_until([&] { return has_begun(database); }));
        server.kill_now();
        pass(random.below(300));
        server.start();
        break;
      default:
        controller.kill_now();
        pass(random.below(100));
        controller.start();
        break;
    }
    std::optional<int> code;
    const bool done = wait_until([&] { return (code = controller.ended()).has_value(); }, 60);
    const std::string where = "round " + std::to_string(round) + ", " + names[fault];
    QVERIFY2(done, (where + ": the session does not end").c_str());
    QVERIFY2(*code == 0, (where + ": the session fails").c_str());
    const std::string problem = problem_of(database, session_seed);
    QVERIFY2(problem.empty(), (where + ": " + problem).c_str());
    QVERIFY2(!first.ended() && !second.ended(), (where + ": a worker left").c_str());
  }
}

KERNELSCAPE_TEST_WITH_CHILD(FleetFaultsTest, child_main)

}  // namespace kernelscape::fleet_faults_test
#include "fleet_faults_test.moc"

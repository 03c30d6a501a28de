// What goes wrong around a fleet: the reason and the way out are told, and nothing is lost.
#include <sys/socket.h>
#include <sys/un.h>

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "core/fleet/keys.h"
#include "core/fleet/messages.h"
#include "core/fleet/secret.h"
#include "core/fleet/state.h"
#include "core/fleet/target.h"
#include "core/session/fleet_run.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_bad_input_test {
using namespace kernelscape::fleet_tests;

namespace {

std::shared_ptr<const ScriptedFamily> make_family() {
  return std::make_shared<ScriptedFamily>(session_tests::make_space());
}

/** The first configurations whose kernels are built. */
std::vector<space::Configuration> first_built(const ScriptedFamily& family, std::size_t count) {
  std::vector<space::Configuration> found;
  for (std::uint64_t index = 0; found.size() < count; ++index) {
    const space::Configuration configuration = family.space().at(index);
    if (builds(family.source(configuration)->text)) found.push_back(configuration);
  }
  return found;
}

bool all_right(const ScriptedFamily& family, const std::vector<space::Configuration>& batch,
               const std::vector<measure::Completed>& done) {
  return std::ranges::all_of(done, [&](const measure::Completed& one) {
    return is_scripted(family, batch[one.position], one.measurement);
  });
}

/** A device whose results are none. */
class NonsenseRunner final : public fleet::RunExecutor {
 public:
  Status prepare(const measure::PrepareRequest&, const measure::Interruption&) override { return {}; }
  Result<std::optional<measure::RunReply>> run(const measure::RunRequest&,
                                               const measure::Interruption&) override {
    measure::RunReply reply;
    reply.measurement.samples_seconds = {std::numeric_limits<double>::quiet_NaN(), -1};
    return reply;
  }
  Result<std::optional<measure::BaselineReply>> measure_baseline(const measure::BaselineRequest&,
                                                                 const measure::Interruption&) override {
    return std::nullopt;
  }
};

/** Lets connections in, and closes each at the first command behind that. */
class ClosingServer {
 public:
  explicit ClosingServer(const QString& path) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.toUtf8().constData(), sizeof address.sun_path - 1);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(socket_, 8) != 0)
      qFatal("no socket");
    thread_ = std::thread([this] { serve(); });
  }
  ClosingServer(const ClosingServer&) = delete;
  ClosingServer& operator=(const ClosingServer&) = delete;
  ~ClosingServer() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }

 private:
  void serve() const {
    for (int client = accept(socket_, nullptr, nullptr); client >= 0;
         client = accept(socket_, nullptr, nullptr)) {
      answer(client);
      close(client);
    }
  }

  /** PING, AUTH and SELECT come one by one. */
  static void answer(int client) {
    std::array<char, 4096> bytes{};
    for (const std::string_view reply : {"-NOAUTH\r\n", "+OK\r\n", "+OK\r\n"}) {
      if (read(client, bytes.data(), bytes.size()) <= 0) return;
      if (write(client, reply.data(), reply.size()) < 0) return;
    }
    std::ignore = read(client, bytes.data(), bytes.size());
  }

  int socket_;
  std::thread thread_;
};

fleet::WorkerState state_of(const std::string& id, const std::string& device_class) {
  fleet::WorkerState worker;
  worker.state = "idle";
  worker.identity.id = id;
  worker.identity.protocol = fleet::fleet_protocol;
  worker.identity.devices = {scripted_class()};
  worker.identity.devices.front().id = device_class;
  return worker;
}

}  // namespace

class FleetBadInputTest : public QObject {
  Q_OBJECT

 private slots:
  void addresses_data();
  void addresses();
  void a_wrong_address_is_named();
  void classes_are_chosen_by_name();
  void a_session_is_measured_by_its_own_class_alone();
  void a_redis_that_closes_at_a_command_is_reported();
  void another_version_is_reported();
  void a_worker_set_apart_is_reported();
  void a_blob_that_was_changed_is_made_again();
  void a_result_that_is_none_is_not_believed();
  void a_full_redis_is_reported_and_loses_nothing();
  void tasks_of_a_controller_that_is_gone_are_dropped();
  void a_worker_whose_device_differs_is_a_class_of_its_own();
  void only_a_worker_that_stays_slow_is_a_class_of_its_own();
};

void FleetBadInputTest::addresses_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("problem");  // empty: it is one, and is written like that
  QTest::newRow("host") << "redis://host:6379/0" << "";
  QTest::newRow("user") << "redis://worker@host:7000/3" << "";
  QTest::newRow("v6") << "redis://[::1]:6379/0" << "";
  QTest::newRow("socket") << "redis+unix:///tmp/redis.sock" << "";
  QTest::newRow("socket and more") << "redis+unix://worker@/tmp/redis.sock?db=2" << "";
  QTest::newRow("password") << "redis://user:secret@host" << "must not contain a password";
  QTest::newRow("tls") << "rediss://host" << "not support TLS";
  QTest::newRow("scheme") << "http://host" << "begins with neither";
  QTest::newRow("no host") << "redis://" << "has no host";
  QTest::newRow("port") << "redis://host:70000" << "port";
  QTest::newRow("database") << "redis://host/first" << "database";
  QTest::newRow("relative socket") << "redis+unix://redis.sock" << "begin with /";
  QTest::newRow("nothing") << "" << "begins with neither";
}

void FleetBadInputTest::addresses() {
  QFETCH(const QString, text);
  QFETCH(const QString, problem);
  const auto address = fleet::parse_redis_address(text.toStdString());
  if (problem.isEmpty()) {
    QVERIFY(address.has_value());
    QCOMPARE(QString::fromStdString(address->text()), text);
    QCOMPARE(*fleet::parse_redis_address(address->text()), *address);
    return;
  }
  QVERIFY(!address);
  QCOMPARE(address.error().code, ErrorCode::InvalidArgument);
  QVERIFY2(address.error().message.contains(problem.toStdString()), address.error().message.c_str());
  QVERIFY(!address.error().hint.empty());
  QVERIFY(!address.error().message.contains("secret"));
}

void FleetBadInputTest::a_wrong_address_is_named() {
  const auto nobody = fleet::RedisConnection::open(
      *fleet::parse_redis_address("redis+unix:///nowhere/redis.sock"), "password");
  QVERIFY(!nobody);
  QCOMPARE(nobody.error().code, ErrorCode::Environment);
  QVERIFY(nobody.error().message.contains("redis+unix:///nowhere/redis.sock"));
  QVERIFY(nobody.error().hint.contains("redis-server"));
}

void FleetBadInputTest::classes_are_chosen_by_name() {
  const auto none = fleet::choose_class({}, "");
  QVERIFY(!none && none.error().code == ErrorCode::NotFound && none.error().hint.contains("--join"));
  std::vector<fleet::WorkerState> workers{state_of("a", "epyc-1"), state_of("b", "epyc-1"),
                                          state_of("c", "xeon-2")};
  const auto several = fleet::choose_class(workers, "");
  QVERIFY(!several && several.error().hint.contains("#epyc-1, #xeon-2"));
  QCOMPARE(fleet::choose_class(workers, "ep")->id, std::string("epyc-1"));
  const auto other = fleet::choose_class(workers, "h100");
  QVERIFY(!other && other.error().message.contains("h100") && other.error().hint.contains("#xeon-2"));
  workers.back().state = "left";
  QCOMPARE(fleet::choose_class(workers, "")->id, std::string("epyc-1"));
}

void FleetBadInputTest::a_session_is_measured_by_its_own_class_alone() {
  NEEDS_REDIS();
  const RedisServer server;
  qputenv(fleet::password_variable, QByteArray::fromStdString(server.password()));
  fleet::RedisConnection redis = server.connect();
  const auto joins = [&](const std::string& id, const std::string& device_class) {
    QVERIFY(redis.call({"SADD", fleet::keys::workers, id}));
    QVERIFY(redis.call({"HSET", fleet::keys::worker(id), "identity",
                        fleet::identity_to_json(state_of(id, device_class).identity), "state", "idle", "seen",
                        redis.call({"TIME"})->items[0].text}));
  };
  const schedule::TargetDescription target = fleet::target_of_class(scripted_class(), server.address());
  joins("w1", "scripted~w1");  // set apart: its times differ
  const auto apart = session::fleet_measuring_of(target);
  QVERIFY(!apart);
  QCOMPARE(apart.error().code, ErrorCode::NotFound);
  QVERIFY2(apart.error().message.contains("scripted~w1"), apart.error().message.c_str());
  joins("w2", "scripted");
  const auto measuring = session::fleet_measuring_of(target);
  QVERIFY2(measuring, measuring ? "" : describe(measuring.error()).c_str());
  QCOMPARE(measuring->device.id, std::string("scripted"));
  qunsetenv(fleet::password_variable);
}

void FleetBadInputTest::a_redis_that_closes_at_a_command_is_reported() {
  const QTemporaryDir folder;
  const ClosingServer server(folder.path() + "/redis.sock");
  auto connection = fleet::RedisConnection::open(
      *fleet::parse_redis_address("redis+unix://" + folder.path().toStdString() + "/redis.sock"), "password");
  QVERIFY2(connection, connection ? "" : describe(connection.error()).c_str());
  const auto answer = connection->call({"SET", "too", "much"});
  QVERIFY(!answer);
  QCOMPARE(answer.error().code, ErrorCode::Environment);
  QVERIFY2(answer.error().message.contains("at the command SET"), answer.error().message.c_str());
  // The connection is as good as new.
  QVERIFY(!connection->call({"GET", "anything"}));
}

void FleetBadInputTest::another_version_is_reported() {
  fleet::WorkerState old = state_of("old", "epyc-1");
  old.identity.protocol = fleet::fleet_protocol - 1;
  const auto chosen = fleet::choose_class({old}, "");
  QVERIFY(!chosen);
  QCOMPARE(chosen.error().code, ErrorCode::Environment);
  QVERIFY(chosen.error().message.contains("worker old uses version"));
  // The version of what is in streams is as good a reason as that of the workers' messages.
  QVERIFY(fleet::fleet_protocol > measure::protocol_version);
  QVERIFY(fleet::keys::run_stream("epyc-1").contains(":" + std::to_string(fleet::fleet_protocol) + ":"));
  QVERIFY(fleet::keys::build_stream("gcc").contains(":" + std::to_string(fleet::fleet_protocol) + ":"));
  fleet::State state;
  state.workers = {old, state_of("new", "epyc-1")};
  const auto notices = fleet::notices_of(state, state.workers.back().identity.devices.front());
  QVERIFY(std::ranges::any_of(notices,
                              [](const auto& text) { return text.contains("worker old uses version"); }));
}

void FleetBadInputTest::a_worker_set_apart_is_reported() {
  fleet::State state;
  state.workers = {state_of("same", "epyc-1"), state_of("slow", "epyc-1~slow")};
  state.workers.back().message = "the reference kernel takes longer";
  const auto notices = fleet::notices_of(state, state.workers.front().identity.devices.front());
  QVERIFY(std::ranges::any_of(
      notices, [](const auto& text) { return text.contains("slow") && text.contains("takes longer"); }));
}

void FleetBadInputTest::a_blob_that_was_changed_is_made_again() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  ThreadWorker builder(worker_setup(access, "builder", 1, false));
  const auto family = make_family();
  std::vector<std::string> notices;
  fleet::Measuring measuring = measuring_on(access);
  measuring.notice = [&](const std::string& text) { notices.push_back(text); };
  const auto measurer = *fleet::make_fleet_measurer(family, measuring, {});
  const auto batch = first_built(*family, 2);
  QVERIFY(measurer->submit(batch));
  fleet::RedisConnection redis = server.connect();
  QVERIFY(
      wait_until([&] { return redis.call({"XLEN", fleet::keys::run_stream("scripted")})->integer == 2; }));
  // One blob is another's bytes, one is gone; and so is what the device is prepared with.
  const auto blobs = redis.call({"KEYS", "kernelscape:blob:*"})->items;
  QCOMPARE(blobs.size(), std::size_t{3});
  QVERIFY(redis.call({"SET", blobs[0].text, "something else"}));
  QVERIFY(redis.call({"SET", blobs[1].text, "something else"}));
  QVERIFY(redis.call({"DEL", blobs[2].text}));
  ThreadWorker device(worker_setup(access, "device", 0, true));
  const auto done = collect_all(*measurer, batch.size());
  QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
  QVERIFY(all_right(*family, batch, *done));
  QVERIFY(std::ranges::any_of(notices,
                              [](const auto& text) { return text.contains("does not match its hash"); }));
}

void FleetBadInputTest::a_result_that_is_none_is_not_believed() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  fleet::WorkerSetup setup = worker_setup(access, "liar", 1, true);
  setup.executors.runner = [] { return std::make_unique<NonsenseRunner>(); };
  ThreadWorker liar(setup);
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const auto batch = first_built(*family, 1);
  QVERIFY(measurer->submit(batch));
  const auto done = collect_all(*measurer, 1);
  QVERIFY(!done);
  QCOMPARE(done.error().code, ErrorCode::Corrupt);
  QVERIFY(done.error().message.contains("liar"));
  measurer->abort();
  liar.leave();
  ThreadWorker honest(worker_setup(access, "honest", 1, true));
  QVERIFY(measurer->submit(batch));
  const auto again = collect_all(*measurer, 1);
  QVERIFY(again && all_right(*family, batch, *again));
}

void FleetBadInputTest::a_full_redis_is_reported_and_loses_nothing() {
  NEEDS_REDIS();
  const RedisServer server({"--maxmemory", "4mb", "--maxmemory-policy", "noeviction"});
  const fleet::Access access = server.fleet();
  ThreadWorker worker(worker_setup(access, "worker", 1, true));
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  fleet::RedisConnection redis = server.connect();
  const std::string junk(100'000, 'x');
  int filled = 0;
  while (filled < 100 && redis.call({"SET", "kernelscape:junk" + std::to_string(filled), junk})) ++filled;
  QVERIFY(filled > 0 && filled < 100);
  const auto batch = first_built(*family, 8);
  const Status submitted = measurer->submit(batch);
  const auto refused = submitted ? collect_all(*measurer, batch.size()) : std::unexpected(submitted.error());
  QVERIFY(!refused);
  QCOMPARE(refused.error().code, ErrorCode::Environment);
  QVERIFY2(refused.error().hint.contains("maxmemory"), describe(refused.error()).c_str());
  measurer->abort();
  for (int i = 0; i < filled; ++i) QVERIFY(redis.call({"DEL", "kernelscape:junk" + std::to_string(i)}));
  QVERIFY(measurer->submit(batch));
  const auto done = collect_all(*measurer, batch.size());
  QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
  QVERIFY(all_right(*family, batch, *done));
  QVERIFY(worker.leave());
}

void FleetBadInputTest::tasks_of_a_controller_that_is_gone_are_dropped() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(0.3);
  const auto family = make_family();
  fleet::RedisConnection redis = server.connect();
  const std::string stream = fleet::keys::build_stream("scripted-tools");
  for (int i = 0; i < 3; ++i)
    QVERIFY(
        redis.call({"XADD", stream, "*", "body", "of no worker", "by", "somebody who left", "task", "x"}));
  ThreadWorker worker(worker_setup(access, "worker", 1, true));
  QVERIFY(wait_until([&] { return redis.call({"XLEN", stream})->integer == 0; }));
  QVERIFY(worker.leave());
}

void FleetBadInputTest::a_worker_whose_device_differs_is_a_class_of_its_own() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  ThreadWorker first(worker_setup(access, "first", 0, true));
  fleet::RedisConnection redis = server.connect();
  const auto workers = [&](std::size_t count) {
    std::vector<fleet::WorkerState> found;
    wait_until([&] { return (found = *fleet::list_workers(redis, 3)).size() == count; });
    return found;
  };
  QCOMPARE(workers(1).front().identity.devices.front().id, std::string("scripted"));
  fleet::WorkerSetup slow = worker_setup(access, "slow", 0, true);
  slow.identity.reference_seconds *= 1.2;
  ThreadWorker second(slow);
  fleet::WorkerSetup like = worker_setup(access, "zlike", 0, true);
  like.identity.reference_seconds *= 0.97;
  ThreadWorker third(like);
  const auto all = workers(3);
  QCOMPARE(all[1].identity.devices.front().id, std::string("scripted~slow"));
  QVERIFY(all[1].message.contains("a separate class"));
  QCOMPARE(all[2].identity.devices.front().id, std::string("scripted"));
}

void FleetBadInputTest::only_a_worker_that_stays_slow_is_a_class_of_its_own() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  ThreadWorker first(worker_setup(access, "first", 0, true));
  fleet::RedisConnection redis = server.connect();
  const auto workers = [&](std::size_t count) {
    std::vector<fleet::WorkerState> found;
    wait_until([&] { return (found = *fleet::list_workers(redis, 3)).size() == count; });
    return found;
  };
  QCOMPARE(workers(1).size(), std::size_t{1});
  const auto joining = [&](const std::string& id, std::vector<double> later) {
    fleet::WorkerSetup setup = worker_setup(access, id, 0, true);
    setup.identity.reference_seconds *= 3;
    setup.recovery_seconds = 0;
    setup.measure_reference = [later = std::move(later), next = std::size_t{0}]() mutable -> Result<double> {
      return later.at(next++);
    };
    return setup;
  };
  ThreadWorker recovers(joining("recovers", {2.5e-3, 1.01e-3}));
  ThreadWorker stays(joining("stays", {2.5e-3, 2.4e-3, 2.6e-3}));
  const auto all = workers(3);
  QCOMPARE(all[1].identity.devices.front().id, std::string("scripted"));
  QCOMPARE(all[1].identity.reference_seconds, 1.01e-3);
  QCOMPARE(all[2].identity.devices.front().id, std::string("scripted~stays"));
}

KERNELSCAPE_PLAIN_TEST(FleetBadInputTest)

}  // namespace kernelscape::fleet_bad_input_test
#include "fleet_bad_input_test.moc"

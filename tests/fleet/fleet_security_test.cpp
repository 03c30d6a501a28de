// Who may join, and what is believed: nothing without a password, nothing unsigned, nothing twice.
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/base/text.h"
#include "core/fleet/acl.h"
#include "core/fleet/keys.h"
#include "core/fleet/signature.h"
#include "core/fleet/state.h"
#include "core/fleet/task_poster.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_security_test {
using namespace kernelscape::fleet_tests;

namespace {

/** A controller of a test's own, that puts in what it likes and reads what it is told. */
class Intruder {
 public:
  explicit Intruder(const fleet::Access& access)
      : access_(access), poster_(*fleet::TaskPoster::open(access_, 100)) {
    redis().call({"SET", fleet::keys::controller("intruder"), "waits"}).value();
  }

  fleet::Task task() const {
    return {.kind = fleet::TaskKind::Build,
            .id = "intruder-1",
            .controller = "intruder",
            .stream = stream(),
            .frame = fleet::frame_of(measure::BuildRequest{.text = "some text"})};
  }

  fleet::RedisConnection& redis() { return poster_.connection(); }
  std::string stream() const { return fleet::keys::build_stream("scripted-tools"); }

  void add(const fleet::SignedBody& body, const std::string& nonce) {
    redis()
        .call({"XADD", stream(), "*", "body", body.body, "signature", body.signature, "nonce", nonce, "by",
               "intruder", "task", "intruder-1"})
        .value();
  }

  /** The next thing that it is told. */
  fleet::Answer hear() {
    fleet::Answer heard;
    wait_until([&] {
      const auto answer =
          redis().call({"XREAD", "COUNT", "1", "STREAMS", fleet::keys::results("intruder"), last_});
      for (const fleet::StreamEntry& entry : fleet::stream_entries(*answer)) {
        last_ = entry.id;
        if (!entry.field("began").empty()) continue;
        heard = *fleet::verify<fleet::Answer>(entry.field("body"), entry.field("signature"),
                                              access_.secret.signing_key);
        return true;
      }
      return false;
    });
    return heard;
  }

 private:
  fleet::Access access_;
  fleet::TaskPoster poster_;
  std::string last_ = "0";
};

}  // namespace

class FleetSecurityTest : public QObject {
  Q_OBJECT

 private slots:
  void without_a_password_nothing_starts();
  void secrets_come_from_private_files_and_the_environment();
  void a_wrong_password_is_named();
  void changed_bytes_are_refused();
  void unsigned_tasks_are_refused_aloud();
  void a_copy_of_a_task_is_refused();
  void a_task_for_others_is_refused();
  void an_expired_task_is_refused();
  void a_task_of_another_version_is_refused();
  void a_user_of_the_acl_can_do_what_a_fleet_does();
};

void FleetSecurityTest::without_a_password_nothing_starts() {
  NEEDS_REDIS();
  const RedisServer open({}, "");
  const auto connection = fleet::RedisConnection::open(open.address(), "anything");
  QVERIFY(!connection);
  QCOMPARE(connection.error().code, ErrorCode::Refused);
  QVERIFY(connection.error().message.contains("requires no password"));
  QVERIFY(connection.error().hint.contains("requirepass"));
}

void FleetSecurityTest::secrets_come_from_private_files_and_the_environment() {
  for (const char* name : {fleet::password_variable, fleet::password_file_variable, fleet::key_variable,
                           fleet::key_file_variable})
    qunsetenv(name);
  const auto none = fleet::read_fleet_secret();
  QVERIFY(!none && none.error().code == ErrorCode::Refused && none.error().hint.contains("--password-file"));
  const QTemporaryDir folder;
  const std::string file = folder.path().toStdString() + "/password";
  std::ofstream(file) << "from a file\nand more\n";
  chmod(file.c_str(), 0644);
  const auto readable = fleet::read_fleet_secret({.password_file = file});
  QVERIFY(!readable && readable.error().hint.contains("chmod 600"));
  chmod(file.c_str(), 0600);
  QCOMPARE(fleet::read_fleet_secret({.password_file = file})->password, std::string("from a file"));
  qputenv(fleet::password_file_variable, QByteArray::fromStdString(file));
  QCOMPARE(fleet::read_fleet_secret()->password, std::string("from a file"));
  qputenv(fleet::password_variable, "from a variable");
  QCOMPARE(fleet::read_fleet_secret()->password, std::string("from a variable"));
  fleet::forget_secret_variables();
  QVERIFY(!qEnvironmentVariableIsSet(fleet::password_variable));
  qunsetenv(fleet::password_file_variable);
}

void FleetSecurityTest::a_wrong_password_is_named() {
  NEEDS_REDIS();
  const RedisServer server;
  const auto connection = fleet::RedisConnection::open(server.address(), "open barley");
  QVERIFY(!connection);
  QCOMPARE(connection.error().code, ErrorCode::Refused);
  QVERIFY(connection.error().message.contains("rejects the password"));
  QVERIFY(!connection.error().message.contains("barley"));
}

void FleetSecurityTest::changed_bytes_are_refused() {
  fleet::Task task;
  task.id = "a task";
  task.frame = fleet::frame_of(measure::BuildRequest{.text = "int main"});
  const fleet::SignedBody made = fleet::sign(task, "key");
  QCOMPARE(fleet::verify<fleet::Task>(made.body, made.signature, "key")->id, task.id);
  QVERIFY(!fleet::verify<fleet::Task>(made.body, made.signature, "other key"));
  QVERIFY(!fleet::verify<fleet::Answer>(made.body, made.signature, "key"));
  for (std::size_t i = 0; i < made.body.size(); ++i) {
    std::string changed = made.body;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    QVERIFY(!fleet::verify<fleet::Task>(changed, made.signature, "key"));
  }
}

void FleetSecurityTest::unsigned_tasks_are_refused_aloud() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  Intruder intruder(access);
  ThreadWorker worker(worker_setup(access, "worker", 1, false));
  fleet::SignedBody body = fleet::sign(intruder.task(), "a guessed key");
  intruder.add(body, "n1");
  const fleet::Answer answer = intruder.hear();
  QCOMPARE(answer.kind, fleet::TaskEnding::Refused);
  QCOMPARE(answer.refusal, fleet::Refusal::Signature);
  QVERIFY(answer.message.contains("not signed"));
  const auto state = fleet::read_fleet_state(intruder.redis(), access.times);
  QCOMPARE(state->dead.size(), std::size_t{1});
  QVERIFY(state->dead.front().reason.contains("not signed"));
  QVERIFY(worker.leave());
}

void FleetSecurityTest::a_copy_of_a_task_is_refused() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  Intruder intruder(access);
  fleet::Task task = intruder.task();
  task.nonce = "once";
  task.expires_seconds = std::int64_t{1} << 40;
  const fleet::SignedBody body = fleet::sign(task, access.secret.signing_key);
  intruder.add(body, "once");
  ThreadWorker worker(worker_setup(access, "worker", 1, false));
  QCOMPARE(intruder.hear().kind, fleet::TaskEnding::Answer);
  intruder.add(body, "once");
  const fleet::Answer again = intruder.hear();
  QCOMPARE(again.kind, fleet::TaskEnding::Refused);
  QCOMPARE(again.refusal, fleet::Refusal::Replayed);
  // Nor with another nonce beside the signed bytes.
  intruder.add(body, "twice");
  QCOMPARE(intruder.hear().refusal, fleet::Refusal::Replayed);
}

void FleetSecurityTest::a_task_for_others_is_refused() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  Intruder intruder(access);
  // Signed for builders with other tools, and moved before any of them had it.
  fleet::Task task = intruder.task();
  task.stream = fleet::keys::build_stream("other-tools");
  task.nonce = "moved";
  task.expires_seconds = std::int64_t{1} << 40;
  intruder.add(fleet::sign(task, access.secret.signing_key), "moved");
  ThreadWorker worker(worker_setup(access, "worker", 1, false));
  const fleet::Answer answer = intruder.hear();
  QCOMPARE(answer.kind, fleet::TaskEnding::Refused);
  QCOMPARE(answer.refusal, fleet::Refusal::Replayed);
  QVERIFY2(answer.message.contains("made for another stream"), answer.message.c_str());
}

void FleetSecurityTest::an_expired_task_is_refused() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  Intruder intruder(access);
  fleet::Task task = intruder.task();
  task.nonce = "late";
  task.expires_seconds = 1'000'000;
  intruder.add(fleet::sign(task, access.secret.signing_key), "late");
  ThreadWorker worker(worker_setup(access, "worker", 1, false));
  QCOMPARE(intruder.hear().refusal, fleet::Refusal::Expired);
}

void FleetSecurityTest::a_task_of_another_version_is_refused() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  Intruder intruder(access);
  fleet::Task task = intruder.task();
  task.nonce = "new";
  task.expires_seconds = std::int64_t{1} << 40;
  task.frame[4] = static_cast<char>(measure::protocol_version + 1);  // behind the magic
  intruder.add(fleet::sign(task, access.secret.signing_key), "new");
  ThreadWorker worker(worker_setup(access, "worker", 1, false));
  const fleet::Answer answer = intruder.hear();
  QCOMPARE(answer.refusal, fleet::Refusal::Version);
  QVERIFY(answer.message.contains("version"));
  QVERIFY(answer.hint.contains("install"));
}

void FleetSecurityTest::a_user_of_the_acl_can_do_what_a_fleet_does() {
  NEEDS_REDIS();
  const RedisServer server;
  fleet::RedisConnection owner = server.connect();
  std::vector<std::string> words = base::split_text(fleet::acl_line("worker"), ' ');
  std::vector<std::string_view> command{"ACL", "SETUSER"};
  for (std::size_t i = 1; i < words.size(); ++i) command.push_back(words[i]);
  QVERIFY(owner.call(command));
  fleet::Access access = server.fleet();
  access.address.user = "worker";
  access.secret.password = "PASSWORD";
  ThreadWorker worker(worker_setup(access, "worker", 1, true));
  const auto family = std::make_shared<ScriptedFamily>(session_tests::make_space());
  const auto measurer = fleet::make_fleet_measurer(family, measuring_on(access), {});
  QVERIFY2(measurer.has_value(), measurer ? "" : describe(measurer.error()).c_str());
  const std::vector<space::Configuration> batch{family->space().at(1), family->space().at(2),
                                                family->space().at(3)};
  QVERIFY((*measurer)->submit(batch));
  const auto done = collect_all(**measurer, batch.size());
  QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
  fleet::RedisConnection user = *access.connect();
  QVERIFY(fleet::read_fleet_state(user, access.times).has_value());
  QVERIFY(worker.leave());
  // With other keys it can do nothing.
  const auto elsewhere = user.call({"SET", "something", "else"});
  QVERIFY(!elsewhere && elsewhere.error().hint.contains("fleet acl"));
}

KERNELSCAPE_PLAIN_TEST(FleetSecurityTest)

}  // namespace kernelscape::fleet_security_test
#include "fleet_security_test.moc"

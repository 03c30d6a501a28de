#include <sys/prctl.h>

#include <QTest>
#include <chrono>

#include "tests/store/child_process.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"

namespace kernelscape::store_processes_test {
using namespace kernelscape::store_test;

namespace {

constexpr std::size_t knobs = 3;
constexpr std::int64_t batch_size = 5;

/** Every trial follows from the session's seed and its number, so that a reader knows what must stand there.
 */
trial::Trial trial_at(std::uint64_t seed, std::int64_t number) {
  base::Random random(seed * 1'000'003 + static_cast<std::uint64_t>(number));
  return random_trial(random, number, knobs);
}

std::vector<space::Configuration> candidates_at(std::uint64_t seed, std::int64_t batch) {
  std::vector<space::Configuration> candidates;
  for (std::int64_t i = 0; i < batch_size; ++i)
    candidates.push_back(trial_at(seed, batch * batch_size + i).configuration);
  return candidates;
}

/** What a session does to the store, commit after commit; each is followed by a byte. Returns the exit code.
 */
int write_session(const std::filesystem::path& path, std::uint64_t seed, std::int64_t batches, int pipe_end) {
  auto store = store::Store::open(path);
  if (!store) return 1;
  base::Random random(seed);
  store::SessionRecord record = random_record(random);
  record.seed = seed;
  const auto id = store->sessions().create(record, store::Owner::this_process());
  if (!id) return 2;
  write_byte(pipe_end);
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const auto candidates = candidates_at(seed, batch);
    if (!store->batches().append(*id, static_cast<std::int32_t>(batch), candidates, 0.5)) return 3;
    write_byte(pipe_end);
    for (std::int64_t number = batch * batch_size; number < (batch + 1) * batch_size;) {
      const std::int64_t end =
          std::min((batch + 1) * batch_size, number + 1 + static_cast<std::int64_t>(random.below(3)));
      std::vector<trial::Trial> trials;
      for (; number < end; ++number) trials.push_back(trial_at(seed, number));
      store::SessionStatus status;
      status.trial_count = number;
      if (!store->trials().append(*id, trials, status)) return 4;
      write_byte(pipe_end);
    }
  }
  return 0;
}

/** The stored part of the session: whole, in order, and counted as it is. */
void check_prefix(const store::Store& store, const store::SessionSummary& summary) {
  const store::SessionId id = summary.record.id;
  const auto trials = store.trials().of(id);
  VERIFY_RESULT(trials);
  QCOMPARE(summary.status.trial_count, static_cast<std::int64_t>(trials->size()));
  for (std::size_t i = 0; i < trials->size(); ++i) {
    QVERIFY((*trials)[i] == trial_at(summary.record.seed, static_cast<std::int64_t>(i)));
  }
  const auto batches = store.batches().of(id);
  VERIFY_RESULT(batches);
  for (std::size_t i = 0; i < batches->size(); ++i) {
    QVERIFY((*batches)[i].candidates == candidates_at(summary.record.seed, static_cast<std::int64_t>(i)));
  }
  QVERIFY(trials->size() <= batches->size() * static_cast<std::size_t>(batch_size));
  QVERIFY(trials->size() + static_cast<std::size_t>(batch_size) >=
          batches->size() * static_cast<std::size_t>(batch_size));
}

void spin(std::chrono::nanoseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) continue;
}

}  // namespace

class StoreProcessesTest : public QObject {
  Q_OBJECT

 private slots:
  void processes_share_one_database() {
    const Folder folder;
    // They make the database at the same moment, too.
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      children.push_back(std::make_unique<ChildProcess>(
          [&, seed](int pipe_end) { return write_session(folder.file(), seed, 20, pipe_end); }));
    }
    for (auto& child : children) {
      while (child->read_byte()) continue;
      QCOMPARE(child->wait(), 0);
    }
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    const auto sessions = store->sessions().all();
    VERIFY_RESULT(sessions);
    QCOMPARE(sessions->size(), 4U);
    for (const store::SessionSummary& summary : *sessions) {
      QCOMPARE(summary.status.trial_count, 20 * batch_size);
      QCOMPARE(summary.status.state, store::SessionState::Interrupted);
      check_prefix(*store, summary);
    }
  }

  void a_killed_writer_leaves_whole_transactions() {
    base::Random random = printed_random();
    const Folder folder;
    constexpr int kills = 25;
    for (std::uint64_t seed = 0; seed < kills; ++seed) {
      ChildProcess writer(
          [&](int pipe_end) { return write_session(folder.file(), seed, 1'000'000, pipe_end); });
      std::uint64_t acknowledged = 0;
      const std::uint64_t enough = 1 + random.below(40);
      while (acknowledged < enough && writer.read_byte()) ++acknowledged;
      QCOMPARE(acknowledged, enough);
      spin(std::chrono::microseconds(random.below(2000)));
      writer.kill_now();
      writer.wait_for_end();
      while (writer.read_byte()) ++acknowledged;

      auto store = store::Store::open(folder.file());
      VERIFY_RESULT(store);
      const store::SessionSummary summary = store->sessions().all().value().front();
      QCOMPARE(summary.record.seed, seed);
      check_prefix(*store, summary);
      // One byte for the session, one for every commit: none that was told of is missing.
      const std::uint64_t batches = store->batches().of(summary.record.id)->size();
      QVERIFY(static_cast<std::uint64_t>(summary.status.trial_count) + batches + 1 >= acknowledged);
      // It can be gone on with at once.
      QCOMPARE(summary.status.state, store::SessionState::Interrupted);
      VERIFY_RESULT(store->sessions().claim(summary.record.id, store::Owner::this_process()));
      store::SessionStatus status = summary.status;
      const trial::Trial next = trial_at(seed, status.trial_count++);
      VERIFY_RESULT(store->trials().append(summary.record.id, std::vector{next}, status));
      QVERIFY(store->trials().get(summary.record.id, next.number).value() == next);
    }
  }

  void a_reader_never_sees_half_a_transaction() {
    const Folder folder;
    ChildProcess writer([&](int pipe_end) { return write_session(folder.file(), 7, 60, pipe_end); });
    QVERIFY(writer.read_byte());
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    std::int64_t seen = 0;
    while (writer.read_byte()) {
      const store::SessionSummary before = store->sessions().all().value().front();
      const auto rows = static_cast<std::int64_t>(store->trials().rows(before.record.id).value().size());
      const store::SessionSummary after = store->sessions().get(before.record.id).value();
      QVERIFY(before.status.trial_count >= seen);
      QVERIFY(before.status.trial_count <= rows && rows <= after.status.trial_count);
      seen = before.status.trial_count;
    }
    QCOMPARE(writer.wait(), 0);
    check_prefix(*store, store->sessions().all().value().front());
  }

  void an_owner_lives_as_long_as_its_process() {
    QVERIFY(store::Owner::this_process().alive());
    QVERIFY(store::Owner::this_process() == store::Owner::this_process());
    ChildProcess child([](int pipe_end) {
      // A name that would mislead whoever counts words or looks for the first parenthesis.
      prctl(PR_SET_NAME, ") R 1 (2 3) 4");
      const store::Owner self = store::Owner::this_process();
      if (write(pipe_end, &self.process_start, sizeof self.process_start) < 0) return 1;
      wait_forever(pipe_end);
      return 0;
    });
    store::Owner owner{child.process_id(), store::Owner::this_process().boot_id, 0};
    for (std::size_t i = 0; i < sizeof owner.process_start; ++i) QVERIFY(child.read_byte());
    QVERIFY(!owner.alive());
    // The start is read by our own means: word 20 behind the name.
    QFile stat(QString("/proc/%1/stat").arg(child.process_id()));
    QVERIFY(stat.open(QIODevice::ReadOnly));
    const QByteArray line = stat.readAll();
    QVERIFY(line.contains(") R 1 (2 3) 4"));
    owner.process_start = line.mid(line.lastIndexOf(')') + 2).split(' ').at(19).toLongLong();
    QVERIFY(owner.alive());

    store::Owner reused = owner;
    reused.process_start -= 1;
    QVERIFY(!reused.alive());
    store::Owner other_boot = owner;
    other_boot.boot_id = "00000000-0000-0000-0000-000000000000";
    QVERIFY(!other_boot.alive());
    QVERIFY(!store::Owner{}.alive());

    child.kill_now();
    child.wait_for_end();
    QVERIFY(!owner.alive());  // still a zombie
    child.wait();
    QVERIFY(!owner.alive());
  }

  void a_living_owner_keeps_its_session() {
    const Folder folder;
    ChildProcess child([&](int pipe_end) {
      auto store = store::Store::open(folder.file());
      if (!store || !store->sessions().create({}, store::Owner::this_process())) return 1;
      wait_forever(pipe_end);
      return 0;
    });
    QVERIFY(child.read_byte());
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    const store::SessionId id = store->sessions().all().value().front().record.id;
    const std::string process = std::to_string(child.process_id());

    QCOMPARE(store->sessions().get(id)->status.state, store::SessionState::Running);
    QCOMPARE(store->sessions().get(id)->owner->process_id, child.process_id());
    for (const Status& refused :
         {store->sessions().claim(id, store::Owner::this_process()), store->sessions().remove(id),
          store->sessions().release(id, store::Owner::this_process())}) {
      QCOMPARE(refused.error().code, ErrorCode::Refused);
    }
    const Status refused = store->sessions().claim(id, store::Owner::this_process());
    QVERIFY2(refused.error().message.find(process) != std::string::npos, refused.error().message.c_str());

    child.kill_now();
    child.wait_for_end();
    QCOMPARE(store->sessions().get(id)->status.state, store::SessionState::Interrupted);
    QVERIFY(store->sessions().get(id)->owner.has_value());
    VERIFY_RESULT(store->sessions().claim(id, store::Owner::this_process()));
    QCOMPARE(store->sessions().get(id)->status.state, store::SessionState::Running);
    QVERIFY(store->sessions().get(id)->owner == store::Owner::this_process());
    QCOMPARE(store->sessions().claim(id, store::Owner::this_process()).error().code, ErrorCode::Refused);

    VERIFY_RESULT(store->sessions().release(id, store::Owner::this_process()));
    QVERIFY(!store->sessions().get(id)->owner.has_value());
    QCOMPARE(store->sessions().get(id)->status.state, store::SessionState::Interrupted);
    QCOMPARE(store->sessions().release(id, store::Owner::this_process()).error().code, ErrorCode::Refused);
    VERIFY_RESULT(store->sessions().remove(id));
    QVERIFY(store->sessions().all().value().empty());
  }

  void only_one_of_many_takes_a_free_session() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id = store->sessions().create({}, store::Owner::this_process()).value();
    VERIFY_RESULT(store->sessions().release(id, store::Owner::this_process()));
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (int i = 0; i < 6; ++i) {
      children.push_back(std::make_unique<ChildProcess>([&](int pipe_end) {
        auto own = store::Store::open(folder.file());
        if (!own) return 1;
        const Status claimed = own->sessions().claim(id, store::Owner::this_process());
        const char won = claimed ? 'w' : 'l';
        if (!claimed && claimed.error().code != ErrorCode::Refused) return 2;
        if (write(pipe_end, &won, 1) != 1) return 3;
        wait_forever(pipe_end);  // lives on, so that nobody may take over
        return 0;
      }));
    }
    int winners = 0;
    for (auto& child : children) {
      QVERIFY(child->read_byte());
      QVERIFY(child->read_byte());
      winners += store->sessions().get(id)->owner->process_id == child->process_id() ? 1 : 0;
    }
    QCOMPARE(winners, 1);
  }
};

KERNELSCAPE_PLAIN_TEST(StoreProcessesTest)

}  // namespace kernelscape::store_processes_test
#include "store_processes_test.moc"

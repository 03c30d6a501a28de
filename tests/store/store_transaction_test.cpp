#include "tests/store/child_process.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"

namespace kernelscape::store_transaction_test {
using namespace kernelscape::store_test;

namespace {

/** A session with some trials. */
Result<store::SessionId> add_session(store::Store& store, base::Random& random,
                                     store::SessionRecord record = {}) {
  const store::SessionId id = TRY(store.sessions().create(record, store::Owner::this_process()));
  std::vector<trial::Trial> trials;
  for (int number = 0; number < 5; ++number) trials.push_back(random_trial(random, number, 3));
  TRY(store.trials().append(id, trials, counted(5)));
  TRY(store.sessions().set_note(id, "a note"));
  return id;
}

std::shared_ptr<const trial::Recording> some_recording(base::Random& random) {
  const auto expected =
      recording_test::random_recording(random, recording_test::SpaceShape::Constrained, false);
  return *recording_test::build(random, expected);
}

std::size_t session_count(const store::Store& store) { return store.sessions().all().value().size(); }

}  // namespace

/** Many calls as one: all of it, or nothing. */
class StoreTransactionTest : public QObject {
  Q_OBJECT

 private slots:
  void others_see_all_of_it_at_once() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    const auto other = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(other);
    {
      auto transaction = store->begin();
      VERIFY_RESULT(transaction);
      for (std::size_t i = 1; i <= 3; ++i) {
        VERIFY_RESULT(add_session(*store, random));
        QCOMPARE(session_count(*store), i);
        QCOMPARE(session_count(*other), std::size_t{0});
      }
      VERIFY_RESULT(transaction->commit());
    }
    QCOMPARE(session_count(*other), std::size_t{3});
    QCOMPARE(other->trials().of(1)->size(), std::size_t{5});
    QCOMPARE(other->sessions().get(1)->annotation.note, std::string("a note"));
    // Afterwards each call is one of its own again.
    VERIFY_RESULT(add_session(*store, random));
    QCOMPARE(session_count(*other), std::size_t{4});
  }

  void what_is_dropped_was_not_stored() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId kept = add_session(*store, random).value();
    const auto trials = store->trials().of(kept).value();
    for (int round = 0; round < 5; ++round) {
      auto transaction = store->begin();
      VERIFY_RESULT(transaction);
      VERIFY_RESULT(add_session(*store, random));
      VERIFY_RESULT(store->sessions().release(kept, store::Owner::this_process()));
      VERIFY_RESULT(store->sessions().remove(kept));
      QCOMPARE(session_count(*store), std::size_t{1});
    }
    QCOMPARE(session_count(*store), std::size_t{1});
    QVERIFY(store->trials().of(kept).value() == trials);
  }

  /** Its numbers are given again: nothing that was known of them may stay. */
  void dropped_numbers_are_others() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    for (int round = 0; round < 5; ++round) {
      const auto dropped = some_recording(random);
      const auto kept = some_recording(random);
      store::RecordingId number = 0;
      {
        const auto transaction = store->begin();
        VERIFY_RESULT(transaction);
        number = store->recordings().add(*dropped).value();
        QVERIFY(store->recordings().get(number).value()->bytes() == dropped->bytes());
      }
      QVERIFY(!store->recordings().get(number));
      QCOMPARE(store->recordings().add(*kept).value(), number);
      QVERIFY(store->recordings().get(number).value()->bytes() == kept->bytes());
    }
  }

  /** A call that fails is taken back alone. */
  void a_call_that_fails_leaves_the_others() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    auto transaction = store->begin();
    VERIFY_RESULT(transaction);
    const store::SessionId id = add_session(*store, random).value();
    const auto before = store->trials().of(id).value();
    const std::vector<trial::Trial> twice{random_trial(random, 5, 3), random_trial(random, 5, 3)};
    QCOMPARE(store->trials().append(id, twice, counted(7)).error().code, ErrorCode::Refused);
    QVERIFY(store->trials().of(id).value() == before);
    VERIFY_RESULT(transaction->commit());
    QVERIFY(store->trials().of(id).value() == before);
    QCOMPARE(store->sessions().get(id)->status.trial_count, std::int64_t{5});
  }

  void others_wait_to_write() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    auto other = store::Store::open(folder.file(), store::OpenMode::Existing, impatient);
    {
      auto transaction = store->begin();
      VERIFY_RESULT(transaction);
      QVERIFY(is_error(add_session(*other, random).error(), ErrorCode::Refused, folder.file()));
      QVERIFY(is_error(other->begin().error(), ErrorCode::Refused, folder.file()));
    }
    VERIFY_RESULT(add_session(*other, random));
  }

  void a_process_that_dies_stored_nothing() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId kept = add_session(*store, random).value();
    ChildProcess child([&](int pipe_end) {
      auto own = store::Store::open(folder.file());
      const auto transaction = own->begin();
      if (!transaction || !add_session(*own, random)) return 1;
      wait_forever(pipe_end);
      return 0;
    });
    QVERIFY(child.read_byte());
    child.kill_now();
    child.wait();
    QCOMPARE(session_count(*store), std::size_t{1});
    VERIFY_RESULT(store->sessions().get(kept));
    VERIFY_RESULT(add_session(*store, random));
  }

  void a_full_disk_takes_all_of_it_back() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId kept = add_session(*store, random).value();
    const auto log_bytes = std::filesystem::file_size(folder.file().string() + "-wal");
    Status stored;
    {
      const FileSizeLimit full(log_bytes);
      auto transaction = store->begin();
      VERIFY_RESULT(transaction);
      for (int i = 0; i < 3 && stored; ++i) {
        const auto added = add_session(*store, random);
        if (!added) stored = std::unexpected(added.error());
      }
      if (stored) stored = transaction->commit();
    }
    QVERIFY(is_error(stored.error(), ErrorCode::Environment, folder.file()));
    QCOMPARE(session_count(*store), std::size_t{1});
    VERIFY_RESULT(store->sessions().get(kept));
    VERIFY_RESULT(add_session(*store, random));
    QCOMPARE(session_count(*store), std::size_t{2});
  }
};

KERNELSCAPE_PLAIN_TEST(StoreTransactionTest)

}  // namespace kernelscape::store_transaction_test
#include "store_transaction_test.moc"

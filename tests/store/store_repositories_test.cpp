#include <QTest>
#include <type_traits>
#include <utility>

#include "tests/store/random_session.h"
#include "tests/test_program.h"

namespace kernelscape::store_repositories_test {
using namespace kernelscape::store_test;

namespace {

// A const Store must not lead to functions that write: its repositories are const and cannot be copied.
static_assert(
    std::is_same_v<decltype(std::declval<const store::Store&>().sessions()), const store::Sessions&>);
static_assert(std::is_same_v<decltype(std::declval<const store::Store&>().trials()), const store::Trials&>);
static_assert(std::is_same_v<decltype(std::declval<const store::Store&>().studies()), const store::Studies&>);
static_assert(!std::is_copy_constructible_v<store::Sessions>);
static_assert(!std::is_copy_assignable_v<store::Sessions>);

store::StudyRecord study_of(std::int64_t runs) {
  store::StudyRecord study;
  study.name = "study";
  study.study_json = "{}";
  study.run_count = runs;
  return study;
}

}  // namespace

/** The classes that read and write one subject of a database each. */
class StoreRepositoriesTest : public QObject {
  Q_OBJECT

 private slots:
  void a_repository_stays_valid_when_its_store_moves() {
    const Folder folder;
    auto opened = store::Store::open(folder.file());
    VERIFY_RESULT(opened);
    store::Sessions& sessions = opened->sessions();
    base::Random random = printed_random();
    const store::SessionRecord record = random_record(random);
    const auto first = sessions.create(record, store::Owner::this_process());
    VERIFY_RESULT(first);
    store::Store moved = std::move(*opened);
    QCOMPARE(&moved.sessions(), &sessions);
    const auto second = sessions.create(record, store::Owner::this_process());
    VERIFY_RESULT(second);
    QCOMPARE(moved.sessions().all()->size(), 2U);
    QCOMPARE(sessions.get(*first)->record.name, record.name);
  }

  void calls_of_several_repositories_are_one_transaction() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    base::Random random = printed_random();
    {
      auto all = store->begin();
      VERIFY_RESULT(all);
      const auto study = store->studies().create(study_of(1));
      VERIFY_RESULT(study);
      const auto id =
          store->sessions().create(random_record(random), store::Owner::this_process(), *study, 0);
      VERIFY_RESULT(id);
      VERIFY_RESULT(store->notices().add(*id, {"note", "a notice", 1}));
      VERIFY_RESULT(store->machines().save_measure("machine", "ceilings", "{}"));
    }
    QVERIFY(store->studies().all()->empty());
    QVERIFY(!store->sessions().get(1));
    QVERIFY(!store->machines().measure("machine", "ceilings").value());
  }

  void a_run_has_one_session_and_a_study_its_owner() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    base::Random random = printed_random();
    const store::Owner owner = store::Owner::this_process();
    const auto study = store->studies().create(study_of(2));
    VERIFY_RESULT(study);
    QVERIFY(!store->studies().owner(*study).value());
    VERIFY_RESULT(store->studies().claim(*study, owner));
    QVERIFY(store->studies().owner(*study).value() == owner);
    QCOMPARE(store->studies().owner(*study + 1).error().code, ErrorCode::NotFound);

    const auto id = store->sessions().create(random_record(random), owner);
    VERIFY_RESULT(id);
    QCOMPARE(store->studies().enter_session(*study, 2, *id).error().code, ErrorCode::Refused);
    VERIFY_RESULT(store->studies().enter_session(*study, 1, *id));
    QCOMPARE(store->studies().enter_session(*study, 1, *id).error().code, ErrorCode::Refused);
    const auto runs = store->studies().runs(*study);
    VERIFY_RESULT(runs);
    QVERIFY(!runs->at(0).started());
    QCOMPARE(runs->at(1).session.value(), *id);
  }
};

KERNELSCAPE_PLAIN_TEST(StoreRepositoriesTest)

}  // namespace kernelscape::store_repositories_test
#include "store_repositories_test.moc"

#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

#include "core/exchange/import_collection.h"
#include "tests/exchange/generated_log.h"
#include "tests/exchange/import_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_collection_test {
using namespace kernelscape::exchange_tests;

namespace {

constexpr std::size_t many = 814;

/** A database, and files to import into it. */
class CollectionDesk {
 public:
  store::Store& store() { return store_; }

  exchange::ImportOutcome import(const std::string& name, const std::string& text,
                                 exchange::ImportAs as = exchange::ImportAs::Automatic) {
    const QString path = folder_.filePath(QString::fromStdString(name));
    write_text(path, text);
    return must(exchange::import_file(store_, path.toStdString(), as));
  }

 private:
  QTemporaryDir folder_;
  store::Store store_ = must(store::Store::open(folder_.filePath("test.db").toStdString()));
};

bool has(const std::string& text, const std::string& part) { return text.contains(part); }

store::SessionId first_id(const exchange::ImportOutcome& outcome) { return outcome.sessions.front().session; }

}  // namespace

/** A file with several tasks becomes one collection. */
class ExchangeCollectionTest : public QObject {
  Q_OBJECT

 private slots:
  void many_tasks_are_one_collection() {
    base::Random random(testing::random_seed());
    CollectionDesk desk;
    const exchange::ImportOutcome outcome = desk.import("tophub-cuda_v0.10.log", generated_log(many, random));
    QVERIFY(outcome.collection);
    QCOMPARE(outcome.sessions.size(), many);
    QCOMPARE(outcome.collection->tasks, std::int64_t{many});
    QCOMPARE(outcome.collection->name, std::string("tophub-cuda_v0.10"));
    // What is true of all of them is said once.
    QVERIFY2(outcome.notices.size() < 5, std::to_string(outcome.notices.size()).c_str());
    QVERIFY(has(outcome.notices.front(), "and 813 others: "));

    const std::vector<store::CollectionSummary> collections = must(desk.store().collections().all());
    QCOMPARE(collections.size(), std::size_t{1});
    QCOMPARE(collections[0].id, outcome.collection->id);
    QCOMPARE(collections[0].sessions, std::int64_t{many});
    QCOMPARE(collections[0].trials, std::int64_t{many});
    const std::vector<store::StudyRun> runs = must(desk.store().studies().runs(outcome.collection->id));
    QCOMPARE(runs.size(), many);
    std::set<std::string> names;
    for (std::size_t task = 0; task < many; ++task) {
      QVERIFY(runs[task].session == outcome.sessions[task].session);
      const std::string& name = outcome.sessions[task].name;
      QVERIFY2(name.starts_with("batch_matmul " + generated_shape(task) + " "), name.c_str());
      names.insert(name);
    }
    QCOMPARE(names.size(), many);
    QCOMPARE(must(desk.store().sessions().list()).size(), many);
    QCOMPARE(must(desk.store().sessions().find(outcome.sessions[7].name)), outcome.sessions[7].session);
  }

  void one_task_is_a_session_as_ever() {
    base::Random random(testing::random_seed());
    CollectionDesk desk;
    const exchange::ImportOutcome outcome = desk.import("one.log", generated_log(1, random));
    QVERIFY(!outcome.collection);
    QCOMPARE(outcome.sessions.at(0).name, std::string("one"));
    QVERIFY(must(desk.store().collections().all()).empty());
    QVERIFY(!must(desk.store().sessions().get(first_id(outcome))).study);
  }

  void recorded_spaces_stay_where_they_are_found_by_name() {
    base::Random random(testing::random_seed());
    CollectionDesk desk;
    const exchange::ImportOutcome outcome =
        desk.import("two.log", generated_log(2, random), exchange::ImportAs::Recorded);
    QVERIFY(!outcome.collection);
    QVERIFY(outcome.sessions.at(0).name.starts_with("two "));
  }

  void the_same_file_comes_in_again() {
    base::Random random(testing::random_seed());
    const std::string log = generated_log(3, random);
    CollectionDesk desk;
    const exchange::ImportOutcome first = desk.import("log.json", log);
    const exchange::ImportOutcome second = desk.import("log.json", log);
    QVERIFY(first.collection->id != second.collection->id);
    QCOMPARE(must(desk.store().sessions().list()).size(), std::size_t{6});
    // Two have each name now: which one is meant is asked.
    QVERIFY(has(error_of(desk.store().sessions().find(first.sessions[0].name)), "2 sessions are named"));
  }

  void a_deleted_collection_takes_its_sessions_along() {
    base::Random random(testing::random_seed());
    CollectionDesk desk;
    const store::SessionId loose = first_id(desk.import("one.log", generated_log(1, random)));
    const exchange::ImportOutcome outcome = desk.import("log.json", generated_log(4, random));
    const store::StudyId id = outcome.collection->id;
    QVERIFY(desk.store().studies().trash(id));
    QCOMPARE(must(desk.store().sessions().list()).size(), std::size_t{1});
    QVERIFY(must(desk.store().collections().all()).empty());
    QVERIFY(!desk.store().sessions().find(outcome.sessions[0].name));
    QVERIFY(desk.store().studies().restore(id));
    QCOMPARE(must(desk.store().sessions().list()).size(), std::size_t{5});
    QVERIFY(desk.store().sessions().trash(first_id(outcome)));
    QCOMPARE(must(desk.store().collections().all()).at(0).sessions, std::int64_t{3});
    QVERIFY(desk.store().studies().remove(id));
    const std::vector<store::SessionSummary> left = must(desk.store().sessions().list());
    QCOMPARE(left.size(), std::size_t{1});
    QCOMPARE(left[0].record.id, loose);
  }

  void loose_sessions_of_older_imports_stay() {
    base::Random random(testing::random_seed());
    CollectionDesk desk;
    // As imports made them before there were collections.
    const store::Owner owner = store::Owner::this_process();
    std::vector<store::SessionId> old;
    for (const char* name : {"tophub batch_matmul.cuda", "tophub batch_matmul.cuda"}) {
      store::SessionRecord record =
          must(desk.store().sessions().get(first_id(desk.import("one.log", generated_log(1, random)))))
              .record;
      record.name = name;
      old.push_back(must(desk.store().sessions().create(record, owner)));
    }
    const exchange::ImportOutcome outcome = desk.import("log.json", generated_log(2, random));
    QCOMPARE(must(desk.store().collections().all()).size(), std::size_t{1});
    std::size_t loose = 0;
    for (const store::SessionSummary& session : must(desk.store().sessions().list()))
      loose += session.study ? 0U : 1U;
    QCOMPARE(loose, std::size_t{4});
    for (const store::SessionId id : old) QVERIFY(!must(desk.store().sessions().get(id)).study);
  }

  void notices_that_say_the_same_are_one() {
    const std::vector<std::string> folded =
        exchange::folded_notices({"a: why", "plain", "b: why", "c: other", "d: why", "e: other", "plain"});
    QCOMPARE(folded,
             (std::vector<std::string>{"a and 2 others: why", "plain", "c: other", "e: other", "plain"}));
  }
};

KERNELSCAPE_PLAIN_TEST(ExchangeCollectionTest)

}  // namespace kernelscape::exchange_collection_test
#include "exchange_collection_test.moc"

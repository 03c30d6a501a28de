#include <QTest>

#include "core/store/schema.h"
#include "core/trial/slow_phase_notice.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"

namespace kernelscape::store_notices_test {
using namespace kernelscape::store_test;

namespace {

store::SessionId new_session(store::Store& store) {
  base::Random random(3);
  return store.sessions().create(random_record(random), store::Owner::this_process()).value();
}

}  // namespace

/** What sessions said, what was measured of machines and what was asked of trials. */
class StoreNoticesTest : public QObject {
  Q_OBJECT

 private slots:
  void what_was_said_twice_is_one_notice_with_its_first_time() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    const store::SessionId other = new_session(*store);
    const store::SessionId id = new_session(*store);
    QVERIFY(store->notices().of(id)->empty());
    const trial::SessionNotice loaded{"machine", "the machine was loaded: '; DROP TABLE trial", 1.5};
    const trial::SessionNotice problem{"problem", "trial 3 was not confirmed\nsee \xc3\xa9", 80};
    VERIFY_RESULT(store->notices().add(id, loaded));
    VERIFY_RESULT(store->notices().add(id, problem));
    VERIFY_RESULT(store->notices().add(id, {"note", loaded.text, 99}));
    QVERIFY(store->notices().of(id).value() == (std::vector{loaded, problem}));
    QVERIFY(store::Store::open(folder.file())->notices().of(id).value() == (std::vector{loaded, problem}));
    QVERIFY(store->notices().of(other)->empty());
    QVERIFY(store->notices().of(id + 1)->empty());
    VERIFY_RESULT(store->notices().add(other, loaded));
    QCOMPARE(store->notices().of(other)->size(), 1U);
  }

  void a_slow_phase_that_goes_on_stays_one_notice() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    const store::SessionId id = new_session(*store);
    const auto phase = [](int last, bool ended) {
      return trial::SessionNotice{"machine",
                                  trial::slow_phase_notice({.first_trial = 8,
                                                            .last_trial = last,
                                                            .begin_seconds = 2,
                                                            .end_seconds = 2.0 * last,
                                                            .speed = {.compute = 0.5, .memory = 0.75},
                                                            .ended = ended},
                                                           "the machine", ""),
                                  1.0 * last};
    };
    const trial::SessionNotice other{"machine", "the machine was loaded", 1};
    for (const trial::SessionNotice& notice :
         {phase(16, false), other, phase(24, false), phase(24, false), phase(40, true)})
      VERIFY_RESULT(store->notices().add(id, notice));
    trial::SessionNotice kept = phase(40, true);
    kept.session_seconds = phase(16, false).session_seconds;
    QVERIFY(store->notices().of(id).value() == (std::vector{kept, other}));
    VERIFY_RESULT(store->notices().add(id, phase(60, true)));  // the first has recovered: this is another
    QCOMPARE(store->notices().of(id)->size(), 3U);
  }

  void long_and_many_notices_end_somewhere() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id = new_session(*store);
    std::string long_text(store::max_notice_bytes - 1, 'a');
    long_text += "\xe2\x86\x92 and on";
    VERIFY_RESULT(store->notices().add(id, {"note", long_text, 0}));
    VERIFY_RESULT(store->notices().add(id, {"note", long_text, 1}));
    QCOMPARE(store->notices().of(id)->size(), 1U);
    QCOMPARE(store->notices().of(id)->front().text, std::string(store::max_notice_bytes - 1, 'a'));
    {
      auto all = store->begin();
      VERIFY_RESULT(all);
      for (std::int64_t number = 1; number < store::max_session_notices; ++number)
        VERIFY_RESULT(store->notices().add(id, {"note", "notice " + std::to_string(number), 1}));
      VERIFY_RESULT(all->commit());
    }
    const Status full = store->notices().add(id, {"note", "one more", 1});
    QCOMPARE(full.error().code, ErrorCode::Refused);
    QVERIFY(full.error().message.contains("session " + std::to_string(id)));
    VERIFY_RESULT(store->notices().add(id, {"note", "notice 7", 2}));
    QCOMPARE(std::ssize(store->notices().of(id).value()), store::max_session_notices);
  }

  void a_deleted_session_takes_its_own_along_and_one_brought_back_has_them() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id = new_session(*store);
    const store::SessionId other = new_session(*store);
    for (const store::SessionId each : {id, other}) {
      VERIFY_RESULT(store->notices().add(each, {"machine", "the machine was loaded", 0}));
      VERIFY_RESULT(store->trials().save_insight(each, 3, "counters", "{}"));
      VERIFY_RESULT(store->sessions().release(each, store::Owner::this_process()));
    }
    VERIFY_RESULT(store->sessions().trash(id));
    VERIFY_RESULT(store->sessions().restore(id));
    QCOMPARE(store->notices().of(id)->size(), 1U);
    QVERIFY(store->trials().insight(id, 3, "counters")->has_value());
    VERIFY_RESULT(store->sessions().trash(id));
    VERIFY_RESULT(store->sessions().remove(id));
    QVERIFY(store->notices().of(id)->empty());
    QVERIFY(!store->trials().insight(id, 3, "counters")->has_value());
    QCOMPARE(store->notices().of(other)->size(), 1U);
    QVERIFY(store->trials().insight(other, 3, "counters")->has_value());
  }

  void what_was_measured_or_asked_again_replaces_the_earlier() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id = new_session(*store);
    QVERIFY(!store->machines().measure("here", "ceilings")->has_value());
    VERIFY_RESULT(store->machines().save_measure("here", "ceilings", "1"));
    VERIFY_RESULT(store->machines().save_measure("here", "ceilings", "2"));
    VERIFY_RESULT(store->machines().save_measure("there", "ceilings", "3"));
    QCOMPARE(store->machines().measure("here", "ceilings")->value(), std::string("2"));
    QCOMPARE(store->machines().measure("there", "ceilings")->value(), std::string("3"));
    QVERIFY(!store->machines().measure("here", "counters")->has_value());
    VERIFY_RESULT(store->trials().save_insight(id, 5, "counters", "4"));
    VERIFY_RESULT(store->trials().save_insight(id, 5, "counters", "5"));
    QCOMPARE(store->trials().insight(id, 5, "counters")->value(), std::string("5"));
    QVERIFY(!store->trials().insight(id, 6, "counters")->has_value());
    QVERIFY(!store->trials().insight(id, 5, "code")->has_value());
  }

  void what_was_measured_of_a_study_goes_with_it() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    store::StudyRecord record;
    record.name = "study";
    record.run_count = 1;
    const store::StudyId id = store->studies().create(record).value();
    QVERIFY(!store->studies().measure(id, "network pass")->has_value());
    VERIFY_RESULT(store->studies().save_measure(id, "network pass", "1"));
    VERIFY_RESULT(store->studies().save_measure(id, "network pass", "2"));
    QCOMPARE(store->studies().measure(id, "network pass")->value(), std::string("2"));
    QVERIFY(!store->studies().measure(id, "other")->has_value());
    QCOMPARE(store->studies().save_measure(id + 1, "network pass", "3").error().code, ErrorCode::NotFound);
    VERIFY_RESULT(store->studies().remove(id));
    QVERIFY(!store->studies().measure(id, "network pass")->has_value());
  }

  void databases_of_every_earlier_version_have_none_until_they_get_some() {
    for (std::size_t version = 1; version < store::schema_migrations().size(); ++version) {
      const Folder folder;
      {
        auto database =
            store::sqlite::Database::open(folder.file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false,
                                          std::chrono::milliseconds(1000));
        VERIFY_RESULT(database);
        VERIFY_RESULT(store::migrate(*database, store::schema_migrations().first(version), true));
      }
      {
        const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
        VERIFY_RESULT(store);
        QVERIFY(store->notices().of(1)->empty());
        QVERIFY(!store->machines().measure("here", "ceilings")->has_value());
        QVERIFY(!store->studies().measure(1, "network pass")->has_value());
        QVERIFY(!store->trials().insight(1, 0, "counters")->has_value());
      }
      auto store = store::Store::open(folder.file());
      VERIFY_RESULT(store);
      const store::SessionId id = new_session(*store);
      VERIFY_RESULT(store->notices().add(id, {"machine", "the machine was loaded", 0}));
      QCOMPARE(store->notices().of(id)->size(), 1U);
    }
  }

  void sessions_of_the_version_before_keep_their_trials() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(RawDatabase(folder.file())
                .run(without_projects +
                     "DROP TABLE session_notice; DROP TABLE machine_measure; DROP TABLE trial_insight; "
                     "PRAGMA user_version = 7"));
    const QByteArray before = bytes_of(folder.file());
    QVERIFY(store::Store::open(folder.file(), store::OpenMode::ReadOnly)->notices().of(1)->empty());
    QVERIFY(bytes_of(folder.file()) == before);
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->trials().of(1).value() == trials);
    QVERIFY(store->notices().of(1)->empty());
    VERIFY_RESULT(store->notices().add(1, {"note", "new", 0}));
    QCOMPARE(store->notices().of(1)->size(), 1U);
  }

  void damage_is_named_data() {
    QTest::addColumn<QString>("sql");
    QTest::addRow("a text") << "UPDATE session_notice SET text = 'quiet' WHERE session = 1";
    QTest::addRow("a time") << "UPDATE session_notice SET first_seconds = 9e999 WHERE session = 1";
    QTest::addRow("an order") << "UPDATE session_notice SET position = 5 WHERE session = 1";
    QTest::addRow("a machine's") << "UPDATE machine_measure SET json = '4'";
    QTest::addRow("a trial's") << "UPDATE trial_insight SET json = '4'";
    QTest::addRow("a study's") << "UPDATE study_measure SET json = '4'";
  }
  void damage_is_named() {
    QFETCH(QString, sql);
    const Folder folder;
    make_database(folder.file());
    QVERIFY(RawDatabase(folder.file()).run(sql.toStdString()));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    const auto code = [](const auto& read) { return read ? ErrorCode::Internal : read.error().code; };
    const bool of_notices = sql.contains("session_notice");
    const bool of_machine = sql.contains("machine_measure");
    QCOMPARE(code(store->notices().of(1)) == ErrorCode::Corrupt, of_notices);
    QCOMPARE(code(store->machines().measure("this machine", "ceilings")) == ErrorCode::Corrupt, of_machine);
    const bool of_study = sql.contains("study_measure");
    QCOMPARE(code(store->studies().measure(1, "network pass")) == ErrorCode::Corrupt, of_study);
    QCOMPARE(code(store->trials().insight(1, 3, "counters")) == ErrorCode::Corrupt,
             !of_notices && !of_machine && !of_study);
    VERIFY_RESULT(store->notices().of(2));
    VERIFY_RESULT(store->trials().of(1));
  }
};

KERNELSCAPE_PLAIN_TEST(StoreNoticesTest)

}  // namespace kernelscape::store_notices_test
#include "store_notices_test.moc"

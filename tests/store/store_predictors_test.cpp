#include <QTest>
#include <memory>

#include "tests/store/child_process.h"
#include "tests/store/damage_support.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"

namespace kernelscape::store_predictors_test {
using namespace kernelscape::store_test;

namespace {

store::PredictorRecord predictor_record(const std::string& name) {
  store::PredictorRecord record;
  record.name = name;
  record.program_version = "1.2";
  record.template_name = "conv2d-packed";
  record.isa = "avx512";
  record.definition_json = R"({"seed": 3})";
  return record;
}

store::PredictorId train(store::Store& store, const std::string& name, const std::string& bytes,
                         const std::string& hash) {
  const store::PredictorId id =
      *store.predictors().create_training(predictor_record(name), store::Owner::this_process());
  return store.predictors().finish_training(id, bytes, hash) ? id : 0;
}

/** A process that trains without end. */
int train_forever(const std::filesystem::path& path, store::PredictorId id, int pipe_end) {
  auto store = store::Store::open(path);
  if (!store || !store->predictors().claim_training(id, store::Owner::this_process())) return 1;
  for (int epoch = 1;; ++epoch) {
    const std::string text = std::to_string(epoch);
    if (!store->predictors().save_epoch(id, text, text + std::string(10'000, 'x'))) return 2;
    write_byte(pipe_end);
  }
}

}  // namespace

class StorePredictorsTest : public QObject {
  Q_OBJECT

 private slots:
  void a_training_is_kept_as_it_goes() {
    base::Random random = printed_random();
    for (int round = 0; round < 20; ++round) {
      const Folder folder;
      auto store = store::Store::open(folder.file());
      const store::PredictorRecord record{0,
                                          random_text(random),
                                          "",
                                          random_text(random),
                                          random_text(random),
                                          random_text(random),
                                          random_text(random),
                                          random_text(random)};
      const store::PredictorId id =
          *store->predictors().create_training(record, store::Owner::this_process());
      store::PredictorSummary summary = store->predictors().get(id).value();
      store::PredictorRecord expected = record;
      expected.id = id;
      expected.created_utc = summary.record.created_utc;
      QCOMPARE(expected.created_utc.size(), std::string("2026-01-02T03:04:05Z").size());
      QVERIFY(summary.record == expected);
      QVERIFY(summary.state == store::PredictorState::Training &&
              summary.owner == store::Owner::this_process());
      QVERIFY(summary.epochs_json.empty() && summary.hash.empty() && summary.byte_count == 0);
      QVERIFY(store->predictors().checkpoint(id)->empty());
      QCOMPARE(store->predictors().bytes(id).error().code, ErrorCode::Refused);

      for (int epoch = 0; epoch < 3; ++epoch) {
        const std::string epochs = random_text(random);
        const std::string checkpoint = random_text(random);
        VERIFY_RESULT(store->predictors().save_epoch(id, epochs, checkpoint));
        QCOMPARE(store->predictors().get(id)->epochs_json, epochs);
        QCOMPARE(store->predictors().checkpoint(id).value(), checkpoint);
      }
      const std::string epochs = store->predictors().get(id)->epochs_json;
      const std::string bytes = random_text(random) + "x";
      VERIFY_RESULT(store->predictors().finish_training(id, bytes, "0123456789ab"));
      const auto reader = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
      summary = reader->predictors().get(id).value();
      QVERIFY(summary.record == expected);
      QVERIFY(summary.state == store::PredictorState::Done && !summary.owner);
      QCOMPARE(summary.epochs_json, epochs);
      QCOMPARE(summary.hash, std::string("0123456789ab"));
      QCOMPARE(summary.byte_count, std::ssize(bytes));
      QCOMPARE(reader->predictors().bytes(id).value(), bytes);
      QVERIFY(reader->predictors().checkpoint(id)->empty());
    }
  }

  void one_process_trains_at_a_time() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::PredictorId id =
        *store->predictors().create_training(predictor_record("name"), store::Owner::this_process());
    QCOMPARE(store->predictors().claim_training(id, store::Owner::this_process()).error().code,
             ErrorCode::Refused);
    QCOMPARE(store->predictors().remove(id).error().code, ErrorCode::Refused);
    VERIFY_RESULT(store->predictors().save_epoch(id, "epochs", "checkpoint"));
    for (const store::PredictorState state :
         {store::PredictorState::Interrupted, store::PredictorState::Failed}) {
      VERIFY_RESULT(store->predictors().end_training(id, state, "a reason"));
      QVERIFY(store->predictors().get(id)->state == state && !store->predictors().get(id)->owner);
      QCOMPARE(store->predictors().get(id)->state_reason, std::string("a reason"));
      QCOMPARE(store->predictors().save_epoch(id, "late", "late").error().code, ErrorCode::Refused);
      QCOMPARE(store->predictors().finish_training(id, "late", "late").error().code, ErrorCode::Refused);
      VERIFY_RESULT(store->predictors().claim_training(id, store::Owner::this_process()));
      QVERIFY(store->predictors().get(id)->state == store::PredictorState::Training);
      QVERIFY(store->predictors().get(id)->state_reason.empty());
      QCOMPARE(store->predictors().get(id)->epochs_json, std::string("epochs"));
      QCOMPARE(store->predictors().checkpoint(id).value(), std::string("checkpoint"));
    }
    VERIFY_RESULT(store->predictors().finish_training(id, "bytes", "0123456789ab"));
    QCOMPARE(store->predictors().claim_training(id, store::Owner::this_process()).error().code,
             ErrorCode::Refused);
    QCOMPARE(store->predictors().end_training(id, store::PredictorState::Failed, "late").error().code,
             ErrorCode::Refused);
    VERIFY_RESULT(store->predictors().remove(id));
    QVERIFY(store->predictors().all()->empty());
  }

  void a_killed_training_resumes_from_its_last_checkpoint() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::PredictorId id =
        *store->predictors().create_training(predictor_record("name"), store::Owner::this_process());
    VERIFY_RESULT(store->predictors().end_training(id, store::PredictorState::Interrupted, ""));
    for (int kill = 0; kill < 5; ++kill) {
      ChildProcess child([&](int pipe_end) { return train_forever(folder.file(), id, pipe_end); });
      const std::uint64_t enough = 1 + random.below(20);
      std::uint64_t acknowledged = 0;
      for (; acknowledged < enough; ++acknowledged) QVERIFY(child.read_byte());
      QVERIFY(store->predictors().get(id)->state == store::PredictorState::Training);
      QCOMPARE(store->predictors().claim_training(id, store::Owner::this_process()).error().code,
               ErrorCode::Refused);
      child.kill_now();
      child.wait_for_end();
      while (child.read_byte()) ++acknowledged;
      const store::PredictorSummary summary = store->predictors().get(id).value();
      QVERIFY(summary.state == store::PredictorState::Interrupted);
      const std::uint64_t kept = std::stoull(summary.epochs_json);
      QVERIFY(kept == acknowledged || kept == acknowledged + 1);
      QVERIFY(store->predictors().checkpoint(id)->starts_with(summary.epochs_json + "x"));
    }
    VERIFY_RESULT(store->predictors().claim_training(id, store::Owner::this_process()));
  }

  void an_imported_one_is_kept_once() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    store::PredictorRecord record = predictor_record("imported");
    record.origin = "conv.kspred";
    const store::PredictorId id = *store->predictors().add(record, "bytes", "0123456789ab");
    QCOMPARE(store->predictors().add(predictor_record("again"), "bytes", "0123456789ab").value(), id);
    QCOMPARE(store->predictors().all()->size(), 1U);
    const store::PredictorSummary summary = store->predictors().get(id).value();
    QVERIFY(summary.state == store::PredictorState::Done && !summary.owner);
    QCOMPARE(summary.record.origin, std::string("conv.kspred"));
    QCOMPARE(store->predictors().bytes(id).value(), std::string("bytes"));
    QVERIFY(store->predictors().add(record, "other bytes", "ba9876543210").value() != id);
  }

  void they_are_found_by_number_name_and_hash() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    QCOMPARE(store->predictors().find("x").error().code, ErrorCode::NotFound);
    QVERIFY(!store->predictors().with_hash("0123456789ab").value());
    const store::PredictorId first = train(*store, "twice", "a", "0123456789ab");
    const store::PredictorId second = train(*store, "twice", "a", "0123456789ab");
    const store::PredictorId begun =
        *store->predictors().create_training(predictor_record("begun"), store::Owner::this_process());
    QCOMPARE(store->predictors().find(std::to_string(first)).value(), first);
    QCOMPARE(store->predictors().find("begun").value(), begun);
    const auto twice = store->predictors().find("twice");
    QCOMPARE(twice.error().code, ErrorCode::InvalidArgument);
    QVERIFY(twice.error().hint.contains(std::to_string(second)));
    QCOMPARE(store->predictors().with_hash("0123456789ab").value(), std::optional(second));
    const auto listed = store->predictors().all().value();
    QCOMPARE(listed.size(), 3U);
    QCOMPARE(listed[0].record.id, begun);
    QCOMPARE(listed[2].record.id, first);
    VERIFY_RESULT(store->predictors().remove(second));
    QCOMPARE(store->predictors().find("twice").value(), first);
    QCOMPARE(store->predictors().with_hash("0123456789ab").value(), std::optional(first));
  }

  void what_is_not_there_is_not_found() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    for (const Status& status :
         {store->predictors().claim_training(9, store::Owner::this_process()),
          store->predictors().save_epoch(9, "", ""), store->predictors().finish_training(9, "x", "x"),
          store->predictors().end_training(9, store::PredictorState::Failed, ""),
          store->predictors().remove(9)})
      QCOMPARE(status.error().code, ErrorCode::NotFound);
    QCOMPARE(store->predictors().get(9).error().code, ErrorCode::NotFound);
    QCOMPARE(store->predictors().bytes(9).error().code, ErrorCode::NotFound);
    QCOMPARE(store->predictors().checkpoint(9).error().code, ErrorCode::NotFound);
  }

  void a_damaged_one_hides_no_other_data() {
    QTest::addColumn<QString>("change");
    QTest::addRow("what it was made from") << "definition_json = definition_json || ' '";
    QTest::addRow("its name") << "name = 'another'";
    QTest::addRow("its epochs") << "epochs_json = '[]'";
    QTest::addRow("its hash") << "hash = 'ffffffffffff'";
    QTest::addRow("no hash") << "hash = ''";
    QTest::addRow("no file") << "bytes = x''";
    QTest::addRow("an unknown state") << "state = 77";
    QTest::addRow("in training with a file") << "state = 0";
    QTest::addRow("no time") << "created_utc = 'then'";
    QTest::addRow("its checksum") << "checksum = checksum + 1";
    QTest::addRow("a checksum that cannot be") << "bytes_checksum = -1";
    QTest::addRow("the checksum of its file") << "bytes_checksum = bytes_checksum + 1";
  }
  void a_damaged_one_hides_no_other() {
    QFETCH(const QString, change);
    const Folder folder;
    store::PredictorId other = 0;
    store::PredictorId damaged = 0;
    {
      auto store = store::Store::open(folder.file());
      other = train(*store, "other", "a", "0123456789ab");
      damaged = train(*store, "damaged", "b", "ba9876543210");
    }
    QVERIFY(RawDatabase(folder.file())
                .run("PRAGMA ignore_check_constraints = ON; UPDATE predictor SET " + change.toStdString() +
                     " WHERE id = " + std::to_string(damaged)));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    std::vector<Error> unreadable;
    const auto listed = store->predictors().all(&unreadable);
    VERIFY_RESULT(listed);
    QCOMPARE(listed->size(), 1U);
    QCOMPARE(listed->front().record.id, other);
    QCOMPARE(unreadable.size(), 1U);
    QVERIFY(unreadable.front().message.contains("predictor " + std::to_string(damaged)));
    for (const Error& error : {unreadable.front(), store->predictors().get(damaged).error(),
                               store->predictors().bytes(damaged).error()})
      QVERIFY(is_error(error, ErrorCode::Corrupt, folder.file()));
    QCOMPARE(store->predictors().bytes(other).value(), std::string("a"));
  }

  void damaged_bytes_are_not_given() {
    const Folder folder;
    store::PredictorId done = 0;
    store::PredictorId begun = 0;
    {
      auto store = store::Store::open(folder.file());
      done = train(*store, "done", "bytes", "0123456789ab");
      begun = *store->predictors().create_training(predictor_record("begun"), store::Owner::this_process());
      VERIFY_RESULT(store->predictors().save_epoch(begun, "epochs", "checkpoint"));
    }
    QVERIFY(RawDatabase(folder.file())
                .run("UPDATE predictor SET bytes = x'6279746574' WHERE id = 1; "
                     "UPDATE predictor SET checkpoint = x'00' WHERE id = 2"));
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    QCOMPARE(store->predictors().all()->size(), 2U);
    QVERIFY(is_error(store->predictors().bytes(done).error(), ErrorCode::Corrupt, folder.file()));
    QVERIFY(is_error(store->predictors().checkpoint(begun).error(), ErrorCode::Corrupt, folder.file()));
  }

  void databases_from_before_there_were_any_get_them() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(RawDatabase(folder.file())
                .run(without_projects +
                     "DROP TABLE predictor; DROP TABLE session_notice; DROP TABLE machine_measure; "
                     "DROP TABLE trial_insight; PRAGMA user_version = 6"));
    QVERIFY(store::Store::open(folder.file(), store::OpenMode::ReadOnly)->predictors().all()->empty());
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->trials().of(1).value() == trials);
    QVERIFY(train(*store, "first", "a", "0123456789ab") > 0);
    QCOMPARE(store->predictors().all()->size(), 1U);
  }
};

KERNELSCAPE_PLAIN_TEST(StorePredictorsTest)

}  // namespace kernelscape::store_predictors_test
#include "store_predictors_test.moc"

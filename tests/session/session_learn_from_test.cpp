#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "core/session/learnt_sources.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_learn_from_test {
using namespace kernelscape::session_tests;

/** What a session learns from related spaces, and what it stores of them. */
class SessionLearnFromTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;
  std::shared_ptr<const trial::Recording> recording_ = make_recording(RecordedSpace::Complete);
  std::shared_ptr<const trial::Recording> sample_ = make_recording(RecordedSpace::Sample);

  static session::TuningRequest learning(std::vector<std::string> sources, std::int64_t trials = 10) {
    session::TuningRequest request = replay_request("gp", 7, trials);
    request.learn_from = std::move(sources);
    return request;
  }

  std::filesystem::path write(const std::string& name, const trial::Recording& recording) const {
    const std::filesystem::path file = folder_->filePath(QString::fromStdString(name)).toStdString();
    std::ofstream(file, std::ios::binary) << recording.bytes();
    return file;
  }

  std::string stored_history(store::SessionId id) const {
    return bench_->store.sessions().get(id)->record.history_json;
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
  }

  void a_session_is_resumed_with_the_trials_that_it_learnt_from() {
    const store::SessionId source = bench_->run(replay_request("random", 3, 40), recording_)->id;
    const auto cold = bench_->run(replay_request("gp", 7, 10), recording_);
    VERIFY_RESULT(cold);
    QCOMPARE(stored_history(cold->id), std::string("[]"));
    const auto warm = bench_->run(learning({std::to_string(source)}), recording_);
    VERIFY_RESULT(warm);
    const auto learnt = session::learnt_sources_from_json(stored_history(warm->id));
    VERIFY_RESULT(learnt);
    QCOMPARE(learnt->size(), std::size_t{1});
    QCOMPARE(learnt->front().session, source);
    QCOMPARE(learnt->front().trials, std::int64_t{40});
    QVERIFY(session::history_from_json(stored_history(warm->id))->empty());
    const auto first = [&](store::SessionId id) {
      return bench_->store.trials().of(id)->front().configuration;
    };
    QVERIFY(first(cold->id) != first(warm->id));
    // The source grows meanwhile; its later trials are left out.
    VERIFY_RESULT(bench_->resume(source, [](trial::Budget& budget) { budget.trials = 60; }));
    VERIFY_RESULT(bench_->resume(warm->id, [](trial::Budget& budget) { budget.trials = 20; }));
    QCOMPARE(bench_->store.trials().of(warm->id)->size(), std::size_t{20});
  }

  void a_file_that_has_changed_is_refused() {
    const std::filesystem::path file = write("other device.ksrec", *recording_);
    const auto run = bench_->run(learning({file.string()}), recording_);
    VERIFY_RESULT(run);
    VERIFY_RESULT(bench_->resume(run->id, [](trial::Budget& budget) { budget.trials = 14; }));
    write("other device.ksrec", *sample_);
    const auto changed = bench_->resume(run->id, [](trial::Budget& budget) { budget.trials = 20; });
    QVERIFY(!changed);
    const std::string text = describe(changed.error());
    QVERIFY2(text.contains("have changed") && text.contains("other device.ksrec"), text.c_str());
    std::filesystem::remove(file);
    QVERIFY(!bench_->resume(run->id));
    QCOMPARE(bench_->store.trials().of(run->id)->size(), std::size_t{14});
  }

  void sources_that_are_of_no_use_are_refused() {
    const store::SessionId few = bench_->run(replay_request("random", 3, 8), recording_)->id;
    const auto refused = [&](const session::TuningRequest& request) {
      const auto tuning = session::prepare_replay(request, bench_->store, recording_);
      return tuning ? std::string() : describe(tuning.error());
    };
    const std::string unknown = refused(learning({"no such thing"}));
    QVERIFY2(unknown.contains("no such thing") && unknown.contains("collection"), unknown.c_str());
    const std::string short_source = refused(learning({std::to_string(few)}));
    QVERIFY2(short_source.contains("valid trials"), short_source.c_str());
    session::TuningRequest other = learning({write("a.ksrec", *recording_).string()});
    QCOMPARE(refused(other), std::string());
    other.tuner = "random";
    const std::string tuner = refused(other);
    QVERIFY2(tuner.contains("random") && tuner.contains("gp"), tuner.c_str());
    const std::vector<std::string> many(session::max_sources + 1, folder_->filePath("a.ksrec").toStdString());
    QVERIFY(refused(learning(many)).contains("at most 16"));
  }

  void one_file_given_twice_has_two_names() {
    const std::string file = write("a.ksrec", *recording_).string();
    const auto tuning =
        session::prepare_replay(learning({file, "recorded:" + file}), bench_->store, recording_);
    VERIFY_RESULT(tuning);
    QCOMPARE(tuning->setup.sources.size(), std::size_t{2});
    QCOMPARE(tuning->setup.sources[0]->name, std::string("a"));
    QCOMPARE(tuning->setup.sources[1]->name, std::string("a #2"));
    QVERIFY(tuning->setup.learnt_sources[0] == tuning->setup.learnt_sources[1]);
  }

  void the_command_line_names_the_sources() {
    const std::string line = session::command_line_of(learning({"3", "x.ksrec"}));
    QVERIFY2(line.contains("--learn-from 3 --learn-from x.ksrec"), line.c_str());
    const store::SessionId source = bench_->run(replay_request("random", 3, 40), recording_)->id;
    const auto run = bench_->run(learning({std::to_string(source)}), recording_);
    VERIFY_RESULT(run);
    const auto again = session::request_of(bench_->store.sessions().get(run->id)->record);
    VERIFY_RESULT(again);
    QCOMPARE(again->learn_from, std::vector{std::to_string(source)});
    QVERIFY(again->warm_start.empty());
  }

  void identities_survive_their_text() {
    const space::SearchSpace space = make_space();
    const std::vector<session::HistorySource> history{{3, 500}};
    const std::vector<session::LearntSource> sources{{.session = 4, .trials = 20, .sha256 = "ab"},
                                                     {.file = "/x/\"y\".json", .sha256 = "cd"}};
    const std::string text = session::history_to_json(history, {space.at(5)}, space, sources);
    QVERIFY(*session::learnt_sources_from_json(text) == sources);
    QVERIFY(*session::history_from_json(text) == history);
    QCOMPARE(session::starts_from_json(text, space)->size(), std::size_t{1});
    for (const char* damaged : {R"([{"learn_from": 1}])", R"([{"learn_from": {"sha256": "a"}}])",
                                R"([{"learn_from": {"sha256": 7, "file": "x"}}])"})
      QVERIFY(!session::learnt_sources_from_json(damaged));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionLearnFromTest)

}  // namespace kernelscape::session_learn_from_test
#include "session_learn_from_test.moc"

#include <QTest>

#include "core/session/notice_keeper.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_notices_test {
using namespace kernelscape::session_tests;

namespace {

/** A session run as run_on_this_machine() runs it: with what it says stored. */
Result<session::Outcome> run_kept(Bench& bench, const session::Setup& setup,
                                  const std::vector<session::Message>& before) {
  session::NoticeKeeper keeper(bench.store, bench.observer);
  for (const session::Message& message : before) keeper.message(message);
  const session::Tools tools{bench.measurer, keeper, bench.stop, bench.tools().clock, bench.confirmer};
  return session::run_session(bench.store, setup, tools);
}

Result<session::Outcome> resume_kept(Bench& bench, store::SessionId id, const session::Setup& setup,
                                     const std::vector<session::Message>& before) {
  session::NoticeKeeper keeper(bench.store, bench.observer,
                               bench.store.sessions().get(id)->status.session_seconds);
  for (const session::Message& message : before) keeper.message(message);
  const session::Tools tools{bench.measurer, keeper, bench.stop, bench.tools().clock, bench.confirmer};
  return session::resume_session(bench.store, id, setup, tools);
}

const session::Message loaded{session::MessageKind::Machine,
                              "the machine was loaded: load average 3.0 on 2 processors"};

}  // namespace

/** What a session says is stored with it. */
class SessionNoticesTest : public QObject {
  Q_OBJECT

 private slots:
  void what_was_said_before_and_at_the_end_is_stored() {
    const QTemporaryDir folder;
    Bench bench(folder.filePath("notices.db").toStdString());
    bench.confirmer = [](std::span<const space::Configuration>, const session::StopRequest&,
                         double) -> Result<measure::Confirmations> {
      return fail(ErrorCode::Environment, "the device is gone");
    };
    const auto outcome =
        run_kept(bench, make_setup("random", 3, 20, 8),
                 {loaded,
                  {session::MessageKind::BusyProcess, "cc1plus (process 7) kept 90 % of a processor busy"},
                  loaded,
                  {session::MessageKind::Note, "a note"},
                  {session::MessageKind::Waiting, "waiting for cpu"},
                  {session::MessageKind::Step, "looking"}});
    QVERIFY(outcome);
    const std::vector<trial::SessionNotice> notices = bench.store.notices().of(outcome->id).value();
    QCOMPARE(notices.size(), std::size_t{4});
    QCOMPARE(notices[0].text, loaded.text);
    QCOMPARE(notices[0].kind, std::string(trial::machine_notice));
    QCOMPARE(notices[0].session_seconds, 0.0);
    QCOMPARE(notices[1].kind, std::string(trial::process_notice));
    QCOMPARE(notices[2].kind, std::string(trial::note_notice));
    QCOMPARE(notices[3].kind, std::string(trial::problem_notice));
    QVERIFY(notices[3].text.contains("the device is gone"));
    QVERIFY(notices[3].session_seconds > 0);
    QVERIFY(notices[3].session_seconds <= outcome->status.session_seconds);
    QCOMPARE(trial::disturbances(notices).size(), std::size_t{3});
    // Whoever watches hears all of it, as before: that the best is measured again, too, and that it failed.
    QCOMPARE(bench.observer.messages.size(), std::size_t{8});
    QCOMPARE(bench.observer.id, outcome->id);
    QCOMPARE(std::ssize(bench.observer.trials), outcome->status.trial_count);
  }

  void a_resumed_session_adds_what_is_new() {
    const QTemporaryDir folder;
    Bench bench(folder.filePath("notices.db").toStdString());
    session::Setup setup = make_setup("random", 4, 20, 8);
    const store::SessionId id = run_kept(bench, setup, {loaded})->id;
    const double before = bench.store.sessions().get(id)->status.session_seconds;
    setup.budget.trials = 40;
    QVERIFY(
        resume_kept(bench, id, setup, {loaded, {session::MessageKind::Machine, "timings were unsteady"}}));
    const std::vector<trial::SessionNotice> notices = bench.store.notices().of(id).value();
    QCOMPARE(notices.size(), std::size_t{2});
    QCOMPARE(notices[0].session_seconds, 0.0);
    QCOMPARE(notices[1].text, std::string("timings were unsteady"));
    QCOMPARE(notices[1].session_seconds, before);
  }

  /** The session of a study's run may be gone when it still talks: that is no reason to end. */
  void what_cannot_be_stored_is_said_with_the_reason() {
    const QTemporaryDir folder;
    Bench bench(folder.filePath("notices.db").toStdString());
    session::NoticeKeeper keeper(bench.store, bench.observer);
    keeper.message(loaded);
    keeper.started(77, store::SessionRecord());
    keeper.message({session::MessageKind::Note, "a note"});
    const std::vector<session::Message>& said = bench.observer.messages;
    QCOMPARE(said.size(), std::size_t{3});
    QCOMPARE(said[0].text, loaded.text);
    QCOMPARE(said[1].kind, session::MessageKind::Problem);
    QVERIFY(said[1].text.contains("not stored") && said[1].text.contains("77"));
    QCOMPARE(said[2].text, std::string("a note"));  // the reason is the same: it is not repeated
    QVERIFY(bench.store.notices().of(77)->empty());
  }

  void a_full_session_says_that_no_more_is_kept() {
    const QTemporaryDir folder;
    Bench bench(folder.filePath("notices.db").toStdString());
    const store::SessionId id = bench.run(make_setup("random", 5, 8, 8))->id;
    for (std::int64_t i = 0; i < store::max_session_notices; ++i)
      QVERIFY(
          bench.store.notices().add(id, {std::string(trial::note_notice), "note " + std::to_string(i), 0}));
    bench.observer.messages.clear();
    session::NoticeKeeper keeper(bench.store, bench.observer);
    keeper.started(id, store::SessionRecord());
    keeper.message(loaded);
    QCOMPARE(bench.observer.messages.size(), std::size_t{2});
    QCOMPARE(bench.observer.messages[0].text, loaded.text);
    QVERIFY(bench.observer.messages[1].text.contains(std::to_string(store::max_session_notices)));
  }
};

KERNELSCAPE_PLAIN_TEST(SessionNoticesTest)

}  // namespace kernelscape::session_notices_test
#include "session_notices_test.moc"

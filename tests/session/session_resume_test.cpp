#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "core/session/setup.h"
#include "tests/session/session_support.h"
#include "tests/session/watched_tuner.h"
#include "tests/test_program.h"

namespace kernelscape::session_resume_test {
using namespace kernelscape::session_tests;

/** Going on exactly, or refusing with what differs. */
class SessionResumeTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::string path_;

  /** Runs until `trials` trials are there, then ends at once. */
  store::SessionId interrupted_session(const session::Setup& setup, std::size_t trials);

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    path_ = folder_->filePath("test.db").toStdString();
  }

  void onlyWhatIsMissingIsMeasured();
  void raisedBudgetsResumeExactly_data();
  void raisedBudgetsResumeExactly();
  void aKeptTunerResumesExactly_data();
  void aKeptTunerResumesExactly();
  void aLimitInMidBatchIsExact();
  void doneSessionsStayDone();
  void differencesAreRefused_data();
  void differencesAreRefused();
  void otherProposalsAreAMismatch();
  void aLivingOwnerIsRespected();
  void unknownSessionsAreNotFound();
  void warmStartTakesMembersInOrder();
  void warmStartNeedsTheSameKnobs();
  void warmStartedSessionsResume();
  void sessionsWithStartsResume_data() { raisedBudgetsResumeExactly_data(); }
  void sessionsWithStartsResume();
  void settingsAndHistorySurviveTheirText();
  void sessionsOfBeforeThereWereEncodingsAreAsTheyWere();
  void sessionsOfBeforeASettingResumeWithWhatWasThen();
  void levelsResumeExactly();
};

store::SessionId SessionResumeTest::interrupted_session(const session::Setup& setup, std::size_t trials) {
  Bench bench(path_);
  bench.observer.on_trial = [&](const trial::Trial&) {
    if (bench.observer.trials.size() == trials) bench.stop.stop_at_once();
  };
  return bench.run(setup)->id;
}

void SessionResumeTest::onlyWhatIsMissingIsMeasured() {
  const session::Setup setup = make_setup("ga", 11, 40, 8);
  const store::SessionId id = interrupted_session(setup, 19);
  Bench bench(path_);
  const std::vector<trial::Trial> before = *bench.store.trials().of(id);
  QCOMPARE(before.size(), std::size_t(19));
  QVERIFY(bench.resume(id, setup));
  QCOMPARE(bench.observer.trials.size(), std::size_t(40 - 19));
  for (const trial::Trial& trial : before) {
    QVERIFY(!bench.measurer.submitted.contains(trial.configuration));
    QVERIFY(*bench.store.trials().get(id, trial.number) == trial);
  }
  Bench whole(folder_->filePath("whole.db").toStdString());
  const auto uninterrupted = whole.run(setup);
  QVERIFY(comparable_trials(bench.store, id) == comparable_trials(whole.store, uninterrupted->id));
}

void SessionResumeTest::raisedBudgetsResumeExactly_data() {
  QTest::addColumn<QString>("tuner");
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    QTest::addRow("%s", tuner.name.c_str()) << tuner.name.c_str();
}

/** A batch that a budget clipped is replayed as it was, however often the budget is raised and the session
 * stopped. */
void SessionResumeTest::raisedBudgetsResumeExactly() {
  QFETCH(QString, tuner);
  session::Setup setup = make_setup(tuner.toStdString(), 12, 13, 8);
  Bench first(path_);
  const store::SessionId id = first.run(setup)->id;
  setup.budget.trials = 27;
  QVERIFY(first.resume(id, setup));

  // The same raises, but stopped in the middle of each part.
  setup.budget.trials = 13;
  Bench other(folder_->filePath("other.db").toStdString());
  const auto stop_after = [&](std::size_t trials) {
    other.observer.trials.clear();
    other.observer.on_trial = [&other, trials](const trial::Trial&) {
      if (other.observer.trials.size() == trials) other.stop.stop_at_once();
    };
  };
  stop_after(10);
  const store::SessionId other_id = other.run(setup)->id;
  const auto keep_going = [&](std::int64_t trials, std::size_t stop) {
    setup.budget.trials = trials;
    stop_after(stop);
    session::Tools tools = other.tools();
    session::StopRequest fresh;
    other.observer.on_trial = [&](const trial::Trial&) {
      if (other.observer.trials.size() == stop) fresh.stop_at_once();
    };
    return session::resume_session(other.store, other_id, setup,
                                   {other.measurer, other.observer, fresh, tools.clock, tools.confirmer});
  };
  QVERIFY(keep_going(13, 99));
  QVERIFY(keep_going(27, 6));
  const auto outcome = keep_going(27, 99);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  QCOMPARE(outcome->status.trial_count, 27);
  QVERIFY(comparable_trials(other.store, other_id) == comparable_trials(first.store, id));
}

void SessionResumeTest::aKeptTunerResumesExactly_data() { raisedBudgetsResumeExactly_data(); }

/** Raised again and again in one process: the tuner that was kept proposes what one that catches up does. */
void SessionResumeTest::aKeptTunerResumesExactly() {
  QFETCH(QString, tuner);
  session::Setup setup = make_setup(tuner.toStdString(), 12, 13, 8);
  int made = 0;
  session::Setup own = setup;
  own.make_tuner = watched(setup.tuner, {.made = [&](const tuner::Context&) { ++made; }});
  session::TunerCheckpoint kept;
  Bench keeping(path_);
  keeping.kept = &kept;
  Bench forgetting(folder_->filePath("other.db").toStdString());
  const store::SessionId id = keeping.run(own)->id;
  const store::SessionId other_id = forgetting.run(setup)->id;
  for (const std::int64_t trials : {27, 30, 41}) {
    QVERIFY(kept.tuner && kept.session == id);
    // Another process goes on with the session meanwhile: what was kept is behind.
    if (trials == 41) {
      setup.budget.trials = 35;
      Bench stranger(path_);
      QVERIFY(stranger.resume(id, setup));
      QVERIFY(forgetting.resume(other_id, setup));
    }
    setup.budget.trials = own.budget.trials = trials;
    const auto outcome = keeping.resume(id, own);
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    QCOMPARE(made, trials == 41 ? 2 : 1);
    QVERIFY(forgetting.resume(other_id, setup));
    QVERIFY(comparable_trials(keeping.store, id) == comparable_trials(forgetting.store, other_id));
  }
  QCOMPARE(keeping.store.sessions().get(id)->status.best_trial,
           forgetting.store.sessions().get(other_id)->status.best_trial);
}

/** A session without a limit is interrupted and given one that the batch in progress exceeds. */
void SessionResumeTest::aLimitInMidBatchIsExact() {
  session::Setup setup = make_setup("ga", 12, 0, 8);
  const store::SessionId id = interrupted_session(setup, 10);
  Bench bench(path_);
  for (const std::int64_t trials : {13, 13, 30}) {
    setup.budget.trials = trials;
    const auto outcome = bench.resume(id, setup);
    QVERIFY(outcome);
    QCOMPARE(outcome->status.state, store::SessionState::Done);
    QCOMPARE(outcome->status.trial_count, trials);
    QCOMPARE(outcome->status.state_reason, std::to_string(trials) + " trials");
  }
  Bench whole(folder_->filePath("whole.db").toStdString());
  QVERIFY(comparable_trials(bench.store, id) == comparable_trials(whole.store, whole.run(setup)->id));
}

void SessionResumeTest::doneSessionsStayDone() {
  const session::Setup setup = make_setup("random", 13, 20, 8);
  Bench bench(path_);
  const auto outcome = bench.run(setup);
  const auto again = bench.resume(outcome->id, setup);
  QVERIFY(again);
  QCOMPARE(again->status.state, store::SessionState::Done);
  QCOMPARE(again->status.trial_count, 20);
  QCOMPARE(again->status.session_seconds, outcome->status.session_seconds);
}

void SessionResumeTest::differencesAreRefused_data() {
  QTest::addColumn<QString>("named");
  QTest::addColumn<int>("change");
  QTest::addRow("template version") << "version 2" << 0;
  QTest::addRow("target") << "target cores" << 1;
  QTest::addRow("space") << "search space" << 2;
  QTest::addRow("seed") << "seed" << 3;
  QTest::addRow("tuner") << "tuner" << 4;
  QTest::addRow("options") << "repeats" << 5;
  QTest::addRow("task") << "task" << 6;
  QTest::addRow("batch size") << "batch size" << 7;
}

void SessionResumeTest::differencesAreRefused() {
  QFETCH(QString, named);
  QFETCH(int, change);
  session::Setup setup = make_setup("random", 14, 40, 8);
  const store::SessionId id = interrupted_session(setup, 10);
  if (change == 0) setup.template_version = 2;
  if (change == 1) setup.target.cores = 64;
  if (change == 2) {
    std::vector<space::Knob> knobs = setup.space.knobs();
    knobs.pop_back();
    setup.space = *space::SearchSpace::make(std::move(knobs));
  }
  if (change == 3) setup.seed = 15;
  if (change == 4) setup.tuner = "grid";
  if (change == 5) setup.options.repeats = 3;
  if (change == 6) setup.task = *task::parse_task("matmul 64x48 48x64 f32");
  if (change == 7) setup.batch_size = 9;
  Bench bench(path_);
  const auto outcome = bench.resume(id, setup);
  QVERIFY(!outcome);
  QCOMPARE(outcome.error().code, ErrorCode::Refused);
  QVERIFY2(outcome.error().message.find(named.toStdString()) != std::string::npos,
           outcome.error().message.c_str());
  QVERIFY(outcome.error().hint.find("--warm-start") != std::string::npos);
  QCOMPARE(bench.store.sessions().get(id)->status.trial_count, 10);
  QVERIFY(!bench.store.sessions().get(id)->owner);
}

/** A tuner that has changed since proposes something else: the stored candidates win, and nothing is lost. */
void SessionResumeTest::otherProposalsAreAMismatch() {
  const session::Setup setup = make_setup("random", 15, 40, 8);
  Bench bench(path_);
  const store::Owner owner = store::Owner::this_process();
  const store::SessionId id = *bench.store.sessions().create(session::make_record(setup), owner);
  std::vector<space::Configuration> candidates;
  for (std::uint64_t index = 0; index < 8; ++index) candidates.push_back(setup.space.at(index));
  QVERIFY(bench.store.batches().append(id, 0, candidates, 0.1));
  QVERIFY(bench.store.sessions().release(id, owner));
  const auto outcome = bench.resume(id, setup);
  QVERIFY(!outcome);
  QCOMPARE(outcome.error().code, ErrorCode::Refused);
  QVERIFY(outcome.error().message.find("batch 0") != std::string::npos);
  QVERIFY(outcome.error().hint.find("--warm-start") != std::string::npos);
  QVERIFY(bench.measurer.submitted.empty());
  QCOMPARE(bench.store.batches().of(id)->size(), std::size_t(1));
  QVERIFY(!bench.store.sessions().get(id)->owner);
}

void SessionResumeTest::aLivingOwnerIsRespected() {
  const session::Setup setup = make_setup("random", 16, 20, 8);
  Bench bench(path_);
  Bench intruder(path_);
  std::optional<Error> refused;
  bench.observer.on_trial = [&](const trial::Trial& trial) {
    if (trial.number != 0) return;
    const auto outcome = intruder.resume(bench.observer.id, setup);
    if (!outcome) refused = outcome.error();
  };
  QVERIFY(bench.run(setup));
  QVERIFY(refused);
  QCOMPARE(refused->code, ErrorCode::Refused);
  QVERIFY(intruder.observer.trials.empty());
}

void SessionResumeTest::unknownSessionsAreNotFound() {
  Bench bench(path_);
  const auto outcome = bench.resume(99, make_setup("random", 16, 20, 8));
  QVERIFY(!outcome);
  QCOMPARE(outcome.error().code, ErrorCode::NotFound);
}

void SessionResumeTest::warmStartTakesMembersInOrder() {
  const session::Setup setup = make_setup("random", 17, 30, 8);
  Bench bench(path_);
  const store::SessionId id = bench.run(setup)->id;
  const auto warm = session::warm_start_from(bench.store, id, setup.space, setup.task.flops());
  QVERIFY(warm);
  const std::vector<trial::Trial> trials = *bench.store.trials().of(id);
  QCOMPARE(warm->observations.size(), trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    QVERIFY(warm->observations[i] == trial::observe_trial(trials[i], setup.task.flops()));
  }
  QVERIFY((warm->source == session::HistorySource{id, 30}));
  // The first that arrived, whatever came later.
  QCOMPARE(session::warm_start_from(bench.store, id, setup.space, 1e9, 12)->observations.size(),
           std::size_t(12));
  QVERIFY(!session::warm_start_from(bench.store, id, setup.space, 1e9, 31));
}

void SessionResumeTest::warmStartNeedsTheSameKnobs() {
  const session::Setup setup = make_setup("random", 18, 10, 8);
  Bench bench(path_);
  const store::SessionId id = bench.run(setup)->id;
  std::vector<space::Knob> knobs = setup.space.knobs();
  knobs.erase(knobs.begin());
  const auto warm =
      session::warm_start_from(bench.store, id, *space::SearchSpace::make(std::move(knobs)), 1e9);
  QVERIFY(!warm);
  QCOMPARE(warm.error().code, ErrorCode::InvalidArgument);
}

void SessionResumeTest::warmStartedSessionsResume() {
  Bench bench(path_);
  const store::SessionId source = bench.run(make_setup("random", 19, 20, 8))->id;
  session::Setup setup = make_setup("nose", 20, 40, 8);
  const session::WarmStart warm =
      *session::warm_start_from(bench.store, source, setup.space, setup.task.flops());
  setup.history = warm.observations;
  setup.history_sources = {warm.source};
  const store::SessionId id = interrupted_session(setup, 21);
  const auto outcome = bench.resume(id, setup);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  Bench whole(folder_->filePath("whole.db").toStdString());
  QVERIFY(comparable_trials(bench.store, id) == comparable_trials(whole.store, whole.run(setup)->id));

  // Without the history the tuner would be another: that is refused before anything is proposed.
  setup.history.clear();
  setup.history_sources.clear();
  const auto cold = bench.resume(id, setup);
  QVERIFY(!cold);
  QVERIFY(cold.error().message.find("warm start") != std::string::npos);
}

/** The starts come first and are measured once, whatever the tuner proposes later; all that follows is the
 * same with and without an interruption. */
void SessionResumeTest::sessionsWithStartsResume() {
  QFETCH(QString, tuner);
  session::Setup setup = make_setup(tuner.toStdString(), 21, 3, 8);
  // The tuner's own first candidate: it will propose that one again.
  {
    Bench alone(folder_->filePath("alone.db").toStdString());
    const store::SessionId id = alone.run(setup)->id;
    const space::Configuration own = alone.store.trials().of(id)->front().configuration;
    for (const std::uint64_t index : std::vector<std::uint64_t>{7, 40, 41})
      if (setup.space.at(index) != own && setup.starts.size() < 2)
        setup.starts.push_back(setup.space.at(index));
    setup.starts.insert(setup.starts.begin() + 1, own);
  }
  const store::SessionId id = interrupted_session(setup, 2);
  Bench bench(path_);
  QVERIFY(bench.resume(id, setup));
  setup.budget.trials = 40;
  bench.observer.on_trial = [&](const trial::Trial& trial) {
    if (trial.number == 20) bench.stop.stop_at_once();
  };
  QVERIFY(bench.resume(id, setup));
  Bench again(path_);
  const auto outcome = again.resume(id, setup);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  const std::vector<trial::Trial> trials = comparable_trials(again.store, id);
  QCOMPARE(trials.size(), std::size_t{40});
  std::set<space::Configuration> distinct;
  for (const trial::Trial& trial : trials) distinct.insert(trial.configuration);
  QCOMPARE(distinct.size(), trials.size());
  for (std::size_t i = 0; i < setup.starts.size(); ++i) QVERIFY(trials[i].configuration == setup.starts[i]);

  Bench through(folder_->filePath("through.db").toStdString());
  setup.budget.trials = 3;
  const store::SessionId whole = through.run(setup)->id;
  setup.budget.trials = 40;
  QVERIFY(through.resume(whole, setup));
  QVERIFY(trials == comparable_trials(through.store, whole));

  // Other starts are another session.
  setup.starts.pop_back();
  const auto other = again.resume(id, setup);
  QVERIFY(!other && other.error().message.contains("warm start"));
}

void SessionResumeTest::settingsAndHistorySurviveTheirText() {
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    const tuner::SettingValues settings = *tuner::parse_settings(tuner, {});
    const auto read = session::settings_from_json(tuner, session::settings_to_json(settings));
    QVERIFY2(read, tuner.name.c_str());
    QVERIFY(*read == settings);
    QVERIFY(!session::settings_from_json(tuner, "[1]"));
    QVERIFY(!session::settings_from_json(tuner, "{\"no such setting\": 1}"));
  }
  const std::vector<session::HistorySource> sources{{3, 500}, {7, 0}};
  const space::SearchSpace space = make_space();
  const std::vector<space::Configuration> starts{space.at(5), space.at(2)};
  const std::string text = session::history_to_json(sources, starts, space);
  QVERIFY(*session::history_from_json(text) == sources);
  QVERIFY(*session::starts_from_json(text, space) == starts);
  QVERIFY(session::starts_from_json(session::history_to_json(sources, {}, space), space)->empty());
  QVERIFY(!session::starts_from_json(text, make_factorization_space()));
  for (const char* damaged : {"{}", "[1]", "[{\"session\": \"x\", \"trials\": 1}]", "[{\"session\": 1}]"}) {
    QVERIFY(!session::history_from_json(damaged));
  }
  QVERIFY(!session::starts_from_json("[{\"start\": 7}]", space));
}

/** Their settings say nothing of an encoding: they search factorizations, and nothing else goes on with them.
 */
void SessionResumeTest::sessionsOfBeforeThereWereEncodingsAreAsTheyWere() {
  session::Setup setup = make_setup("ga", 15, 30, 8);
  const store::SessionId id = interrupted_session(setup, 12);
  Bench bench(path_);
  const store::SessionRecord record = bench.store.sessions().get(id)->record;
  QCOMPARE(record.settings_json, std::string(R"({"elites":3,"mutation_probability":0.1,"population":100})"));
  setup.settings = *session::settings_from_json(**tuner::find_tuner("ga"), record.settings_json);
  QCOMPARE(space::to_string(setup.settings["encoding"]), std::string("factorizations"));
  QVERIFY(session::setup_differences(record, setup).empty());

  setup.settings = *tuner::parse_settings(**tuner::find_tuner("ga"), {{"encoding", "levels"}});
  const auto refused = bench.resume(id, setup);
  QVERIFY(!refused && refused.error().message.find("setting encoding") != std::string::npos);
  setup.settings = *tuner::parse_settings(**tuner::find_tuner("ga"), {});
  QVERIFY(bench.resume(id, setup));
}

/** NoSE's mutation could give the same value: a session that says nothing of it goes on so. */
void SessionResumeTest::sessionsOfBeforeASettingResumeWithWhatWasThen() {
  const tuner::Declaration& nose = **tuner::find_tuner("nose");
  session::Setup setup = make_setup("nose", 21, 30, 8);
  QCOMPARE(space::to_string(setup.settings["mutation_value"]), std::string("another"));
  setup.settings = *session::settings_from_json(nose, R"({"population":40})");
  QCOMPARE(space::to_string(setup.settings["mutation_value"]), std::string("any"));
  QCOMPARE(space::to_string(setup.settings["population"]), std::string("40"));

  store::SessionRecord record = session::make_record(setup);
  const std::string reported = R"("mutation_value":"any",)";
  const std::size_t place = record.settings_json.find(reported);
  QVERIFY(place != std::string::npos);
  record.settings_json.erase(place, reported.size());
  QVERIFY(session::setup_differences(record, setup).empty());
  setup.settings = *tuner::parse_settings(nose, {{"population", "40"}});
  const std::vector<std::string> differences = session::setup_differences(record, setup);
  QCOMPARE(differences.size(), std::size_t{1});
  QVERIFY(differences.front().find("setting mutation_value: any") != std::string::npos);
}

/** What is stored are factorizations, whatever the tuner searches. */
void SessionResumeTest::levelsResumeExactly() {
  session::Setup setup = make_setup("ga", 16, 150, 8);
  setup.settings =
      *tuner::parse_settings(**tuner::find_tuner("ga"), {{"encoding", "levels"}, {"population", "20"}});
  const store::SessionId id = interrupted_session(setup, 70);
  Bench bench(path_);
  const store::SessionRecord record = bench.store.sessions().get(id)->record;
  setup.settings = *session::settings_from_json(**tuner::find_tuner("ga"), record.settings_json);
  QCOMPARE(space::to_string(setup.settings["encoding"]), std::string("levels"));
  QCOMPARE(record.space_fingerprint, setup.space.fingerprint());
  QVERIFY(bench.resume(id, setup));
  Bench whole(folder_->filePath("whole.db").toStdString());
  const auto uninterrupted = whole.run(setup);
  QVERIFY(comparable_trials(bench.store, id) == comparable_trials(whole.store, uninterrupted->id));
  const std::vector<trial::Trial> trials = *bench.store.trials().of(id);
  for (const trial::Trial& trial : trials) QVERIFY(setup.space.contains(trial.configuration));

  // It warms a session of the other encoding, whose knobs are the same.
  const auto warm = session::warm_start_from(bench.store, id, setup.space, setup.task.flops(), -1);
  QVERIFY(warm && !warm->observations.empty());
}

KERNELSCAPE_PLAIN_TEST(SessionResumeTest)

}  // namespace kernelscape::session_resume_test
#include "session_resume_test.moc"

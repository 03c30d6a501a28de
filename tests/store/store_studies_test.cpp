#include <QTest>
#include <algorithm>
#include <map>
#include <memory>

#include "core/trial/recording_builder.h"
#include "tests/store/child_process.h"
#include "tests/store/damage_support.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::store_studies_test {
using namespace kernelscape::store_test;

namespace {

store::StudyRecord study_record(const std::string& name, std::int64_t runs) {
  store::StudyRecord record;
  record.name = name;
  record.program_version = "1.2";
  record.study_json = R"({"name": "x"})";
  record.run_count = runs;
  return record;
}

/** A recorded space of one row, in the database. */
store::RecordingId small_recording(store::Store& store) {
  trial::RecordingBuilder builder(recording_test::named_header("small"),
                                  *space::SearchSpace::make({*space::Knob::factorization("a", 64, 2)}));
  const Status added = builder.add({{3}}, recording_test::timed({1, 2}, 1, 1));
  return added ? store.recordings().add(**builder.build()).value() : 0;
}

store::SessionRecord replay_record(store::RecordingId recording) {
  store::SessionRecord record;
  record.kind = store::SessionKind::Replayed;
  record.recording = recording;
  record.real_measurements = false;
  record.space_json = "space";
  return record;
}

store::SessionStatus ended(store::SessionState state) {
  store::SessionStatus status;
  status.state = state;
  status.trial_count = 1;
  status.best_seconds = 1.5;
  return status;
}

/** Makes a run and ends it. */
Result<store::SessionId> complete_run(store::Store& store, store::StudyId study, std::int64_t run,
                                      store::RecordingId recording,
                                      store::SessionState state = store::SessionState::Done) {
  const auto id = store.sessions().create(replay_record(recording), store::Owner::this_process(), study, run);
  if (!id) return id;
  const std::vector<store::ReplayedBatch> batches{{0, 0, 0, {0}, {2}}};
  if (Status stored = store.batches().append_replayed(*id, batches, {}, ended(state)); !stored)
    return std::unexpected(stored.error());
  if (Status freed = store.sessions().release(*id, store::Owner::this_process()); !freed)
    return std::unexpected(freed.error());
  return id;
}

/** A study's process: claims it and makes some runs, one after the other. Returns the exit code. */
int run_study_process(const std::filesystem::path& path, store::StudyId study, store::RecordingId recording,
                      std::int64_t max_runs, int pipe_end) {
  auto store = store::Store::open(path);
  if (!store) return 1;
  if (!store->studies().claim(study, store::Owner::this_process())) return 2;
  write_byte(pipe_end);
  const auto runs = store->studies().runs(study);
  if (!runs) return 3;
  for (const store::StudyRun& run : *runs) {
    if (run.started() || max_runs-- <= 0) continue;
    if (!complete_run(*store, study, run.run, recording)) return 4;
    write_byte(pipe_end);
  }
  return store->studies().release(study, store::Owner::this_process()) ? 0 : 5;
}

}  // namespace

class StoreStudiesTest : public QObject {
  Q_OBJECT

 private slots:
  void a_study_counts_its_runs() {
    base::Random random = printed_random();
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::RecordingId recording = small_recording(*store);
    const store::StudyId other = *store->studies().create(study_record("other", 3));
    VERIFY_RESULT(complete_run(*store, other, 2, recording));
    const store::StudyId study = *store->studies().create(study_record("tuners", 40));
    std::map<std::int64_t, store::SessionState> sessions;
    std::map<std::int64_t, std::string> errors;
    for (int step = 0; step < 60; ++step) {
      const auto run = static_cast<std::int64_t>(random.below(40));
      if (random.chance(0.25)) {
        errors[run] = random.chance(0.3) ? "" : "the target has vanished";
        VERIFY_RESULT(store->studies().set_run_error(study, run, errors[run]));
      } else if (sessions.contains(run)) {
        QCOMPARE(complete_run(*store, study, run, recording).error().code, ErrorCode::Refused);
      } else {
        const auto state = static_cast<store::SessionState>(1 + random.below(3));
        VERIFY_RESULT(complete_run(*store, study, run, recording, state));
        sessions[run] = state;
        errors[run] = "";
      }
    }
    std::int64_t done = 0;
    std::int64_t failed = 0;
    const auto runs = store->studies().runs(study).value();
    QCOMPARE(runs.size(), 40U);
    for (std::int64_t run = 0; run < 40; ++run) {
      const store::StudyRun& stored = runs[static_cast<std::size_t>(run)];
      QCOMPARE(stored.run, run);
      QCOMPARE(stored.error, errors[run]);
      QCOMPARE(stored.started(), sessions.contains(run));
      if (stored.started()) QCOMPARE(stored.status.state, sessions[run]);
      if (stored.started()) QCOMPARE(stored.status.best_seconds, 1.5);
      if (stored.started()) QCOMPARE(store->sessions().get(*stored.session)->study, std::optional(study));
      const bool bad =
          !errors[run].empty() || (stored.started() && sessions[run] == store::SessionState::Failed);
      failed += bad ? 1 : 0;
      done += !bad && stored.started() && sessions[run] == store::SessionState::Done ? 1 : 0;
    }
    const store::StudySummary summary = store->studies().get(study).value();
    QCOMPARE(summary.done_runs, done);
    QCOMPARE(summary.failed_runs, failed);
    const auto listed = store->studies().all().value();
    QCOMPARE(listed.size(), 2U);
    QCOMPARE(listed[0].record.id, study);
    QCOMPARE(listed[0].done_runs, done);
    QCOMPARE(listed[0].failed_runs, failed);
    QCOMPARE(listed[1].done_runs, 1);
    QCOMPARE(listed[1].failed_runs, 0);
  }

  void a_fresh_study_is_new() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::StudyId study = *store->studies().create(study_record("name", 2));
    const store::StudySummary summary = store->studies().get(study).value();
    QCOMPARE(summary.record.name, std::string("name"));
    QCOMPARE(summary.record.study_json, study_record("", 0).study_json);
    QCOMPARE(summary.record.program_version, std::string("1.2"));
    QCOMPARE(summary.record.run_count, 2);
    QCOMPARE(summary.record.created_utc.size(), std::string("2026-01-02T03:04:05Z").size());
    QVERIFY(!summary.owner);
    QVERIFY(summary.annotation == store::SessionAnnotation{});
    QCOMPARE(store->studies().runs(study)->size(), 2U);
    QVERIFY(!store->studies().runs(study)->front().started());
    QVERIFY(!store->studies().create(study_record("less than none", -1)));
  }

  void sessions_of_studies_stay_out_of_the_lists() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::RecordingId recording = small_recording(*store);
    const store::StudyId study = *store->studies().create(study_record("name", 4));
    store::SessionRecord alone;
    alone.name = "alone";
    const store::SessionId listed = store->sessions().create(alone, store::Owner::this_process()).value();
    const store::SessionId hidden = complete_run(*store, study, 0, recording).value();
    VERIFY_RESULT(store->sessions().set_name(hidden, "hidden"));
    QCOMPARE(store->sessions().all()->size(), 1U);
    QCOMPARE(store->sessions().list()->front().record.id, listed);
    QCOMPARE(store->sessions().find(std::to_string(hidden)).value(), hidden);
    QCOMPARE(store->sessions().find("hidden").error().code, ErrorCode::NotFound);
    QVERIFY(!store->sessions().get(listed)->study);
    QCOMPARE(store->sessions().get(hidden)->study, std::optional(study));
  }

  void what_does_not_fit_leaves_no_session() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::RecordingId recording = small_recording(*store);
    const store::StudyId study = *store->studies().create(study_record("name", 2));
    const auto code = [&](store::StudyId which, std::int64_t run) {
      return store->sessions()
          .create(replay_record(recording), store::Owner::this_process(), which, run)
          .error()
          .code;
    };
    QCOMPARE(code(study, 2), ErrorCode::Refused);
    QCOMPARE(code(study, -1), ErrorCode::Refused);
    QCOMPARE(code(study + 1, 0), ErrorCode::NotFound);
    const store::SessionId first = complete_run(*store, study, 0, recording).value();
    QCOMPARE(code(study, 0), ErrorCode::Refused);
    QCOMPARE(store->sessions().get(first + 1).error().code, ErrorCode::NotFound);
    QCOMPARE(store->studies().set_run_error(study, 2, "x").error().code, ErrorCode::NotFound);
    for (const Status& status :
         {store->studies().set_run_error(9, 0, "x"), store->studies().claim(9, store::Owner::this_process()),
          store->studies().release(9, store::Owner::this_process()), store->studies().set_name(9, "x"),
          store->studies().set_note(9, "x"), store->studies().set_tags(9, {}), store->studies().trash(9),
          store->studies().restore(9), store->studies().remove(9)})
      QCOMPARE(status.error().code, ErrorCode::NotFound);
    QCOMPARE(store->studies().get(9).error().code, ErrorCode::NotFound);
    QCOMPARE(store->studies().runs(9).error().code, ErrorCode::NotFound);
  }

  void studies_are_found_annotated_and_trashed() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    QCOMPARE(store->studies().find("x").error().code, ErrorCode::NotFound);
    const store::StudyId first = *store->studies().create(study_record("twice", 1));
    const store::StudyId second = *store->studies().create(study_record("twice", 1));
    const auto twice = store->studies().find("twice");
    QCOMPARE(twice.error().code, ErrorCode::InvalidArgument);
    QVERIFY(twice.error().hint.find(std::to_string(second)) != std::string::npos);
    VERIFY_RESULT(store->studies().set_name(first, "once"));
    QCOMPARE(store->studies().find("once").value(), first);
    QCOMPARE(store->studies().find(std::to_string(second)).value(), second);
    VERIFY_RESULT(store->studies().set_note(first, "a note"));
    VERIFY_RESULT(store->studies().set_tags(first, std::vector<std::string>{"a", "b c"}));
    QVERIFY(!store->studies().set_tags(first, std::vector<std::string>{"a\nb"}));
    QVERIFY(
        (store->studies().get(first)->annotation == store::SessionAnnotation{{"a", "b c"}, "a note", false}));
    VERIFY_RESULT(store->studies().trash(first));
    QCOMPARE(store->studies().all()->size(), 1U);
    QCOMPARE(store->studies().trashed().value(), std::vector{first});
    QCOMPARE(store->studies().find("once").error().code, ErrorCode::NotFound);
    QVERIFY(store->studies().get(first)->annotation.trashed);
    VERIFY_RESULT(store->studies().restore(first));
    QCOMPARE(store->studies().all()->size(), 2U);
  }

  void a_deleted_study_takes_its_sessions_and_recordings_along() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::RecordingId recording = small_recording(*store);
    const store::SessionId recorded = store->sessions()
                                          .create(
                                              [&] {
                                                store::SessionRecord record = replay_record(recording);
                                                record.kind = store::SessionKind::Recorded;
                                                return record;
                                              }(),
                                              store::Owner::this_process())
                                          .value();
    const store::StudyId study = *store->studies().create(study_record("name", 3));
    const store::StudyId other = *store->studies().create(study_record("other", 3));
    const store::SessionId gone = complete_run(*store, study, 0, recording).value();
    const store::SessionId kept = complete_run(*store, other, 0, recording).value();
    const auto there = [&] {
      return store::Store::open(folder.file())->recordings().get(recording).has_value();
    };

    VERIFY_RESULT(store->sessions().release(recorded, store::Owner::this_process()));
    VERIFY_RESULT(store->sessions().remove(recorded));
    QVERIFY(there());  // the studies need it
    VERIFY_RESULT(store->studies().remove(study));
    QCOMPARE(store->studies().get(study).error().code, ErrorCode::NotFound);
    QCOMPARE(store->sessions().get(gone).error().code, ErrorCode::NotFound);
    QVERIFY(there());
    QCOMPARE(store->trials().of(kept)->size(), 1U);
    QCOMPARE(store->studies().get(other)->done_runs, 1);
    // A run whose session is deleted alone can be made again.
    const store::SessionId second = complete_run(*store, other, 1, recording).value();
    VERIFY_RESULT(store->sessions().remove(second));
    QVERIFY(!store->studies().runs(other).value()[1].started());
    VERIFY_RESULT(complete_run(*store, other, 1, recording));
    VERIFY_RESULT(store->studies().remove(other));
    QVERIFY(!there());
  }

  void a_living_run_keeps_its_study() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::RecordingId recording = small_recording(*store);
    const store::StudyId study = *store->studies().create(study_record("name", 3));
    const store::SessionId run =
        store->sessions().create(replay_record(recording), store::Owner::this_process(), study, 0).value();
    QCOMPARE(store->studies().runs(study)->front().status.state, store::SessionState::Running);
    QCOMPARE(store->studies().remove(study).error().code, ErrorCode::Refused);
    VERIFY_RESULT(store->sessions().release(run, store::Owner::this_process()));
    QCOMPARE(store->studies().runs(study)->front().status.state, store::SessionState::Interrupted);
    VERIFY_RESULT(store->studies().claim(study, store::Owner::this_process()));
    QCOMPARE(store->studies().remove(study).error().code, ErrorCode::Refused);
    QCOMPARE(store->studies().trash(study).error().code, ErrorCode::Refused);
    QCOMPARE(store->studies().claim(study, store::Owner::this_process()).error().code, ErrorCode::Refused);
    QVERIFY(store->studies().get(study)->owner == store::Owner::this_process());
    VERIFY_RESULT(store->studies().release(study, store::Owner::this_process()));
    QCOMPARE(store->studies().release(study, store::Owner::this_process()).error().code, ErrorCode::Refused);
    VERIFY_RESULT(store->studies().remove(study));
  }

  void a_killed_study_can_be_taken_over() {
    base::Random random = printed_random();
    const Folder folder;
    constexpr std::int64_t run_count = 20'000;  // more than any child lives to make
    store::StudyId study = 0;
    store::RecordingId recording = 0;
    {
      auto store = store::Store::open(folder.file());
      recording = small_recording(*store);
      study = *store->studies().create(study_record("name", run_count));
    }
    std::uint64_t acknowledged = 0;
    for (int kill = 0; kill < 8; ++kill) {
      ChildProcess child([&](int pipe_end) {
        return run_study_process(folder.file(), study, recording, run_count, pipe_end);
      });
      const std::uint64_t enough = 1 + random.below(15);
      QVERIFY(child.read_byte());
      auto reader = store::Store::open(folder.file());
      QCOMPARE(reader->studies().claim(study, store::Owner::this_process()).error().code, ErrorCode::Refused);
      QCOMPARE(reader->studies().remove(study).error().code, ErrorCode::Refused);
      for (std::uint64_t i = 0; i < enough; ++i) {
        QVERIFY(child.read_byte());
        ++acknowledged;
      }
      child.kill_now();
      child.wait_for_end();
      while (child.read_byte()) ++acknowledged;
      check_runs(*reader, study, acknowledged, static_cast<std::uint64_t>(kill) + 1);
    }
    const auto unmade = [&] {
      const auto runs = store::Store::open(folder.file())->studies().runs(study).value();
      return std::ranges::count_if(runs, [](const store::StudyRun& run) { return !run.started(); });
    };
    const auto before = unmade();
    ChildProcess last(
        [&](int pipe_end) { return run_study_process(folder.file(), study, recording, 20, pipe_end); });
    while (last.read_byte()) continue;
    QCOMPARE(last.wait(), 0);
    QCOMPARE(unmade(), before - 20);
    QVERIFY(!store::Store::open(folder.file())->studies().get(study)->owner);
  }

  /** Each run takes memory before anything of it is read. */
  void more_runs_than_a_study_can_have_are_damage() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store->studies().create(study_record("sound", 1)));
    const store::StudyId study = *store->studies().create(study_record("forged", store::max_study_runs));
    VERIFY_RESULT(store->studies().get(study));
    const std::string forged = std::to_string(store::max_study_runs + 1);
    QVERIFY(RawDatabase(folder.file()).run("UPDATE study SET run_count = " + forged + " WHERE id = 2"));
    QCOMPARE(store->studies().get(study).error().code, ErrorCode::Corrupt);
    QCOMPARE(store->studies().runs(study).error().code, ErrorCode::Corrupt);
    std::vector<Error> unreadable;
    QCOMPARE(store->studies().all(&unreadable)->size(), 1U);
    QCOMPARE(unreadable.size(), 1U);
  }

  void only_one_of_many_takes_a_free_study() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::StudyId study = *store->studies().create(study_record("name", 1));
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (int i = 0; i < 5; ++i) {
      children.push_back(std::make_unique<ChildProcess>([&](int pipe_end) {
        auto own = store::Store::open(folder.file());
        if (!own) return 1;
        const Status claimed = own->studies().claim(study, store::Owner::this_process());
        if (!claimed && claimed.error().code != ErrorCode::Refused) return 2;
        wait_forever(pipe_end);  // lives on, so that nobody may take over
        return 0;
      }));
    }
    int winners = 0;
    for (auto& child : children) QVERIFY(child->read_byte());
    for (auto& child : children)
      winners += store->studies().get(study)->owner->process_id == child->process_id() ? 1 : 0;
    QCOMPARE(winners, 1);
  }

 private:
  /** Every session belongs to a run, at most one of each killed process is unfinished, none is lost. */
  static void check_runs(const store::Store& store, store::StudyId study, std::uint64_t acknowledged,
                         std::uint64_t kills) {
    QVERIFY(store.sessions().all()->empty());
    std::uint64_t done = 0;
    std::uint64_t interrupted = 0;
    const auto runs = store.studies().runs(study).value();
    for (const store::StudyRun& run : runs) {
      if (!run.started()) continue;
      const std::size_t trials = store.trials().of(*run.session)->size();
      QCOMPARE(static_cast<std::int64_t>(trials), run.status.trial_count);
      done += run.status.state == store::SessionState::Done ? 1 : 0;
      interrupted += run.status.state == store::SessionState::Interrupted ? 1 : 0;
    }
    QVERIFY(done >= acknowledged);
    QVERIFY(done <= acknowledged + kills);
    QVERIFY(interrupted <= kills);
    QCOMPARE(store.studies().get(study)->done_runs, static_cast<std::int64_t>(done));
  }
};

KERNELSCAPE_PLAIN_TEST(StoreStudiesTest)

}  // namespace kernelscape::store_studies_test
#include "store_studies_test.moc"

#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <map>

#include "tests/store/random_session.h"
#include "tests/test_program.h"

namespace kernelscape::store_round_trip_test {
using namespace kernelscape::store_test;

namespace {

/** What a session must give back, kept in memory. */
struct Expected {
  store::SessionRecord record;
  store::SessionStatus status;
  std::size_t knobs = 0;
  std::vector<trial::Trial> trials;  ///< in order of arrival
  std::vector<store::StoredBatch> batches;
  std::map<std::pair<std::int64_t, std::string>, double> series;
  std::vector<trial::Confirmation> confirmations;
  std::vector<store::SessionInterruption> interruptions;
};

bool same_record(const store::SessionRecord& a, const store::SessionRecord& b) {
  return a.id == b.id && a.name == b.name && a.program_version == b.program_version &&
         a.task_name == b.task_name && a.task_json == b.task_json && a.target_name == b.target_name &&
         a.target_json == b.target_json && a.template_name == b.template_name &&
         a.template_version == b.template_version && a.space_json == b.space_json &&
         a.space_fingerprint == b.space_fingerprint && a.tuner == b.tuner &&
         a.settings_json == b.settings_json && a.options_json == b.options_json &&
         a.budget_json == b.budget_json && a.seed == b.seed && a.batch_size == b.batch_size &&
         a.history_json == b.history_json && a.real_measurements == b.real_measurements &&
         a.origin == b.origin && a.probe_machine == b.probe_machine && a.usual_probe == b.usual_probe &&
         (!a.usual_probe.known() || a.probe_version == b.probe_version);
}

bool same_status(const store::SessionStatus& a, const store::SessionStatus& b) {
  return a.state == b.state && a.state_reason == b.state_reason && a.trial_count == b.trial_count &&
         a.best_trial == b.best_trial && a.best_seconds == b.best_seconds &&
         a.session_seconds == b.session_seconds && a.search_seconds == b.search_seconds &&
         a.build_seconds == b.build_seconds && a.run_seconds == b.run_seconds &&
         a.vendor_json == b.vendor_json;
}

bool same_row(const trial::Row& a, const trial::Row& b) {
  return a.number == b.number && a.batch == b.batch && a.position == b.position && a.category == b.category &&
         a.cut_short == b.cut_short && a.sample_count == b.sample_count &&
         a.samples_saved == b.samples_saved && a.median_seconds == b.median_seconds &&
         a.first_quartile_seconds == b.first_quartile_seconds &&
         a.third_quartile_seconds == b.third_quartile_seconds && a.build_seconds == b.build_seconds &&
         a.run_seconds == b.run_seconds && a.finished_seconds == b.finished_seconds &&
         a.resources == b.resources && a.probe_before == b.probe_before && a.probe_after == b.probe_after;
}

Status append_random_trials(store::Store& store, base::Random& random, Expected& session) {
  std::vector<trial::Trial> fresh(random.below(20));
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    numbers.push_back(static_cast<std::int64_t>(session.trials.size() + i));
  }
  random.shuffle(std::span(numbers));
  for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] = random_trial(random, numbers[i], session.knobs);
  session.trials.insert(session.trials.end(), fresh.begin(), fresh.end());
  session.status = random_status(random, static_cast<std::int64_t>(session.trials.size()));
  return store.trials().append(session.record.id, fresh, session.status);
}

Status append_random_batch(store::Store& store, base::Random& random, Expected& session) {
  store::StoredBatch batch{static_cast<std::int32_t>(session.batches.size()), {}, random_seconds(random)};
  batch.candidates.resize(random.below(10));
  for (space::Configuration& candidate : batch.candidates)
    candidate = random_configuration(random, session.knobs);
  session.batches.push_back(batch);
  return store.batches().append(session.record.id, batch.batch, batch.candidates, batch.search_seconds);
}

Status append_something(store::Store& store, base::Random& random, Expected& session) {
  const store::SessionId id = session.record.id;
  switch (random.below(7)) {
    case 0: {
      std::vector<store::StoredSeries> values(random.below(10));
      for (store::StoredSeries& value : values) {
        value = {static_cast<std::int64_t>(random.below(8)), random.chance(0.5) ? "epsilon" : "deviation",
                 -random.uniform()};
        session.series[{value.trial, value.series}] = value.value;
      }
      return store.series().append(id, values);
    }
    case 1: {
      std::vector<trial::Confirmation> values(random.below(4));
      for (trial::Confirmation& value : values) {
        value = {static_cast<std::int64_t>(random.below(9)) - 1, random_text(random),
                 random_samples(random, 9)};
      }
      session.confirmations.insert(session.confirmations.end(), values.begin(), values.end());
      return store.confirmations().append(id, values);
    }
    case 2:
      session.interruptions.push_back({random_seconds(random), random_text(random)});
      return store.interruptions().append(id, session.interruptions.back().at_session_seconds,
                                          session.interruptions.back().kind);
    case 3:
      session.record.budget_json = random_text(random);
      return store.sessions().update_budget(id, session.record.budget_json);
    case 4:
      session.status = random_status(random, static_cast<std::int64_t>(session.trials.size()));
      return store.sessions().update_status(id, session.status);
    case 5:
      return append_random_batch(store, random, session);
    default:
      return append_random_trials(store, random, session);
  }
}

void compare_trials(const store::Store& store, base::Random& random, const Expected& session) {
  const store::SessionId id = session.record.id;
  const auto rows = store.trials().rows(id);
  VERIFY_RESULT(rows);
  QCOMPARE(rows->size(), session.trials.size());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const trial::Trial& trial = session.trials[i];
    const store::ArrivedRow& row = (*rows)[i];
    QVERIFY(same_row(row, trial::make_row(trial, 0)));
    QCOMPARE(row.configuration, trial.configuration);
    QCOMPARE(row.message == 0, trial.measurement.message.empty());
    if (row.message != 0) QCOMPARE(store.trials().message(row.message).value(), trial.measurement.message);
    QCOMPARE(row.build_log == 0, trial.measurement.build_log.empty());
    if (row.build_log != 0)
      QCOMPARE(store.trials().message(row.build_log).value(), trial.measurement.build_log);
  }
  const auto skip = random.below(session.trials.size() + 2);
  QCOMPARE(store.trials().rows(id, static_cast<std::int64_t>(skip)).value().size(),
           session.trials.size() - std::min<std::size_t>(skip, session.trials.size()));

  std::vector<trial::Trial> by_number = session.trials;
  std::ranges::sort(by_number, {}, &trial::Trial::number);
  const auto all = store.trials().of(id);
  VERIFY_RESULT(all);
  QVERIFY(*all == by_number);
  const auto first = random.below(by_number.size() + 2);
  const auto count = random.below(10);
  std::vector<trial::Trial> some;
  for (std::size_t i = first; i < std::min(by_number.size(), first + count); ++i)
    some.push_back(by_number[i]);
  QVERIFY(store.trials().of(id, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count)).value() ==
          some);
  if (!by_number.empty())
    QVERIFY(store.trials().get(id, by_number.back().number).value() == by_number.back());
  QCOMPARE(store.trials().get(id, static_cast<std::int64_t>(by_number.size())).error().code,
           ErrorCode::NotFound);
}

void compare_session(const store::Store& store, const Expected& session) {
  const store::SessionId id = session.record.id;
  const auto summary = store.sessions().get(id);
  VERIFY_RESULT(summary);
  QVERIFY(same_record(summary->record, session.record));
  QVERIFY(same_status(summary->status, session.status));
  QVERIFY(summary->owner == store::Owner::this_process());
  QVERIFY(store.batches().of(id).value() == session.batches);
  QVERIFY(store.confirmations().of(id).value() == session.confirmations);
  QVERIFY(store.interruptions().of(id).value() == session.interruptions);
  std::vector<store::StoredSeries> series;
  for (const auto& [key, value] : session.series) series.push_back({key.first, key.second, value});
  QVERIFY(store.series().of(id).value() == series);
}

}  // namespace

class StoreRoundTripTest : public QObject {
  Q_OBJECT

 private slots:
  void everything_comes_back_bit_for_bit() {
    base::Random random = printed_random();
    const Folder folder;
    std::vector<Expected> sessions;
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    for (int step = 0; step < 400; ++step) {
      if (sessions.empty() || random.chance(0.03)) {
        Expected session;
        session.record = random_record(random);
        session.knobs = 1 + random.below(12);
        const auto id = store->sessions().create(session.record, store::Owner::this_process());
        VERIFY_RESULT(id);
        session.record.id = *id;
        sessions.push_back(session);
      }
      const Status appended = append_something(*store, random, sessions[random.below(sessions.size())]);
      VERIFY_RESULT(appended);
      if (random.chance(0.02)) store = store::Store::open(folder.file());
    }
    const auto reader = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(reader);
    const auto listed = reader->sessions().all();
    VERIFY_RESULT(listed);
    QCOMPARE(listed->size(), sessions.size());
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      QVERIFY(same_record((*listed)[listed->size() - 1 - i].record, sessions[i].record));
      compare_session(*reader, sessions[i]);
      compare_trials(*reader, random, sessions[i]);
    }
  }

  void not_a_number_survives() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    base::Random random(1);
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    trial::Trial trial = random_trial(random, 0, 2);
    trial.measurement.worst_error = std::numeric_limits<double>::quiet_NaN();
    VERIFY_RESULT(store->trials().append(id, std::vector{trial}, {}));
    const std::vector<store::StoredSeries> series{{0, "deviation", std::numeric_limits<double>::quiet_NaN()}};
    VERIFY_RESULT(store->series().append(id, series));
    QVERIFY(std::isnan(store->trials().get(id, 0)->measurement.worst_error));
    QVERIFY(std::isnan(store->series().of(id)->at(0).value));
  }

  void messages_are_stored_once_and_go_with_their_last_trial() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    base::Random random(2);
    const store::SessionRecord record = random_record(random);
    const store::SessionId first = store->sessions().create(record, store::Owner::this_process()).value();
    const store::SessionId second = store->sessions().create(record, store::Owner::this_process()).value();
    std::vector<trial::Trial> trials;
    for (int number = 0; number < 3; ++number) {
      trials.push_back(random_trial(random, number, 2));
      trials.back().measurement.category = trial::ErrorCategory::CompileHost;
      trials.back().measurement.samples_seconds.clear();
      trials.back().measurement.message = number == 2 ? "rare" : "frequent";
    }
    VERIFY_RESULT(store->trials().append(first, trials, {}));
    VERIFY_RESULT(store->trials().append(second, std::span(trials).first(1), {}));
    const auto rows = store->trials().rows(first).value();
    QCOMPARE(rows[0].message, rows[1].message);
    QVERIFY(rows[0].message != rows[2].message);
    QCOMPARE(store->trials().rows(second).value()[0].message, rows[0].message);

    VERIFY_RESULT(store->sessions().release(first, store::Owner::this_process()));
    VERIFY_RESULT(store->sessions().remove(first));
    QCOMPARE(store->trials().message(rows[0].message).value(), std::string("frequent"));
    QCOMPARE(store->trials().message(rows[2].message).error().code, ErrorCode::NotFound);
    QVERIFY(store->trials().of(first).value().empty());
    QCOMPARE(store->trials().of(second).value().size(), 1U);
    QCOMPARE(store->sessions().get(first).error().code, ErrorCode::NotFound);
  }

  void build_logs_are_messages() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId first = store->sessions().create({}, store::Owner::this_process()).value();
    const store::SessionId second = store->sessions().create({}, store::Owner::this_process()).value();
    trial::Trial trial;
    trial.measurement.build_log = "registers spilled";
    VERIFY_RESULT(store->trials().append(first, std::vector{trial}, {}));
    // The same text as what went wrong elsewhere, and both in one trial.
    trial::Trial failed;
    failed.measurement.category = trial::ErrorCategory::RuntimeDevice;
    failed.measurement.message = "registers spilled";
    failed.measurement.build_log = "other";
    VERIFY_RESULT(store->trials().append(second, std::vector{failed}, {}));
    const trial::Row built = store->trials().rows(first)->front();
    const trial::Row broken = store->trials().rows(second)->front();
    QCOMPARE(built.message, 0);
    QCOMPARE(built.build_log, broken.message);
    QVERIFY(broken.build_log != broken.message);
    QVERIFY(store->trials().get(second, 0).value() == failed);

    VERIFY_RESULT(store->sessions().release(second, store::Owner::this_process()));
    VERIFY_RESULT(store->sessions().remove(second));
    QCOMPARE(store->trials().message(built.build_log).value(), std::string("registers spilled"));
    QCOMPARE(store->trials().message(broken.build_log).error().code, ErrorCode::NotFound);
  }

  void kernels_that_were_only_built_are_kept() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const store::SessionId id = store->sessions().create({}, store::Owner::this_process()).value();
    trial::Trial trial;
    trial.measurement.build_seconds = 2;
    trial.measurement.resources = trial::KernelResources{.registers = 40, .threads = 256, .occupancy = 0.5};
    VERIFY_RESULT(store->trials().append(id, std::vector{trial}, {}));
    QVERIFY(store->trials().get(id, 0).value() == trial);
    const trial::Row row = store->trials().rows(id)->front();
    QVERIFY(row.category == trial::ErrorCategory::NoError && row.sample_count == 0 &&
            row.median_seconds == 0);
    QVERIFY(row.resources == trial.measurement.resources);
  }

  void sessions_of_gpus_have_resources() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto session = [&](const char* target, store::SessionKind kind) {
      store::SessionRecord record;
      record.target_name = target;
      record.kind = kind;
      return store->sessions().create(record, store::Owner::this_process()).value();
    };
    QCOMPARE(store->trials().has_resources(session("cpu", store::SessionKind::Measured)), false);
    QCOMPARE(store->trials().has_resources(session("opencl:0", store::SessionKind::Measured)), true);
    const store::SessionId imported = session("cuda:0", store::SessionKind::Imported);
    QCOMPARE(store->trials().has_resources(imported), false);
    trial::Trial trial;
    VERIFY_RESULT(store->trials().append(imported, std::vector{trial}, {}));
    QCOMPARE(store->trials().has_resources(imported), false);
    trial.number = 1;
    trial.measurement.resources.emplace();
    VERIFY_RESULT(store->trials().append(imported, std::vector{trial}, {}));
    QCOMPARE(store->trials().has_resources(imported), true);
    QCOMPARE(store->trials().has_resources(session("cuda:0", store::SessionKind::Imported)), false);
    QCOMPARE(store->trials().has_resources(99), false);
  }

  void a_refused_append_changes_nothing() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    base::Random random(3);
    const store::SessionId id =
        store->sessions().create(random_record(random), store::Owner::this_process()).value();
    const store::SessionStatus before = random_status(random, 1);
    const trial::Trial stored = random_trial(random, 4, 2);
    VERIFY_RESULT(store->trials().append(id, std::vector{stored}, before));
    // The second of them is there already: none may be stored, nor the status.
    const std::vector<trial::Trial> trials{random_trial(random, 5, 2), stored};
    const Status refused = store->trials().append(id, trials, random_status(random, 3));
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Refused);
    QVERIFY(store->trials().of(id).value() == std::vector{stored});
    QVERIFY(same_status(store->sessions().get(id)->status, before));
    VERIFY_RESULT(store->trials().append(id, std::span(trials).first(1), before));

    const std::vector<space::Configuration> mixed{space::Configuration{{1}}, space::Configuration{{1, 2}}};
    QVERIFY(!store->batches().append(id, 0, mixed, 0));
    QVERIFY(store->batches().of(id).value().empty());
    VERIFY_RESULT(store->batches().append(id, 0, std::span(mixed).first(1), 0));
    QCOMPARE(store->batches().append(id, 0, std::span(mixed).first(1), 0).error().code, ErrorCode::Refused);
  }

  void an_unknown_session_is_named() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto fails = [](const Status& status) {
      return !status && status.error().code == ErrorCode::NotFound &&
             status.error().message.find("7") != std::string::npos;
    };
    QVERIFY(fails(store->trials().append(7, {}, {})));
    QVERIFY(fails(store->batches().append(7, 0, {}, 0)));
    QVERIFY(fails(store->series().append(7, {})));
    QVERIFY(fails(store->confirmations().append(7, {})));
    QVERIFY(fails(store->interruptions().append(7, 0, "pause")));
    QVERIFY(fails(store->notices().add(7, {"machine", "the machine was loaded", 0})));
    QVERIFY(fails(store->trials().save_insight(7, 0, "counters", "{}")));
    QVERIFY(fails(store->sessions().update_status(7, {})));
    QVERIFY(fails(store->sessions().update_budget(7, "")));
    QVERIFY(fails(store->sessions().set_name(7, "")));
    QVERIFY(fails(store->sessions().claim(7, store::Owner::this_process())));
    QVERIFY(fails(store->sessions().release(7, store::Owner::this_process())));
    QVERIFY(fails(store->sessions().remove(7)));
    QCOMPARE(store->sessions().get(7).error().code, ErrorCode::NotFound);
  }

  void a_session_deleted_by_another_process_is_noticed() {
    const Folder folder;
    auto writer = store::Store::open(folder.file());
    auto other = store::Store::open(folder.file());
    base::Random random(4);
    const store::SessionId id =
        writer->sessions().create(random_record(random), store::Owner::this_process()).value();
    VERIFY_RESULT(writer->trials().append(id, std::vector{random_trial(random, 0, 1)}, {}));
    VERIFY_RESULT(other->sessions().release(id, store::Owner::this_process()));
    VERIFY_RESULT(other->sessions().remove(id));
    const Status gone = writer->trials().append(id, std::vector{random_trial(random, 1, 1)}, {});
    QCOMPARE(gone.error().code, ErrorCode::NotFound);
    const store::SessionId next =
        writer->sessions().create(random_record(random), store::Owner::this_process()).value();
    QVERIFY(next > id);  // numbers are not used twice
  }

  void sessions_are_found_by_number_and_name() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    QCOMPARE(store->sessions().find("a").error().code, ErrorCode::NotFound);
    store::SessionRecord record;
    std::vector<store::SessionId> ids;
    for (const char* name : {"resnet18 C6", "twice", "twice", "1"}) {
      record.name = name;
      ids.push_back(store->sessions().create(record, store::Owner::this_process()).value());
    }
    QCOMPARE(store->sessions().find("resnet18 C6").value(), ids[0]);
    QCOMPARE(store->sessions().find(std::to_string(ids[1])).value(), ids[1]);
    QCOMPARE(store->sessions().find("1").value(), ids[0]);  // the number goes before the name
    const auto twice = store->sessions().find("twice");
    QCOMPARE(twice.error().code, ErrorCode::InvalidArgument);
    QVERIFY(twice.error().hint.find(std::to_string(ids[1])) != std::string::npos);
    QVERIFY(twice.error().hint.find(std::to_string(ids[2])) != std::string::npos);
    const auto unknown = store->sessions().find("resnet18 C7");
    QCOMPARE(unknown.error().code, ErrorCode::NotFound);
    QVERIFY(unknown.error().hint.find("resnet18 C6") != std::string::npos);
    VERIFY_RESULT(store->sessions().set_name(ids[2], "thrice"));
    QCOMPARE(store->sessions().find("twice").value(), ids[1]);
  }

  void an_unknown_session_lists_the_known_ones() {
    const Folder folder;
    auto store = store::Store::open(folder.file());
    const auto hint_of = [&](const char* wanted) { return store->sessions().find(wanted).error().hint; };
    QVERIFY(hint_of("99").contains("kernelscape tune"));
    store::SessionRecord record;
    const store::SessionId unnamed = store->sessions().create(record, store::Owner::this_process()).value();
    for (const char* wanted : {"99", "x", "gemm"}) {
      QVERIFY2(hint_of(wanted).contains(fmt::format("1 session: {};", unnamed)), hint_of(wanted).c_str());
      QVERIFY(hint_of(wanted).contains("`kernelscape sessions`"));
    }
    record.name = "gemm 7";
    const store::SessionId named = store->sessions().create(record, store::Owner::this_process()).value();
    QVERIFY(hint_of("99").contains(fmt::format("2 sessions: {} (gemm 7), {};", named, unnamed)));
    QCOMPARE(hint_of("gemm"), std::string("did you mean gemm 7?"));
    for (int i = 0; i < 20; ++i) store->sessions().create(record, store::Owner::this_process()).value();
    QVERIFY(hint_of("99").contains("22 sessions: ") && hint_of("99").contains(", ...; "));
  }

  void a_fresh_session_is_new() {
    const Folder folder;
    auto store = store::Store::open(folder.file("with/folders/kernelscape.db"));
    VERIFY_RESULT(store);
    const store::SessionId id = store->sessions().create({}, store::Owner::this_process()).value();
    const store::SessionSummary summary = store->sessions().get(id).value();
    QVERIFY(same_status(summary.status, {}));
    QCOMPARE(summary.record.created_utc.size(), std::string("2026-01-02T03:04:05Z").size());
    QCOMPARE(summary.record.created_utc.back(), 'Z');
  }

  void the_default_path_follows_the_environment() {
    qputenv("XDG_DATA_HOME", "/data");
    QCOMPARE(store::Store::default_path().string(), std::string("/data/kernelscape/kernelscape.db"));
    qputenv("XDG_DATA_HOME", "relative");
    qputenv("HOME", "/home/user");
    QCOMPARE(store::Store::default_path().string(),
             std::string("/home/user/.local/share/kernelscape/kernelscape.db"));
  }
};

KERNELSCAPE_PLAIN_TEST(StoreRoundTripTest)

}  // namespace kernelscape::store_round_trip_test
#include "store_round_trip_test.moc"

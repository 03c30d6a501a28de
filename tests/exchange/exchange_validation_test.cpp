#include <QTest>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/exchange/formats/session_json.h"
#include "core/exchange/validation.h"
#include "core/exchange/validation_values.h"
#include "core/trial/baselines.h"
#include "core/trial/budget.h"
#include "core/trial/recording_builder.h"
#include "tests/exchange/database_dump.h"
#include "tests/exchange/forged_recording.h"
#include "tests/exchange/import_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::exchange_validation_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

constexpr const char* some_task = "matmul 64x48 48x32 f32";

space::SearchSpace some_space() {
  return must(space::SearchSpace::make(
      {must(space::Knob::factorization("tile", 64, 3)),
       must(space::Knob::categorical("packed", {space::KnobValue(true), space::KnobValue(false)}))}));
}

trial::Baselines some_baselines() {
  trial::Baselines baselines;
  baselines.vendor.name = "oneDNN 2.6.3";
  baselines.vendor.algorithm = "direct";
  baselines.vendor.implementation = "jit";
  baselines.vendor.samples_seconds = {1e-3};
  baselines.vendor.candidates = {
      {.name = "oneDNN 2.6.3", .algorithm = "direct", .implementation = "jit", .samples_seconds = {1e-3}},
      {.name = "oneDNN 2.6.3", .algorithm = "Winograd", .reason = "a wrong answer"}};
  baselines.first_valid = trial::FirstValid{{{0, 0}}, {2e-3}};
  baselines.limits = {100, 1e10, 1e6, 400};
  return baselines;
}

/** A session as this program exports it. */
json exported_session(StoredSessions& sessions) {
  store::SessionRecord record = StoredSessions::record_of(must(task::parse_task(some_task)),
                                                          schedule::default_cuda_target(), some_space());
  record.batch_size = 4;
  store::SessionStatus status;
  status.state = store::SessionState::Done;
  status.best_trial = 1;
  status.best_seconds = 1e-3;
  status.session_seconds = 100;
  status.search_seconds = 1;
  status.vendor_json = trial::baselines_to_json(some_baselines());
  std::vector<trial::Trial> trials(4);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].number = static_cast<std::int64_t>(i);
    trials[i].configuration.indices = {static_cast<std::uint32_t>(i), 0};
    trials[i].finished_seconds = static_cast<double>(i) + 1;
    if (i == 3) {
      trials[i].measurement = recording_test::failed(trial::ErrorCategory::BuildTimeout, "too slow");
    } else {
      const double seconds = i == 1 ? 1e-3 : 2e-3;
      trials[i].measurement = recording_test::timed({seconds, seconds, seconds}, 0.5, 0.25);
    }
  }
  const store::SessionId id = sessions.add(record, status, trials);
  store::Store& store = sessions.store();
  StoredSessions::checked(store.series().append(id, std::vector<store::StoredSeries>{{1, "epsilon", 0.5}}));
  StoredSessions::checked(store.confirmations().append(
      id, std::vector<trial::Confirmation>{{1, "2026-01-02T03:04:05Z", {1e-3}},
                                           {-1, "2026-01-02T03:04:05Z", {2e-3}}}));
  StoredSessions::checked(store.interruptions().append(id, 1.5, "pause"));
  StoredSessions::checked(store.sessions().set_note(id, "two\nlines"));
  StoredSessions::checked(store.sessions().set_tags(id, std::vector<std::string>{"a tag"}));
  return json::parse(sessions.exported(id, "json"));
}

std::shared_ptr<const trial::Recording> some_recording() {
  trial::RecordingHeader header;
  header.name = "a space";
  header.created_utc = "2026-01-02T03:04:05Z";
  header.task_json = task::task_to_json(must(task::parse_task(some_task)));
  header.target_name = schedule::TargetDescription().name;
  header.target_json = schedule::target_to_json(schedule::TargetDescription());
  header.template_name = "a-template";
  header.options_json = trial::measure_options_to_json({});
  header.vendor_json = trial::baselines_to_json(some_baselines());
  const space::SearchSpace space = some_space();
  trial::RecordingBuilder builder(header, space);
  for (base::uint128 index = 0; index < space.size(); ++index) {
    const double seconds = 1e-3 * static_cast<double>(1 + index % 7);
    const trial::Measurement measurement =
        index % 5 == 0 ? recording_test::failed(trial::ErrorCategory::CompileHost, "no such header")
                       : recording_test::timed({seconds, seconds * 2, seconds * 3}, 0.5, 0.25);
    StoredSessions::checked(builder.add(space.at(index), measurement));
  }
  return must(builder.build());
}

}  // namespace

/** What comes from outside is checked once, at the border. */
class ExchangeValidationTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<StoredSessions> sessions_;
  json good_;

  Result<exchange::ImportOutcome> import(const std::string& bytes, const std::string& name = "file.json") {
    write_text(QString::fromStdString(sessions_->path(name)), bytes);
    return exchange::import_file(sessions_->store(), sessions_->path(name));
  }
  /** It is refused with these words, says where it is and the way out, and leaves everything as it was. */
  void expect_refused(const std::string& bytes, const std::string& words,
                      const std::string& name = "file.json") {
    const std::string before = database_dump(sessions_->path("test.db"));
    const Result<exchange::ImportOutcome> outcome = import(bytes, name);
    QVERIFY2(!outcome, words.c_str());
    const std::string error = describe(outcome.error());
    QVERIFY2(error.contains(words), error.c_str());
    QVERIFY2(error.contains(sessions_->path(name)), error.c_str());
    QVERIFY2(!outcome.error().hint.empty(), error.c_str());
    QVERIFY2(!error.contains("constraint"), error.c_str());
    QVERIFY(database_dump(sessions_->path("test.db")) == before);
  }
  store::SessionSummary taken(const json& file, const std::string& notice = {}) {
    const exchange::ImportOutcome outcome = must(import(file.dump()));
    const bool said =
        std::ranges::any_of(outcome.notices, [&](const std::string& text) { return text.contains(notice); });
    if (!notice.empty() && !said) throw std::runtime_error("nothing said \"" + notice + "\"");
    if (notice.empty() && !outcome.notices.empty()) throw std::runtime_error(outcome.notices.front());
    return must(sessions_->store().sessions().get(outcome.sessions.at(0).session));
  }

 private slots:
  void init() {
    sessions_ = std::make_unique<StoredSessions>();
    good_ = exported_session(*sessions_);
  }

  void what_we_export_passes() {
    const store::SessionSummary session = taken(good_);
    QCOMPARE(session.status.best_trial, std::int64_t{1});
    QCOMPARE(session.status.session_seconds, 100.0);
    QCOMPARE(session.annotation.note, std::string("two\nlines"));
    // An earlier version's file, which has no limit of failures that are alike.
    QVERIFY(must(trial::budget_plan_from_json(session.record.budget_json)) ==
            trial::make_budget_plan({.trials = 100, .identical_failures = 0}));
    QVERIFY(must(trial::baselines_from_json(session.status.vendor_json)) == some_baselines());
  }

  void members_are_refused_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, const char* pointer, const json& value, const char* words) {
      QTest::newRow(name) << pointer << QByteArray::fromStdString(value.dump()) << words;
    };
    add("a budget below nothing", "/session/budget", {{"trials", -1}}, "budget");
    add("a budget of text", "/session/budget", {{"minutes", "ten"}}, "budget");
    add("a budget without limits", "/session/budget", {{"trials", 1}, {"limits", json::array()}}, "budget");
    add("settings in a list", "/session/settings", {1, 2}, "settings");
    add("settings in settings", "/session/settings", {{"a", {1}}}, "settings, a");
    add("options", "/session/options", {{"repeats", -1}}, "repeats");
    add("a task", "/session/task", {{"task", "matmul 0x1 1x1"}}, "extent");
    add("a target", "/session/target/cores", 0, "cores");
    add("a giant target", "/session/target/cores", 1LL << 40, "cores");
    add("giant memory", "/session/target/memory_bytes", 1LL << 60, "memory_bytes");
    add("a template's name", "/session/template", "a\nb", "template");
    add("a tuner's name", "/session/tuner", "\x1b[31mga", "tuner");
    add("a negative batch", "/session/batch_size", -3, "batch_size");
    add("a sample of nothing", "/trials/0/samples_seconds/1", 0, "trial 0, samples_seconds[1]");
    add("a sample of less", "/trials/2/samples_seconds/0", 1e-300, "trial 2, samples_seconds[0]");
    add("a sample as no machine has it", "/trials/1/samples_seconds/2", 1.5e-13, "samples_seconds[2]");
    add("a sample of a century", "/trials/1/samples_seconds/2", 4e9, "ten years");
    add("a time of its own", "/trials/1/recorded_seconds", 1e-200, "trial 1, its time");
    add("build seconds", "/trials/1/build_seconds", 1e300, "trial 1, build_seconds");
    add("finished seconds", "/trials/1/finished_seconds", 1e300, "trial 1, finished_seconds");
    const std::vector<double> too_many(100'001, 1e-3);
    add("too many samples", "/trials/1/samples_seconds", too_many,
        "trial 1, samples_seconds: there are more");
    add("too many samples of a vendor", "/status/vendor/vendor/samples_seconds", too_many,
        "vendor, samples_seconds: there are more");
    add("a confirmation of too many", "/confirmations/0/samples_seconds", too_many,
        "confirmation of trial 1, samples_seconds: there are more");
    add("an error below nothing", "/trials/1/worst_error", -1, "trial 1, worst_error");
    add("session seconds", "/status/session_seconds", 1e300, "status, session_seconds");
    add("negative session seconds", "/status/session_seconds", -1, "status, session_seconds");
    add("search seconds that are none", "/status/search_seconds", "nan", "status, search_seconds");
    add("a vendor's sample", "/status/vendor/vendor/samples_seconds", {1e-300}, "vendor, samples_seconds[0]");
    add("a candidate's sample", "/status/vendor/vendor/candidates/0/samples_seconds", {1e-300},
        "vendor, candidates, samples_seconds[0]");
    add("too many candidates", "/status/vendor/vendor/candidates",
        std::vector<json>(1000, json{{"name", "oneDNN 2.6.3"}}), "it has 1000 candidates");
    add("a vendor's text", "/status/vendor", "no JSON", "vendor");
    add("a machine's limits", "/status/vendor/limits/peak_gflops", 1e200, "vendor, limits");
    add("a peak of bytes", "/status/vendor/limits/byte_peak_gflops", 1e200, "vendor, limits");
    add("a confirmation without a trial", "/confirmations/0/trial", -2, "confirmation of trial -2");
    add("a confirmation of a failure", "/confirmations/0/trial", 3, "the trial failed");
    add("a confirmation of no time", "/confirmations/0/samples_seconds", {0}, "confirmation of trial 1");
    add("a series without a trial", "/series/0/trial", -7, "series");
    add("a series without a name", "/series/0/series", "", "series");
    add("a series with a colour", "/series/0/series", "\x1b[0m", "series");
    add("an interruption of nowhen", "/interruptions/0/at_session_seconds", "nan", "interruptions");
  }

  void members_are_refused() {
    QFETCH(QString, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QString, words);
    good_[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    // What a file is, is told by its beginning.
    nlohmann::ordered_json file;
    file[std::string(exchange::session_json_format)] = nullptr;
    for (const auto& [name, member] : good_.items()) file[name] = member;
    expect_refused(file.dump(), words.toStdString());
  }

  void what_follows_from_trials_is_counted() {
    good_["status"]["best_trial"] = 2;
    QCOMPARE(taken(good_, "best trial").status.best_trial, std::int64_t{1});
    good_["status"]["best_trial"] = 99;
    QCOMPARE(taken(good_).status.best_trial, std::int64_t{1});
    good_["status"]["best_trial"] = 1;
    good_["status"]["best_seconds"] = -1;
    QCOMPARE(taken(good_, "best trial").status.best_seconds, 1e-3);
    good_["status"]["best_seconds"] = 1e-3;
    good_["status"]["trial_count"] = 77;
    QCOMPARE(taken(good_).status.trial_count, std::int64_t{4});
    good_["status"]["session_seconds"] = 2;
    QCOMPARE(taken(good_, "shorter").status.session_seconds, 4.0);
    good_["status"]["build_seconds"] = 50;
    good_["status"]["run_seconds"] = 60;
    QCOMPARE(taken(good_, "shorter").status.session_seconds, 111.0);
    // Of several that are equally fast, the one that it names.
    good_ = exported_session(*sessions_);
    good_["trials"][2]["samples_seconds"] = {1e-3};
    good_["status"]["best_trial"] = 2;
    QCOMPARE(taken(good_).status.best_trial, std::int64_t{2});
  }

  void texts_that_are_shown_are_cleaned() {
    good_["session"]["name"] = "\x1b]0;owned\x07mine\n2";
    store::SessionSummary session = taken(good_, "the session's name");
    QCOMPARE(session.record.name, std::string("?]0;owned?mine?2"));
    good_ = exported_session(*sessions_);
    good_["session"]["target"]["device"] = "GPU\x7f\xc2\x9b.";
    session = taken(good_, "the target's device");
    QCOMPARE(must(schedule::target_from_json(session.record.target_json)).device, std::string("GPU??."));
    good_ = exported_session(*sessions_);
    good_["session"]["task"]["name"] = std::string(3000, 'x');
    QCOMPARE(taken(good_, "the task's name").record.task_name.size(), std::size_t{1024});
    good_ = exported_session(*sessions_);
    good_["session"]["note"] = "kept\n\tas it is\r\n\xc3\xa9\x1b";
    QCOMPARE(taken(good_, "the note").annotation.note, std::string("kept\n\tas it is\n\xc3\xa9?"));
    good_ = exported_session(*sessions_);
    good_["session"]["tags"] = {"", "two\nlines"};
    QVERIFY(taken(good_, "tags").annotation.tags == std::vector<std::string>{"two?lines"});
    good_ = exported_session(*sessions_);
    // Bytes that are no text: half of a character.
    good_["trials"][3]["message"] = {0xC3, 0x28, 0x0A, 0x1B};
    session = taken(good_, "messages");
    QCOMPARE(must(sessions_->store().trials().get(session.record.id, 3)).measurement.message,
             std::string("?(\n?"));
    good_ = exported_session(*sessions_);
    good_["confirmations"][0]["measured_utc"] = "9999-12-31T23:59:59Z";
    session = taken(good_, "the date is impossible");
    QCOMPARE(must(sessions_->store().confirmations().of(session.record.id)).at(0).measured_utc,
             std::string());
  }

  /** They distinguish configurations: cleaned or cut, two could become one. */
  void names_and_values_of_knobs_are_refused() {
    const std::string good = good_.dump();
    const auto with = [&](const std::string& old, const json& by) {
      std::string text = good;
      const std::string value = by.dump();
      for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + value.size()))
        text.replace(at, old.size(), value);
      return text;
    };
    must(import(with("\"tile\"", std::string(1024, 'x'))));
    for (const std::string& name : {std::string("\x1b[31m"), std::string("a\tb"), std::string(1025, 'x')})
      expect_refused(with("\"tile\"", name), "a knob's name");
    good_["session"]["space"]["constraints"]["variables"] =
        json::array({json{{"name", "\x1b"}, {"constant", 1}}});
    good_["session"]["space"]["constraints"]["rules"] = json::array();
    expect_refused(good_.dump(), "a variable's name");
    const auto cache = [](const std::string& value) {
      json file = json::parse(R"({"device_name": "G", "kernel_name": "k", "problem_size": 1,
          "tune_params_keys": ["x"], "tune_params": {"x": []}, "cache": {}})");
      file["tune_params"]["x"].push_back(value);
      file["cache"][value] = {{"x", value}, {"time", 1}};
      return file.dump();
    };
    must(import(cache("plain")));
    expect_refused(cache("two\nlines"), "its knob x has a value that is too long, or has control characters");
    expect_refused(cache(std::string(1025, 'x')), "its knob x has a value that is too long");
    const space::SearchSpace space =
        must(space::SearchSpace::make({must(space::Knob::permutation("order", {"a", "\x07"}))}));
    trial::RecordingBuilder builder(some_recording()->header(), space);
    StoredSessions::checked(builder.add(space.at(0), recording_test::timed({1e-3}, 0.5, 0.25)));
    const auto passed = exchange::validated(must(builder.build()), "recorded");
    QVERIFY(!passed && describe(passed.error()).contains("a knob's item"));
  }

  void other_formats_pass_the_same_gate() {
    const std::string begin =
        R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 2]}, "device_name": "GPU",)"
        R"( "kernel_name": "k", "problem_size": 1, "cache": {"1": {"x": 1, "time": )";
    must(import(begin + "1}}}"));
    for (const char* time : {"1e-290", "1e13", "1, \"times\": [0]", "1, \"compile_time\": 1e290"})
      expect_refused(begin + time + "}}}", "is impossible, ");
    expect_refused(begin + "1, \"a\\u001bmetric\": 2}}}", "not a valid name of a number");
    const std::string t4 = R"({"metadata": {"timeunit": "seconds"}, "results": [{"configuration": {"y": 2},)"
                           R"( "times": {"runtimes": [TIME]}, "invalidity": "correct", "measurements": []}],)"
                           R"( "schema_version": "1.0.0"})";
    must(import(replaced_once(t4, "TIME", "0.5")));
    for (const char* time : {"1e-300", "0", "1e300"})
      expect_refused(replaced_once(t4, "TIME", time), "is impossible, ");
    const std::string ktt = R"({"Metadata": {"TimeUnit": "Milliseconds", "ComputeApi": "CUDA"}, "Results": [)"
                            R"({"KernelName": "k", "Status": "Ok", "TotalDuration": TIME, "Configuration": )"
                            R"([{"Name": "x", "Value": 1, "ValueType": "Int"}]}]})";
    must(import(replaced_once(ktt, "TIME", "5")));
    expect_refused(replaced_once(ktt, "TIME", "1e-290"), "is impossible, ");
    const std::string log =
        R"({"input": ["llvm", "some_task", [["TENSOR", [1, 2], "float32"]], {}], "config": {"index": 0, )"
        R"("code_hash": null, "entity": [["x", "ot", 1]]}, "result": [[TIME], 0, 1.5, 1600000000.0], )"
        R"("version": 0.2, "tvm_version": "0.8"})";
    must(import(replaced_once(log, "TIME", "0.001"), "a.log"));
    expect_refused(replaced_once(log, "TIME", "1e-300"), "is impossible, ", "a.log");
    // Two logs in one, the second with times of day: no session of fifty years.
    const std::string dateless = replaced_once(replaced_once(log, "TIME", "0.001"), "1600000000.0", "0.0");
    const exchange::ImportOutcome both =
        must(import(dateless + "\n" + replaced_once(log, "TIME", "0.002"), "two.log"));
    const store::SessionSummary session =
        must(sessions_->store().sessions().get(both.sessions.at(0).session));
    QCOMPARE(session.status.session_seconds, 3.0);
  }

  void recorded_spaces_are_refused_data() {
    QTest::addColumn<QString>("member");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* member, const char* value, const char* words) {
      QTest::addRow("%s: %s", member, value) << member << value << words;
    };
    add("task", "", "task");
    add("task", "{\"task\": \"nothing\"}", "task");
    add("target_description", "[]", "target");
    add("options", "{\"repeats\": 0}", "options");
    add("options", "1", "options");
    add("vendor", "[1]", "vendor");
    add("vendor", "{\"vendor\": {\"samples_seconds\": [1e-300]}}", "vendor");
    add("template", "a\tb", "template");
  }

  void recorded_spaces_are_refused() {
    QFETCH(QString, member);
    QFETCH(QString, value);
    QFETCH(QString, words);
    ForgedRecording forger(*some_recording());
    forger.header()[member.toStdString()] = value.toStdString();
    expect_refused(forger.file(), words.toStdString(), "forged.ksrec");
    const auto opened = exchange::open_recording(sessions_->path("forged.ksrec"));
    QVERIFY(!opened && opened.error().message.contains("forged.ksrec"));
  }

  void rows_of_recorded_spaces_are_refused() {
    const std::shared_ptr<const trial::Recording> recording = some_recording();
    // Every double of the columns in turn becomes what no time is.
    const std::size_t columns = ForgedRecording(*recording).columns().size() / sizeof(double);
    std::size_t refusals = 0;
    for (std::size_t place = 0; place < columns; place += 5) {
      for (const double value : {1e-300, 1e300, -1.0}) {
        ForgedRecording forger(*recording);
        std::memcpy(forger.columns().data() + place * sizeof(double), &value, sizeof(double));
        const auto opened = trial::Recording::from_bytes(forger.file(), "forged");
        if (!opened) continue;
        const auto passed = exchange::validated(*opened, "forged");
        if (!passed) {
          ++refusals;
          QVERIFY2(passed.error().message.starts_with("forged: "), passed.error().message.c_str());
          QVERIFY(!passed.error().hint.empty());
          continue;
        }
        for (std::uint32_t row = 0; row < passed->recording->size(); ++row) {
          for (const double sample : passed->recording->samples(row))
            QVERIFY(sample >= 1e-10 && sample <= 1e9);
          QVERIFY(passed->recording->build_seconds(row) <= 1e9 && passed->recording->run_seconds(row) <= 1e9);
          const double seconds = passed->recording->seconds(row);
          QVERIFY(seconds == 0 || (seconds >= 1e-10 && seconds <= 1e9));
        }
      }
    }
    QVERIFY(refusals > 0);
  }

  void recorded_spaces_are_cleaned_or_stay_as_they_are() {
    const std::shared_ptr<const trial::Recording> recording = some_recording();
    const exchange::ValidatedRecording same = must(exchange::validated(recording, "good"));
    QVERIFY(same.recording == recording);
    QVERIFY2(same.notices.empty(), same.notices.empty() ? "" : same.notices.front().c_str());
    ForgedRecording forger(*recording);
    forger.header()["name"] = "\x1b[2Ja space";
    forger.header()["created_utc"] = "yesterday";
    const exchange::ImportOutcome outcome = must(import(forger.file(), "cleaned.ksrec"));
    QCOMPARE(outcome.sessions.at(0).name, std::string("?[2Ja space"));
    QCOMPARE(outcome.notices.size(), std::size_t{2});
    const store::SessionRecord record =
        must(sessions_->store().sessions().get(outcome.sessions.at(0).session)).record;
    const auto kept = must(sessions_->store().recordings().get(record.recording));
    QCOMPARE(kept->header().name, std::string("?[2Ja space"));
    QCOMPARE(kept->header().created_utc, std::string());
    QCOMPARE(kept->size(), recording->size());
    for (std::uint32_t row = 0; row < kept->size(); ++row)
      QVERIFY(kept->measurement(row) == recording->measurement(row));
    QVERIFY(must(import(forger.file(), "cleaned.ksrec")).sessions.at(0).existed);
  }

  void texts() {
    for (const char* good : {"", "plain", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"}) {
      QVERIFY(exchange::is_clean_text(good, exchange::name_limits));
      QCOMPARE(exchange::cleaned_text(good, exchange::name_limits), std::string(good));
    }
    for (const char* bad :
         {"\n", "\t", "a\rb", "\x7f", "\xc2\x85", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xe2\x82"})
      QVERIFY2(!exchange::is_clean_text(bad, exchange::name_limits), bad);
    QVERIFY(exchange::is_clean_text("\n\t", exchange::note_limits) &&
            !exchange::is_clean_text("\r", exchange::note_limits));
    QVERIFY(!exchange::is_clean_text(std::string_view("\0", 1), exchange::note_limits));
    base::Random random(testing::random_seed());
    for (int round = 0; round < 2000; ++round) {
      std::string text(random.below(1500), ' ');
      for (char& letter : text) letter = static_cast<char>(random.below(256));
      for (const exchange::TextLimits& limits : {exchange::name_limits, exchange::message_limits}) {
        const std::string clean = exchange::cleaned_text(text, limits);
        QVERIFY(exchange::is_clean_text(clean, limits));
        QCOMPARE(exchange::cleaned_text(clean, limits), clean);
      }
    }
    for (const char* date : {"2026-01-02T03:04:05Z", "1999-12-31 23:59:59.5+01:00"})
      QVERIFY(exchange::is_possible_date(date));
    for (const char* date :
         {"", "today", "2026-13-02T03:04:05Z", "1969-01-02T03:04:05Z", "9999-01-02T03:04:05Z"})
      QVERIFY(!exchange::is_possible_date(date));
  }

  void times() {
    for (const double seconds : {1e-10, 1e-3, 1.0, 3e8})
      QVERIFY(exchange::impossible_call(seconds, 0).empty());
    for (const double seconds : {0.0, -0.0, -1.0, 1e-11, 1e-300, 4e8, std::nan(""), HUGE_VAL})
      QVERIFY(!exchange::impossible_call(seconds, 0).empty());
    QVERIFY(exchange::impossible_call(1e-9, 1e9).empty() && !exchange::impossible_call(0.9e-9, 1e9).empty());
    QVERIFY(exchange::impossible_duration(0).empty() && exchange::impossible_duration(3e8).empty());
    for (const double seconds : {-1e-9, 4e8, std::nan(""), HUGE_VAL, -HUGE_VAL})
      QVERIFY(!exchange::impossible_duration(seconds).empty());
  }
};

KERNELSCAPE_TEST(ExchangeValidationTest, QCoreApplication)

}  // namespace kernelscape::exchange_validation_test
#include "exchange_validation_test.moc"

#include <fmt/format.h>

#include <QTest>
#include <nlohmann/json.hpp>

#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "tests/exchange/import_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::exchange_import_file_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

std::string cache_of(int entries, bool closed = true) {
  std::string text =
      R"({"device_name": "GPU", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x"], "tune_params": )"
      R"({"x": [)";
  for (int i = 0; i < entries; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", i);
  text += "]}, \"cache\": {";
  for (int i = 0; i < entries; ++i)
    text += fmt::format("{}\n\"{}\": {{\"x\": {}, \"time\": {}, \"metric\": {}}}", i == 0 ? "" : ",", i, i,
                        100 - i % 90, i);
  return text + (closed ? "}\n}" : ",");
}

std::size_t session_count(const store::Store& store) { return must(store.sessions().all()).size(); }

/** The database and what has to stay as it is. */
class Folder {
 public:
  std::string write(const std::string& name, const std::string& bytes) {
    write_text(QString::fromStdString(sessions_.path(name)), bytes);
    return sessions_.path(name);
  }
  store::Store& store() { return sessions_.store(); }
  StoredSessions& sessions() { return sessions_; }
  std::string error(const std::string& bytes, const std::string& name = "file.json") {
    const std::string path = write(name, bytes);
    const std::size_t before = session_count(store());
    const auto outcome = exchange::import_file(store(), path);
    if (outcome || session_count(store()) != before) return "something was stored";
    const std::string text = error_of(outcome);
    return text.contains(path) ? text : "the error does not name the file: " + text;
  }

 private:
  StoredSessions sessions_;
};

bool has(const std::string& text, const std::string& words) {
  if (text.contains(words)) return true;
  qWarning("\"%s\" is not in: %s", words.c_str(), text.c_str());
  return false;
}

}  // namespace

class ExchangeImportFileTest : public QObject {
  Q_OBJECT

 private slots:
  void a_closed_cache_becomes_a_recorded_space() {
    Folder folder;
    const std::string path = folder.write("my cache.json.gz", gzipped(cache_of(50)));
    const exchange::ImportOutcome outcome = must(exchange::import_file(folder.store(), path));
    QCOMPARE(outcome.format, std::string("kernel-tuner"));
    const exchange::ImportedSession imported = outcome.sessions.at(0);
    QCOMPARE(imported.name, std::string("my cache"));
    QCOMPARE(imported.trials, std::int64_t{50});
    const store::SessionSummary summary = must(folder.store().sessions().get(imported.session));
    QVERIFY(summary.record.kind == store::SessionKind::Recorded);
    QVERIFY(summary.status.state == store::SessionState::Done);
    QVERIFY(!summary.owner);
    QCOMPARE(summary.record.task_name, std::string("k 1"));
    QCOMPARE(summary.status.best_seconds, 51 / 1e3);
    const auto recording = must(folder.store().recordings().get(summary.record.recording));
    QCOMPARE(recording->size(), 50U);
    QCOMPARE(recording->columns().at(0).values.at(7), 7.0);
    QCOMPARE(summary.status.best_trial, std::int64_t{*recording->best()});
    // The same again adds nothing.
    const exchange::ImportOutcome again = must(exchange::import_file(folder.store(), path));
    QVERIFY(again.sessions.at(0).existed);
    QCOMPARE(again.sessions.at(0).session, imported.session);
    QCOMPARE(session_count(folder.store()), std::size_t{1});
  }

  void an_open_cache_becomes_a_session() {
    Folder folder;
    const std::string path = folder.write("open.json", cache_of(50, false));
    const exchange::ImportOutcome outcome = must(exchange::import_file(folder.store(), path));
    const store::SessionId id = outcome.sessions.at(0).session;
    const store::SessionSummary summary = must(folder.store().sessions().get(id));
    QVERIFY(summary.record.kind == store::SessionKind::Imported);
    QCOMPARE(summary.status.trial_count, std::int64_t{50});
    QCOMPARE(summary.status.best_seconds, 51 / 1e3);
    const std::vector<trial::Trial> trials = must(folder.store().trials().of(id));
    QCOMPARE(trials.size(), std::size_t{50});
    QCOMPARE(trials[3].measurement.recorded_seconds, 97 / 1e3);
    QVERIFY(must(folder.store().series().of(id)).empty());
    QCOMPARE(must(folder.store().trials().metrics(id)).size(), std::size_t{1});
    for (const trial::Trial& trial : trials) QCOMPARE(trial.measurement.metrics.size(), std::size_t{1});
    // As a user says.
    const exchange::ImportOutcome recorded =
        must(exchange::import_file(folder.store(), path, exchange::ImportAs::Recorded));
    QVERIFY(recorded.sessions.at(0).kind == store::SessionKind::Recorded);
    const exchange::ImportOutcome session = must(exchange::import_file(
        folder.store(), folder.write("closed.json", cache_of(5)), exchange::ImportAs::Session));
    QVERIFY(session.sessions.at(0).kind == store::SessionKind::Imported);
  }

  void recorded_spaces_of_our_own() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 5; ++round) {
      Folder folder;
      auto expected = recording_test::random_recording(random, recording_test::SpaceShape::Product, false);
      for (auto& row : expected.rows) {
        recording_test::make_possible(random, row.second);
        recording_test::give_time(row.second);
      }
      const task::Task task = must(task::make_generic_task({"p", "time", "s"}, "a task"));
      expected.header = recording_test::named_header("a \"space\" \xc3\xa9");
      expected.header.created_utc = "2026-01-02T03:04:05Z";
      expected.header.template_name = "a-template";
      expected.header.task_json = task::task_to_json(task);
      expected.header.target_name = schedule::default_cuda_target().name;
      expected.header.target_json = schedule::target_to_json(schedule::default_cuda_target());
      expected.header.options_json = trial::measure_options_to_json({});
      const auto recording = must(recording_test::build(random, expected));
      const std::string path = folder.write("space.ksrec", std::string(recording->bytes()));
      const exchange::ImportedSession imported =
          must(exchange::import_file(folder.store(), path)).sessions.at(0);
      QCOMPARE(imported.name, expected.header.name);
      QVERIFY(!imported.existed);
      QVERIFY(must(exchange::store_recording(folder.store(), recording)).existed);
      const store::RecordingId id = must(folder.store().sessions().get(imported.session)).record.recording;
      QVERIFY(must(folder.store().recordings().get(id))->bytes() == recording->bytes());
      QVERIFY(!exchange::import_file(folder.store(), path, exchange::ImportAs::Session));
      const std::string stated = error_of(exchange::import_file(
          folder.store(), exchange::ImportSource{.path = path, .table = {.unit = "ms"}}));
      QVERIFY2(stated.contains("import it without --parameters"), stated.c_str());
      // Every byte counts.
      std::string damaged(recording->bytes());
      damaged[random.below(damaged.size())] ^= 1;
      QVERIFY(!folder.error(damaged).contains("something was stored"));
      // Through other tuners' formats and back: the rows and their numbers.
      for (const std::string format : {"kernel-tuner", "t4"}) {
        folder.sessions().exported(imported.session, format);
        const exchange::ImportOutcome outcome =
            must(exchange::import_file(folder.store(), folder.sessions().path("exported")));
        const store::SessionRecord record =
            must(folder.store().sessions().get(outcome.sessions.at(0).session)).record;
        QVERIFY(record.kind == store::SessionKind::Recorded);
        const auto back = must(folder.store().recordings().get(record.recording));
        QCOMPARE(back->size(), recording->size());
        for (std::uint32_t row = 0; row < back->size(); ++row)
          QVERIFY(back->measurement(row) == recording->measurement(row));
        QVERIFY(folder.store().sessions().remove(outcome.sessions.at(0).session).has_value());
      }
    }
  }

  void unknown_files() {
    Folder folder;
    for (const std::string text : {"", "hello", "{}", "{\"a\": 1}", "\n\n  "}) {
      const std::string error = folder.error(text);
      QVERIFY2(has(error, "none of the known formats") && has(error, "kernel-tuner") && has(error, "ktt"),
               error.c_str());
    }
    QVERIFY(has(folder.error("hello\x01"), "hello\\x01"));
    QVERIFY(has(folder.error(std::string("SQLite format 3\0", 16)), "--db"));
    QVERIFY(has(folder.error("llvm\tgASVPQ==\tgASV\tgASV\n", "log"), "pickle"));
    QVERIFY(has(error_of(exchange::read_import(folder.sessions().path("nothing"))), "nothing"));
    QVERIFY(!exchange::read_import(folder.sessions().path("")));
  }

  void hostile_text() {
    Folder folder;
    QVERIFY(has(folder.error("\xff\xfe{\0}\0"), "UTF-16"));
    QVERIFY(has(folder.error("{\"cache\": \"\xc3\x28\"}"), "offset 11"));
    QVERIFY(has(folder.error(std::string("{\"cache\": \0}", 12)), "offset 10"));
    QVERIFY(
        must(exchange::import_file(folder.store(), folder.write("mark.json", "\xef\xbb\xbf" + cache_of(3))))
            .sessions.at(0)
            .trials == 3);
    const std::string cache = cache_of(300);
    const std::string packed = gzipped(cache);
    // Two members are one text.
    const std::string halves = gzipped(cache.substr(0, 1000)) + gzipped(cache.substr(1000));
    QCOMPARE(must(text_of_bytes(halves)), cache);
    base::Random random(testing::random_seed());
    for (int round = 0; round < 60; ++round) {
      const std::string cut = packed.substr(0, 2 + random.below(packed.size() - 2));
      QVERIFY(has(folder.error(cut, "cut.gz"), "gzip"));
    }
    QVERIFY(has(folder.error(gzipped("{\"tune_params\": " + std::string(64 << 20, ' ')), "bomb.gz"), "gzip"));
    QVERIFY(has(error_of(text_of_bytes(gzipped(std::string(3000, 'a')), {.max_bytes = 2000})), "larger"));
  }

  void hostile_json() {
    Folder folder;
    const std::string begin =
        R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 2]}, "cache": {"1": {"x": 1, "time": )";
    QVERIFY(has(folder.error(begin + std::string(100'000, '[')), "nested"));
    QVERIFY(has(folder.error("{\"tune_params\": " + std::string(100'000, '{')), "line 1"));
    QVERIFY(has(folder.error(begin + "1e999}}}"), "line 1"));
    QVERIFY(has(folder.error(begin + "\n\nNaN}}}"), "line 3"));
    QVERIFY(has(folder.error(begin + "1, \"time\": 2}}}"), "twice"));
    QVERIFY(has(folder.error(begin + "1" + std::string(5000, '0') + "}}}"), "line 1"));
    // A million keys in one entry, and a million entries.
    std::string keys = begin + "1";
    for (int i = 0; i < 1'000'000; ++i) keys += fmt::format(",\"k{}\":1", i);
    QVERIFY(has(folder.error(keys + "}}}"), "column"));
    std::string entries = begin + "1}";
    for (int i = 0; i < 1'000'000; ++i) entries += fmt::format(",\"{}\":{{}}", i + 2);
    QCOMPARE(session_count(folder.store()), std::size_t{0});
    const exchange::ImportOutcome outcome =
        must(exchange::import_file(folder.store(), folder.write("many.json", entries + "}}")));
    QCOMPARE(outcome.sessions.at(0).trials, std::int64_t{1});
    QVERIFY(has(outcome.notices.at(0), "no value of x"));
    QVERIFY(has(outcome.notices.at(1), "999995 more entries were skipped, 1000000 in all"));
  }

  void whole_numbers_beyond_64_bits_are_real() {
    const space::Json numbers =
        must(exchange::parse_import_json("[18446744073709551616, -9223372036854775809, 3]"));
    QVERIFY(numbers[0].is_number_float() && numbers[1].is_number_float() && numbers[2] == 3);
  }

  void all_parts_or_none() {
    Folder folder;
    const std::string result =
        R"({{"KernelName": "{}", "Status": "{}", "TotalDuration": 5, "Configuration": )"
        R"([{{"Name": "x", "Value": 1, "ValueType": "Int"}}]}})";
    const std::string head =
        R"({"Metadata": {"TimeUnit": "Milliseconds", "ComputeApi": "CUDA"}, "Results": [)";
    const auto kernel = [&](const char* name, const char* status) {
      return fmt::format(fmt::runtime(result), name, status);
    };
    QVERIFY(has(folder.error(head + kernel("a", "") + "," + kernel("b", "") + "]}"), "no Status"));
    const exchange::ImportOutcome outcome = must(exchange::import_file(
        folder.store(), folder.write("two.json", head + kernel("a", "Ok") + "," + kernel("b", "Ok") + "]}")));
    QCOMPARE(outcome.sessions.size(), std::size_t{2});
    QCOMPARE(outcome.sessions[0].name, std::string("two a"));
    QCOMPARE(outcome.sessions[1].name, std::string("two b"));
  }

  void what_a_reader_left_out_stays_with_the_session() {
    Folder folder;
    std::string cache = cache_of(5);
    cache.insert(1, R"("objective": "energy", )");
    const exchange::ImportOutcome outcome =
        must(exchange::import_file(folder.store(), folder.write("cache.json", cache)));
    const exchange::ImportOutcome open = must(exchange::import_file(
        folder.store(), folder.write("session.json", cache), exchange::ImportAs::Session));
    QVERIFY(!outcome.notices.empty() && outcome.notices == open.notices);
    // The same again adds nothing.
    must(exchange::import_file(folder.store(), folder.write("cache.json", cache)));
    for (const exchange::ImportedSession& session : {outcome.sessions.at(0), open.sessions.at(0)}) {
      const std::vector<trial::SessionNotice> notices = must(folder.store().notices().of(session.session));
      QCOMPARE(notices.size(), outcome.notices.size());
      for (std::size_t i = 0; i < notices.size(); ++i) {
        QCOMPARE(notices[i].text, outcome.notices[i]);
        QCOMPARE(notices[i].kind, std::string(trial::import_notice));
        QVERIFY(!trial::disturbs(notices[i]));
      }
    }
  }

  void a_file_that_says_too_much_is_refused() {
    Folder folder;
    const task::Task task = must(task::make_generic_task({"p", "time", "s"}, "a task"));
    const space::SearchSpace space =
        must(space::SearchSpace::make({must(space::Knob::factorization("tile", 8, 2))}));
    trial::Trial trial;
    trial.configuration.indices = {0};
    trial.measurement.samples_seconds = {1.0};
    const store::SessionId id =
        folder.sessions().add(StoredSessions::record_of(task, schedule::default_cuda_target(), space),
                              store::SessionStatus(), {trial});
    QVERIFY(folder.store().notices().add(id, {"machine", "said", 0.5}).has_value());
    const std::string text = folder.sessions().exported(id, "json");
    const std::string notice = R"({"kind":"machine","text":"said","session_seconds":0.5})";
    QVERIFY2(text.contains(notice), text.c_str());
    const auto with = [&](const std::string& other) {
      std::string changed = text;
      return changed.replace(changed.find(notice), notice.size(), other);
    };
    QVERIFY(has(folder.error(with(R"({"kind":"machine","text":"said","session_seconds":-1})")), "notices"));
    QVERIFY(has(folder.error(with(R"({"kind":"machine","session_seconds":0})")), "text"));
    std::string many = notice;
    for (int i = 0; i < store::max_session_notices; ++i) many += "," + notice;
    QVERIFY(has(folder.error(with(many)), "notices"));
    const store::SessionId back =
        must(exchange::import_file(
                 folder.store(),
                 folder.write("clean.json", with(R"({"kind":"x","text":"a\u001bb","session_seconds":0})"))))
            .sessions.at(0)
            .session;
    QCOMPARE(must(folder.store().notices().of(back)).front().text, std::string("a?b"));
  }

  void own_sessions_keep_what_belongs_to_them() {
    Folder folder;
    const task::Task task = must(task::make_generic_task({"p", "time", "s"}, "a task"));
    const space::SearchSpace space =
        must(space::SearchSpace::make({must(space::Knob::factorization("tile", 8, 2))}));
    std::vector<trial::Trial> trials(3);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i].number = static_cast<std::int64_t>(i);
      trials[i].configuration.indices = {static_cast<std::uint32_t>(i)};
      trials[i].measurement.samples_seconds = {1.0 + static_cast<double>(i)};
    }
    store::SessionStatus status;
    status.state = store::SessionState::Interrupted;
    status.state_reason = "stopped";
    status.best_trial = 0;
    status.best_seconds = 1;
    status.search_seconds = 0.25;
    const store::SessionId id = folder.sessions().add(
        StoredSessions::record_of(task, schedule::default_cuda_target(), space), status, trials);
    store::Store& store = folder.store();
    QVERIFY(store.confirmations()
                .append(id, std::vector<trial::Confirmation>{{1, "2026-01-02T03:04:05Z", {1.5}}})
                .has_value());
    QVERIFY(store.series().append(id, std::vector<store::StoredSeries>{{2, "loss", 0.5}}).has_value());
    QVERIFY(store.interruptions().append(id, 3.5, "pause").has_value());
    QVERIFY(store.notices().add(id, {"machine", "the machine was loaded", 0.5}).has_value());
    QVERIFY(store.sessions().set_note(id, "a note").has_value());
    QVERIFY(store.sessions().set_tags(id, std::vector<std::string>{"one", "two"}).has_value());
    for (const std::string format : {"json", "kernel-tuner", "t4"}) {
      folder.sessions().exported(id, format);
      const store::SessionId back =
          must(exchange::import_file(store, folder.sessions().path("exported"))).sessions.at(0).session;
      const store::SessionSummary summary = must(store.sessions().get(back));
      QVERIFY(summary.record.kind == store::SessionKind::Imported);
      QVERIFY(summary.status.state == store::SessionState::Interrupted);
      QCOMPARE(summary.status.state_reason, std::string("stopped"));
      QCOMPARE(summary.status.search_seconds, 0.25);
      QCOMPARE(summary.annotation.note, std::string("a note"));
      QCOMPARE(summary.annotation.tags.size(), std::size_t{2});
      QVERIFY(must(store.trials().of(back)) == must(store.trials().of(id)));
      QVERIFY(must(store.confirmations().of(back)) == must(store.confirmations().of(id)));
      QVERIFY(must(store.series().of(back)) == must(store.series().of(id)));
      QVERIFY(must(store.interruptions().of(back)) == must(store.interruptions().of(id)));
      const std::vector<trial::SessionNotice> said = must(store.notices().of(back));
      QVERIFY(!said.empty() && said.front() == must(store.notices().of(id)).front());
      for (const trial::SessionNotice& notice : std::span(said).subspan(1))
        QCOMPARE(notice.kind, std::string(trial::import_notice));
    }
  }
};

KERNELSCAPE_TEST(ExchangeImportFileTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_file_test
#include "exchange_import_file_test.moc"

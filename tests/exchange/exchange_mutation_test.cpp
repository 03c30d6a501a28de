#include <QDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/exchange/validation.h"
#include "core/session/kernel_library.h"
#include "core/session/recording_cache.h"
#include "core/session/report.h"
#include "core/study/comparison_reader.h"
#include "tests/exchange/database_dump.h"
#include "tests/exchange/forged_recording.h"
#include "tests/exchange/import_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/store/random_session.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::exchange_mutation_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

json hostile_number(base::Random& random) {
  const std::vector<json> numbers = {
      0,         -1,        1e-300,       1e300,      -1e300, "nan", "inf", 4e8, 1.5,
      1e-11,     INT64_MAX, INT64_MIN,    UINT64_MAX, -0.0,   "1",   1e17,  2,   std::int64_t{1} << 31,
      1LL << 53, nullptr,   json::array()};
  return numbers[random.below(numbers.size())];
}

json hostile_text(base::Random& random, const std::string& text) {
  const std::vector<json> texts = {"",
                                   "\x1b]0;title\x07" + text,
                                   text + "\n2 sessions",
                                   std::string(70'000, 'x'),
                                   text + "\xe2\x80\xae",
                                   "<script>" + text,
                                   "=cmd|' /C calc'!A0",
                                   std::string("\0", 1),
                                   "nan",
                                   "{}",
                                   "[]",
                                   "[[[[",
                                   {195, 40, 27},
                                   7,
                                   nullptr};
  return texts[random.below(texts.size())];
}

json hostile_list(base::Random& random, json list) {
  if (random.chance(0.4)) return json::array();
  if (random.chance(0.2)) return json::object();
  const json once = list;
  for (const json& item : once) list.push_back(item);
  return list;
}

json hostile_value(base::Random& random, const json& value) {
  if (value.is_number()) return hostile_number(random);
  if (value.is_string()) return hostile_text(random, value.get<std::string>());
  if (value.is_array()) return hostile_list(random, value);
  if (value.is_boolean()) return random.chance(0.5) ? json(!value.get<bool>()) : json("true");
  if (value.is_object()) return random.chance(0.5) ? json::object() : json("{");
  return hostile_number(random);
}

/** One member, deep or shallow, is changed or taken away. @return where */
std::string mutate(base::Random& random, json& file) {
  json* place = &file;
  std::string path;
  for (;;) {
    const bool deeper = place->is_structured() && !place->empty() && (place == &file || random.chance(0.85));
    if (!deeper) break;
    auto member = place->begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random.below(place->size())));
    path += '/' + (place->is_object() ? member.key() : std::to_string(member - place->begin()));
    if (random.chance(0.03)) {
      place->erase(member);
      return path + " taken out";
    }
    place = &*member;
  }
  *place = hostile_value(random, *place);
  return path + " = " + place->dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 80);
}

}  // namespace

/**
 * Whatever a file says: it is refused and nothing has changed, or all that reads sessions can read what it
 * became.
 */
class ExchangeMutationTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<StoredSessions> sessions_;
  store::SessionId good_ = 0;

  store::Store& store() { return sessions_->store(); }
  std::string write(const std::string& name, const std::string& bytes) {
    write_text(QString::fromStdString(sessions_->path(name)), bytes);
    return sessions_->path(name);
  }

  /** A session of a template, with trials of all kinds. */
  void add_good_session(base::Random& random);
  void check_import(const std::string& path, const std::string& mutation);
  void check_session(store::SessionId id);
  void check_exports(store::SessionId id, const session::Report& report);
  void check_back(store::SessionId id, const std::string& format);

 private slots:
  void init() { sessions_ = std::make_unique<StoredSessions>(); }
  void sessions();
  void sessions_in_other_formats();
  void recorded_spaces();
};

void ExchangeMutationTest::add_good_session(base::Random& random) {
  const task::Task task = must(task::parse_task("matmul 24x16 16x40 f32"));
  const schedule::ScheduledKernel kernel = must(schedule::apply_template(task, this_machine(), ""));
  const space::SearchSpace& space = kernel.space();
  store::SessionRecord record = StoredSessions::record_of(task, this_machine(), space);
  record.template_name = kernel.template_name();
  record.template_version = kernel.template_version();
  record.batch_size = 3;
  std::vector<trial::Trial> trials(6);
  store::SessionStatus status;
  status.state = store::SessionState::Done;
  status.session_seconds = 100;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trial::Trial& trial = trials[i];
    trial.number = static_cast<std::int64_t>(i);
    trial.batch = static_cast<std::int32_t>(i / 3);
    trial.position = static_cast<std::int32_t>(i % 3);
    trial.configuration = testing::accepted_member(kernel, random);
    trial.finished_seconds = static_cast<double>(i) + 1;
    if (i == 2) {
      trial.measurement = recording_test::failed(trial::ErrorCategory::CompileHost, "no such header");
      continue;
    }
    const double seconds = 1e-5 * (1 + random.uniform());
    trial.measurement = recording_test::timed({seconds, seconds, seconds}, 0.5, 0.25);
    if (status.best_trial >= 0 && seconds >= status.best_seconds) continue;
    status.best_trial = trial.number;
    status.best_seconds = seconds;
  }
  trial::Baselines baselines;
  baselines.vendor.name = "a vendor";
  baselines.vendor.samples_seconds = {1e-5, 2e-5};
  baselines.first_valid = trial::FirstValid{trials[0].configuration, {3e-5}};
  status.vendor_json = trial::baselines_to_json(baselines);
  good_ = sessions_->add(record, status, trials);
  StoredSessions::checked(
      store().series().append(good_, std::vector<store::StoredSeries>{{0, "epsilon", 0.1}}));
  StoredSessions::checked(store().confirmations().append(
      good_, std::vector<trial::Confirmation>{{status.best_trial, "2026-01-02T03:04:05Z", {2e-5, 3e-5}}}));
  StoredSessions::checked(store().interruptions().append(good_, 1.5, "pause"));
  StoredSessions::checked(store().sessions().set_note(good_, "a note"));
  StoredSessions::checked(store().sessions().set_tags(good_, std::vector<std::string>{"a tag"}));
}

void ExchangeMutationTest::check_import(const std::string& path, const std::string& mutation) {
  const std::string before = database_dump(sessions_->path("test.db"));
  const Result<exchange::ImportOutcome> outcome = exchange::import_file(store(), path);
  if (!outcome) {
    const Error& error = outcome.error();
    QVERIFY2(error.message.contains(path), error.message.c_str());
    QVERIFY2(!error.message.contains("constraint failed"), error.message.c_str());
    QVERIFY2(database_dump(sessions_->path("test.db")) == before, mutation.c_str());
    return;
  }
  for (const exchange::ImportedSession& session : outcome->sessions) {
    check_session(session.session);
    if (QTest::currentTestFailed()) return;
    if (!session.existed) StoredSessions::checked(store().sessions().remove(session.session));
  }
}

void ExchangeMutationTest::check_session(store::SessionId id) {
  const Result<session::Report> report = session::make_session_report(store(), id);
  VERIFY_RESULT(report);
  QVERIFY2(report->problems.empty(), report->problems.empty() ? "" : report->problems.front().c_str());
  const store::SessionStatus& status = report->session.status;
  const std::vector<trial::Trial> trials = must(store().trials().of(id));
  QCOMPARE(status.trial_count, std::ssize(trials));
  double best = 0;
  for (const trial::Trial& trial : trials) {
    const double seconds = trial.measurement.ranking_seconds();
    QVERIFY(seconds == 0 || (seconds >= 1e-10 && seconds < 4e8));
    QVERIFY(trial.finished_seconds >= 0 && trial.finished_seconds <= status.session_seconds * (1 + 1e-9));
    if (trial.measurement.valid() && seconds > 0 && (best == 0 || seconds < best)) best = seconds;
  }
  QCOMPARE(status.best_seconds, best);
  QCOMPARE(status.best_trial >= 0, best > 0);
  if (best > 0)
    QCOMPARE(must(store().trials().get(id, status.best_trial)).measurement.ranking_seconds(), best);
  QVERIFY(status.session_seconds >= 0 && status.session_seconds < 4e8);
  QVERIFY(std::isfinite(report->time.idle_seconds()));
  const session::LibraryKernels library = must(session::best_kernels(store()));
  QVERIFY2(library.unreadable.empty(),
           library.unreadable.empty() ? "" : session::left_out_text(library.unreadable.front()).c_str());
  QVERIFY(!library.kernels.empty());
  study::ComparisonReader comparison(store(), std::vector<store::SessionId>{good_, id});
  VERIFY_RESULT(comparison.read());
  check_exports(id, *report);
}

void ExchangeMutationTest::check_exports(store::SessionId id, const session::Report& report) {
  for (const exchange::ExportFormat& format : exchange::export_formats()) {
    exchange::ExportRequest request{.store = store(), .session = id};
    std::vector<std::string> notices;
    request.notices = &notices;
    request.path = sessions_->path("exported-" + format.name);
    if (format.one_trial) request.trial = report.best_trial;
    QDir(QString::fromStdString(request.path)).removeRecursively();
    QFile::remove(QString::fromStdString(request.path));
    const Status written = exchange::export_session(format, request);
    if (!written) QVERIFY2(!written.error().message.empty(), format.name.c_str());
    if (format.name == "json") VERIFY_RESULT(written);
    // What other programs' formats hold may be less than a session; what was written is read again.
    const bool importable = format.name == "json" || format.name == "recorded" ||
                            format.name == "kernel-tuner" || format.name == "t4";
    // Readers of other programs' caches want a result at least.
    const bool has_results = format.name == "json" || report.session.status.trial_count > 0;
    if (written && importable && has_results) check_back(id, format.name);
    if (QTest::currentTestFailed()) return;
  }
}

void ExchangeMutationTest::check_back(store::SessionId id, const std::string& format) {
  const Result<exchange::ImportOutcome> outcome =
      exchange::import_file(store(), sessions_->path("exported-" + format));
  VERIFY_RESULT(outcome);
  const exchange::ImportedSession& back = outcome->sessions.at(0);
  if (format == "json" && back.kind == store::SessionKind::Imported) {
    const json first = json::parse(sessions_->exported(id, "json"));
    const json second = json::parse(sessions_->exported(back.session, "json"));
    for (const char* part : {"trials", "series", "confirmations", "interruptions"})
      QVERIFY2(first.at(part) == second.at(part), part);
  }
  if (!back.existed) StoredSessions::checked(store().sessions().remove(back.session));
}

void ExchangeMutationTest::sessions() {
  base::Random random(testing::random_seed());
  add_good_session(random);
  const json good = json::parse(sessions_->exported(good_, "json"));
  check_import(write("mutated.json", good.dump()), "nothing");
  for (int round = 0; round < 200 && !QTest::currentTestFailed(); ++round) {
    json file = good;
    // Most members are the trials'; the few others are as important.
    json& part = random.chance(0.5) ? file : file[random.chance(0.5) ? "session" : "status"];
    const std::string mutation = mutate(random, part);
    const std::string text = file.dump(-1, ' ', false, json::error_handler_t::replace);
    check_import(write("mutated.json", text), mutation);
    if (QTest::currentTestFailed()) qWarning("mutation: %s", mutation.c_str());
  }
}

/** The same session beside another tuner's results. */
void ExchangeMutationTest::sessions_in_other_formats() {
  base::Random random(testing::random_seed());
  add_good_session(random);
  for (const std::string format : {"kernel-tuner", "t4"}) {
    const json good = json::parse(sessions_->exported(good_, format));
    for (int round = 0; round < 40 && !QTest::currentTestFailed(); ++round) {
      json file = good;
      const std::string mutation = mutate(random, random.chance(0.7) ? file["kernelscape"]["session"] : file);
      const std::string text = file.dump(-1, ' ', false, json::error_handler_t::replace);
      check_import(write("mutated.json", text), mutation);
      if (QTest::currentTestFailed()) qWarning("mutation: %s", mutation.c_str());
    }
  }
}

void ExchangeMutationTest::recorded_spaces() {
  base::Random random(testing::random_seed());
  add_good_session(random);
  exchange::ExportRequest request{.store = store(), .session = good_};
  request.path = sessions_->path("good.ksrec");
  VERIFY_RESULT(exchange::export_session(*must(exchange::find_export_format("recorded")), request));
  const std::shared_ptr<const trial::Recording> good = must(trial::Recording::open(request.path));
  for (int round = 0; round < 200 && !QTest::currentTestFailed(); ++round) {
    ForgedRecording forged(*good);
    std::string mutation;
    if (random.chance(0.4)) {
      const std::size_t place = random.below(forged.columns().size() / sizeof(double)) * sizeof(double);
      const std::vector<double> values{0, -1, 1e-300, 1e300, 1e-11, 4e8, std::nan(""), HUGE_VAL, 0.5};
      const double value = values[random.below(values.size())];
      std::memcpy(forged.columns().data() + place, &value, sizeof value);
      mutation = std::to_string(value) + " at " + std::to_string(place);
    } else {
      // Texts in which other layers read JSON, as JSON; the rest as it is.
      json::iterator member = forged.header().begin();
      std::advance(member, static_cast<std::ptrdiff_t>(random.below(forged.header().size())));
      json inner = member->is_string() ? json::parse(member->get<std::string>(), nullptr, false) : json();
      if (inner.is_object() && random.chance(0.8)) {
        mutation = member.key() + mutate(random, inner);
        *member = inner.dump(-1, ' ', false, json::error_handler_t::replace);
      } else {
        *member = hostile_value(random, *member);
        mutation = member.key();
      }
    }
    const std::string path = write("forged.ksrec", forged.file());
    // A target that is replayed and an import see the same gate.
    const bool opened = session::open_recorded_target("recorded:" + path, store()).has_value();
    QCOMPARE(exchange::open_recording(path).has_value(), opened);
    check_import(path, mutation);
    if (QTest::currentTestFailed()) qWarning("mutation: %s", mutation.c_str());
  }
}

KERNELSCAPE_TEST(ExchangeMutationTest, QCoreApplication)

}  // namespace kernelscape::exchange_mutation_test
#include "exchange_mutation_test.moc"

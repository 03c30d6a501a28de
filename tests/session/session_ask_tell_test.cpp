#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <deque>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/random.h"
#include "core/session/ask_tell.h"
#include "tests/test_program.h"

namespace kernelscape::session_ask_tell_test {
using nlohmann::json;

namespace {

constexpr const char* space_text = R"({
  "General": {"BenchmarkName": "blur"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "TILE", "Type": "int", "Values": "[1, 2, 4, 8, 16, 32]"},
      {"Name": "UNROLL", "Type": "int", "Values": "[1, 2, 3, 4]"},
      {"Name": "PACK", "Type": "bool", "Values": "[True, False]"}],
    "Conditions": [{"Expression": "TILE * UNROLL <= 64", "Parameters": ["TILE", "UNROLL"]}]}})";

/** The time of a run, from the configuration alone. */
double seconds_of(const json& configuration) {
  const auto tile = configuration.at("TILE").get<double>();
  const auto unroll = configuration.at("UNROLL").get<double>();
  return 1e-3 * (1 + std::abs(tile - 8) + std::abs(unroll - 3) + (configuration.at("PACK") == true ? 0 : 2));
}

json result_of(const json& handed) {
  return {{"trial", handed.at("trial")}, {"seconds", {seconds_of(handed.at("configuration"))}}};
}

std::string tell(const json& results) { return json{{"command", "tell"}, {"results", results}}.dump(); }
std::string ask(int count) { return json{{"command", "ask"}, {"n", count}}.dump(); }

/** A client that answers each line of the program at once; it closes its end when it has nothing to send. */
class ScriptedClient final : public session::ClientLines {
 public:
  /** @param respond is called with each line of the program, and sends by send() */
  explicit ScriptedClient(std::function<void(ScriptedClient&, const json&)> respond)
      : respond_(std::move(respond)) {}

  void send(std::string line) { sent_.push_back(std::move(line)); }

  Received read(std::chrono::milliseconds) override {
    if (sent_.empty()) return {Kind::End};
    std::string line = std::move(sent_.front());
    sent_.pop_front();
    return {Kind::Line, std::move(line)};
  }
  void write(std::string_view line) override {
    received.push_back(json::parse(line));
    respond_(*this, received.back());
  }

  std::vector<json> events(const std::string& name) const {
    std::vector<json> found;
    for (const json& line : received)
      if (line.at("event") == name) found.push_back(line);
    return found;
  }

  std::vector<json> received;

 private:
  std::function<void(ScriptedClient&, const json&)> respond_;
  std::deque<std::string> sent_;
};

/** Measures everything that it gets. @param results it ends after so many; 0: at the end of the session */
std::function<void(ScriptedClient&, const json&)> diligent(int count, std::size_t results = 0) {
  auto left = std::make_shared<std::size_t>(results == 0 ? SIZE_MAX : results);
  return [count, left](ScriptedClient& client, const json& line) {
    const std::string event = line.at("event");
    if (event == "hello" || (event == "stored" && *left > 0)) client.send(ask(count));
    if (event != "configurations") return;
    for (const json& handed : line.at("configurations")) {
      if (*left == 0) return;
      --*left;
      client.send(tell(json::array({result_of(handed)})));
    }
  };
}

}  // namespace

class SessionAskTellTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<store::Store> store_;
  session::StopRequest stop_;

  void open(const QString& name);
  session::TuningRequest request(const std::string& tuner, std::int64_t trials) const;
  store::SessionId run(const session::TuningRequest& request, std::int64_t batch, ScriptedClient& client);
  void resume(store::SessionId id, ScriptedClient& client);
  std::vector<std::pair<space::Configuration, double>> trials(store::SessionId id) const;

 private slots:
  void init();
  void aClientMeasuresASession();
  void proposalsDependOnSeedAndResultsAlone_data();
  void proposalsDependOnSeedAndResultsAlone();
  void aClientThatDiesLosesNothing();
  void configurationsWithoutResultAreAskedAgain();
  void wrongLinesHaveNoEffect_data();
  void wrongLinesHaveNoEffect();
  void aLineOfResultsIsTakenAsAWhole();
  void aResultIsStoredOnce();
  void failuresKeepCategoryAndText();
  void resultsKeepTheirMetrics();
  void aStopWaitsForAllRunningTrials();
  void heldBackTrialsAreNotHandedOut();
  void aLateResultIsRefused();
  void onlyAClientResumesIt();
  void listedMembersAreTheSpace();
  void tunersThatNeedKernelsAreRefused();
};

void SessionAskTellTest::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  std::ofstream(folder_->filePath("space.json").toStdString()) << space_text;
  open("test.db");
}

void SessionAskTellTest::open(const QString& name) {
  store_ = std::make_unique<store::Store>(*store::Store::open(folder_->filePath(name).toStdString()));
}

session::TuningRequest SessionAskTellTest::request(const std::string& tuner, std::int64_t trials) const {
  session::TuningRequest request;
  request.task = folder_->filePath("space.json").toStdString();
  request.target = session::elsewhere_target;
  request.tuner = tuner;
  request.budget.trials = trials;
  request.seed = 7;
  return request;
}

store::SessionId SessionAskTellTest::run(const session::TuningRequest& request, std::int64_t batch,
                                         ScriptedClient& client) {
  const auto prepared = session::prepare_ask_tell(request, batch, *store_);
  if (!prepared) qFatal("%s", describe(prepared.error()).c_str());
  const auto outcome = session::run_ask_tell(*store_, *prepared, std::nullopt, client, stop_);
  if (!outcome) qFatal("%s", describe(outcome.error()).c_str());
  return outcome->id;
}

void SessionAskTellTest::resume(store::SessionId id, ScriptedClient& client) {
  const auto prepared = session::prepare_ask_tell_resume(*store_, id);
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  const auto outcome = session::run_ask_tell(*store_, *prepared, id, client, stop_);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
}

std::vector<std::pair<space::Configuration, double>> SessionAskTellTest::trials(store::SessionId id) const {
  std::vector<std::pair<space::Configuration, double>> trials;
  const std::vector<trial::Trial> stored = *store_->trials().of(id);
  for (const trial::Trial& trial : stored)
    trials.emplace_back(trial.configuration, trial.measurement.median_seconds());
  return trials;
}

void SessionAskTellTest::aClientMeasuresASession() {
  ScriptedClient client(diligent(2));
  const store::SessionId id = run(request("random", 12), 4, client);
  const json hello = client.events("hello").front();
  QCOMPARE(hello.at("event").get<std::string>(), std::string("hello"));
  QCOMPARE(hello.at("protocol").get<std::int64_t>(), session::client_protocol_version);
  QCOMPARE(hello.at("session").get<std::int64_t>(), id);
  QCOMPARE(hello.at("batch").get<int>(), 4);
  const store::SessionSummary session = *store_->sessions().get(id);
  QCOMPARE(session.status.state, store::SessionState::Done);
  QCOMPARE(session.status.trial_count, 12);
  QVERIFY(!session.owner);
  QCOMPARE(client.events("stored").size(), std::size_t(12));
  QVERIFY(client.events("configurations").back().at("done").get<bool>());
  const json ended = client.received.back();
  QCOMPARE(ended.at("event").get<std::string>(), std::string("ended"));
  QCOMPARE(ended.at("best").at("seconds").get<double>(), session.status.best_seconds);
  QCOMPARE(ended.at("best").at("seconds").get<double>(), seconds_of(ended.at("best").at("configuration")));
}

void SessionAskTellTest::proposalsDependOnSeedAndResultsAlone_data() {
  QTest::addColumn<QString>("tuner");
  for (const char* tuner : {"random", "grid", "ga", "gp", "sa", "xgb"})
    QTest::newRow(tuner) << QString(tuner);
}

/** However many a client asks for at once, and however often it ends. */
void SessionAskTellTest::proposalsDependOnSeedAndResultsAlone() {
  QFETCH(QString, tuner);
  const session::TuningRequest wanted = request(tuner.toStdString(), 20);
  ScriptedClient all_at_once(diligent(8));
  const auto whole = trials(run(wanted, 4, all_at_once));
  QCOMPARE(whole.size(), std::size_t(20));

  open("interrupted.db");
  ScriptedClient first(diligent(1, 7));
  const store::SessionId id = run(wanted, 4, first);
  for (const std::size_t count : {2U, 1U, 5U, 0U}) {
    ScriptedClient client(diligent(3, count));
    resume(id, client);
  }
  const auto interrupted = trials(id);
  QCOMPARE(interrupted.size(), whole.size());
  QVERIFY(std::is_permutation(whole.begin(), whole.end(), interrupted.begin(), interrupted.end()));
}

/** A client that dies at a random line, sometimes within it, again and again. */
void SessionAskTellTest::aClientThatDiesLosesNothing() {
  constexpr int rounds = 100;
  constexpr int max_lines = 9;
  const std::uint64_t seed = 52;
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  base::Random random(seed);
  std::set<std::int64_t> stored;
  std::optional<store::SessionId> id;
  session::TuningRequest endless = request("random", 0);
  endless.budget.identical_failures = 0;
  for (int round = 0; round < rounds; ++round) {
    auto left = std::make_shared<std::uint64_t>(random.below(max_lines));
    const bool torn = random.below(2) == 0;
    ScriptedClient client([left, torn](ScriptedClient& self, const json& line) {
      const auto send = [&](std::string text) {
        if (*left == 0) return;
        if (--*left == 0 && torn) text.resize(text.size() / 2);
        self.send(std::move(text));
      };
      if (line.at("event") == "configurations")
        for (const json& handed : line.at("configurations")) send(tell(json::array({result_of(handed)})));
      if (line.at("event") == "hello" || line.at("event") == "configurations") send(ask(2));
    });
    if (id)
      resume(*id, client);
    else
      id = run(endless, 3, client);
    for (const json& line : client.events("stored"))
      for (const json& trial : line.at("stored"))
        QVERIFY2(stored.insert(trial.get<std::int64_t>()).second, "a result was stored twice");
    const auto session = *store_->sessions().get(*id);
    if (session.status.state == store::SessionState::Done) break;
    QCOMPARE(session.status.state, store::SessionState::Interrupted);
    const std::vector<trial::Trial> kept = *store_->trials().of(*id);
    QCOMPARE(kept.size(), stored.size());
    for (const trial::Trial& trial : kept) QVERIFY(stored.contains(trial.number));
  }
  QVERIFY(stored.size() > 10);
}

void SessionAskTellTest::configurationsWithoutResultAreAskedAgain() {
  ScriptedClient forgetful(diligent(4, 1));
  const store::SessionId id = run(request("random", 8), 4, forgetful);
  const json first = forgetful.events("configurations").front().at("configurations");
  QCOMPARE(first.size(), std::size_t(4));
  ScriptedClient client([](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(ask(10));
  });
  resume(id, client);
  const json again = client.events("configurations").front().at("configurations");
  QCOMPARE(again.size(), std::size_t(3));
  for (std::size_t i = 0; i < again.size(); ++i) QVERIFY(again[i] == first[i + 1]);
}

void SessionAskTellTest::wrongLinesHaveNoEffect_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<QString>("code");
  QTest::newRow("no JSON") << "ask 4" << "bad_line";
  QTest::newRow("torn") << R"({"command": "ask")" << "bad_line";
  QTest::newRow("another value") << "[1, 2]" << "bad_line";
  QTest::newRow("unknown command") << R"({"command": "aks"})" << "bad_line";
  QTest::newRow("none asked for") << R"({"command": "ask", "n": 0})" << "bad_line";
  QTest::newRow("misspelled") << R"({"command": "ask", "count": 2})" << "bad_line";
  QTest::newRow("no results") << R"({"command": "tell", "results": []})" << "bad_line";
  QTest::newRow("no time") << R"({"command": "tell", "results": [{"trial": 0}]})" << "bad_line";
  QTest::newRow("negative") << R"({"command": "tell", "results": [{"trial": 0, "seconds": -1}]})"
                            << "bad_line";
  QTest::newRow("zero") << R"({"command": "tell", "results": [{"trial": 0, "seconds": [1, 0]}]})"
                        << "bad_line";
  QTest::newRow("not a number") << R"({"command": "tell", "results": [{"trial": 0, "seconds": NaN}]})"
                                << "bad_line";
  QTest::newRow("both") << R"({"command": "tell", "results": [{"trial": 0, "seconds": 1, "error": "X"}]})"
                        << "bad_line";
  QTest::newRow("unknown error") << R"({"command": "tell", "results": [{"trial": 0, "error": "OOPS"}]})"
                                 << "bad_line";
  QTest::newRow("no error") << R"({"command": "tell", "results": [{"trial": 0, "error": "NO_ERROR"}]})"
                            << "bad_line";
  QTest::newRow("twice") << R"({"command": "tell", "results": [{"trial": 0, "seconds": 1},
                                {"trial": 0, "seconds": 1}]})"
                         << "bad_line";
  QTest::newRow("no metrics")
      << R"({"command": "tell", "results": [{"trial": 0, "seconds": 1, "metrics": [1]}]})"
      << "bad_line";
  QTest::newRow("a metric without a number")
      << R"({"command": "tell", "results": [{"trial": 0, "seconds": 1, "metrics": {"e": "much"}}]})"
      << "bad_line";
  QTest::newRow("a metric without a name")
      << R"({"command": "tell", "results": [{"trial": 0, "seconds": 1, "metrics": {"": 1}}]})" << "bad_line";
  QTest::newRow("a misspelled metric")
      << R"({"command": "tell", "results": [{"trial": 0, "seconds": 1, "metrics": {"e": {"valeu": 1}}}]})"
      << "bad_line";
  QTest::newRow("deep") << QString(100'000, '[') << "bad_line";
  QTest::newRow("unknown trial") << R"({"command": "tell", "results": [{"trial": 99, "seconds": 1}]})"
                                 << "unknown_trial";
  QTest::newRow("later protocol") << R"({"command": "hello", "protocol": 99, "new": 1})" << "protocol";
}

void SessionAskTellTest::wrongLinesHaveNoEffect() {
  QFETCH(QString, line);
  QFETCH(QString, code);
  ScriptedClient client([&](ScriptedClient& self, const json& received) {
    if (received.at("event") == "hello") self.send(line.toStdString());
    if (received.at("event") == "error") self.send(ask(1));
  });
  const store::SessionId id = run(request("random", 8), 4, client);
  const std::vector<json> errors = client.events("error");
  QCOMPARE(errors.size(), std::size_t(1));
  QCOMPARE(errors.front().at("code").get<std::string>(), code.toStdString());
  QVERIFY(!errors.front().at("message").get<std::string>().empty());
  QCOMPARE(client.events("configurations").front().at("configurations").size(), std::size_t(1));
  QCOMPARE(store_->sessions().get(id)->status.trial_count, 0);
}

void SessionAskTellTest::aLineOfResultsIsTakenAsAWhole() {
  ScriptedClient client([](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(ask(2));
    if (line.at("event") != "configurations") return;
    json results = json::array();
    for (const json& handed : line.at("configurations")) results.push_back(result_of(handed));
    results.push_back({{"trial", 99}, {"seconds", 1}});
    self.send(tell(results));
    results.erase(results.size() - 1);
    self.send(tell(results));
  });
  const store::SessionId id = run(request("random", 8), 4, client);
  QCOMPARE(client.events("error").size(), std::size_t(1));
  const std::vector<json> stored = client.events("stored");
  QCOMPARE(stored.size(), std::size_t(1));
  QCOMPARE(stored.front().at("stored").size(), std::size_t(2));
  QCOMPARE(store_->sessions().get(id)->status.trial_count, 2);
}

void SessionAskTellTest::aResultIsStoredOnce() {
  ScriptedClient client([](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(ask(1));
    if (line.at("event") != "configurations") return;
    self.send(tell(json::array({result_of(line.at("configurations").front())})));
    self.send(tell(json::array({{{"trial", 0}, {"seconds", 99}}})));
  });
  const store::SessionId id = run(request("random", 8), 4, client);
  QCOMPARE(client.events("error").front().at("code").get<std::string>(), std::string("already_stored"));
  // The client did not see the answer, and sends the result again after it resumed the session.
  ScriptedClient again([](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(tell(json::array({{{"trial", 0}, {"seconds", 99}}})));
  });
  resume(id, again);
  QCOMPARE(again.events("error").front().at("code").get<std::string>(), std::string("already_stored"));
  const std::vector<trial::Trial> trials = *store_->trials().of(id);
  QCOMPARE(trials.size(), std::size_t(1));
  QVERIFY(trials.front().measurement.median_seconds() < 1);
}

void SessionAskTellTest::failuresKeepCategoryAndText() {
  ScriptedClient client([](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(ask(1));
    if (line.at("event") != "configurations") return;
    self.send(tell(
        json::array({{{"trial", 0}, {"error", "RUN_TIMEOUT"}, {"message", "no answer\nafter 10 s\x01"}}})));
  });
  const store::SessionId id = run(request("random", 8), 4, client);
  const trial::Trial trial = *store_->trials().get(id, 0);
  QCOMPARE(trial.measurement.category, trial::ErrorCategory::RunTimeout);
  QVERIFY(trial.measurement.message.starts_with("no answer"));
  QVERIFY(!trial.measurement.message.contains('\x01'));
  QVERIFY(client.events("stored").front().at("best").is_null());
}

void SessionAskTellTest::resultsKeepTheirMetrics() {
  ScriptedClient client([](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(ask(2));
    if (line.at("event") != "configurations") return;
    json results = json::array();
    for (const json& handed : line.at("configurations")) results.push_back(result_of(handed));
    results[0]["metrics"] = {{"energy", {{"value", 0.5}, {"unit", "J"}}}, {"error", 1e-6}};
    results[1]["metrics"] = {{"error", {{"value", 2e-3}, {"unit", "permille"}}}};
    self.send(tell(results));
    results[1]["metrics"] = {{"error", 2e-6}};
    self.send(tell(results));
  });
  const store::SessionId id = run(request("random", 2), 2, client);
  const std::vector<json> errors = client.events("error");
  QCOMPARE(errors.size(), std::size_t(1));
  QVERIFY(errors.front().at("message").get<std::string>().contains("unit of the metric \"error\""));
  QVERIFY(store_->trials().metrics(id).value() ==
          (std::vector<trial::MetricName>{{"energy", "J"}, {"error", ""}}));
  const std::vector<trial::Trial> stored = *store_->trials().of(id);
  QCOMPARE(stored.size(), std::size_t(2));
  QVERIFY(stored[0].measurement.metrics ==
          (std::vector<trial::Metric>{{"energy", "J", 0.5}, {"error", "", 1e-6}}));
  QVERIFY(stored[1].measurement.metrics == (std::vector<trial::Metric>{{"error", "", 2e-6}}));
}

void SessionAskTellTest::aStopWaitsForAllRunningTrials() {
  session::StopRequest stop;
  ScriptedClient client([&stop](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(ask(4));
    if (line.at("event") != "configurations" || line.at("configurations").empty()) return;
    stop.stop_gracefully();
    for (const json& handed : line.at("configurations")) {
      self.send(tell(json::array({result_of(handed)})));
      self.send(ask(1));
    }
  });
  const auto prepared = session::prepare_ask_tell(request("random", 20), 8, *store_);
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  const auto outcome = session::run_ask_tell(*store_, *prepared, std::nullopt, client, stop);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  QVERIFY(client.events("error").empty());
  QCOMPARE(client.events("stored").size(), std::size_t(4));
  const store::SessionStatus status = store_->sessions().get(outcome->id)->status;
  QCOMPARE(status.trial_count, 4);
  QCOMPARE(status.state, store::SessionState::Interrupted);
  const std::vector<json> answers = client.events("configurations");
  for (std::size_t i = 1; i < answers.size(); ++i) {
    QVERIFY(answers[i].at("done").get<bool>());
    QVERIFY(answers[i].at("configurations").empty());
  }
}

/** At the end of a session's minutes, as at a stop. */
void SessionAskTellTest::heldBackTrialsAreNotHandedOut() {
  const auto prepared = session::prepare_ask_tell(request("random", 20), 4, *store_);
  QVERIFY2(prepared, prepared ? "" : describe(prepared.error()).c_str());
  ScriptedClient client([](ScriptedClient&, const json&) {});
  session::ClientMeasurer measurer(prepared->setup, client, stop_, [] { return 0.0; }, {});
  std::vector<space::Configuration> batch;
  for (std::uint64_t index = 0; index < 4; ++index) batch.push_back(prepared->setup.space.at(index));
  measurer.trials_submitted(std::vector<std::int64_t>{0, 1, 2, 3});
  QVERIFY(measurer.submit(batch));
  const auto exchange_line = [&](const std::string& line) {
    client.send(line);
    return measurer.collect({})->size();
  };
  QCOMPARE(exchange_line(ask(3)), std::size_t(0));
  QCOMPARE(measurer.progress().running, std::size_t(3));
  QVERIFY(measurer.hold_back());
  QCOMPARE(exchange_line(ask(1)), std::size_t(0));
  QVERIFY(client.received.back().at("configurations").empty());
  QVERIFY(client.received.back().at("done").get<bool>());
  QCOMPARE(client.received.back().at("outstanding").get<int>(), 3);
  const json first = client.events("configurations").front();
  for (const json& handed : first.at("configurations"))
    QCOMPARE(exchange_line(tell(json::array({result_of(handed)}))), std::size_t(1));
  QCOMPARE(measurer.progress().running, std::size_t(0));
  // The next batch is handed out.
  measurer.trials_submitted(std::vector<std::int64_t>{4, 5, 6, 7});
  QVERIFY(measurer.submit(batch));
  exchange_line(ask(4));
  QCOMPARE(client.received.back().at("configurations").size(), std::size_t(4));
}

void SessionAskTellTest::aLateResultIsRefused() {
  ScriptedClient client([](ScriptedClient& self, const json& line) {
    if (line.at("event") == "hello") self.send(ask(4));
    if (line.at("event") == "configurations" && !line.at("configurations").empty()) {
      for (const json& handed : line.at("configurations")) self.send(tell(json::array({result_of(handed)})));
      self.send(tell(json::array({{{"trial", 3}, {"seconds", 1}}})));
      self.send(ask(1));
    }
  });
  const store::SessionId id = run(request("random", 4), 4, client);
  QCOMPARE(client.events("error").front().at("code").get<std::string>(), std::string("session_ended"));
  QVERIFY(client.events("configurations").back().at("done").get<bool>());
  QCOMPARE(store_->sessions().get(id)->status.trial_count, 4);
}

void SessionAskTellTest::onlyAClientResumesIt() {
  ScriptedClient client(diligent(1, 2));
  const store::SessionId id = run(request("random", 8), 2, client);
  const auto prepared = session::prepare_resume(*store_, id);
  QVERIFY(!prepared);
  QVERIFY2(prepared.error().hint.contains("ask-tell --resume"), describe(prepared.error()).c_str());
  QVERIFY(!session::request_of(store_->sessions().get(id)->record));
  QVERIFY(session::is_ask_tell(store_->sessions().get(id)->record));
}

void SessionAskTellTest::listedMembersAreTheSpace() {
  json space = json::parse(space_text);
  space["ConfigurationSpace"].erase("Conditions");
  space["kernelscape"] = {{"Members", {{1, 2, true}, {32, 4, false}, {8, 3, true}}}, {"FLOPs", "1000"}};
  std::ofstream(folder_->filePath("space.json").toStdString()) << space;
  ScriptedClient client(diligent(4));
  const store::SessionId id = run(request("grid", 10), 4, client);
  const std::vector<trial::Trial> trials = *store_->trials().of(id);
  QCOMPARE(trials.size(), std::size_t(3));
  space["kernelscape"]["Members"].push_back({5, 1, true});
  std::ofstream(folder_->filePath("space.json").toStdString()) << space;
  const auto refused = session::prepare_ask_tell(request("grid", 10), 4, *store_);
  QVERIFY(!refused);
  QVERIFY2(refused.error().message.contains("Members[3][0]"), refused.error().message.c_str());
}

void SessionAskTellTest::tunersThatNeedKernelsAreRefused() {
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    if (!tuner.uses_predictor) continue;
    const auto refused = session::prepare_ask_tell(request(tuner.name, 8), 0, *store_);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Refused);
  }
  QCOMPARE(store_->sessions().all()->size(), std::size_t(0));
}

KERNELSCAPE_TEST(SessionAskTellTest, QCoreApplication)

}  // namespace kernelscape::session_ask_tell_test
#include "session_ask_tell_test.moc"

#include <fcntl.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/analysis/order_statistics.h"
#include "core/exchange/formats/configuration_json.h"
#include "core/exchange/formats/trials_csv.h"
#include "core/exchange/text_output.h"
#include "tests/exchange/export_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_data_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

using Records = std::vector<std::vector<std::string>>;

/** RFC 4180, read strictly; throws at what it does not allow. */
Records parse_csv(const std::string& text) {
  Records records;
  std::vector<std::string> record;
  for (std::size_t i = 0; i < text.size();) {
    std::string field;
    if (text[i] == '"') {
      for (++i;; ++i) {
        if (i >= text.size()) throw std::runtime_error("an open quote");
        if (text[i] == '"' && (i + 1 >= text.size() || text[i + 1] != '"')) break;
        if (text[i] == '"') ++i;
        field += text[i];
      }
      ++i;
    } else {
      while (i < text.size() && text[i] != ',' && text[i] != '\r') field += text[i++];
      if (field.find_first_of("\"\n") != std::string::npos) throw std::runtime_error("a bare quote");
    }
    record.push_back(field);
    if (i >= text.size()) throw std::runtime_error("no line end");
    if (text[i] == ',') {
      ++i;
      continue;
    }
    if (text.substr(i, 2) != "\r\n") throw std::runtime_error("no CRLF");
    i += 2;
    records.push_back(std::exchange(record, {}));
  }
  return records;
}

space::SearchSpace mixed_space() {
  std::vector<space::Knob> knobs;
  knobs.push_back(space::Knob::factorization("tile", 24, 3).value());
  knobs.push_back(
      space::Knob::ordinal("step", {space::KnobValue(0.1), space::KnobValue(1.0 / 3), space::KnobValue(2.5)})
          .value());
  knobs.push_back(
      space::Knob::categorical(
          "mode", {space::KnobValue("a,b"), space::KnobValue("say \"x\"\r\n"), space::KnobValue(true)})
          .value());
  knobs.push_back(space::Knob::permutation("order", {"i", "j", "k"}).value());
  return space::SearchSpace::make(std::move(knobs)).value();
}

/** Trials of any times and categories; every other error has a message, by id. */
trial::Snapshot random_trials(const space::SearchSpace& space, base::Random& random, int count) {
  trial::Table table(space.knobs().size());
  for (int i = 0; i < count; ++i) {
    trial::Trial trial;
    trial.number = i;
    trial.batch = i / 7;
    trial.configuration = space.random_member(random).value();
    trial.measurement.build_seconds = random.uniform();
    trial.measurement.run_seconds = random.uniform() * 1e-7;
    trial.finished_seconds = random.uniform() * 1e9;
    std::int64_t message = 0;
    if (random.chance(0.3)) {
      trial.measurement.category = static_cast<trial::ErrorCategory>(1 + random.below(8));
      message = static_cast<std::int64_t>(random.below(4));
    } else {
      for (int s = 0; s < 5; ++s) trial.measurement.samples_seconds.push_back(random.uniform() * 1e-3 + 1e-9);
    }
    table.append(trial::make_row(trial, message), trial.configuration);
  }
  return table.snapshot();
}

const std::vector<std::string> messages{"", "plain", "two\nlines, \"quoted\"", "\r\n,"};

Result<std::string> message_of(std::int64_t id) { return messages.at(static_cast<std::size_t>(id)); }

double number_of(const std::string& text) {
  return text.empty() ? std::nan("") : std::strtod(text.c_str(), nullptr);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/** Standard output while it lives: a terminal, whose screen is read. */
class TerminalOutput {
 public:
  TerminalOutput() : screen_(posix_openpt(O_RDWR | O_NOCTTY)), before_(dup(STDOUT_FILENO)) {
    if (screen_ < 0 || grantpt(screen_) != 0 || unlockpt(screen_) != 0) return;
    const int terminal = open(ptsname(screen_), O_RDWR | O_NOCTTY);
    std::fflush(stdout);
    is_there_ = terminal >= 0 && dup2(terminal, STDOUT_FILENO) >= 0;
    close(terminal);
  }
  ~TerminalOutput() {
    dup2(before_, STDOUT_FILENO);
    close(before_);
    close(screen_);
  }

  bool is_there() const { return is_there_; }
  /** What was written, which has to be something. */
  std::string read() const {
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(screen_, text.data(), text.size()), 0)));
    return text;
  }

 private:
  int screen_;
  int before_;
  bool is_there_ = false;
};

}  // namespace

/** JSON and CSV, read back. */
class ExchangeDataTest : public QObject {
  Q_OBJECT

 private slots:
  void configurationsReadBack();
  void unknownNumbersAreNull();
  void trialsReadBack();
  void largeTablesComeInPieces();
  void columnsByName();
  void errorsEndTheWriting();
  void terminalsAreNotSteered();
};

void ExchangeDataTest::configurationsReadBack() {
  base::Random random(testing::random_seed());
  const auto templates = testing::templates_of(schedule::TargetKind::Cpu);
  for (int i = 0; i < 30; ++i) {
    const schedule::TemplateDeclaration& declaration = *templates[random.below(templates.size())];
    const task::Task task = testing::random_task(declaration, this_machine(), random, 1e7);
    const exchange::MeasuredConfiguration measured = random_measured(task, declaration.name, random);
    const std::string text = exchange::configuration_json(measured);
    QVERIFY(text.ends_with("}\n"));
    const json object = json::parse(text);
    QCOMPARE(object.dump(2) + "\n", text);  // sorted keys: reading and writing changes nothing
    const auto read = measured.space.configuration_from_json(object.at("configuration").dump());
    QVERIFY(read.has_value());
    QVERIFY(*read == measured.configuration);
    QVERIFY(task::task_from_json(object.at("task").at("definition").dump()).value() == task);
    QVERIFY(schedule::target_from_json(object.at("target").dump()).value() == measured.target);
    QVERIFY(trial::stored_measure_options(object.at("options").dump()).value() == measured.options);
    QVERIFY(object.at("measured").at("samples_seconds").get<std::vector<double>>() ==
            measured.samples_seconds);
    QCOMPARE(object.at("measured").at("median_seconds").get<double>(),
             analysis::quartiles(measured.samples_seconds).median);
    QCOMPARE(object.at("confirmed").is_null(), measured.confirmed_seconds.empty());
    QCOMPARE(object.at("provenance").at("seed").get<std::uint64_t>(), measured.provenance.seed);
    QCOMPARE(object.at("provenance").at("session").get<int>(), 7);
    const auto command = object.at("provenance").at("reproduce").get<std::string>();
    QVERIFY2(command.contains("tune '" + task.text + "'"), command.c_str());
  }
}

void ExchangeDataTest::unknownNumbersAreNull() {
  base::Random random(1);
  exchange::MeasuredConfiguration measured =
      random_measured(task::parse_task("matmul 8x8 8x8 f32").value(), "", random);
  measured.task = task::make_generic_task({"gemm", "time", "ms"}, "log").value();
  measured.confirmed_seconds = {};
  measured.provenance.settings_json = "damaged {";
  json object = json::parse(exchange::configuration_json(measured));
  QVERIFY(object.at("task").at("flops").is_null());
  QVERIFY(object.at("measured").at("gflops").is_null());
  QVERIFY(object.at("confirmed").is_null());
  QVERIFY(object.at("provenance").at("settings").is_null());
  measured.samples_seconds = {};
  measured.category = trial::ErrorCategory::RunTimeout;
  measured.message = "too slow \xff";
  object = json::parse(exchange::configuration_json(measured));
  QVERIFY(object.at("measured").is_null());
  QCOMPARE(object.at("category").get<std::string>(), std::string("RUN_TIMEOUT"));
}

void ExchangeDataTest::trialsReadBack() {
  base::Random random(testing::random_seed());
  const space::SearchSpace space = mixed_space();
  const analysis::TrialColumns columns(space, 1e9);
  const trial::Snapshot trials = random_trials(space, random, 120);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < trials.size(); ++row)
    if (random.chance(0.5)) rows.push_back(row);
  random.shuffle(std::span(rows));
  const auto chosen = exchange::choose_csv_columns(columns, {}).value();
  QCOMPARE(chosen.size(), columns.columns().size() + 1);
  std::string text;
  const exchange::TextSink sink = [&](std::string_view piece) -> Status {
    text += piece;
    return {};
  };
  QVERIFY(exchange::write_trials_csv(columns, trials, rows, chosen,
                                     {.read_message = message_of, .formulas = base::CsvFormulas::Raw}, sink));
  const Records records = parse_csv(text);
  QCOMPARE(records.size(), rows.size() + 1);
  for (std::size_t c = 0; c < columns.columns().size(); ++c) {
    const analysis::Column& column = columns.columns()[c];
    QCOMPARE(records[0][c], column.name);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double value = columns.value(trials, rows[r], c);
      const std::string& field = records[r + 1][c];
      if (column.kind == analysis::ColumnKind::Label) {
        QCOMPARE(field, column.labels.at(static_cast<std::size_t>(value)));
      } else {
        QVERIFY2(same(number_of(field), value), (column.name + ": " + field).c_str());
      }
    }
  }
  QCOMPARE(records[0].back(), std::string("message"));
  for (std::size_t r = 0; r < rows.size(); ++r)
    QCOMPARE(records[r + 1].back(), messages[static_cast<std::size_t>(trials.row(rows[r]).message)]);
}

void ExchangeDataTest::largeTablesComeInPieces() {
  base::Random random(testing::random_seed());
  const space::SearchSpace space = mixed_space();
  const analysis::TrialColumns columns(space, 0);
  const trial::Snapshot trials = random_trials(space, random, 5000);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < trials.size(); ++row) rows.push_back(row);
  const auto chosen = exchange::choose_csv_columns(columns, {}).value();
  std::string text;
  std::size_t pieces = 0;
  const exchange::TextSink sink = [&](std::string_view piece) -> Status {
    ++pieces;
    text += piece;
    return piece.size() < 100'000 ? Status{} : fail(ErrorCode::Internal, "a large piece");
  };
  QVERIFY(exchange::write_trials_csv(columns, trials, rows, chosen,
                                     {.read_message = message_of, .formulas = base::CsvFormulas::Raw}, sink));
  QVERIFY(pieces > 3);
  QCOMPARE(parse_csv(text).size(), rows.size() + 1);
}

void ExchangeDataTest::columnsByName() {
  const analysis::TrialColumns columns(mixed_space(), 1e9);
  const std::vector<std::string> names{"gflops", "message", "tile[2]", "trial"};
  const auto chosen = exchange::choose_csv_columns(columns, names).value();
  QCOMPARE(chosen.size(), names.size());
  QVERIFY(chosen[1] == exchange::message_column);
  for (const std::size_t i : {0U, 2U, 3U}) QCOMPARE(columns.columns().at(chosen[i]).name, names[i]);
  const auto wrong = exchange::choose_csv_columns(columns, std::vector<std::string>{"gflop"});
  QVERIFY(!wrong);
  QCOMPARE(wrong.error().code, ErrorCode::NotFound);
  QVERIFY(wrong.error().message.contains("gflop") && wrong.error().hint.contains("gflops"));
}

void ExchangeDataTest::errorsEndTheWriting() {
  base::Random random(2);
  const space::SearchSpace space = mixed_space();
  const analysis::TrialColumns columns(space, 1e9);
  const trial::Snapshot trials = random_trials(space, random, 40);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < trials.size(); ++row) rows.push_back(row);
  const auto chosen = exchange::choose_csv_columns(columns, {}).value();
  const exchange::TextSink full = [](std::string_view) -> Status {
    return fail(ErrorCode::Environment, "full");
  };
  const Status unwritten =
      exchange::write_trials_csv(columns, trials, rows, chosen, {.read_message = message_of}, full);
  QVERIFY(!unwritten && unwritten.error().message == "full");
  const exchange::MessageReader damaged = [](std::int64_t) -> Result<std::string> {
    return fail(ErrorCode::Corrupt, "gone");
  };
  const exchange::TextSink anything = [](std::string_view) -> Status { return {}; };
  const Status unread =
      exchange::write_trials_csv(columns, trials, rows, chosen, {.read_message = damaged}, anything);
  QVERIFY(!unread && unread.error().message == "gone");
}

// What a database of an older version may have for a knob's name.
void ExchangeDataTest::terminalsAreNotSteered() {
  std::string shown;
  bool is_there = false;
  Status written;
  base::OutputRequest request;
  request.path = "-";
  {
    const TerminalOutput terminal;
    is_there = terminal.is_there();
    if (is_there) {
      written = exchange::write_text_output(request, [](const exchange::TextSink& sink) {
        return sink("trial,\x1b]0;owned\x07\r\n0,\xc3\xa9\xe2\x80\xae\t\n");
      });
      shown = terminal.read();
    }
  }
  if (!is_there) QSKIP("there are no terminals here");
  QVERIFY(written);
  std::erase(shown, '\r');
  QCOMPARE(shown, std::string("trial,\\x1b]0;owned\\x07\n0,\xc3\xa9\\u202e\\t\n"));
}

KERNELSCAPE_TEST(ExchangeDataTest, QCoreApplication)

}  // namespace kernelscape::exchange_data_test
#include "exchange_data_test.moc"

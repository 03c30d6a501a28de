#include <QApplication>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/stored_best.h"
#include "core/session/kernel_library.h"
#include "tests/command_line/command_line_support.h"
#include "tests/gui/gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "tests/trial/slow_session.h"
#include "ui/figures/headline.h"
#include "ui/figures/progress_figure.h"
#include "ui/models/session_text.h"
#include "ui/report/report.h"
#include "ui/report/writers.h"
#include "ui/style/numbers.h"
#include "ui/style/plain_texts.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::one_best_test {
namespace {

constexpr const char* task_text = "matmul 128x128 128x128 f32";
constexpr std::int64_t trials = 160;
const std::string load = "the machine was loaded: load average 9.0 on 4 processors";

/** Measures by the script on a machine with slow phases, which slow the samples as they slow the probe. */
MeasurementScript slow_script(base::Random& random) {
  MeasurementScript script = gui_tests::make_script();
  script.measure = [&random, slowdowns = random_slowdowns(random, trials),
                    next = std::size_t{0}](const space::Configuration& configuration) mutable {
    trial::Measurement measurement = gui_tests::scripted_measurement(configuration);
    const double slowdown = slowdowns[std::min(next++, slowdowns.size() - 1)];
    if (!measurement.valid()) return measurement;
    for (double& seconds : measurement.samples_seconds) seconds *= slowdown;
    const trial::ProbeSeconds before = made_probe(random, slowdown);
    const trial::ProbeSeconds after = made_probe(random, slowdown);
    measurement.compute_probe_before_seconds = before.compute;
    measurement.memory_probe_before_seconds = before.memory;
    measurement.compute_probe_after_seconds = after.compute;
    measurement.memory_probe_after_seconds = after.memory;
    return measurement;
  };
  return script;
}

/** Stores a confirmation of the session's best trial and of a library: in quiet, under load, or slow. */
void confirm_at_random(store::Store& store, store::SessionId id, int day, base::Random& random) {
  store::SessionSummary session = *store.sessions().get(id);
  const std::string utc = "2027-01-0" + std::to_string(day) + "T00:00:00Z";
  const std::uint64_t kind = random.below(3);
  const double share = kind == 0 ? 0.2 + 0.5 * random.uniform() : 1;
  const double seconds = session.status.best_seconds * (0.9 + 0.2 * random.uniform()) / share;
  QVERIFY(store.confirmations().append(
      id, std::vector<trial::Confirmation>{
              {session.status.best_trial, utc, {seconds, 1.01 * seconds, 1.02 * seconds}},
              {-1, utc, {1.1 * seconds, 1.1 * seconds, 1.1 * seconds}}}));
  trial::Baselines baselines =
      trial::baselines_from_json(session.status.vendor_json).value_or(trial::Baselines());
  baselines.vendor.name = "oneDNN 2.6.3";
  baselines.vendor.samples_seconds = {1.1 * seconds};
  baselines.confirmation_speeds.push_back(
      {.measured_utc = utc,
       .probe = {made_usual_probe.compute / share, made_usual_probe.memory / share},
       .slow = kind == 0,
       .loaded = kind == 1});
  session.status.vendor_json = trial::baselines_to_json(baselines);
  QVERIFY(store.sessions().update_status(id, session.status));
}

/** A random session of a template, whose kernels can be exported, on a loaded machine with slow phases. */
store::SessionId add_random_session(const std::filesystem::path& path, base::Random& random) {
  session_tests::Bench bench(path, slow_script(random));
  bench.measurer.probe = made_usual_probe;
  session::TuningRequest request;
  request.task = task_text;
  request.tuner = "random";
  request.seed = random.below(1000);
  request.budget.trials = trials;
  session::PreparedTuning tuning = session::prepare_tuning(request, bench.store).value();
  tuning.setup.real_measurements = false;
  if (random.chance(0.5)) bench.confirmer = session_tests::confirm_by_script;
  const store::SessionId id = bench.run(tuning.setup).value().id;
  if (!bench.store.notices().add(id, {"machine", load, 0})) qFatal("a notice cannot be stored");
  const int days = static_cast<int>(random.below(4));
  for (int day = 1; day <= days; ++day) confirm_at_random(bench.store, id, day, random);
  return id;
}

/** What one function says of the session: every place has to show it. */
struct Expected {
  store::SessionId id = 0;
  analysis::BestResult best;
  std::string mark;
  std::string speed;  ///< on the command line

  Expected(const store::Store& store, store::SessionId session)
      : id(session), best(exchange::read_best(store, *store.sessions().get(session)).value()) {
    mark = analysis::best_mark(best);
    speed = base::speed_text(task::parse_task(task_text)->flops(), best.value.seconds);
  }
};

bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

bool contains_load(const nlohmann::json& texts) {
  return std::ranges::any_of(texts, [](const nlohmann::json& text) { return text == load; });
}

void check_summary(const nlohmann::json& summary, const Expected& expected) {
  const nlohmann::json& best = summary.at("best");
  QVERIFY(same(best.at("objective_seconds").get<double>(), expected.best.value.seconds));
  QCOMPARE(best.at("trial").get<std::int64_t>(), expected.best.trial);
  QCOMPARE(best.at("mark").get<std::string>(), expected.mark);
  QCOMPARE(best.at("confirmed").get<bool>(), expected.best.confirmed());
  QVERIFY(std::ranges::any_of(summary.at("notices"), [](const nlohmann::json& notice) {
    return notice.at("text") == load && notice.at("disturbs") == true;
  }));
}

void check_text(const std::string& text, const Expected& expected) {
  QVERIFY2(text.contains(expected.speed), text.c_str());
  QVERIFY2(text.contains(expected.mark), text.c_str());
}

void check_command_line(const QString& database, const Expected& expected) {
  const command_line_tests::Shell shell;
  const QString id = QString::number(expected.id);
  const auto output = [&](QStringList arguments) {
    const command_line_tests::CommandResult result = shell.run(arguments << "--db" << database);
    if (result.code != 0) qWarning("%s", result.all().c_str());
    return result.code == 0 ? result.output : std::string();
  };
  for (const QStringList& command : {QStringList{"best", task_text}, QStringList{"show", id}}) {
    const auto summaries = command_line_tests::events(
        command_line_tests::json_lines(output(command + QStringList{"--json"})), "summary");
    QCOMPARE(summaries.size(), std::size_t{1});
    check_summary(summaries.front(), expected);
    const std::string text = output(command);
    check_text(text, expected);
    QVERIFY2(text.contains("warning     " + load), text.c_str());
  }
  const nlohmann::json line = command_line_tests::json_lines(output({"sessions", "--json"})).at(0);
  QVERIFY(same(line.at("best_seconds").get<double>(), expected.best.value.seconds));
  QCOMPARE(line.at("best_trial").get<std::int64_t>(), expected.best.trial);
  QCOMPARE(line.at("best_mark").get<std::string>(), expected.mark);
  QVERIFY(contains_load(line.at("disturbances")));
  check_text(output({"sessions"}), expected);
  const nlohmann::json exported = nlohmann::json::parse(
      output({"export", id, "--format", "configuration", "--out", "-"}), nullptr, false);
  QVERIFY(exported.is_object());
  QCOMPARE(exported.at("mark").get<std::string>(), expected.mark);
  QVERIFY(contains_load(exported.at("disturbances")));
  const QString folder = shell.path("kernel");
  QVERIFY(!output({"export", id, "--format", "kernel", "--out", folder}).empty());
  QFile readme(folder + "/README.md");
  QVERIFY(readme.open(QIODevice::ReadOnly));
  const std::string text = readme.readAll().toStdString();
  check_text(text, expected);
  QVERIFY2(text.contains(load), text.c_str());
}

void check_window(const std::filesystem::path& database, const Expected& expected) {
  workspace::Workspace workspace(database, gui_tests::run_scripted, gui_tests::no_gpus);
  QVERIFY(gui_tests::open_and_wait(workspace, expected.id));
  QTRY_VERIFY_WITH_TIMEOUT(!workspace.sessions()->empty(), 30'000);
  const workspace::SourceData& source = *workspace.source();
  const QString mark = QString::fromStdString(expected.mark);
  const QString speed = models::speed_or_time_text(source, expected.best.value.seconds);
  const QString warning = style::sentence(QString::fromStdString(load));
  const figures::HeadlineText headline = figures::headline_text(source, std::nullopt);
  QCOMPARE(headline.speed, speed);
  QCOMPARE(headline.trust, QStringLiteral("%1, trial %2").arg(mark).arg(expected.best.trial));
  QVERIFY2(headline.warning.contains(warning.chopped(1)), qPrintable(headline.warning));
  const charts::ProgressData curve = figures::progress_data(source);
  QCOMPARE(curve.best.seconds, expected.best.value.seconds);
  QCOMPARE(curve.best.mark, mark);
  QCOMPARE(curve.trials.row(source.headline.row).number, expected.best.trial);
  QVERIFY(models::best_trial_text(source).contains(speed) && models::best_trial_text(source).contains(mark));
  const workspace::SessionEntry& entry = workspace.sessions()->front();
  QCOMPARE(entry.best.value.seconds, expected.best.value.seconds);
  QVERIFY(models::session_best_text(entry).startsWith(speed));
  QVERIFY(expected.best.confirmed() || models::session_best_text(entry).endsWith(mark));
  QVERIFY(models::disturbance_text(entry.notices).contains(warning.chopped(1)));
  workspace::JobTracker::wait_for_all();
}

void check_files(const store::Store& store, const Expected& expected) {
  const session::LibraryKernel kernel = session::best_kernels(store)->kernels.at(0);
  QCOMPARE(kernel.trial, expected.best.trial);
  QCOMPARE(kernel.value.seconds, expected.best.value.seconds);
  QCOMPARE(kernel.mark, expected.mark);
  QVERIFY(std::ranges::find(kernel.disturbances, load) != kernel.disturbances.end());
  QString page =
      QString::fromUtf8(report::to_html(report::session_report_document(store, expected.id).value()));
  page.replace(QStringLiteral("&#39;"), QStringLiteral("'"));
  QVERIFY(page.contains(
      style::format_quantity(kernel.task.flops() / expected.best.value.seconds, QStringLiteral("FLOPS"))));
  QVERIFY(page.contains(QString::fromStdString(expected.mark)) &&
          page.contains(QString::fromStdString(load)));
}

}  // namespace

/** The best result of a session on a loaded and unsteady machine, in every place that shows it. */
class OneBestTest : public QObject {
  Q_OBJECT

 private slots:
  void every_place_shows_the_same() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 2; ++round) {
      const gui_tests::Database database;
      const store::SessionId id = add_random_session(database.path(), random);
      const store::Store store = *store::Store::open(database.path());
      const Expected expected(store, id);
      QVERIFY(expected.best.exists());
      check_command_line(QString::fromStdString(database.path().string()), expected);
      check_window(database.path(), expected);
      check_files(store, expected);
    }
  }
};

KERNELSCAPE_TEST(OneBestTest, QApplication)

}  // namespace kernelscape::one_best_test
#include "one_best_test.moc"

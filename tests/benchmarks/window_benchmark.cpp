/**
 * window_benchmark [PART...]: how fast the window is, with a session of 1,000,000 trials, and whether it
 * changes what it measures. Parts: start, open, frames, table, memory, live, why, influence; without names
 * all of them. Each part runs in a process of its own on Qt's offscreen platform; `why` compiles real
 * kernels, `influence` compiles and times them.
 */
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QProcess>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/analysis/filter/filter.h"
#include "tests/benchmarks/reference_session.h"
#include "tests/gui/gui_support.h"
#include "tests/measure/scripted_measurer.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/frame/main_window.h"
#include "ui/style/theme.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/views/trials/why_panel.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"
#include "ui/workspace/source.h"

using namespace kernelscape;

namespace {

constexpr std::int64_t reference_trials = 1'000'000;
constexpr int patience_milliseconds = 120'000;
constexpr double milliseconds_per_second = 1e3;

void print_row(const std::string& what, const std::string& value, const std::string& goal) {
  fmt::print("{:<64} {:>16}   {}\n", what, value, goal);
  std::fflush(stdout);
}

std::string milliseconds(double value) { return fmt::format("{:.1f} ms", value); }

/** Where the reference session lies: made once for all parts. */
std::filesystem::path reference_database() { return std::getenv("KERNELSCAPE_BENCHMARK_DATABASE"); }

double resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtod(line.c_str() + 6, nullptr) * 1024e-6;
  }
  return 0;
}

/** Seconds since this process was started. */
double process_seconds() {
  std::ifstream stat("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  text.erase(0, text.rfind(')') + 2);
  std::istringstream fields(text);
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  double uptime = 0;
  std::ifstream("/proc/uptime") >> uptime;
  return uptime - std::strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/** The longest time between two turns of the event loop. */
class GapMeter : public QObject {
 public:
  GapMeter() {
    connect(&timer_, &QTimer::timeout, this, [this] { look(); });
    timer_.start(1);
    clock_.start();
  }
  void reset() {
    longest_ = 0;
    clock_.restart();
  }
  double longest_milliseconds() {
    look();
    return longest_;
  }

 private:
  void look() {
    longest_ = std::max(longest_, static_cast<double>(clock_.nsecsElapsed()) * 1e-6);
    clock_.restart();
  }
  QTimer timer_;
  QElapsedTimer clock_;
  double longest_ = 0;
};

struct Bench {
  explicit Bench(const std::filesystem::path& database, session::Runner runner = session::run_on_this_machine)
      : preferences((folder.path() + "/preferences.json").toStdString()),
        workspace(database, std::move(runner)) {
    window = std::make_unique<frame::MainWindow>(workspace, preferences);
  }

  views::TuneView& tune() { return *window->findChild<views::TuneView*>(); }
  bool open(store::SessionId session) {
    workspace.open_session(session);
    return QTest::qWaitFor([&] { return workspace.source() != nullptr; }, patience_milliseconds);
  }
  /** Until every widget in sight is painted and nothing waits. */
  void paint() {
    QCoreApplication::sendPostedEvents();
    window->repaint();
    QCoreApplication::processEvents();
  }

  QTemporaryDir folder;
  frame::PreferencesFile preferences;
  workspace::Workspace workspace;
  std::unique_ptr<frame::MainWindow> window;
};

/** To the first complete paint of a window whose form takes typing. */
void measure_start() {
  QTemporaryDir folder;
  Bench bench((folder.path() + "/empty.db").toStdString());
  bench.window->resize(1280, 800);
  bench.window->show();
  bench.window->show_view("Tune");
  bench.paint();
  auto* task = bench.tune().form().findChild<QComboBox*>();
  task->setFocus();
  QTest::keyClick(task->lineEdit(), Qt::Key_X);
  const bool typed = task->currentText().contains('x');
  print_row("start to the first complete paint, form takes typing",
            typed ? fmt::format("{:.2f} s", process_seconds()) : "takes no typing", "0.3 s");
}

void measure_open() {
  for (const QString& view : {QStringLiteral("Tune"), QStringLiteral("Explore")}) {
    Bench bench(reference_database());
    bench.window->resize(1280, 800);
    bench.window->show();
    bench.window->show_view(view);
    bench.paint();
    GapMeter gaps;
    QElapsedTimer clock;
    clock.start();
    if (!bench.open(1)) return print_row("open in " + view.toStdString(), "failed", "1.0 s");
    bench.paint();
    print_row("open 1,000,000 trials to the first complete paint of " + view.toStdString(),
              fmt::format("{:.2f} s", static_cast<double>(clock.elapsed()) / milliseconds_per_second),
              "1.0 s");
    print_row("  longest event-loop gap meanwhile", milliseconds(gaps.longest_milliseconds()), "");
    workspace::JobTracker::wait_for_all();
  }
}

double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/** Frames of the progress chart while it is dragged and zoomed, each painted as a whole. */
void measure_frames() {
  const double ratio = qApp->devicePixelRatio();
  const QSize size = ratio > 1 ? QSize(1920, 1080) : QSize(1200, 700);
  Bench bench(reference_database());
  if (!bench.open(1)) return print_row("frames", "failed", "");
  charts::ProgressChart chart;
  chart.resize(size);
  chart.show();
  charts::ProgressData data;
  data.session = 1;
  data.trials = bench.workspace.source()->trials;
  data.flops = bench.workspace.source()->flops();
  data.improvements = bench.workspace.source()->improvements;
  chart.set_data(data);
  workspace::JobTracker::wait_for_all();
  (void)QTest::qWaitForWindowExposed(&chart);
  chart.repaint();
  std::vector<double> frames;
  const auto frame = [&] {
    QElapsedTimer clock;
    clock.start();
    QCoreApplication::sendPostedEvents(&chart);
    chart.repaint();
    frames.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
  };
  const QPointF center = chart.frame().plot.center();
  for (int i = 0; i < 100; ++i) {
    QWheelEvent wheel(center, chart.mapToGlobal(center), {}, {0, i < 50 ? 24 : -24}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&chart, &wheel);
    frame();
  }
  chart.zoom_to({200'000, 800'000}, {chart.y_axis().range.low, chart.y_axis().range.high});
  QTest::mousePress(&chart, Qt::MiddleButton, {}, center.toPoint());
  for (int i = 0; i < 200; ++i) {
    const QPointF to = center + QPointF(i < 100 ? i : 200 - i, 0);
    QMouseEvent move(QEvent::MouseMove, to, chart.mapToGlobal(to), Qt::NoButton, Qt::MiddleButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(&chart, &move);
    frame();
  }
  QTest::mouseRelease(&chart, Qt::MiddleButton, {}, center.toPoint());
  QElapsedTimer settle;
  settle.start();
  QTest::qWait(150);
  QElapsedTimer exact;
  exact.start();
  chart.repaint();
  print_row(fmt::format("pan and zoom over 1,000,000 trials, {}x{} at ratio {}: 99th percentile",
                        size.width(), size.height(), ratio),
            milliseconds(percentile(frames, 0.99)), ratio > 1 ? "33 ms" : "16 ms");
  print_row("  median", milliseconds(percentile(frames, 0.5)), "");
  print_row("  an exact frame after the drag", milliseconds(static_cast<double>(exact.nsecsElapsed()) * 1e-6),
            "150 ms");
}

void measure_table() {
  Bench bench(reference_database());
  bench.window->resize(1280, 800);
  bench.window->show();
  bench.window->show_view("Tune");
  if (!bench.open(1)) return print_row("table", "failed", "");
  models::TrialTableModel& model = bench.tune().table().view().trials();
  (void)QTest::qWaitFor([&] { return model.rowCount() == reference_trials; }, patience_milliseconds);
  QTest::qWait(3000);  // what opening started in the background
  GapMeter gaps;
  const auto timed = [&](const std::string& what, const auto& begin, const auto& done) {
    gaps.reset();
    QElapsedTimer clock;
    clock.start();
    begin();
    const bool finished = QTest::qWaitFor([&] { return done() && !model.busy(); }, patience_milliseconds);
    bench.paint();
    print_row(what,
              finished
                  ? fmt::format("{:.2f} s", static_cast<double>(clock.elapsed()) / milliseconds_per_second)
                  : "failed",
              "0.5 s");
    print_row("  longest event-loop gap meanwhile", milliseconds(gaps.longest_milliseconds()), "");
  };
  const std::size_t speed = *bench.workspace.source()->columns().find("gflops");
  const std::int64_t first = model.row_at(0);
  timed(
      "sort 1,000,000 trials by GFLOPS", [&] { model.set_order(analysis::RowOrder{speed, false}); },
      [&] { return model.row_at(0) != first; });
  timed(
      "filter 1,000,000 trials: valid and ms < 1.5 and tile_oc[1] in (2, 4)",
      [&] { (void)bench.workspace.set_filters({"valid and ms < 1.5 and tile_oc[1] in (2, 4)"}); },
      [&] { return model.rowCount() < reference_trials; });
}

void measure_memory() {
  Bench bench(reference_database());
  bench.window->resize(1280, 800);
  bench.window->show();
  bench.window->show_view("Tune");
  if (!bench.open(1)) return print_row("memory", "failed", "");
  bench.paint();
  QTest::qWait(2000);
  bench.window->show_view("Explore");
  bench.paint();
  QTest::qWait(4000);
  print_row("resident memory with 1,000,000 trials open in Tune and Explore",
            fmt::format("{:.0f} MB", resident_megabytes()), "600 MB");
}

/** A thousand trials per second into the store, while the window shows them. */
void measure_live() {
  QTemporaryDir folder;
  const std::filesystem::path database = (folder.path() + "/live.db").toStdString();
  constexpr double seconds = 60;
  const session::Runner runner = [](store::Store& store, const session::PreparedTuning& tuning,
                                    std::optional<store::SessionId>, session::Observer& observer,
                                    const session::StopRequest& stop) {
    const auto begin = std::chrono::steady_clock::now();
    std::int64_t made = 0;
    base::Random random(3);
    MeasurementScript script;
    script.per_collect = 20;
    script.measure = [&](const space::Configuration&) {
      std::this_thread::sleep_until(begin + std::chrono::milliseconds(++made));
      return benchmarks::reference_measurement(random);
    };
    ScriptedMeasurer measurer(script);
    const session::Tools tools{measurer, observer, stop, session::steady_clock_seconds(), {}};
    return session::run_session(store, tuning.setup, tools);
  };
  Bench bench(database, runner);
  bench.window->resize(1280, 800);
  bench.window->show();
  bench.window->show_view("Tune");
  bench.paint();
  session::TuningRequest request;
  request.task = "resnet18/C6";
  request.tuner = "random";
  request.seed = 1;
  request.budget.trials = 0;
  bench.workspace.queue().start(request);
  (void)QTest::qWaitFor(
      [&] { return bench.workspace.source() && bench.workspace.source()->trials.size() > 1000; },
      patience_milliseconds);
  GapMeter gaps;
  const std::int64_t before = bench.workspace.source()->trials.size();
  QTest::qWait(static_cast<int>(seconds * milliseconds_per_second));
  const double rate = static_cast<double>(bench.workspace.source()->trials.size() - before) / seconds;
  print_row(
      fmt::format("live at {:.0f} trials per second for {:.0f} s: longest event-loop gap", rate, seconds),
      milliseconds(gaps.longest_milliseconds()), "50 ms");
  bench.workspace.queue().pause_all();
}

/** From the choice of a trial to its nest, source and hot loop on the screen, a second build included. */
void measure_why() {
  const gui_tests::Database database;
  const store::SessionId session = database.add_session(40);
  Bench bench(database.path());
  bench.window->resize(1280, 800);
  bench.window->show();
  bench.window->show_view("Tune");
  if (!bench.open(session)) return print_row("why", "failed", "1.5 s");
  auto& panel = *bench.tune().findChild<views::WhyPanel*>();
  bench.tune().findChild<views::TrialDetailPane*>()->tabs().setCurrentWidget(&panel);
  std::vector<double> seconds;
  GapMeter gaps;
  const trial::Snapshot trials = bench.workspace.source()->trials;
  for (std::int64_t row = 0; row < trials.size() && seconds.size() < 10; ++row) {
    if (trials.row(row).category != trial::ErrorCategory::NoError) continue;
    const auto before = panel.insight();
    QElapsedTimer clock;
    clock.start();
    bench.workspace.set_current_row(row);
    const bool shown =
        QTest::qWaitFor([&] { return panel.insight() && panel.insight() != before; }, patience_milliseconds);
    if (!shown) return print_row("why", panel.state().toStdString(), "1.5 s");
    bench.paint();
    seconds.push_back(static_cast<double>(clock.elapsed()) / milliseconds_per_second);
  }
  if (seconds.empty()) return print_row("why", "no valid trial", "1.5 s");
  print_row("source, nest and hot loop of a chosen trial, second build included",
            fmt::format("{:.2f} s", percentile(seconds, 0.5)), "1.5 s");
  print_row("  the slowest of ten", fmt::format("{:.2f} s", percentile(seconds, 1)), "");
  print_row("  longest event-loop gap meanwhile", milliseconds(gaps.longest_milliseconds()), "");
}

std::vector<double> medians_of(const std::filesystem::path& database, store::SessionId session) {
  std::vector<double> medians;
  const store::Store store = *store::Store::open(database);
  const std::vector<trial::Trial> trials = store.trials().of(session).value();
  for (const trial::Trial& trial : trials) medians.push_back(trial.measurement.median_seconds());
  return medians;
}

/** 20 configurations of resnet18/C6 with the window live and by the command line, in turns. */
void measure_influence() {
  QTemporaryDir folder;
  const std::filesystem::path database = (folder.path() + "/influence.db").toStdString();
  Bench bench(database);
  bench.window->resize(1280, 800);
  bench.window->show();
  bench.window->show_view("Tune");
  bench.paint();
  session::TuningRequest request;
  request.task = "resnet18/C6";
  request.tuner = "random";
  request.seed = 21;
  request.budget.trials = 20;
  request.measuring.give_up_factor = 0;
  constexpr int rounds = 4;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const workspace::RunId run = bench.workspace.queue().start(request);
    (void)QTest::qWaitFor([&] { return workspace::has_ended(bench.workspace.queue().run(run)->state); },
                          10 * patience_milliseconds);
    const std::optional<store::SessionId> session = bench.workspace.queue().run(run)->session;
    if (!session) return print_row("influence", "failed", "");
    const std::vector<double> live = medians_of(database, *session);
    // Without a window: the same engine in a process of its own.
    const std::filesystem::path quiet = (folder.path() + QString("/quiet%1.db").arg(round)).toStdString();
    QProcess command;
    command.start(QCoreApplication::applicationDirPath() + "/kernelscape",
                  {"tune", "resnet18/C6", "--tuner", "random", "--seed", "21", "--trials", "20", "--db",
                   QString::fromStdString(quiet.string())});
    (void)QTest::qWaitFor([&] { return command.state() == QProcess::NotRunning; },
                          10 * patience_milliseconds);
    const std::vector<double> alone = medians_of(quiet, 1);
    for (std::size_t i = 0; i < std::min(live.size(), alone.size()); ++i) {
      if (live[i] > 0 && alone[i] > 0) ratios.push_back(live[i] / alone[i]);
    }
  }
  if (ratios.empty()) return print_row("influence", "no valid trial", "");
  print_row(
      fmt::format("the window's influence: {} timings with it / without it, median ratio", ratios.size()),
      fmt::format("{:.3f}", percentile(ratios, 0.5)), "0.98-1.02");
  print_row("  quartiles", fmt::format("{:.3f} {:.3f}", percentile(ratios, 0.25), percentile(ratios, 0.75)),
            "");
}

struct Part {
  const char* name;
  void (*measure)();
  bool at_ratio_two = false;
};

constexpr std::array parts = {
    Part{"start", measure_start},         Part{"open", measure_open},   Part{"frames", measure_frames},
    Part{"frames", measure_frames, true}, Part{"table", measure_table}, Part{"memory", measure_memory},
    Part{"live", measure_live},           Part{"why", measure_why},     Part{"influence", measure_influence},
};

int run_part(const Part& part, const QString& program, const QString& folder) {
  QStringList arguments{"--part", part.name, "-platform", "offscreen"};
  if (part.at_ratio_two) {
    QFile screen(folder + "/screen.json");
    if (!screen.open(QIODevice::WriteOnly)) return 1;
    screen.write(R"({"screens": [{"name": "two", "x": 0, "y": 0, "width": 3840, "height": 2160,
      "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 2}]})");
    screen.close();
    arguments.last() = "offscreen:configfile=" + screen.fileName();
  }
  QProcess process;
  process.setProcessChannelMode(QProcess::ForwardedChannels);
  process.start(program, arguments);
  process.waitForFinished(-1);
  return process.exitCode();
}

int run_all(const QStringList& wanted, const QString& program) {
  QTemporaryDir folder;
  const QString database = folder.path() + "/reference.db";
  const bool needs_reference = wanted.isEmpty() || wanted.contains("open") || wanted.contains("frames") ||
                               wanted.contains("table") || wanted.contains("memory");
  if (needs_reference && benchmarks::add_reference_session(database.toStdString(), reference_trials) != 1) {
    fmt::print(stderr, "window_benchmark: the reference session can't be made\n");
    return 1;
  }
  qputenv("KERNELSCAPE_BENCHMARK_DATABASE", database.toUtf8());
  fmt::print("{:<64} {:>16}   {}\n", "what", "measured", "goal");
  std::fflush(stdout);
  int code = 0;
  for (const Part& part : parts) {
    if (wanted.isEmpty() || wanted.contains(part.name))
      code = std::max(code, run_part(part, program, folder.path()));
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_part = argc > 2 && QString(argv[1]) == "--part";
  if (!is_part) {
    QCoreApplication application(argc, argv);
    return run_all(application.arguments().mid(1), QCoreApplication::applicationFilePath());
  }
  const QString name = argv[2];
  QApplication application(argc, argv);
  style::apply_theme(application, style::ThemeChoice::Light);
  for (const Part& part : parts) {
    if (name != part.name) continue;
    part.measure();
    return 0;
  }
  return 1;
}

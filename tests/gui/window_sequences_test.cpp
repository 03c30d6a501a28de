#include <QAbstractItemView>
#include <QApplication>
#include <QElapsedTimer>
#include <QLabel>
#include <QProcess>
#include <QRegularExpression>
#include <QTabBar>
#include <QTest>
#include <QThread>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "core/base/random.h"
#include "tests/gui/frame_gui_support.h"
#include "tests/gui/study_gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/chart.h"
#include "ui/frame/view_registry.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::window_sequences_test {
namespace {

constexpr int patience_milliseconds = gui_tests::frame_deadline_milliseconds;
constexpr int steps_of_a_sequence = 50;
constexpr std::int64_t usual_rounds = 2;

constexpr const char* rounds_variable = "KERNELSCAPE_TEST_ROUNDS";
constexpr const char* seed_variable = "KERNELSCAPE_TEST_SEED";

std::int64_t wanted_rounds() {
  const char* given = std::getenv(rounds_variable);
  return given != nullptr ? std::strtoll(given, nullptr, 10) : usual_rounds;
}

/** Actions that leave the window, ask for files, or measure on this machine. */
bool is_left_out(const QString& id) {
  static constexpr std::array<const char*, 13> left_out{
      "quit.",     "recent.",           "file.",   "run.start",       "run.measure-again",
      "network.o", "explore.count_tri", "fleet.",  "help.whats-this", "explore.measure_ceilings",
      "learn.",    "library.measure_a", "compare."};
  return std::ranges::any_of(left_out,
                             [&](const char* prefix) { return id.startsWith(QLatin1String(prefix)); }) ||
         id.contains(QLatin1String("import")) || id.contains(QLatin1String("export"));
}

/** Returns the texts of the window that promise contents which are not there yet. */
QStringList promises(const QWidget& window) {
  QStringList found;
  const auto add = [&](const QString& text) {
    if (text.startsWith(QLatin1String("Reading"))) found.append(text);
  };
  for (const QLabel* label : window.findChildren<QLabel*>())
    if (label->isVisible()) add(label->text());
  for (const charts::Chart* chart : window.findChildren<charts::Chart*>())
    if (chart->isVisible()) add(chart->notice());
  return found;
}

/** Draws and performs actions of a user, and writes down which. */
class User {
 public:
  User(gui_tests::Desk& desk, std::uint64_t seed) : desk_(desk), random_(seed) {}

  void act() {
    QElapsedTimer timer;
    timer.start();
    perform();
    if (timer.elapsed() <= slowest_milliseconds_) return;
    slowest_milliseconds_ = timer.elapsed();
    slowest_ = actions_.isEmpty() ? QString() : actions_.last();
  }
  const QStringList& actions() const { return actions_; }
  /** Returns how long the slowest action kept the window from answering, for long runs to be read. */
  QString slowest() const { return QStringLiteral("%1 ms: %2").arg(slowest_milliseconds_).arg(slowest_); }

 private:
  void perform() {
    switch (random_.below(10)) {
      case 0:
        return show_view();
      case 1:
        return open_or_close();
      case 2:
        return pin();
      case 3:
        return trigger();
      case 4:
        return click();
      case 5:
        return press_key();
      case 6:
        return choose_rows();
      case 7:
        return run_or_stop();
      case 8:
        return resize();
      default:
        log("wait for events");
        QCoreApplication::processEvents();
    }
  }
  template <typename Items>
  auto one_of(const Items& items) {
    return items[static_cast<decltype(items.size())>(
        random_.below(static_cast<std::uint64_t>(items.size())))];
  }
  void log(const QString& text) { actions_.append(text); }

  void show_view() {
    const QString name = one_of(frame::view_registrations()).name;
    log("show " + name);
    desk_.window->show_view(name);
  }
  void open_or_close() {
    const std::vector<workspace::SessionEntry>& sessions = *desk_.workspace.sessions();
    if (sessions.empty() || random_.below(5) == 0) {
      log("close the session");
      return desk_.workspace.close_source();
    }
    const store::SessionId id = one_of(sessions).summary.record.id;
    log(QStringLiteral("open session %1").arg(id));
    desk_.workspace.open_session(id);
  }
  void pin() {
    const std::vector<workspace::SessionEntry>& sessions = *desk_.workspace.sessions();
    if (sessions.empty()) return;
    const store::SessionId id = one_of(sessions).summary.record.id;
    log(QStringLiteral("pin or unpin session %1").arg(id));
    std::set<store::SessionId> pinned = desk_.workspace.pinned();
    if (pinned.erase(id) == 0) pinned.insert(id);
    desk_.workspace.set_pinned(pinned);
  }
  void trigger() {
    std::vector<QAction*> possible;
    std::vector<QString> ids;
    for (const auto& entry : desk_.window->actions().entries()) {
      if (!entry.action->isEnabled() || is_left_out(entry.declaration.id)) continue;
      possible.push_back(entry.action);
      ids.push_back(entry.declaration.id);
    }
    if (possible.empty()) return;
    const auto chosen = static_cast<std::size_t>(random_.below(possible.size()));
    log("trigger " + ids[chosen]);
    possible[chosen]->trigger();
    QCoreApplication::processEvents();
    if (random_.below(2) == 0) close_dialogs();
  }
  void close_dialogs() {
    for (QWidget* widget : QApplication::topLevelWidgets())
      if (widget != desk_.window.get() && widget->isVisible()) widget->close();
  }
  void click() {
    std::vector<QWidget*> possible;
    for (QWidget* widget : desk_.window->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
      if (auto* items = qobject_cast<QAbstractItemView*>(widget)) possible.push_back(items->viewport());
      if (qobject_cast<charts::Chart*>(widget) || qobject_cast<QTabBar*>(widget)) possible.push_back(widget);
    }
    if (possible.empty()) return;
    QWidget* widget = one_of(possible);
    const QPoint place(static_cast<int>(random_.below(static_cast<std::uint64_t>(widget->width()))),
                       static_cast<int>(random_.below(static_cast<std::uint64_t>(widget->height()))));
    log(QStringLiteral("click %1 \"%2\" at %3, %4")
            .arg(QLatin1String(widget->metaObject()->className()), widget->accessibleName())
            .arg(place.x())
            .arg(place.y()));
    QTest::mouseClick(widget, Qt::LeftButton, {}, place);
  }
  void press_key() {
    static constexpr std::array keys{Qt::Key_Down, Qt::Key_Up,  Qt::Key_Left, Qt::Key_Right,
                                     Qt::Key_J,    Qt::Key_K,   Qt::Key_B,    Qt::Key_Escape,
                                     Qt::Key_Home, Qt::Key_End, Qt::Key_Tab};
    QWidget* widget = QApplication::focusWidget();
    if (widget == nullptr) return;
    const Qt::Key key = one_of(keys);
    log(QStringLiteral("press key %1 in %2").arg(key).arg(QLatin1String(widget->metaObject()->className())));
    QTest::keyClick(widget, key);
  }
  void choose_rows() {
    static const std::array<QStringList, 4> filters{
        QStringList(), QStringList{"valid"}, QStringList{"trial < 20"}, QStringList{"valid", "batch > 1"}};
    workspace::Workspace& workspace = desk_.workspace;
    const std::int64_t rows = workspace.source() ? workspace.source()->trials.size() : 0;
    if (rows == 0) return;
    const auto row = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(rows)));
    const QStringList filter = one_of(filters);
    log(QStringLiteral("choose row %1, filter \"%2\"").arg(row).arg(filter.join(QLatin1Char(';'))));
    workspace.set_current_row(row);
    // A filter may name a column that the session lacks: it is refused then.
    std::ignore = workspace.set_filters(filter);
  }
  void run_or_stop() {
    workspace::RunQueue& queue = desk_.workspace.queue();
    const std::optional<workspace::RunView> active = queue.active();
    if (!active) {
      log("start a run");
      desk_.start(20);
    } else if (random_.below(2) == 0) {
      log("pause the run");
      queue.pause(active->id);
    } else {
      log("stop the run");
      queue.stop(active->id);
    }
  }
  void resize() {
    static const std::array<QSize, 4> sizes{QSize(1600, 1000), QSize(1024, 700), QSize(1280, 800),
                                            gui_tests::roomy_window};
    const QSize size = one_of(sizes);
    log(QStringLiteral("resize to %1 x %2").arg(size.width()).arg(size.height()));
    desk_.window->resize(size);
  }

  gui_tests::Desk& desk_;
  base::Random random_;
  QStringList actions_;
  qint64 slowest_milliseconds_ = 0;
  QString slowest_;
};

/** Performs one sequence in this process. @return why it failed, with its actions; empty: it did not */
QByteArray failure_of(std::uint64_t seed) {
  const gui_tests::Database database;
  for (const std::int64_t trials : {10, 30, 60}) database.add_session(trials);
  gui_tests::add_study(database.path(), gui_tests::small_study());
  gui_tests::Desk desk(database);
  if (!desk.wait_for_list()) return "the list of sessions does not arrive";
  User user(desk, seed);
  for (int step = 0; step < steps_of_a_sequence; ++step) user.act();
  qInfo("sequence %llu, slowest action %s", static_cast<unsigned long long>(seed),
        qPrintable(user.slowest()));
  const auto failed = [&](const QString& what) {
    return QStringLiteral("%1, with %2=%3 %4=1:\n%5")
        .arg(what, QLatin1String(seed_variable), QString::number(seed), QLatin1String(rounds_variable),
             user.actions().join(QLatin1Char('\n')))
        .toUtf8();
  };
  if (!QTest::qWaitFor([&] { return desk.workspace.queue().idle(); }, patience_milliseconds))
    return failed("a run does not end");
  if (!QTest::qWaitFor([&] { return promises(*desk.window).isEmpty(); }, patience_milliseconds))
    return failed("\"" + promises(*desk.window).join("\", \"") + "\" stays");
  const auto shows_what_is_open = [&] {
    const workspace::Source& source = desk.workspace.source();
    return !desk.workspace.opened() || (source && source->id() == *desk.workspace.opened());
  };
  if (!QTest::qWaitFor(shows_what_is_open, patience_milliseconds))
    return failed("the opened session is not shown");
  return {};
}

/**
 * Performs many sequences, each in a process of its own, as many at a time as there are processors: whatever
 * one of them breaks, the others go on.
 */
class Processes {
 public:
  Processes(std::uint64_t first_seed, std::int64_t rounds)
      : next_(first_seed), end_(next_ + static_cast<std::uint64_t>(rounds)) {}

  /** Performs all sequences, and prints each result and a summary. @return the seeds that failed */
  QStringList run() {
    while (next_ < end_ || !running_.empty()) {
      while (next_ < end_ && std::ssize(running_) < QThread::idealThreadCount()) start(next_++);
      QTest::qWait(poll_milliseconds);
      std::erase_if(running_, [this](const auto& process) {
        if (process.second->state() != QProcess::NotRunning) return false;
        judge(process.first, *process.second);
        return true;
      });
    }
    std::ranges::sort(slowest_, std::ranges::greater(), &Slowest::milliseconds);
    for (std::size_t i = 0; i < std::min<std::size_t>(slowest_.size(), 5); ++i)
      std::printf("slow: sequence %llu, %s\n", static_cast<unsigned long long>(slowest_[i].seed),
                  qPrintable(slowest_[i].action));
    std::printf("%lld sequences, %lld failed, %lld with an action of more than 2 s\n",
                static_cast<long long>(slowest_.size()) + unknown_, static_cast<long long>(failed_.size()),
                static_cast<long long>(std::ranges::count_if(
                    slowest_, [](const Slowest& one) { return one.milliseconds > 2000; })));
    std::fflush(stdout);
    return failed_;
  }

 private:
  static constexpr int poll_milliseconds = 50;
  struct Slowest {
    qint64 milliseconds = 0;
    std::uint64_t seed = 0;
    QString action;
  };

  void start(std::uint64_t seed) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QLatin1String(rounds_variable), QStringLiteral("1"));
    environment.insert(QLatin1String(seed_variable), QString::number(seed));
    // A sequence that hangs is ended by Qt's own limit.
    environment.remove(QStringLiteral("QTEST_FUNCTION_TIMEOUT"));
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(environment);
    process->setProcessChannelMode(QProcess::MergedChannels);
    process->start(QCoreApplication::applicationFilePath(), {QStringLiteral("window_sequences_test")});
    running_.emplace_back(seed, std::move(process));
  }

  void judge(std::uint64_t seed, QProcess& process) {
    const QString output = QString::fromUtf8(process.readAll());
    static const QRegularExpression found(QStringLiteral("slowest action ((\\d+) ms: [^\n]*)"));
    const QRegularExpressionMatch slowest = found.match(output);
    if (slowest.hasMatch())
      slowest_.push_back({slowest.captured(2).toLongLong(), seed, slowest.captured(1)});
    else
      ++unknown_;
    const bool good = process.error() == QProcess::UnknownError && process.exitCode() == 0;  // no error
    std::printf("sequence %llu: %s\n", static_cast<unsigned long long>(seed), good ? "good" : "failed");
    if (!good) {
      failed_ << QString::number(seed);
      std::printf("%s\n", qPrintable(output));
    }
    std::fflush(stdout);
  }

  std::uint64_t next_;
  std::uint64_t end_;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<QProcess>>> running_;
  std::vector<Slowest> slowest_;
  std::int64_t unknown_ = 0;  ///< sequences that ended before they named their slowest action
  QStringList failed_;
};

}  // namespace

/** Random sequences of actions: the window shows in the end what was opened, and never waits for ever. */
class WindowSequencesTest : public QObject {
  Q_OBJECT

 private slots:
  void no_sequence_ends_in_a_view_that_waits() {
    const std::uint64_t seed = testing::random_seed();
    const std::int64_t rounds = wanted_rounds();
    if (rounds > usual_rounds) {
      const QStringList failed = Processes(seed, rounds).run();
      QVERIFY2(failed.isEmpty(), qPrintable(QStringLiteral("the sequences with these seeds failed: ") +
                                            failed.join(QStringLiteral(", "))));
      return;
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
      const QByteArray failure = failure_of(seed + static_cast<std::uint64_t>(round));
      QVERIFY2(failure.isEmpty(), failure.constData());
    }
  }
};

KERNELSCAPE_TEST(WindowSequencesTest, QApplication)

}  // namespace kernelscape::window_sequences_test
#include "window_sequences_test.moc"

#include <QtTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "core/measure/cpu/compiler.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/measure/worker_process.h"
#include "tests/measure/category_rows.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_builds_test {

namespace {

/** The compiler that describe_cpu_target() finds, wrapped in a script that looks at kernel.c first. */
class FakeCompiler {
 public:
  FakeCompiler(const QTemporaryDir& folder, const std::string& real, const std::string& rules)
      : path_(folder.filePath("fake-cc").toStdString()) {
    std::ofstream(path_) << "#!/bin/sh\n" << rules << "\nexec " << real << " \"$@\"\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  const std::string& path() const { return path_; }
  void remove() const { std::filesystem::remove(path_); }

 private:
  std::string path_;
};

std::string marked(const std::string& mark) { return matmul_text("/* " + mark + " */"); }

/** Doubles itself thirty times: expanding it takes longer than anybody waits. */
std::string endless_macro() {
  std::string text = "#define M0 +1\n";
  for (int i = 1; i <= 34; ++i) {
    const std::string before = "M" + std::to_string(i - 1);
    text += "#define M" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  return matmul_text(text + "int endless = M34;\n");
}

std::vector<NamedSource> sources() {
  std::vector<NamedSource> result{
      {"good", matmul_text()},       {"hangs", marked("HANG")},
      {"killed", marked("KILLED")},  {"broken", "this is not C\n"},
      {"endless", endless_macro()},  {"stream", matmul_text("#include \"/dev/zero\"")},
      {"crashes", marked("CRASH")},  {"silent", marked("SILENT")},
      {"babbles", marked("BABBLE")}, {"nothing", marked("NOTHING")}};
  for (int i = 0; i < 8; ++i) {
    result.push_back({"good" + std::to_string(i), matmul_text("int variant = " + std::to_string(i) + ";")});
  }
  return result;
}

constexpr const char* rules = R"(
if grep -q HANG kernel.c 2>/dev/null; then sleep 100; fi
if grep -q KILLED kernel.c 2>/dev/null; then kill -9 $$; fi
if grep -q CRASH kernel.c 2>/dev/null; then kill -SEGV $$; fi
if grep -q SILENT kernel.c 2>/dev/null; then exit 3; fi
if grep -q BABBLE kernel.c 2>/dev/null; then head -c 100000 /dev/urandom; exit 1; fi
if grep -q NOTHING kernel.c 2>/dev/null; then exit 0; fi
)";

/** A family that says when one of its kernels is asked for: `asked` comes on the building thread. */
class AskedFamily final : public kernel::Family {
 public:
  explicit AskedFamily(std::shared_ptr<const SourceFamily> kernels) : kernels_(std::move(kernels)) {}

  const task::Task& task() const override { return kernels_->task(); }
  const space::SearchSpace& space() const override { return kernels_->space(); }
  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override {
    asked();
    return kernels_->source(configuration);
  }

  std::function<void()> asked;

 private:
  std::shared_ptr<const SourceFamily> kernels_;
};

QString text_of(const Error& error) { return QString::fromStdString(describe(error)); }

}  // namespace

class MeasureBuildsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    const auto described = measure::describe_cpu_target();
    QVERIFY2(described, described ? "" : qPrintable(text_of(described.error())));
    real_ = described->compiler;
    target_ = *described;
    compiler_ = std::make_unique<FakeCompiler>(folder_, real_, rules);
    target_.compiler = compiler_->path();
    family_ = std::make_shared<SourceFamily>(small_matmul, sources());
    options_ = quick_options();
    options_.build_timeout_seconds = 1;
  }

  void badBuildsCostOneTrial_data() {
    const auto row = testing::category_rows("name");
    using enum trial::ErrorCategory;
    row("hangs", BuildTimeout, "1 s");
    row("endless", BuildTimeout, "1 s");
    row("killed", CompileHost, "SIGKILL");
    row("crashes", CompileHost, "SIGSEGV");
    row("silent", CompileHost, "exit code 3");
    row("broken", CompileHost, "kernel.c:1");
    row("babbles", CompileHost, "");
    row("nothing", CompileHost, "no shared object");
  }

  void badBuildsCostOneTrial() {
    QFETCH(QString, name);
    QFETCH(int, category);
    QFETCH(QString, says);
    const auto measurer = make();
    const auto measured = measure_all(
        *measurer, {family_->named(name.toStdString()), family_->named("good"), family_->named("good0")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    const trial::Measurement& bad = measured->at(0);
    const QString message = QString::fromStdString(bad.message);
    QVERIFY2(static_cast<int>(bad.category) == category, qPrintable(message));
    QVERIFY2(message.contains(says) && !message.isEmpty(), qPrintable(message));
    QVERIFY(bad.message.size() <= 4096);
    QVERIFY2(measured->at(1).valid(), measured->at(1).message.c_str());
    QVERIFY2(measured->at(2).valid(), measured->at(2).message.c_str());
  }

  void anEndlessIncludeEndsByALimit() {
    const auto measurer = make();
    const auto measured = measure_all(*measurer, {family_->named("stream"), family_->named("good")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    const trial::ErrorCategory category = measured->at(0).category;
    QVERIFY(category == trial::ErrorCategory::CompileHost || category == trial::ErrorCategory::BuildTimeout);
    QVERIFY(measured->at(1).valid());
  }

  void aCompilerThatDisappearsPauses() {
    QTemporaryDir folder;
    const FakeCompiler compiler(folder, real_, "");
    target_.compiler = compiler.path();
    const auto measurer = make();
    QVERIFY(measure_all(*measurer, {family_->named("good")}).has_value());
    compiler.remove();
    const auto measured = measure_all(*measurer, {family_->named("good")});
    target_.compiler = compiler_->path();
    QVERIFY(!measured.has_value());
    QCOMPARE(measured.error().code, ErrorCode::Environment);
    QVERIFY2(text_of(measured.error()).contains("fake-cc"), qPrintable(text_of(measured.error())));
    QVERIFY(!measured.error().hint.empty());
  }

  void aCompilerThatFailsOnEverythingPausesAndLosesNoTrial() {
    QTemporaryDir folder;
    const std::string flag = folder.filePath("broken").toStdString();
    const FakeCompiler compiler(folder, real_, "if test -e " + flag + "; then echo no licence; exit 1; fi");
    target_.compiler = compiler.path();
    const auto measurer = make();
    QVERIFY(measure_all(*measurer, {family_->named("good")}).has_value());
    std::ofstream(flag).put('\n');
    const auto measured = measure_all(*measurer, {family_->named("good"), family_->named("good0")});
    QVERIFY(!measured.has_value());
    QCOMPARE(measured.error().code, ErrorCode::Environment);
    QVERIFY2(text_of(measured.error()).contains("no licence"), qPrintable(text_of(measured.error())));
    // Once repaired, the same measurer goes on.
    std::filesystem::remove(flag);
    const auto again = measure_all(*measurer, {family_->named("good")});
    target_.compiler = compiler_->path();
    QVERIFY(again.has_value() && again->at(0).valid());
  }

  void aDiskThatIsFullPauses() {
    if (!std::filesystem::exists("/dev/full")) QSKIP("no /dev/full here");
    QTemporaryDir folder;
    const auto made = base::TemporaryFolder::make();
    QVERIFY(made.has_value());
    std::filesystem::create_symlink("/dev/full", made->path() + "/kernel.c");
    const measure::BuildReply reply =
        measure::compile_shared_object(measure::self_test_request(real_, {}), *made);
    QCOMPARE(static_cast<int>(reply.status), static_cast<int>(measure::BuildStatus::MachineFault));
    QVERIFY2(QString::fromStdString(reply.message).contains("No space left"), reply.message.c_str());
  }

  void aTargetWithoutCompilerIsRefused() {
    schedule::TargetDescription none = target_;
    none.compiler.clear();
    QVERIFY(!measure::make_kernel_measurer(family_, none, options_).has_value());
    QVERIFY(!measure::compiler_version("/nonexistent/compiler").has_value());
    trial::MeasureOptions options = options_;
    options.repeats = 0;
    QVERIFY(!measure::make_kernel_measurer(family_, target_, options).has_value());
  }

  void batchesAreMeasuredWhole() {
    const auto measurer = make();
    std::vector<space::Configuration> batch;
    for (int i = 0; i < 8; ++i) batch.push_back(family_->named("good" + std::to_string(i)));
    batch.push_back(family_->named("broken"));
    const auto measured = measure_all(*measurer, batch);
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    for (std::size_t i = 0; i < 8; ++i) QVERIFY2(measured->at(i).valid(), measured->at(i).message.c_str());
    QVERIFY(!measured->at(8).valid());
    const measure::BatchProgress progress = measurer->progress();
    QCOMPARE(progress.finished, batch.size());
    QCOMPARE(progress.building + progress.running, std::size_t{0});
    const measure::BusyTimes busy = measurer->take_busy_times();
    QVERIFY(busy.build_seconds > 0 && busy.run_seconds > 0);
    const measure::BusyTimes idle = measurer->take_busy_times();
    QVERIFY(idle.build_seconds + idle.run_seconds < busy.build_seconds + busy.run_seconds);
    QVERIFY(measurer->submit({}).has_value());
    const auto nothing = measurer->collect(std::chrono::milliseconds(60'000));
    QVERIFY(nothing.has_value() && nothing->empty());
  }

  void batchesGoThroughInWaves_data() {
    QTest::addColumn<bool>("waves");
    QTest::newRow("waves") << true;
    QTest::newRow("as sessions of before") << false;
  }

  void batchesGoThroughInWaves() {
    QFETCH(bool, waves);
    schedule::TargetDescription target = target_;
    target.compiler = real_;
    trial::MeasureOptions options = options_;
    options.build_timeout_seconds = 60;
    options.builders = 2;
    options.clock = waves ? trial::BatchClock::Waves : trial::BatchClock::Batches;
    const auto family = std::make_shared<AskedFamily>(family_);
    const auto measurer = measure::make_kernel_measurer(family, target, options);
    QVERIFY(measurer.has_value());
    // How many candidates had been run when each one's source was asked for.
    std::vector<std::size_t> finished;
    family->asked = [&] { finished.push_back((*measurer)->progress().finished); };
    std::vector<space::Configuration> batch;
    for (int i = 0; i < 5; ++i) batch.push_back(family_->named("good" + std::to_string(i)));
    const auto measured = measure_all(**measurer, batch);
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    for (const trial::Measurement& one : *measured) QVERIFY2(one.valid(), one.message.c_str());
    QCOMPARE(finished, waves ? (std::vector<std::size_t>{0, 0, 2, 2, 4}) : std::vector<std::size_t>(5, 0));
  }

  void anAbortedBatchIsDroppedAndTheNextOneIsMeasured() {
    options_.build_timeout_seconds = 60;
    const auto measurer = make();
    options_.build_timeout_seconds = 1;
    const std::vector<space::Configuration> batch{family_->named("hangs"), family_->named("hangs")};
    QVERIFY(measurer->submit(batch).has_value());
    QVERIFY(!measurer->submit(batch).has_value());
    QTRY_VERIFY(measurer->progress().building > 0);
    measurer->abort();
    const auto left = measurer->collect(std::chrono::milliseconds(0));
    QVERIFY(left.has_value() && left->empty());
    const auto measured = measure_all(*measurer, {family_->named("good")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    QVERIFY(measured->at(0).valid());
  }

  void aDestroyedMeasurerEndsItsWorkers() {
    options_.build_timeout_seconds = 60;
    auto measurer = make();
    options_.build_timeout_seconds = 1;
    QVERIFY(measurer->submit(std::vector{family_->named("hangs")}).has_value());
    QTRY_VERIFY(measurer->progress().building > 0);
    measurer.reset();  // returns although the build takes a minute
  }

  void aWorkerThatIsKilledIsSaid() {
    auto worker = measure::WorkerProcess::start(measure::WorkerRole::Build);
    QVERIFY(worker.has_value());
    QVERIFY(worker->await_ready().has_value());
    kill(worker->process_id(), SIGKILL);
    const auto reply = worker->channel().receive<measure::BuildReply>(measure::deadline_after(60));
    QVERIFY(!reply && reply.error().problem == measure::ChannelProblem::Closed);
    QVERIFY(worker->describe_end().find("SIGKILL") != std::string::npos);
  }

  void aWorkerEndsWithItsChannel() {
    auto worker = measure::WorkerProcess::start(measure::WorkerRole::Run);
    QVERIFY(worker.has_value());
    QVERIFY(worker->await_ready().has_value());
    worker->channel().close();
    QVERIFY(worker->describe_end().find("exit code 0") != std::string::npos);
  }

  void aMissingWorkerProgramIsNamed() {
    qputenv("KERNELSCAPE_WORKER", "/nonexistent/worker");
    const auto made = measure::make_kernel_measurer(family_, target_, options_);
    qunsetenv("KERNELSCAPE_WORKER");
    QVERIFY(!made.has_value());
    QVERIFY(text_of(made.error()).contains("/nonexistent/worker"));
    // A program that is no worker of ours.
    qputenv("KERNELSCAPE_WORKER", "/bin/true");
    auto stranger = measure::WorkerProcess::start(measure::WorkerRole::Build);
    const bool ready = stranger && stranger->await_ready().has_value();
    qunsetenv("KERNELSCAPE_WORKER");
    QVERIFY(!ready);
  }

  void temporaryFoldersAreGone() {
    std::string path;
    {
      const auto made = base::TemporaryFolder::make();
      QVERIFY(made.has_value());
      path = made->path();
      QVERIFY(std::filesystem::exists(path));
      const measure::BuildReply reply = measure::compile_shared_object(
          measure::self_test_request(real_, codegen::own_flags(codegen::Dialect::C)), *made);
      QCOMPARE(static_cast<int>(reply.status), static_cast<int>(measure::BuildStatus::Built));
      QVERIFY(std::filesystem::is_empty(path));
    }
    QVERIFY(!std::filesystem::exists(path));
  }

 private:
  std::unique_ptr<measure::Measurer> make() {
    auto made = measure::make_kernel_measurer(family_, target_, options_);
    if (!made) qFatal("%s", qPrintable(text_of(made.error())));
    return std::move(*made);
  }

  QTemporaryDir folder_;
  std::string real_;
  schedule::TargetDescription target_;
  std::unique_ptr<FakeCompiler> compiler_;
  std::shared_ptr<SourceFamily> family_;
  trial::MeasureOptions options_;
};

KERNELSCAPE_TEST(MeasureBuildsTest, QCoreApplication)

}  // namespace kernelscape::measure_builds_test
#include "measure_builds_test.moc"

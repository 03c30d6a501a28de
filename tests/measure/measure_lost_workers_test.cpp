// Workers that die at each step of the protocol, and what is left of them.
#include <sys/wait.h>

#include <QtTest>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "core/measure/confirmation.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/measure/runner.h"
#include "core/measure/vendor_runner.h"
#include "core/measure/worker_process.h"
#include "tests/measure/kernel_sources.h"
#include "tests/measure/worker_proxy.h"
#include "tests/test_program.h"

namespace kernelscape::measure_lost_workers_test {
using measure_tests::WorkerFault;

namespace {

constexpr int always = 1000;

/** Workers of this process die as it says while it lives. */
class FaultyWorkers {
 public:
  FaultyWorkers(const WorkerFault& fault, const std::string& real_worker) {
    const std::string folder = this->folder();
    std::filesystem::create_symlink(real_worker, measure_tests::real_worker_in(folder));
    const std::string script = folder + "/worker";
    std::ofstream(script) << "#!/bin/sh\nexec '" << QCoreApplication::applicationFilePath().toStdString()
                          << "' measure_lost_workers_test --child \"$1\" '" << folder << "'\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    qputenv(measure_tests::proxy_folder_variable, QByteArray::fromStdString(folder));
    qputenv(measure_tests::proxy_fault_variable, QByteArray::fromStdString(fault.text()));
    qputenv("KERNELSCAPE_WORKER", QByteArray::fromStdString(script));
  }
  FaultyWorkers(const FaultyWorkers&) = delete;
  FaultyWorkers& operator=(const FaultyWorkers&) = delete;
  ~FaultyWorkers() {
    for (const char* name :
         {measure_tests::proxy_folder_variable, measure_tests::proxy_fault_variable, "KERNELSCAPE_WORKER"})
      qunsetenv(name);
  }

  std::string folder() const { return folder_.path().toStdString(); }

 private:
  QTemporaryDir folder_;
};

/** Processes but for this one whose command line names the text. */
std::vector<std::string> processes_naming(const std::string& text) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t process = 0;
    const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (problem != std::errc() || *rest != '\0' || process == getpid()) continue;
    std::ifstream file(entry->path() / "cmdline");
    // A process that ends while it is read is an error of the stream, which an iterator would throw.
    std::string line;
    std::getline(file, line);
    std::ranges::replace(line, '\0', ' ');
    if (line.find(text) != std::string::npos) found.push_back(name + " " + line);
  }
  return found;
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

QString text_of(const Error& error) { return QString::fromStdString(describe(error)); }

std::vector<NamedSource> three_kernels() {
  std::vector<NamedSource> sources;
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i);
    sources.push_back({"good" + number, matmul_text("int variant = " + number + ";")});
  }
  return sources;
}

}  // namespace

class MeasureLostWorkersTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void cleanup();
  void oneLossCostsAtMostWhatTheWorkerDid_data();
  void oneLossCostsAtMostWhatTheWorkerDid();
  void lossesWithoutEndAreTheMachinesFault_data();
  void lossesWithoutEndAreTheMachinesFault();
  void everyKernelThatLosesItsWorkerIsATrial();
  void aWorkerLostBetweenTrialsCostsNone();
  void aConfirmationResumes();
  void vendorsWorkers_data();
  void vendorsWorkers();
  void probesAreAskedAgain_data();
  void probesAreAskedAgain();
  void whatAKilledBuilderStartedEndsWithIt();
  void aStoppedWorkerIsSaid();
  void aProgramThatIsNoneIsSaid();

 private:
  std::vector<space::Configuration> all() const;
  Result<std::vector<trial::Measurement>> measure(const WorkerFault& fault);

  std::string real_worker_;
  schedule::TargetDescription target_;
  trial::MeasureOptions options_;
  std::shared_ptr<SourceFamily> family_;
  std::vector<std::string> folders_;  ///< that the workers of a test function are named by
};

void MeasureLostWorkersTest::initTestCase() {
  const auto worker = measure::find_worker_program();
  QVERIFY2(worker, worker ? "" : qPrintable(text_of(worker.error())));
  real_worker_ = *worker;
  const auto described = measure::describe_cpu_target();
  QVERIFY2(described, described ? "" : qPrintable(text_of(described.error())));
  target_ = *described;
  options_ = quick_options();
  options_.builders = 1;  // so that the first builder gets the first kernel
  family_ = std::make_shared<SourceFamily>(small_matmul, three_kernels());
}

/** Whatever died, nothing of it is left: no zombie of ours, and soon no process that it had started. */
void MeasureLostWorkersTest::cleanup() {
  QVERIFY2(!has_children(), "a worker was not waited for");
  for (const std::string& folder : folders_) QTRY_VERIFY(processes_naming(folder).empty());
  folders_.clear();
}

std::vector<space::Configuration> MeasureLostWorkersTest::all() const {
  std::vector<space::Configuration> batch;
  for (const NamedSource& source : three_kernels()) batch.push_back(family_->named(source.name));
  return batch;
}

Result<std::vector<trial::Measurement>> MeasureLostWorkersTest::measure(const WorkerFault& fault) {
  const FaultyWorkers workers(fault, real_worker_);
  folders_.push_back(workers.folder());
  auto measurer = measure::make_kernel_measurer(family_, target_, options_);
  if (!measurer) return std::unexpected(measurer.error());
  return measure_all(**measurer, all());
}

void MeasureLostWorkersTest::oneLossCostsAtMostWhatTheWorkerDid_data() {
  QTest::addColumn<QString>("role");
  QTest::addColumn<int>("frame");
  QTest::addColumn<QString>("where");
  QTest::addColumn<bool>("costs");
  const auto row = [](const char* role, int frame, const char* step) {
    for (const char* where : {"before", "half", "after"}) {
      // Once it is sent, a kernel is the worker's: nobody knows how far the worker came with it.
      const bool costs =
          QString(role) == "run" && frame >= 4 && (frame % 2 == 0 || QString(where) != "after");
      QTest::addRow("%s worker, %s its %s", role, where, step) << role << frame << where << costs;
    }
  };
  row("build", 0, "hello");
  row("build", 1, "greeting");
  row("build", 2, "first kernel");
  row("build", 3, "first object");
  row("build", 4, "second kernel");
  row("run", 0, "hello");
  row("run", 1, "greeting");
  row("run", 2, "task");
  row("run", 3, "word that the task is prepared");
  row("run", 4, "first kernel");
  row("run", 5, "first result");
  row("run", 6, "second kernel");
}

void MeasureLostWorkersTest::oneLossCostsAtMostWhatTheWorkerDid() {
  QFETCH(QString, role);
  QFETCH(int, frame);
  QFETCH(QString, where);
  QFETCH(bool, costs);
  const auto measured = measure({.role = role.toStdString(),
                                 .frame = frame,
                                 .where = where.toStdString(),
                                 .how = where == "half" ? "exit" : "kill"});
  QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
  QCOMPARE(measured->size(), all().size());
  int lost = 0;
  for (const trial::Measurement& measurement : *measured) {
    if (measurement.valid()) continue;
    ++lost;
    QCOMPARE(static_cast<int>(measurement.category), static_cast<int>(trial::ErrorCategory::RuntimeDevice));
    QVERIFY2(measurement.message.find("the run worker was lost") != std::string::npos,
             measurement.message.c_str());
  }
  QVERIFY(lost <= 1);
  if (costs) QCOMPARE(lost, 1);
  // Until its death is seen, a worker may be sent one kernel more.
  const bool may_cost = costs || (role == "run" && frame % 2 == 1 && where == "after");
  if (!may_cost) QCOMPARE(lost, 0);
}

void MeasureLostWorkersTest::lossesWithoutEndAreTheMachinesFault_data() {
  QTest::addColumn<QString>("role");
  QTest::addColumn<int>("frame");
  QTest::addColumn<QString>("how");
  QTest::addColumn<QString>("says");
  QTest::addColumn<QString>("way_out");
  const auto row = [](const char* name, const char* role, int frame, const char* how, const char* says,
                      const char* way_out) {
    QTest::newRow(name) << role << frame << how << says << way_out;
  };
  row("run worker killed while it starts", "run", 1, "kill",
      "the run worker was lost while it started, 3 times: killed by SIGKILL", "out-of-memory killer");
  row("run worker that exits at once", "run", 0, "exit", "ended with exit code 3",
      "run kernelscape-worker by hand");
  row("run worker that crashes while it starts", "run", 0, "crash", "SIGSEGV", "a library that it loads");
  row("run worker without memory at its start", "run", 1, "memory", "bad_alloc", "free memory, then");
  row("run worker killed while it prepares", "run", 3, "kill", "while it prepared the task, 3 times",
      "a smaller task");
  row("run worker without memory for the task", "run", 3, "memory", "bad_alloc", "a smaller task");
  row("run worker that crashes while it prepares", "run", 3, "crash", "while it prepared the task",
      "a library that it loads");
  row("build worker killed while it starts", "build", 1, "kill", "the build worker was lost while it started",
      "out-of-memory killer");
  row("build worker killed at each build", "build", 3, "kill", "that tests the compiler was lost 3 times",
      "out-of-memory killer");
  row("build worker that crashes at each build", "build", 3, "crash",
      "that tests the compiler was lost 3 times", "repair the compiler");
}

void MeasureLostWorkersTest::lossesWithoutEndAreTheMachinesFault() {
  QFETCH(QString, role);
  QFETCH(int, frame);
  QFETCH(QString, how);
  QFETCH(QString, says);
  QFETCH(QString, way_out);
  const auto measured =
      measure({.role = role.toStdString(), .frame = frame, .how = how.toStdString(), .times = always});
  QVERIFY(!measured);
  const Error& error = measured.error();
  QCOMPARE(error.code, ErrorCode::Environment);
  QVERIFY2(QString::fromStdString(error.message).contains(says), error.message.c_str());
  QVERIFY2(QString::fromStdString(error.hint).contains(way_out), error.hint.c_str());
  // A start has nothing to do with the size of the task.
  if (frame < 2) QVERIFY2(error.hint.find("smaller task") == std::string::npos, error.hint.c_str());
}

void MeasureLostWorkersTest::everyKernelThatLosesItsWorkerIsATrial() {
  const auto measured = measure({.role = "run", .frame = 5, .how = "kill", .times = always});
  QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
  for (const trial::Measurement& measurement : *measured) {
    QCOMPARE(static_cast<int>(measurement.category), static_cast<int>(trial::ErrorCategory::RuntimeDevice));
    QVERIFY2(measurement.message.find("SIGKILL") != std::string::npos, measurement.message.c_str());
  }
}

void MeasureLostWorkersTest::aWorkerLostBetweenTrialsCostsNone() {
  const FaultyWorkers workers({.role = "run", .frame = 5, .where = "after", .times = 3}, real_worker_);
  folders_.push_back(workers.folder());
  const auto measurer = measure::make_kernel_measurer(family_, target_, options_);
  QVERIFY(measurer.has_value());
  for (const space::Configuration& configuration : all()) {
    const auto measured = measure_all(**measurer, {configuration});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    QVERIFY2(measured->at(0).valid(), measured->at(0).message.c_str());
    // The worker is on its way out: the next batch finds it gone.
    QTRY_VERIFY(processes_naming("--child run '" + workers.folder()).empty());
  }
}

void MeasureLostWorkersTest::aConfirmationResumes() {
  const FaultyWorkers workers({.role = "run", .frame = 5, .times = 1}, real_worker_);
  folders_.push_back(workers.folder());
  const auto batch = all();
  const auto confirmed = measure::measure_interleaved(*family_, target_, options_, std::span(batch).first(2),
                                                      2, [] { return false; });
  QVERIFY2(confirmed, confirmed ? "" : qPrintable(text_of(confirmed.error())));
  QVERIFY(!confirmed->interrupted);
  QCOMPARE(static_cast<int>(confirmed->configurations.at(0).category),
           static_cast<int>(trial::ErrorCategory::RuntimeDevice));
  QVERIFY(confirmed->configurations.at(1).valid());
  QCOMPARE(confirmed->configurations.at(1).samples_seconds.size(), std::size_t{2});
}

void MeasureLostWorkersTest::vendorsWorkers_data() {
  QTest::addColumn<int>("frame");
  QTest::addColumn<QString>("where");
  for (int frame = 0; frame < 4; ++frame) {
    for (const char* where : {"before", "half", "after"})
      QTest::addRow("%s frame %d", where, frame) << frame << where;
  }
}

void MeasureLostWorkersTest::vendorsWorkers() {
  QFETCH(int, frame);
  QFETCH(QString, where);
  const FaultyWorkers workers({.role = "baseline", .frame = frame, .where = where.toStdString()},
                              real_worker_);
  folders_.push_back(workers.folder());
  measure::VendorRunner runner(family_->task(), target_, options_);
  const auto first = runner.run(options_, {});
  QVERIFY2(first, first ? "" : qPrintable(text_of(first.error())));
  const bool lost = first->reason.find("was lost: killed by SIGKILL") != std::string::npos;
  // Whether the death is seen before the request is sent is chance where it comes behind a reply.
  const bool behind_a_reply = frame % 2 == 1 && where == "after";
  if (frame >= 2 && !behind_a_reply) QVERIFY2(lost, first->reason.c_str());
  if (frame < 2 && !behind_a_reply) QVERIFY2(!lost, first->reason.c_str());
  if (behind_a_reply) return;
  const auto second = runner.run(options_, {});
  QVERIFY2(second, second ? "" : qPrintable(text_of(second.error())));
  QVERIFY2(second->reason.find("was lost") == std::string::npos, second->reason.c_str());
}

void MeasureLostWorkersTest::probesAreAskedAgain_data() {
  QTest::addColumn<int>("frame");
  for (int frame = 0; frame < 4; ++frame) QTest::addRow("frame %d", frame) << frame;
}

void MeasureLostWorkersTest::probesAreAskedAgain() {
  QFETCH(int, frame);
  {
    const FaultyWorkers workers({.role = "probe", .frame = frame, .where = "half"}, real_worker_);
    folders_.push_back(workers.folder());
    const auto platforms = measure::probe_gpu_platforms();
    QVERIFY2(platforms, platforms ? "" : qPrintable(text_of(platforms.error())));
    for (const measure::ProbedPlatform& platform : *platforms)
      QVERIFY2(platform.problem.find("was lost") == std::string::npos, platform.problem.c_str());
  }
  if (frame < 2) return;
  // A driver that crashes is told at once.
  const FaultyWorkers workers({.role = "probe", .frame = 3, .how = "crash", .times = always}, real_worker_);
  folders_.push_back(workers.folder());
  const auto platforms = measure::probe_gpu_platforms();
  QVERIFY(platforms.has_value());
  QVERIFY2(platforms->front().problem.find("SIGSEGV") != std::string::npos,
           platforms->front().problem.c_str());
  QVERIFY2(platforms->front().hint.find("driver") != std::string::npos, platforms->front().hint.c_str());
}

void MeasureLostWorkersTest::whatAKilledBuilderStartedEndsWithIt() {
  QTemporaryDir folder;
  folders_.push_back(folder.path().toStdString());
  const std::string sleeper = folders_.back() + "/sleeper";
  const std::string compiler = folders_.back() + "/compiler";
  // A child of the compiler: the system does not end that one with the worker.
  std::ofstream(sleeper) << "#!/bin/sh\nsleep 1000\n";
  std::ofstream(compiler) << "#!/bin/sh\n" << sleeper << "\nexit 1\n";
  for (const std::string& script : {sleeper, compiler})
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  auto worker = measure::WorkerProcess::start(measure::WorkerRole::Build);
  QVERIFY(worker && worker->await_ready());
  const measure::BuildRequest request{.compiler = compiler, .text = "int x;", .timeout_seconds = 1000};
  QVERIFY(worker->channel().send(request, measure::deadline_after(60)).has_value());
  QTRY_VERIFY(!processes_naming(sleeper).empty());
  kill(worker->process_id(), SIGKILL);
  QVERIFY(worker->describe_end().find("SIGKILL") != std::string::npos);
  QTRY_VERIFY(processes_naming(sleeper).empty());
}

void MeasureLostWorkersTest::aStoppedWorkerIsSaid() {
  auto worker = measure::WorkerProcess::start(measure::WorkerRole::Run);
  QVERIFY(worker && worker->await_ready());
  kill(worker->process_id(), SIGSTOP);
  const measure::WorkerEnd end = worker->end();
  QVERIFY(end.stopped);
  QVERIFY2(measure::describe(end).find("stopped") != std::string::npos, measure::describe(end).c_str());
  QVERIFY(!measure::may_lack_memory(end) && !measure::hint_for(end).empty());
}

void MeasureLostWorkersTest::aProgramThatIsNoneIsSaid() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("worker").toStdString();
  std::ofstream(path) << "no program\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  qputenv("KERNELSCAPE_WORKER", QByteArray::fromStdString(path));
  const auto worker = measure::WorkerProcess::start(measure::WorkerRole::Run);
  qunsetenv("KERNELSCAPE_WORKER");
  QVERIFY(!worker);
  QVERIFY2(worker.error().message.find(path) != std::string::npos, worker.error().message.c_str());
  QVERIFY2(worker.error().hint.find("install") != std::string::npos, worker.error().hint.c_str());
}

static int begin_proxy(int argc, char** argv) { return argc > 2 ? measure_tests::run_proxy(argv[2]) : 2; }

// Waits need an application, and a faulty worker is this program as a child.
static const bool test_file_added [[maybe_unused]] =
    tests::add_test_file({__FILE__, tests::run_test<MeasureLostWorkersTest, QCoreApplication>, begin_proxy});

}  // namespace kernelscape::measure_lost_workers_test
#include "measure_lost_workers_test.moc"

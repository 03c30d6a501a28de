// Users' own kernels on a fleet: their reference is built and run there, by real compilers and workers.
#include <QtTest>
#include <fstream>
#include <memory>

#include "core/fleet/confirmation.h"
#include "core/fleet/device_class.h"
#include "core/fleet/local_executor.h"
#include "core/kernel/project_family.h"
#include "core/measure/cpu/cpu_target.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_programs_test {
using namespace kernelscape::fleet_tests;
using nlohmann::json;

namespace {

/** CASE 0 ends its process, 1 is right, 2 is wrong, 3 does not build. */
constexpr const char* kernel_source = R"(#include <stdlib.h>
void run(float* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = y[i] + 2 * x[i];
#if CASE == 0
  exit(3);
#elif CASE == 2
  y[7] += 1;
#elif CASE == 3
  this is no C;
#endif
}
)";

constexpr const char* right_source =
    "void right(float* y, const float* x, int n) {\n  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];\n}\n";

json project_with(const json& reference) {
  json project = json::parse(R"json({
  "ConfigurationSpace": {"TuningParameters": [{"Name": "CASE", "Type": "int", "Values": "[0, 1, 2, 3]"}]},
  "KernelSpecification": {
    "Language": "C", "KernelName": "run", "KernelFile": "kernel.c", "ProblemSize": [1000],
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 5, "Output": 1},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 6},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "ProblemSize[0]"}]},
  "kernelscape": {}
})json");
  project["kernelscape"]["Reference"] = reference;
  return project;
}

json reference_function() { return {{"Kind", "Function"}, {"File", "right.c"}, {"Name", "right"}}; }

trial::MeasureOptions quick_options() {
  trial::MeasureOptions options;
  options.repeats = 2;
  options.min_repeat_seconds = 1e-4;
  options.run_timeout_seconds = 5;
  return options;
}

}  // namespace

class FleetProgramsTest : public QObject {
  Q_OBJECT

  schedule::TargetDescription cpu_;
  fleet::DeviceClass class_;
  fleet::MachineArbiter gate_{"cpu", "a test"};
  ProjectFolder folder_;

  std::shared_ptr<const kernel::ProjectFamily> family_of(const json& project) {
    auto read = folder_.read(project);
    if (!read) qWarning("%s", describe(read.error()).c_str());
    if (!read) return nullptr;
    auto family =
        kernel::ProjectFamily::make(std::make_shared<const project::KernelProject>(std::move(*read)), cpu_);
    return family ? *family : nullptr;
  }

  fleet::WorkerSetup real_worker(const fleet::Access& access) {
    fleet::WorkerSetup setup = worker_setup(access, "real", 1, false);
    setup.identity.devices = {class_};
    setup.identity.tool_chains = {class_.tool_chain};
    setup.executors.builder = [this] { return fleet::make_local_builder({cpu_}, gate_); };
    setup.executors.runner = [this] { return fleet::make_local_runner(cpu_, gate_); };
    return setup;
  }

  fleet::Measuring real_measuring(const fleet::Access& access) const {
    fleet::Measuring measuring;
    measuring.access = access;
    measuring.device = class_;
    return measuring;
  }

  /** What comes of a project's first `count` configurations. */
  Result<std::vector<trial::Measurement>> measured(const json& project, std::size_t count) {
    const RedisServer server;
    const fleet::Access access = server.fleet(5);
    ThreadWorker worker(real_worker(access));
    const auto all = measured_by(worker, access, project, count);
    // Whatever is wrong with a project, its workers serve others.
    if (const Status left = worker.leave(); !left) return std::unexpected(left.error());
    return all;
  }

  Result<std::vector<trial::Measurement>> measured_by(const ThreadWorker&, const fleet::Access& access,
                                                      const json& project, std::size_t count) {
    const auto family = family_of(project);
    if (!family) return fail(ErrorCode::InvalidArgument, "no family");
    const auto measurer = TRY(fleet::make_fleet_measurer(family, real_measuring(access), quick_options()));
    std::vector<space::Configuration> batch;
    for (std::size_t i = 0; i < count; ++i) batch.push_back(family->space().at(i));
    TRY(measurer->submit(batch));
    std::vector<trial::Measurement> all(count);
    for (measure::Completed& done : TRY(collect_all(*measurer, count, 120)))
      all[done.position] = std::move(done.measurement);
    return all;
  }

  std::string problem_of(const json& project) {
    const auto all = measured(project, 2);
    return all ? std::string() : describe(all.error());
  }

 private slots:
  void initTestCase();
  void kernels_are_compared_with_the_reference();
  void without_a_reference_the_first_that_runs_is_right();
  void what_is_wrong_with_a_reference_is_said();
  void they_are_confirmed_too();
};

void FleetProgramsTest::initTestCase() {
  NEEDS_REDIS();
  const auto described = measure::describe_cpu_target();
  QVERIFY(described);
  cpu_ = *described;
  class_ = fleet::classify_device(cpu_);
  folder_.write("kernel.c", kernel_source);
  folder_.write("right.c", right_source);
}

void FleetProgramsTest::kernels_are_compared_with_the_reference() {
  const auto all = measured(project_with(reference_function()), 4);
  QVERIFY2(all, all ? "" : describe(all.error()).c_str());
  QCOMPARE(all->at(0).category, trial::ErrorCategory::RuntimeDevice);
  QVERIFY2(all->at(1).valid(), all->at(1).message.c_str());
  QCOMPARE(all->at(1).worker, std::string("real"));
  QCOMPARE(all->at(2).category, trial::ErrorCategory::WrongAnswer);
  QVERIFY2(all->at(2).message.contains("y[7]"), all->at(2).message.c_str());
  QCOMPARE(all->at(3).category, trial::ErrorCategory::CompileHost);
}

void FleetProgramsTest::without_a_reference_the_first_that_runs_is_right() {
  const auto all = measured(project_with({{"Kind", "FirstValid"}}), 3);
  QVERIFY2(all, all ? "" : describe(all.error()).c_str());
  QCOMPARE(all->at(0).category, trial::ErrorCategory::RuntimeDevice);
  QVERIFY2(all->at(1).valid(), all->at(1).message.c_str());
  QCOMPARE(all->at(2).category, trial::ErrorCategory::WrongAnswer);
  json none = project_with({{"Kind", "FirstValid"}});
  none["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[0, 3]";
  const std::string problem = problem_of(none);
  QVERIFY2(problem.contains("none of the first"), problem.c_str());
}

void FleetProgramsTest::what_is_wrong_with_a_reference_is_said() {
  folder_.write("right.c", "void right(float* y, const float* x, int n) { no C }\n");
  const std::string broken = problem_of(project_with(reference_function()));
  folder_.write("right.c", "#include <stdlib.h>\nvoid right(float* y, const float* x, int n) { abort(); }\n");
  const std::string failing = problem_of(project_with(reference_function()));
  folder_.write("right.c", right_source);
  QVERIFY2(broken.contains("the reference can't be built"), broken.c_str());
  QVERIFY2(failing.contains("the reference fails"), failing.c_str());
}

void FleetProgramsTest::they_are_confirmed_too() {
  const RedisServer server;
  const fleet::Access access = server.fleet(5);
  const ThreadWorker worker(real_worker(access));
  const auto family = family_of(project_with(reference_function()));
  QVERIFY(family);
  const std::vector<space::Configuration> best{family->space().at(1)};
  const auto confirmed =
      fleet::confirm_on_fleet(family, real_measuring(access), quick_options(), best, [] { return false; }, 0);
  QVERIFY2(confirmed, confirmed ? "" : describe(confirmed.error()).c_str());
  QVERIFY(confirmed->configurations.at(0).valid());
  QVERIFY(confirmed->vendor.reason.contains("of your own"));
}

KERNELSCAPE_TEST(FleetProgramsTest, QCoreApplication)

}  // namespace kernelscape::fleet_programs_test
#include "fleet_programs_test.moc"

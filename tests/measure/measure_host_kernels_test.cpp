#include <QtTest>
#include <map>
#include <memory>

#include "core/base/processors.h"
#include "core/kernel/project_family.h"
#include "core/measure/counting.h"
#include "core/measure/cpu/compiler.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/measure/worker/openmp_environment.h"
#include "core/project/host_language.h"
#include "tests/measure/kernel_sources.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::measure_host_kernels_test {
using nlohmann::json;

namespace {

/** y = 2 * x + 1 of a kernel whose parameter CASE chooses what else it does. */
json host_project(const std::string& language, const std::string& file, int cases) {
  json project = json::parse(R"json({
  "ConfigurationSpace": {"TuningParameters": [{"Name": "CASE", "Type": "int", "Values": "[0]"}]},
  "KernelSpecification": {
    "KernelName": "run", "ProblemSize": [1024],
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]", "Output": 1},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 6},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "ProblemSize[0]"}]},
  "kernelscape": {"Reference": {"Kind": "Function", "File": "right.c", "Name": "right"}}
})json");
  project["KernelSpecification"]["Language"] = language;
  project["KernelSpecification"]["KernelFile"] = file;
  project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = fmt::format("list(range({}))", cases);
  return project;
}

constexpr std::string_view right_source =
    "void right(float* y, const float* x, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1; }\n";

/** Threads of OpenMP's; what is wrong shows as an output that is. */
constexpr std::string_view openmp_source = R"(#include <omp.h>
#include <stdlib.h>
void run(float* y, const float* x, int n) {
  int wrong = omp_get_num_procs() != PROCESSORS;
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
#if CASE == 1
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) *(volatile int*)8 = 1;
#elif CASE == 2
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) for (volatile int i = 0;; ++i) {}
#elif CASE == 3
#pragma omp parallel num_threads(2) proc_bind(spread)
  if (omp_get_thread_num() == 1) exit(3);
#endif
  if (wrong) y[0] = 1e9f;
}
)";

}  // namespace

/** Kernels of the CPU that start threads themselves, and kernels in C++. */
class MeasureHostKernelsTest : public QObject {
  Q_OBJECT

  schedule::TargetDescription cpu_;
  ProjectFolder folder_;

  /** What each configuration of a project gives, in the order of the space. */
  std::vector<trial::Measurement> measured(const json& project, trial::MeasureOptions options) {
    auto read = folder_.read(project);
    if (!read) return qWarning("%s", describe(read.error()).c_str()), std::vector<trial::Measurement>();
    auto family =
        kernel::ProjectFamily::make(std::make_shared<const project::KernelProject>(std::move(*read)), cpu_);
    if (!family) return qWarning("%s", describe(family.error()).c_str()), std::vector<trial::Measurement>();
    auto measurer = measure::make_kernel_measurer(*family, cpu_, options);
    if (!measurer)
      return qWarning("%s", describe(measurer.error()).c_str()), std::vector<trial::Measurement>();
    std::vector<space::Configuration> batch;
    for (base::uint128 index = 0; index < (*family)->space().size(); ++index)
      batch.push_back((*family)->space().at(index));
    std::vector<trial::Measurement> all(batch.size());
    if (auto submitted = (*measurer)->submit(batch); !submitted) return {};
    for (std::size_t finished = 0; finished < batch.size();) {
      auto completed = (*measurer)->collect(std::chrono::milliseconds(200));
      if (!completed)
        return qWarning("%s", describe(completed.error()).c_str()), std::vector<trial::Measurement>();
      for (measure::Completed& one : *completed) all[one.position] = std::move(one.measurement);
      finished += completed->size();
    }
    return all;
  }

  static trial::MeasureOptions options_of_the_test(int threads) {
    trial::MeasureOptions options = quick_options();
    options.threads = threads;
    options.run_timeout_seconds = 5;
    options.give_up_factor = 0;
    return options;
  }

  /** The project with a kernel that finds its answer wrong on another number of processors. */
  json openmp_project(int processors, int cases) {
    json project = host_project("C", "openmp.c", cases);
    project["kernelscape"]["Flags"] = {"-fopenmp", fmt::format("-DPROCESSORS={}", processors)};
    return project;
  }

  static std::string text_of(const trial::Measurement& trial) {
    return fmt::format("{}: {}", trial::to_string(trial.category), trial.message);
  }

 private slots:
  void initTestCase() {
    const auto described = measure::describe_cpu_target();
    QVERIFY(described);
    cpu_ = *described;
    folder_.write("right.c", right_source);
    folder_.write("openmp.c", openmp_source);
  }

  void a_kernels_own_threads_have_the_processors_of_the_session() {
    for (const int threads : {0, 1}) {
      const int processors = threads == 0 ? base::usable_cores() : 1;
      const auto trials = measured(openmp_project(processors, 1), options_of_the_test(threads));
      QCOMPARE(trials.size(), std::size_t{1});
      QVERIFY2(trials[0].valid(), text_of(trials[0]).c_str());
    }
  }

  void a_reference_and_the_first_valid_configuration_have_them_too() {
    json project = openmp_project(base::usable_cores(), 1);
    project["kernelscape"]["Reference"] = {{"Kind", "FirstValid"}};
    auto trials = measured(project, options_of_the_test(0));
    QVERIFY(trials.size() == 1 && trials[0].valid());
    project["kernelscape"]["Reference"] = {
        {"Kind", "Function"},
        {"File", "openmp.c"},
        {"Name", "run"},
        {"Flags", {"-fopenmp", "-DCASE=0", fmt::format("-DPROCESSORS={}", base::usable_cores())}}};
    trials = measured(project, options_of_the_test(0));
    QVERIFY(trials.size() == 1);
    QVERIFY2(trials[0].valid(), text_of(trials[0]).c_str());
  }

  void what_goes_wrong_in_a_thread_costs_one_trial() {
    json project = openmp_project(base::usable_cores(), 4);
    project["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[1, 2, 3, 0]";
    std::vector<trial::Measurement> trials;
    // On a loaded machine what ends by itself may take longer than a time that is short for what never does.
    for (const double seconds : {5.0, 60.0}) {
      trial::MeasureOptions options = options_of_the_test(0);
      options.run_timeout_seconds = seconds;
      trials = measured(project, options);
      if (std::ranges::count(trials, trial::ErrorCategory::RunTimeout, &trial::Measurement::category) <= 1)
        break;
    }
    QCOMPARE(trials.size(), std::size_t{4});
    QVERIFY2(trials[0].message.contains("SIGSEGV"), text_of(trials[0]).c_str());
    QCOMPARE(trials[1].category, trial::ErrorCategory::RunTimeout);
    QVERIFY2(trials[2].message.contains("exit code 3"), text_of(trials[2]).c_str());
    QVERIFY2(trials[3].valid(), text_of(trials[3]).c_str());
  }

  void a_kernel_that_starts_no_thread_stays_on_one_processor() {
    folder_.write("plain.c", R"(#define _GNU_SOURCE
#include <sched.h>
void run(float* y, const float* x, int n) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 1) return;
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
}
)");
    const auto trials = measured(host_project("C", "plain.c", 1), options_of_the_test(0));
    QVERIFY(trials.size() == 1);
    QVERIFY2(trials[0].valid(), text_of(trials[0]).c_str());
  }

  /** Counters would be of the thread that calls, and the time that of all. */
  void kernels_with_threads_of_their_own_are_not_counted() {
    if (base::usable_cores() < 2) QSKIP("There is one processor.");
    folder_.write("alone.c", R"(#include <pthread.h>
static void* nothing(void* x) { return x; }
void run(float* y, const float* x, int n) {
  pthread_t thread;
  if (n < 0) pthread_create(&thread, 0, nothing, y);
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
}
)");
    for (const char* file : {"openmp.c", "alone.c"}) {
      json project = openmp_project(base::usable_cores(), 1);
      project["KernelSpecification"]["KernelFile"] = file;
      auto read = folder_.read(project);
      QVERIFY2(read, read ? "" : describe(read.error()).c_str());
      const auto family =
          kernel::ProjectFamily::make(std::make_shared<const project::KernelProject>(std::move(*read)), cpu_);
      QVERIFY(family);
      const auto counted =
          measure::count_configuration(**family, cpu_, options_of_the_test(0), (*family)->space().at(0));
      QVERIFY2(counted, counted ? "" : describe(counted.error()).c_str());
      QVERIFY(counted->has_value());
      const bool reported =
          std::ranges::any_of((*counted)->missing, [](const trial::MissingCounter& missing) {
            return missing.reason.contains("the kernel starts threads itself");
          });
      QVERIFY2(reported == (std::string_view(file) == "openmp.c"), file);
      QVERIFY2(!reported || !(*counted)->cycles, file);
    }
  }

  void variables_of_openmp_are_said_and_those_that_bind_are_kept_from_kernels() {
    qputenv("OMP_PROC_BIND", "true");
    qputenv("OMP_NUM_THREADS", "3");
    const std::vector<std::string> notices = measure::openmp_notices();
    const auto trials = measured(openmp_project(base::usable_cores(), 1), options_of_the_test(0));
    qunsetenv("OMP_PROC_BIND");
    qunsetenv("OMP_NUM_THREADS");
    QVERIFY(trials.size() == 1);
    QVERIFY2(trials[0].valid(), text_of(trials[0]).c_str());
    QVERIFY(std::ranges::any_of(notices, [](const std::string& notice) {
      return notice.contains("OMP_NUM_THREADS=3") && notice.contains("inherited");
    }));
    QVERIFY(std::ranges::any_of(notices, [](const std::string& notice) {
      return notice.contains("OMP_PROC_BIND=true") && notice.contains("not passed");
    }));
  }

  /** A fleet's worker keeps its machine's own variables from kernels. */
  void variables_of_openmp_can_be_dropped() {
    qputenv("OMP_SCHEDULE", "static");
    qputenv("KMP_BLOCKTIME", "0");
    qputenv("OMPI_COMM", "kept");
    const std::vector<std::string> notices = measure::drop_openmp_variables();
    QVERIFY(notices.size() >= 2 && measure::openmp_notices().empty());
    QVERIFY(std::ranges::any_of(notices, [](const std::string& notice) {
      return notice.contains("OMP_SCHEDULE=static") && notice.contains("dropped");
    }));
    QVERIFY(!qEnvironmentVariableIsSet("KMP_BLOCKTIME"));
    QVERIFY(qEnvironmentVariableIsSet("OMPI_COMM"));
    qunsetenv("OMPI_COMM");
  }

  /** Functions, members of namespaces, overloads and instances of templates; parameters named as C++'s usual
   * names. */
  void entries_of_cpp_are_called_by_their_names() {
    folder_.write("kernel.cpp", R"(#include <vector>
extern "C" void run(float* y, const float* x, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1; }
namespace deep { namespace inside {
void over(float* y, const float* x, int n) { run(y, x, n); }
void over(double* y, const double*, int) { *y = 0; }
template <typename T, int N> void add(T* y, const T* x, int n) {
  const std::vector<T> ones(N, T(1));
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + ones[i % N];
}
struct Pair { float first, second; };
void pairs(Pair* y, const Pair* x, int n) { run(&y->first, &x->first, n); }
template <typename T> void deduced(T* y, const T* x, int n) { run(y, x, n); }
void parts(int part, int parts, float* y, const float* x, int n) {
  for (int i = part; i < n; i += parts) y[i] = 2 * x[i] + 1;
}
}}
)");
    for (const char* name :
         {"run", "::run", "deep::inside::over", "deep::inside::add<float, {CASE + 3}>",
          "deep::inside::add<float, CASE + 3>", "deep::inside::pairs", "deep::inside::deduced",
          "deep :: inside :: add < float, 3 >", "deep::inside::parts"}) {
      // A file's ending says C++ as well as the project does.
      json project = host_project(name[0] == ':' ? "C" : "C++", "kernel.cpp", 2);
      project["KernelSpecification"]["KernelName"] = name;
      project["kernelscape"]["Parts"] = std::string_view(name).ends_with("parts");
      const auto trials = measured(project, options_of_the_test(0));
      QVERIFY2(trials.size() == 2, name);
      for (const trial::Measurement& trial : trials)
        QVERIFY2(trial.valid(), (std::string(name) + ": " + text_of(trial)).c_str());
    }
  }

  void an_exception_that_leaves_a_kernel_is_its_failure() {
    folder_.write("throws.cpp", R"(#include <stdexcept>
void run(float* y, const float* x, int n) {
  if (CASE == 0) throw std::runtime_error("the tile is too large");
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
}
)");
    const auto trials = measured(host_project("C++", "throws.cpp", 2), options_of_the_test(0));
    QCOMPARE(trials.size(), std::size_t{2});
    QCOMPARE(trials[0].category, trial::ErrorCategory::RuntimeDevice);
    QVERIFY2(
        trials[0].message.contains("left the kernel in the checked run: std::runtime_error: the tile is"),
        text_of(trials[0]).c_str());
    QVERIFY2(trials[1].valid(), text_of(trials[1]).c_str());
  }

  /** Before any trial: the machine lacks something, not the kernel. */
  void a_compiler_without_cpp_names_the_package_that_is_missing() {
    const auto script = folder_.write(
        "cc_alone",
        "#!/bin/sh\necho \"gcc: fatal error: cannot execute 'cc1plus': execvp: No such file\" >&2\nexit 1\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    auto folder = base::TemporaryFolder::make();
    QVERIFY(folder);
    measure::BuildRequest request =
        measure::self_test_request(script.string(), codegen::own_flags(codegen::Dialect::C));
    QCOMPARE(measure::compile_shared_object(request, *folder).status, measure::BuildStatus::Failed);
    request.flags.emplace_back(project::cpp_flag);
    const measure::BuildReply reply = measure::compile_shared_object(request, *folder);
    QCOMPARE(reply.status, measure::BuildStatus::MachineFault);
    QVERIFY2(reply.hint.contains("g++") && reply.message.contains("C++"), reply.message.c_str());
  }

  /** What a source brings about stays a failure of one trial. */
  void messages_that_quote_the_compiler_of_cpp_are_failed_builds() {
    const auto status_of = [&](const std::string& line) {
      const auto output = folder_.write("said", line + "\n");
      const auto script = folder_.write("cc_says", "#!/bin/sh\ncat '" + output.string() + "' >&2\nexit 1\n");
      std::filesystem::permissions(script, std::filesystem::perms::owner_all);
      const auto folder = base::TemporaryFolder::make();
      measure::BuildRequest request =
          measure::self_test_request(script.string(), codegen::own_flags(codegen::Dialect::C));
      request.flags.emplace_back(project::cpp_flag);
      return folder ? measure::compile_shared_object(request, *folder).status : measure::BuildStatus::Built;
    };
    for (const char* line :
         {"cc1plus: all warnings being treated as errors", "cc1plus: error: bad value for '-march=' switch",
          "kernel.c:1:2: error: #error cc1plus",
          "kernel.c:1:2: error: fatal error: cannot execute 'cc1plus': No such file",
          "kernel.c:1:2: error: cannot find -lstdc++", "/usr/bin/ld: cannot find -lstdc++fs: No such file",
          "    1 | #error gcc: fatal error: cannot execute 'cc1plus'",
          "      | gcc: fatal error: cannot execute 'cc1plus'",
          " gcc: fatal error: cannot execute 'cc1plus'"})
      QVERIFY2(status_of(line) == measure::BuildStatus::Failed, line);
    for (const char* line :
         {"x86_64-linux-gnu-gcc-14: fatal error: cannot execute 'cc1plus': posix_spawnp: No such file",
          "gcc: error trying to exec 'cc1plus': execvp: No such file or directory",
          "a line before\n/usr/bin/ld: cannot find -lstdc++: No such file or directory\ncollect2: error",
          "/usr/bin/ld: cannot find -lstdc++", "ld.lld: error: unable to find library -lstdc++"})
      QVERIFY2(status_of(line) == measure::BuildStatus::MachineFault, line);
  }

  void included_files_may_have_the_names_of_the_builds_own() {
    const auto folder = base::TemporaryFolder::make();
    QVERIFY(folder);
    measure::BuildRequest request = measure::self_test_request("cc", codegen::own_flags(codegen::Dialect::C));
    request.includes = {{"kernel.c", "#include \"kernel_1.c\"\n"},
                        {"kernel_1.c", "#include \"kernel_2.c/last.h\"\n"},
                        {"kernel_2.c/last.h", "#include \"kernel.so\"\n"},
                        {"kernel.so", "int included(void) { return 1; }\n"}};
    request.text += "#include \"kernel.c\"\nint twice(void) { return 2 * included(); }\n";
    const measure::BuildReply reply = measure::compile_shared_object(request, *folder);
    QVERIFY2(reply.status == measure::BuildStatus::Built, reply.message.c_str());
  }

  void a_reference_may_be_in_cpp() {
    folder_.write(
        "plain.c",
        "void run(float* y, const float* x, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1; }\n");
    folder_.write("right.cc",
                  "template <typename T> void right(T* y, const T* x, int n) {\n"
                  "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;\n}\n");
    json project = host_project("C", "plain.c", 1);
    project["kernelscape"]["Reference"] = {
        {"Kind", "Function"}, {"File", "right.cc"}, {"Name", "right<float>"}};
    const auto trials = measured(project, options_of_the_test(0));
    QVERIFY(trials.size() == 1);
    QVERIFY2(trials[0].valid(), text_of(trials[0]).c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureHostKernelsTest)

}  // namespace kernelscape::measure_host_kernels_test
#include "measure_host_kernels_test.moc"

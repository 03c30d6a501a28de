#include <QtTest>
#include <random>

#include "core/base/random.h"
#include "core/project/source.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::project_source_test {

namespace {

/** A launch of random sizes, written as users do. */
struct RandomLaunch {
  std::int64_t size = 0;
  std::int64_t block = 0;
  std::int64_t tile = 0;
  bool divided = false;
  bool threads = false;
};

nlohmann::json project_of(const RandomLaunch& launch) {
  nlohmann::json project = small_gpu_project("OpenCL");
  project["ConfigurationSpace"] = nlohmann::json::parse(R"({"TuningParameters": []})");
  project["ConfigurationSpace"]["TuningParameters"] = {
      {{"Name", "BLOCK"}, {"Type", "int"}, {"Values", nlohmann::json{launch.block}}},
      {{"Name", "TILE"}, {"Type", "int"}, {"Values", nlohmann::json{launch.tile}}}};
  nlohmann::json& kernel = project["KernelSpecification"];
  kernel["ProblemSize"] = {launch.size};
  kernel["GlobalSize"] = {{"X", "ProblemSize[0]"}};
  kernel["LocalSize"] = {{"X", "BLOCK"}};
  kernel["GlobalSizeType"] = launch.threads ? "OpenCL" : "CUDA";
  if (launch.divided) kernel["GridDivX"] = {"BLOCK", "TILE"};
  project["kernelscape"].erase("Flags");
  return project;
}

}  // namespace

class ProjectSourceTest : public QObject {
  Q_OBJECT

 private slots:
  void blocks_follow_the_rules_of_t1() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    const ProjectFolder folder;
    folder.write("kernel.c", "__kernel void run(__global float* y, __global const float* x, int n) {}\n");
    for (int round = 0; round < 60; ++round) {
      RandomLaunch wanted{.size = 1 + static_cast<std::int64_t>(random.below(5000)),
                          .block = 1 + static_cast<std::int64_t>(random.below(300)),
                          .tile = 1 + static_cast<std::int64_t>(random.below(8)),
                          .divided = random.chance(0.5),
                          .threads = random.chance(0.5)};
      if (random.chance(0.5)) wanted.size = wanted.block * (1 + static_cast<std::int64_t>(random.below(20)));
      const auto project = folder.read(project_of(wanted));
      QVERIFY2(project, project ? "" : describe(project.error()).c_str());
      const auto space =
          project::make_project_space(project->parameters, project->conditions, project->problem_size);
      QVERIFY(space);
      const space::Configuration only{{0, 0}};
      const auto launch =
          project::launch_of(*project, project::names_of_configuration(*project, space->space, only),
                             {.block = {256, 256, 256}, .grid = {4000, 1, 1}, .threads = 256});
      std::int64_t blocks = wanted.size;
      bool possible = wanted.block <= 256;
      if (wanted.divided)
        blocks = (wanted.size + wanted.block * wanted.tile - 1) / (wanted.block * wanted.tile);
      else if (wanted.threads) {
        possible = possible && wanted.size % wanted.block == 0;
        blocks = wanted.size / wanted.block;
      }
      possible = possible && blocks <= 4000;
      QCOMPARE(launch.has_value(), possible);
      if (!launch) continue;
      QCOMPARE(launch->grid, (std::array<std::int64_t, 3>{blocks, 1, 1}));
      QCOMPARE(launch->block, (std::array<std::int64_t, 3>{wanted.block, 1, 1}));
    }
  }

  void macros_stand_before_the_file_and_lines_are_its_own() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    const auto project = folder.read(small_project());
    QVERIFY2(project, project ? "" : describe(project.error()).c_str());
    const auto space =
        project::make_project_space(project->parameters, project->conditions, project->problem_size);
    QVERIFY(space);
    const space::Configuration configuration{{1, 0}};
    QCOMPARE(project::expanded_source(*project, space->space, configuration),
             "#define TILE 2\n#define MODE fast\n#line 1 \"kernel.c\"\n" + std::string(small_kernel));
    const auto flags =
        project::flags_of(*project, project::names_of_configuration(*project, space->space, configuration));
    QVERIFY(flags);
    QCOMPARE(*flags, std::vector<std::string>{"-Dfast"});
  }

  void what_is_beyond_a_device_names_the_rule() {
    const ProjectFolder folder;
    folder.write("kernel.c", "__kernel void run(__global float* y, __global const float* x, int n) {}\n");
    nlohmann::json wanted =
        project_of({.size = 64, .block = 32, .tile = 2, .divided = true, .threads = false});
    wanted["KernelSpecification"]["SharedMemory"] = "BLOCK * TILE * 1024";
    const auto project = folder.read(wanted);
    QVERIFY2(project, project ? "" : describe(project.error()).c_str());
    const auto space =
        project::make_project_space(project->parameters, project->conditions, project->problem_size);
    QVERIFY(space);
    const space::Configuration only{{0, 0}};
    const project::PythonNames names = project::names_of_configuration(*project, space->space, only);
    const auto refusal = [&](const project::LaunchLimits& limits) {
      const auto launch = project::launch_of(*project, names, limits);
      return launch ? std::string() : launch.error().message;
    };
    QCOMPARE(refusal({}), "");
    QVERIFY(refusal({.block = {31, 0, 0}}).starts_with("LocalSize.X is 32, over"));
    QVERIFY(refusal({.threads = 31}).starts_with("the number of threads of a block is 32"));
    QVERIFY(refusal({.shared_bytes = 65535}).starts_with("shared memory in bytes is 65536"));
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectSourceTest)

}  // namespace kernelscape::project_source_test
#include "project_source_test.moc"

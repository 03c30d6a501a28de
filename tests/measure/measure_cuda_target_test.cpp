#include <unistd.h>

#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/random.h"
#include "core/measure/gpu/cuda_api.h"
#include "core/measure/gpu/cuda_architecture.h"
#include "core/measure/gpu/cuda_libraries.h"
#include "core/measure/gpu/gpu_target.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::measure_cuda_target_test {

namespace {

schedule::TargetDescription target_of(const measure::CudaArchitecture& architecture) {
  schedule::TargetDescription target;
  target.kind = schedule::TargetKind::Cuda;
  target.isa = "sm_" + std::to_string(architecture.capability);
  target.warp_threads = 32;
  target.threads_per_multiprocessor = architecture.threads;
  target.blocks_per_multiprocessor = architecture.blocks;
  target.registers_per_multiprocessor = 65'536;
  target.shared_bytes_per_multiprocessor = architecture.shared_bytes;
  return target;
}

schedule::TargetDescription target_of(const std::string& isa) {
  const int capability = measure::capability_of(isa).value();
  return target_of(*std::ranges::find(measure::known_cuda_architectures(), capability,
                                      &measure::CudaArchitecture::capability));
}

/** Resident blocks by putting one after the other onto a multiprocessor until one does not fit. */
std::int64_t resident_blocks(const trial::KernelResources& resources, std::int64_t threads, int capability,
                             const schedule::TargetDescription& target) {
  const std::int64_t warps = (threads + 31) / 32;
  std::int64_t registers_of_warp = resources.registers * 32;
  while (registers_of_warp % 256 != 0) ++registers_of_warp;
  std::int64_t shared = resources.shared_bytes + (capability >= 80 ? 1024 : 0);
  while (shared % (capability >= 80 ? 128 : 256) != 0) ++shared;
  std::int64_t warps_by_registers = 0;
  for (int partition = 0; partition < 4; ++partition) {
    for (std::int64_t free = 65'536 / 4; free >= registers_of_warp; free -= registers_of_warp) {
      ++warps_by_registers;
    }
  }
  if ((warps + 3) / 4 * 4 * registers_of_warp > 65'536) return 0;
  std::int64_t blocks = 0;
  while (blocks < target.blocks_per_multiprocessor &&
         (blocks + 1) * warps * 32 <= target.threads_per_multiprocessor &&
         (blocks + 1) * warps <= warps_by_registers &&
         (blocks + 1) * shared <= target.shared_bytes_per_multiprocessor) {
    ++blocks;
  }
  return blocks;
}

/** A folder that is gone with this object. */
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kernelscape-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

 private:
  std::filesystem::path path_;
};

/** A library that no machine has. */
measure::RuntimeLibrary absent_library() {
  return {.name = "the test's library",
          .variable = "KERNELSCAPE_TEST_LIBRARY",
          .file_names = {"libkernelscape-absent.so.9"},
          .first_folders = {},
          .last_folders = {"/nowhere"},
          .remedy = "install it"};
}

}  // namespace

class MeasureCudaTargetTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() {
    for (const char* name : {"KERNELSCAPE_TEST_LIBRARY", "KERNELSCAPE_NVRTC", "CUDA_PATH"}) qunsetenv(name);
  }

  void architecturesAreReadAndNamed() {
    QCOMPARE(measure::capability_of("sm_75").value_or(0), 75);
    QCOMPARE(measure::capability_of("sm_90a").value_or(0), 90);
    QCOMPARE(measure::capability_of("sm_120a").value_or(0), 120);
    for (const char* wrong : {"", "sm_", "sm_a", "sm_90b", "sm_90aa", "sm_75a", "sm_-90", "sm_090", "sm_9",
                              "compute_90", "SM_90", "90", "sm_90 ", "sm_99999999999999999999"}) {
      QVERIFY2(!measure::capability_of(wrong), wrong);
    }
    QCOMPARE(measure::architecture_name(86, 12), "sm_86");
    QCOMPARE(measure::architecture_name(90, 13), "sm_90a");
    QCOMPARE(measure::architecture_name(90, 11), "sm_90");  // CUDA 11.8 knows no sm_90a
    QCOMPARE(measure::architecture_name(121, 0), "sm_121a");
  }

  void anArchitectureHasItsCapabilitysLimits() {
    for (const std::string& name : measure::cuda_architectures()) {
      const auto target = measure::describe_cuda_architecture(name);
      QVERIFY2(target, target ? "" : describe(target.error()).c_str());
      QVERIFY(target->architecture_only && target->kind == schedule::TargetKind::Cuda);
      QCOMPARE(target->isa, name);
      QCOMPARE(target->name, "cuda");
      QCOMPARE(target->shared_bytes, 48 * 1024);
      QCOMPARE(target->threads_per_block, 1024);
      QVERIFY(target->shared_bytes_per_multiprocessor >= target->shared_bytes);
      QVERIFY(target->threads_per_multiprocessor >= target->threads_per_block);
      const auto again = schedule::target_from_json(schedule::target_to_json(*target));
      QVERIFY(again && *again == *target);
    }
    const auto turing = measure::describe_cuda_architecture("sm_75");
    QVERIFY(turing.has_value());
    QCOMPARE(turing->threads_per_multiprocessor, 1024);
    QCOMPARE(turing->blocks_per_multiprocessor, 16);
    QCOMPARE(turing->device, "compute capability 7.5");
  }

  void architecturesAscendAndHaveTheirVariants() {
    const std::vector<std::string> names = measure::cuda_architectures();
    for (const char* expected : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}) {
      QVERIFY2(std::ranges::find(names, expected) != names.end(), expected);
    }
    QVERIFY(std::ranges::is_sorted(names, {}, [](const std::string& name) {
      return std::pair(measure::capability_of(name).value(), name.size());
    }));
  }

  void anUnknownArchitectureListsTheKnown() {
    for (const char* wrong : {"sm_12", "sm_999", "hopper", "", "sm_75a"}) {
      const auto target = measure::describe_cuda_architecture(wrong);
      QVERIFY(!target);
      QCOMPARE(target.error().code, ErrorCode::InvalidArgument);
      QVERIFY(target.error().hint.find("sm_75, sm_80") != std::string::npos);
    }
  }

  /** What NVIDIA's cuda_occupancy.h of CUDA 13 gives for these. */
  void occupancyIsNvidias() {
    struct Case {
      const char* isa;
      int threads;
      int registers;
      int shared_bytes;
      int blocks;
      trial::OccupancyLimit limit;
    };
    using enum trial::OccupancyLimit;
    for (const Case& c :
         {Case{"sm_61", 256, 32, 0, 8, Threads}, Case{"sm_61", 256, 96, 1024, 2, Registers},
          Case{"sm_61", 128, 40, 12800, 7, SharedMemory}, Case{"sm_61", 1000, 63, 0, 1, Registers},
          Case{"sm_75", 256, 32, 0, 4, Threads}, Case{"sm_75", 128, 40, 12800, 5, SharedMemory},
          Case{"sm_75", 1000, 63, 0, 1, Threads}, Case{"sm_80", 256, 32, 0, 8, Threads},
          Case{"sm_80", 256, 96, 1024, 2, Registers}, Case{"sm_80", 128, 40, 12800, 12, Registers},
          Case{"sm_86", 256, 32, 0, 6, Threads}, Case{"sm_86", 128, 40, 12800, 7, SharedMemory},
          Case{"sm_89", 1000, 63, 0, 1, Threads}, Case{"sm_90", 256, 96, 1024, 2, Registers},
          Case{"sm_90", 1000, 63, 0, 1, Registers}, Case{"sm_120", 128, 40, 12800, 7, SharedMemory},
          Case{"sm_80", 32, 16, 0, 32, Blocks}, Case{"sm_86", 32, 16, 0, 16, Blocks}}) {
      const schedule::TargetDescription target = target_of(c.isa);
      const trial::KernelResources found = measure::with_occupancy(
          {.registers = c.registers, .shared_bytes = c.shared_bytes}, c.threads, target);
      const int warps = (c.threads + 31) / 32;
      const double expected =
          static_cast<double>(c.blocks * warps * 32) / static_cast<double>(target.threads_per_multiprocessor);
      QCOMPARE(found.occupancy, expected);
      QCOMPARE(found.limited_by, c.limit);
      QCOMPARE(found.threads, c.threads);
    }
  }

  void occupancyIsThatOfBlocksPutOneByOne() {
    base::Random random(testing::random_seed());
    const auto architectures = measure::known_cuda_architectures();
    for (int i = 0; i < 5000; ++i) {
      const measure::CudaArchitecture& architecture = architectures[random.below(architectures.size())];
      const schedule::TargetDescription target = target_of(architecture);
      const auto threads = static_cast<std::int64_t>(1 + random.below(1024));
      trial::KernelResources resources;
      resources.registers = static_cast<std::int32_t>(1 + random.below(255));
      resources.shared_bytes =
          random.chance(0.3) ? 0 : static_cast<std::int64_t>(random.below(48 * 1024 + 1));
      const trial::KernelResources found = measure::with_occupancy(resources, threads, target);
      const std::int64_t warps = (threads + 31) / 32;
      const auto most = static_cast<double>(target.threads_per_multiprocessor / 32);
      const std::int64_t blocks = resident_blocks(resources, threads, architecture.capability, target);
      QCOMPARE(found.occupancy, static_cast<double>(blocks * warps) / most);
      QVERIFY(found.limited_by != trial::OccupancyLimit::Unknown);
      QVERIFY(found.occupancy <= 1);
    }
  }

  void whatIsNotKnownLimitsNothing() {
    const trial::KernelResources resources{.registers = 40, .shared_bytes = 1000};
    const trial::KernelResources nothing =
        measure::with_occupancy(resources, 256, schedule::TargetDescription{});
    QCOMPARE(nothing.occupancy, 0.0);
    QCOMPARE(nothing.limited_by, trial::OccupancyLimit::Unknown);
    QCOMPARE(nothing.threads, 256);
    schedule::TargetDescription threads_alone;
    threads_alone.warp_threads = 32;
    threads_alone.threads_per_multiprocessor = 2048;
    const trial::KernelResources full = measure::with_occupancy(resources, 256, threads_alone);
    QCOMPARE(full.occupancy, 1.0);
    QCOMPARE(full.limited_by, trial::OccupancyLimit::Threads);
  }

  void theKernelModuleTellsItsVersion() {
    QCOMPARE(measure::kernel_module_version(
                 "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 "
                 "19:39:15 UTC 2024\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"),
             "535.183.01");
    QCOMPARE(
        measure::kernel_module_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  "
                                       "Release Build  (dvs-builder@U22)\n"),
        "580.65.06");
    QCOMPARE(measure::kernel_module_version(""), "");
    QCOMPARE(measure::kernel_module_version("GCC version:\n12.2.0"), "");
    QCOMPARE(measure::kernel_module_version("a . b .5 .."), "");
  }

  void aMissingLibraryIsNamedWithTheWayOut() {
    const auto opened = measure::open_runtime_library(absent_library());
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, ErrorCode::Environment);
    const std::string& message = opened.error().message;
    for (const char* part : {"the test's library", "libkernelscape-absent.so.9", "/nowhere", "the loader"}) {
      QVERIFY2(message.find(part) != std::string::npos, message.c_str());
    }
    QVERIFY(opened.error().hint.find("install it") != std::string::npos);
    QVERIFY(opened.error().hint.find("KERNELSCAPE_TEST_LIBRARY") != std::string::npos);
  }

  void theVariableIsTakenAtItsWord() {
    qputenv("KERNELSCAPE_TEST_LIBRARY", "/nowhere/libthat.so");
    const auto absent = measure::open_runtime_library(absent_library());
    QVERIFY(!absent);
    QVERIFY(absent.error().message.find("/nowhere/libthat.so") != std::string::npos);
    QVERIFY(absent.error().hint.find("KERNELSCAPE_TEST_LIBRARY") != std::string::npos);
    qputenv("KERNELSCAPE_TEST_LIBRARY", KERNELSCAPE_STUB_CUDA_DRIVER);
    const auto opened = measure::open_runtime_library(absent_library());
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    QCOMPARE(opened->path(), KERNELSCAPE_STUB_CUDA_DRIVER);
    int (*function)(unsigned) = nullptr;
    QVERIFY(opened->bind("cuInit", function));
    QVERIFY(!opened->bind("cuNothing", function));
    QVERIFY(function == nullptr);
  }

  void aFileThatIsNoLibraryIsToldAndTheNextOneTaken() {
    const Folder folder;
    folder.write("a/libkernelscape-absent.so.9", "no library");
    measure::RuntimeLibrary library = absent_library();
    library.last_folders = {(folder.path() / "a").string()};
    const auto broken = measure::open_runtime_library(library);
    QVERIFY(!broken);
    QVERIFY2(broken.error().message.find("/a/libkernelscape-absent.so.9") != std::string::npos,
             broken.error().message.c_str());
    std::filesystem::create_directory(folder.path() / "b");
    std::filesystem::copy_file(KERNELSCAPE_STUB_CUDA_DRIVER, folder.path() / "b/libkernelscape-absent.so.9");
    library.last_folders.push_back((folder.path() / "b").string());
    const auto opened = measure::open_runtime_library(library);
    QVERIFY(opened.has_value());
    QCOMPARE(opened->path(), (folder.path() / "b/libkernelscape-absent.so.9").string());
  }

  void stubsToLinkWithAreNeverTaken() {
    const Folder folder;
    std::filesystem::create_directories(folder.path() / "stubs");
    std::filesystem::copy_file(KERNELSCAPE_STUB_CUDA_DRIVER,
                               folder.path() / "stubs/libkernelscape-absent.so.9");
    measure::RuntimeLibrary library = absent_library();
    library.first_folders = {(folder.path() / "stubs").string()};
    const auto opened = measure::open_runtime_library(library);
    QVERIFY(!opened);
    QVERIFY(opened.error().message.find("stub") != std::string::npos);
  }

  void theNewestVersionComesFirst() {
    const Folder folder;
    for (const char* version : {"9.2", "12.9", "13.0", "12.10"}) {
      folder.write(std::string("cuda-") + version + "/lib64/libx.so", "");
    }
    const std::string root = folder.path().string();
    QCOMPARE(measure::matching_files(root + "/cuda-*/lib64/libx.so"),
             (std::vector<std::string>{root + "/cuda-13.0/lib64/libx.so", root + "/cuda-12.10/lib64/libx.so",
                                       root + "/cuda-12.9/lib64/libx.so", root + "/cuda-9.2/lib64/libx.so"}));
    QVERIFY(measure::matching_files(root + "/cuda-*/none").empty());
  }

  void theToolkitIsLookedForWhereItsVariablesSay() {
    qputenv("CUDA_PATH", "/my/cuda");
    const measure::RuntimeLibrary library = measure::toolkit_library("x", "X", {"libx.so"}, "install x");
    for (const char* folder : {"/my/cuda/lib64", "/my/cuda/targets/*/lib"}) {
      QVERIFY(std::ranges::find(library.first_folders, folder) != library.first_folders.end());
    }
  }

  void nvrtcDecidesWhatCanBeBuilt() {
    qputenv("KERNELSCAPE_NVRTC", KERNELSCAPE_STUB_CUDA_DRIVER);
    QCOMPARE(measure::cuda_architectures(), (std::vector<std::string>{"sm_75", "sm_80", "sm_90", "sm_90a"}));
    const auto ampere = measure::describe_cuda_architecture("sm_80");
    QVERIFY(ampere.has_value());
    QCOMPARE(ampere->compiler_version, "12.4");
    const auto ada = measure::describe_cuda_architecture("sm_89");
    QVERIFY(!ada);
    QVERIFY2(ada.error().message.find("12.4") != std::string::npos, ada.error().message.c_str());
    QCOMPARE(ada.error().hint, "known: sm_75, sm_80, sm_90, sm_90a");
    qputenv("KERNELSCAPE_STUB_NVRTC", "major=11 minor=8");
    QCOMPARE(measure::cuda_architectures(), (std::vector<std::string>{"sm_75", "sm_80", "sm_90"}));
    qunsetenv("KERNELSCAPE_STUB_NVRTC");
  }

  void aLibraryThatIsNoNvrtcIsRefused() {
    qputenv("KERNELSCAPE_NVRTC", "libm.so.6");
    const auto compiler = measure::cuda::open_compiler();
    QVERIFY(!compiler);
    QVERIFY(compiler.error().message.find("nvrtcVersion") != std::string::npos);
    QVERIFY(compiler.error().hint.find("KERNELSCAPE_NVRTC") != std::string::npos);
    // Without a compiler every architecture that we know can be looked at.
    QVERIFY(measure::describe_cuda_architecture("sm_61").has_value());
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureCudaTargetTest)

}  // namespace kernelscape::measure_cuda_target_test
#include "measure_cuda_target_test.moc"

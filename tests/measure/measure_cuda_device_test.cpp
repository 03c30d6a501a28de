#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>

#include "core/measure/cpu/compiler.h"
#include "core/measure/gpu/cuda_api.h"
#include "core/measure/gpu/cuda_compiler.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_device.h"
#include "core/measure/gpu/gpu_target.h"
#include "tests/measure/stub_cuda.h"
#include "tests/test_program.h"

namespace kernelscape::measure_cuda_device_test {
using namespace kernelscape::measure_tests;

namespace {

/** Doubles four numbers: a kernel of the host that the stub runs. */
std::string doubling_kernel() {
  const std::string kernel =
      "static void twice(int part, int parts, const float* in, float* out) {\n"
      "  for (int i = part; i < 4; i += parts) out[i] = 2 * in[i];\n}\n";
  const auto folder = base::TemporaryFolder::make();
  measure::BuildRequest request;
  request.compiler = "cc";
  request.text = kernel + stub_kernel_wrapper("twice", "doubled", 2);
  return measure::compile_shared_object(request, folder.value()).artefact;
}

/** What the function gives in a process of its own: a lost context is lost for good. */
QString in_child(const std::function<QString()>& function) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const QByteArray text = function().toUtf8();
    const bool written = write(ends[1], text.data(), static_cast<std::size_t>(text.size())) == text.size();
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  QByteArray text;
  std::array<char, 256> piece{};
  for (ssize_t count = 1; count > 0;) {
    count = read(ends[0], piece.data(), piece.size());
    if (count > 0) text.append(piece.data(), static_cast<qsizetype>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? QString::fromUtf8(text) : "the process crashed";
}

/** A kernel built for the first device that there really is and run on it; "skip: why" where there is none.
 */
QString run_really(const std::string& body,
                   const std::function<QString(measure::GpuDevice&, const measure::DeviceResult<double>&,
                                               measure::GpuDevice::Memory)>& judge) {
  const auto devices = measure::list_cuda_devices();
  if (!devices) return QString("skip: ") + describe(devices.error()).c_str();
  const auto compiler = measure::make_cuda_compiler();
  if (!compiler) return QString("skip: ") + describe(compiler.error()).c_str();
  measure::BuildRequest request = measure::cuda_self_test_request(devices->front().target.isa);
  request.entry = "kernel";
  request.text = "extern \"C\" __global__ void kernel(const float* in, float* out) {\n" + body + "}\n";
  const measure::BuildReply built = (*compiler)->compile(request);
  if (built.status != measure::BuildStatus::Built) return built.message.c_str();
  const auto device = measure::open_cuda_device(0);
  if (!device) return describe(device.error()).c_str();
  measure::GpuDevice& gpu = **device;
  std::array<float, 256> input{};
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i);
  const auto in = gpu.allocate(sizeof input);
  const auto out = gpu.allocate(sizeof input);
  if (!in || !out || !gpu.write(*in, std::as_bytes(std::span(input)))) return "memory fails";
  if (const auto loaded = gpu.load(built.artefact, "kernel"); !loaded) return loaded.error().message.c_str();
  const std::array<measure::GpuDevice::Memory, 2> arguments{*in, *out};
  return judge(gpu, gpu.run({.grid = {1, 1, 1}, .block = {256, 1, 1}}, arguments, 10), *out);
}

constexpr codegen::Launch one_block{.grid = {1, 1, 1}, .block = {32, 1, 1}};

}  // namespace

class MeasureCudaDeviceTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    users_driver_ = qgetenv("KERNELSCAPE_LIBCUDA");
    kernel_ = doubling_kernel();
    QVERIFY(!kernel_.empty());
  }

  void init() {
    qputenv("KERNELSCAPE_LIBCUDA", KERNELSCAPE_STUB_CUDA_DRIVER);
    behave("");
    counter_ = (std::filesystem::temp_directory_path() /
                fmt::format("kernelscape-launches-{}", QCoreApplication::applicationPid()))
                   .string();
    qputenv(stub_launches_variable, counter_.c_str());
  }

  void cleanup() { std::filesystem::remove(counter_); }

  void aKernelIsLoadedRunAndTimed() {
    auto device = opened();
    const std::array<float, 4> input{1, -2, 3.5F, 0};
    const auto in = device->allocate(sizeof input);
    const auto out = device->allocate(sizeof input);
    QVERIFY(in && out);
    QVERIFY(device->write(*in, std::as_bytes(std::span(input))));
    QVERIFY(device->load(kernel_, "doubled"));
    const std::array<measure::GpuDevice::Memory, 2> arguments{*in, *out};
    const auto seconds = device->run(one_block, arguments, 5);
    QVERIFY(seconds.has_value());
    QVERIFY(std::abs(*seconds - 5 * 100e-6) < 1e-9);  // the stub's clock: 100 us a launch
    std::array<float, 4> output{};
    QVERIFY(device->read(*out, std::as_writable_bytes(std::span(output))));
    for (std::size_t i = 0; i < 4; ++i) QCOMPARE(output[i], 2 * input[i]);
    QVERIFY(device->flush_cache());
    QVERIFY(device->flush_cache());
    device->release(*in);
    device->release(*out);
  }

  void whatCannotBeLoadedIsTheKernelsFault() {
    auto device = opened();
    const std::string part = kernel_.substr(0, kernel_.size() / 2);
    for (const std::string& damaged :
         {std::string(), std::string("no cubin"), std::string("\177ELF"), part}) {
      const auto loaded = device->load(damaged, "doubled");
      QVERIFY(!loaded);
      QVERIFY(!loaded.error().context_lost && !loaded.error().device_gone);
      QVERIFY(!device->run(one_block, {}, 1));
    }
    const auto unknown = device->load(kernel_, "tripled");
    QVERIFY(!unknown);
    QVERIFY(unknown.error().message.find("tripled") != std::string::npos);
    QVERIFY(unknown.error().message.find("CUDA_ERROR_NOT_FOUND") != std::string::npos);
    QVERIFY(device->load(kernel_, "doubled"));
  }

  void impossibleLaunchesAreErrorsAndNoMore() {
    auto device = opened();
    QVERIFY(device->load(kernel_, "doubled"));
    for (const codegen::Launch& launch : {codegen::Launch{.grid = {0, 1, 1}, .block = {1, 1, 1}},
                                          codegen::Launch{.grid = {1LL << 32, 1, 1}, .block = {1, 1, 1}},
                                          codegen::Launch{.grid = {1, 1, 1}, .block = {1, -1, 1}},
                                          codegen::Launch{.grid = {1, 1, 1}, .block = {1024, 2, 1}}}) {
      const auto run = device->run(launch, {}, 1);
      QVERIFY(!run);
      QVERIFY(!run.error().context_lost && !run.error().device_gone);
    }
    behave("launch=701@1");
    const auto run = run_doubled(*device);
    QVERIFY(!run);
    QVERIFY(!run.error().context_lost);
    QVERIFY(run.error().message.find("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES") != std::string::npos);
  }

  void memoryThatIsNotThereIsSaid() {
    behave("memory=100000");
    auto device = opened();
    const auto held = device->allocate(90'000);
    QVERIFY(held.has_value());
    const auto more = device->allocate(20'000);
    QVERIFY(!more);
    QVERIFY(more.error().out_of_memory);
    QVERIFY(!more.error().context_lost && !more.error().device_gone);
    QVERIFY2(more.error().message.find("20000 bytes") != std::string::npos, more.error().message.c_str());
    QVERIFY(device->flush_cache().error().out_of_memory);
    device->release(*held);
    const auto again = device->allocate(20'000);
    QVERIFY(again.has_value());
    device->release(*again);
  }

  void faultsLoseTheContext_data() {
    QTest::addColumn<QString>("behaviour");
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("gone");
    QTest::newRow("illegal address") << "launch=700@2" << "CUDA_ERROR_ILLEGAL_ADDRESS" << false;
    QTest::newRow("trap") << "launch=715@2" << "CUDA_ERROR_ILLEGAL_INSTRUCTION" << false;
    QTest::newRow("failed launch") << "launch=719@2" << "CUDA_ERROR_LAUNCH_FAILED" << false;
    QTest::newRow("a name that is not known") << "launch=714@2" << "714" << false;
    QTest::newRow("memory error") << "launch=214@2" << "CUDA_ERROR_ECC_UNCORRECTABLE" << true;
    QTest::newRow("vanished") << "vanish=2" << "CUDA_ERROR_DEVICE_UNAVAILABLE" << true;
  }

  void faultsLoseTheContext() {
    QFETCH(QString, behaviour);
    QFETCH(QString, name);
    QFETCH(bool, gone);
    const QString problem = in_child([&]() -> QString {
      behave(behaviour.toStdString());
      auto device = measure::open_cuda_device(0);
      if (!device) return "it can't be opened";
      const auto memory = (*device)->allocate(16);
      if (!memory || !(*device)->load(kernel_, "doubled")) return "it does not work at first";
      const std::array<measure::GpuDevice::Memory, 2> arguments{*memory, *memory};
      if (!(*device)->run(one_block, arguments, 1)) return "the first run fails";
      const auto run = (*device)->run(one_block, arguments, 1);
      if (run) return "the fault is not seen";
      const measure::DeviceError& error = run.error();
      if (!error.context_lost) return "the context is not lost";
      if (error.device_gone != gone) return "whose fault it is is wrong";
      if (error.message.find(name.toStdString()) == std::string::npos) return error.message.c_str();
      if ((*device)->allocate(16) || (*device)->load(kernel_, "doubled")) return "a later call works";
      return {};
    });
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
  }

  void anotherProcessResumesAfterAFault() {
    behave("launch=700@1");
    const auto attempt = [&]() -> QString {
      auto device = measure::open_cuda_device(0);
      if (!device) return "closed";
      const auto memory = (*device)->allocate(16);
      if (!memory || !(*device)->load(kernel_, "doubled")) return "broken";
      const std::array<measure::GpuDevice::Memory, 2> arguments{*memory, *memory};
      return (*device)->run(one_block, arguments, 1) ? "ran" : "failed";
    };
    const QString first = in_child(attempt);
    const QString second = in_child(attempt);
    behave("vanish=2");
    const QString third = in_child(attempt);
    QCOMPARE(first, "failed");
    QCOMPARE(second, "ran");
    QCOMPARE(third, "closed");
  }

  void aDriverTooOldForTheToolkitIsTheMachinesFault() {
    auto device = opened();
    behave("load=209 version=11040");
    const auto loaded = device->load(kernel_, "doubled");
    QVERIFY(!loaded);
    QVERIFY(loaded.error().device_gone);
    QVERIFY(!loaded.error().out_of_memory);
    QVERIFY2(loaded.error().message.find("too old") != std::string::npos, loaded.error().message.c_str());
    QVERIFY(loaded.error().message.find("KERNELSCAPE_NVRTC") != std::string::npos);
    behave("load=200");
    QVERIFY(!device->load(kernel_, "doubled").error().device_gone);
  }

  void whatCannotBeOpenedSaysWhy_data() {
    QTest::addColumn<QString>("behaviour");
    QTest::addColumn<QString>("part");
    QTest::newRow("no device") << "init=100" << "finds no GPU";
    QTest::newRow("none left") << "devices=0" << "finds no GPU";
    QTest::newRow("driver too old") << "init=803" << "too old";
    QTest::newRow("link stub") << "init=34" << "stub";
    QTest::newRow("not ready") << "init=802" << "not ready";
    QTest::newRow("broken") << "init=999" << "999";
  }

  void whatCannotBeOpenedSaysWhy() {
    QFETCH(QString, behaviour);
    QFETCH(QString, part);
    behave(behaviour.toStdString());
    const auto device = measure::open_cuda_device(0);
    const auto devices = measure::list_cuda_devices();
    QVERIFY(!device && !devices);
    for (const Error& error : {device.error(), devices.error()}) {
      QCOMPARE(error.code, ErrorCode::Environment);
      QVERIFY2(error.message.find(part.toStdString()) != std::string::npos, error.message.c_str());
      QVERIFY(!error.hint.empty());
    }
  }

  void aDeviceThatIsTakenIsSaid() {
    behave("retain=46");
    const auto device = measure::open_cuda_device(0);
    QVERIFY(!device);
    QCOMPARE(device.error().code, ErrorCode::Environment);
    QVERIFY(device.error().message.find("CUDA_ERROR_DEVICE_UNAVAILABLE") != std::string::npos);
    // It is listed all the same: what it is can be asked.
    const auto devices = measure::list_cuda_devices();
    QVERIFY2(devices, devices ? "" : describe(devices.error()).c_str());
    QCOMPARE(devices->at(0).free_memory_bytes, 0);
  }

  void aNumberThatIsNotThereNamesThoseThatAre() {
    behave("devices=3");
    for (const int number : {-1, 3, 70}) {
      const auto device = measure::open_cuda_device(number);
      QVERIFY(!device);
      QCOMPARE(device.error().code, ErrorCode::NotFound);
      QVERIFY2(device.error().hint.find("cuda:0 to cuda:2") != std::string::npos,
               device.error().hint.c_str());
    }
    QVERIFY(measure::open_cuda_device(2).has_value());
  }

  void devicesAreListedWithTheirLimits() {
    behave("devices=2 memory=4000000");
    const auto devices = measure::list_cuda_devices();
    QVERIFY2(devices, devices ? "" : describe(devices.error()).c_str());
    QCOMPARE(devices->size(), std::size_t{2});
    const schedule::TargetDescription& target = devices->at(1).target;
    QCOMPARE(target.name, "cuda:1");
    QCOMPARE(target.device, "Stub GPU");
    QVERIFY(target.kind == schedule::TargetKind::Cuda && !target.architecture_only);
    QVERIFY(target.isa == "sm_90a" || (target.isa == "sm_90" && target.compiler_version.starts_with("11.")));
    QCOMPARE(target.cores, 132);
    QCOMPARE(target.l2_bytes, 1 << 20);
    QCOMPARE(target.threads_per_block, 1024);
    QCOMPARE(target.block_z, 64);
    QCOMPARE(target.grid_x, 2'147'483'647);
    QCOMPARE(target.grid_z, 65'535);
    QCOMPARE(target.shared_bytes, 48 * 1024);
    QCOMPARE(target.warp_threads, 32);
    QCOMPARE(target.threads_per_multiprocessor, 2048);
    QCOMPARE(target.blocks_per_multiprocessor, 32);
    QCOMPARE(target.registers_per_multiprocessor, 65'536);
    QCOMPARE(target.registers_per_thread, 255);
    QCOMPARE(target.shared_bytes_per_multiprocessor, 228 * 1024);
    QCOMPARE(target.memory_bytes, 4'000'000);
    QCOMPARE(devices->at(1).free_memory_bytes, 4'000'000);
    QVERIFY2(target.driver_version.ends_with("CUDA 13.0"), target.driver_version.c_str());
    QCOMPARE(target.compiler, "NVRTC");
    const auto again = schedule::target_from_json(schedule::target_to_json(target));
    QVERIFY(again && *again == target);
  }

  void aDriverOlderThanTheToolkitIsSaidWhenListing() {
    const auto compiler = measure::cuda::open_compiler();
    if (!compiler) QSKIP(compiler.error().message.c_str());
    behave(fmt::format("version={}", 1000 * (compiler->major - 1) + 40));
    const auto devices = measure::list_cuda_devices();
    QVERIFY(!devices);
    QVERIFY(devices.error().message.find("too old") != std::string::npos);
    QVERIFY(devices.error().message.find(compiler->version()) != std::string::npos);
    behave(fmt::format("version={}", 1000 * compiler->major));
    QVERIFY(measure::list_cuda_devices().has_value());
  }

  void aRealDeviceComputes() {
    qputenv("KERNELSCAPE_LIBCUDA", users_driver_);
    const QString said = in_child([] {
      return run_really("  out[threadIdx.x] = in[255 - threadIdx.x];\n",
                        [](measure::GpuDevice& device, const measure::DeviceResult<double>& seconds,
                           measure::GpuDevice::Memory out) -> QString {
                          if (!seconds) return seconds.error().message.c_str();
                          if (*seconds <= 0 || *seconds > 1) return "it takes an impossible time";
                          std::array<float, 256> output{};
                          if (!device.flush_cache()) return "the cache can't be flushed";
                          if (!device.read(out, std::as_writable_bytes(std::span(output))))
                            return "unreadable";
                          for (std::size_t i = 0; i < 256; ++i) {
                            if (output[i] != static_cast<float>(255 - i)) return "the output is wrong";
                          }
                          return {};
                        });
    });
    if (said.startsWith("skip: ")) QSKIP(qPrintable(said.mid(6)));
    QVERIFY2(said.isEmpty(), qPrintable(said));
  }

  void aRealDevicesFaultsLoseTheContext_data() {
    QTest::addColumn<QString>("body");
    QTest::newRow("beyond memory") << "  out[threadIdx.x + (1ULL << 45)] = in[0];\n";
    QTest::newRow("misaligned") << "  *reinterpret_cast<float*>(reinterpret_cast<char*>(out) + 1) = in[0];\n";
    QTest::newRow("trap") << "  asm volatile(\"trap;\");\n  out[0] = in[0];\n";
  }

  void aRealDevicesFaultsLoseTheContext() {
    QFETCH(QString, body);
    qputenv("KERNELSCAPE_LIBCUDA", users_driver_);
    const QString said = in_child([&] {
      return run_really(body.toStdString(),
                        [](measure::GpuDevice& device, const measure::DeviceResult<double>& seconds,
                           measure::GpuDevice::Memory out) -> QString {
                          if (seconds) return "the fault is not seen";
                          if (!seconds.error().context_lost) return seconds.error().message.c_str();
                          std::array<std::byte, 4> bytes{};
                          return device.read(out, bytes) ? "a later call works" : "";
                        });
    });
    if (said.startsWith("skip: ")) QSKIP(qPrintable(said.mid(6)));
    QVERIFY2(said.isEmpty(), qPrintable(said));
  }

  void withoutADriverTheWayOutIsSaid() {
    qputenv("KERNELSCAPE_LIBCUDA", "/nowhere/libcuda.so.1");
    const auto device = measure::open_cuda_device(0);
    QVERIFY(!device);
    QCOMPARE(device.error().code, ErrorCode::Environment);
    QVERIFY(device.error().message.find("/nowhere/libcuda.so.1") != std::string::npos);
    QVERIFY(device.error().hint.find("KERNELSCAPE_LIBCUDA") != std::string::npos);
  }

 private:
  static void behave(const std::string& behaviour) { qputenv(stub_behaviour_variable, behaviour.c_str()); }

  static std::unique_ptr<measure::GpuDevice> opened() {
    return std::move(measure::open_cuda_device(0).value());
  }

  static measure::DeviceResult<double> run_doubled(measure::GpuDevice& device) {
    const auto memory = device.allocate(16);
    if (!memory) return std::unexpected(memory.error());
    const std::array<measure::GpuDevice::Memory, 2> arguments{*memory, *memory};
    auto seconds = device.run(one_block, arguments, 1);
    device.release(*memory);
    return seconds;
  }

  QByteArray users_driver_;  ///< what the variable held before the tests
  std::string kernel_;
  std::string counter_;  ///< of launches over all processes
};

KERNELSCAPE_TEST(MeasureCudaDeviceTest, QCoreApplication)

}  // namespace kernelscape::measure_cuda_device_test
#include "measure_cuda_device_test.moc"

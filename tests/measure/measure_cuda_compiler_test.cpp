#include <QtTest>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/measure/gpu/cuda_compiler.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/gpu/ptxas_log.h"
#include "core/measure/worker/message_text.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/stub_cuda.h"
#include "tests/test_program.h"

namespace kernelscape::measure_cuda_compiler_test {
using namespace kernelscape::measure_tests;

namespace {

/** Logs as NVRTC 13 and 12 give them. */
constexpr const char* two_kernels_log =
    "ptxas info    : 16 bytes gmem\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
    "ptxas info    : Function properties for k\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 12 registers, used 1 barriers, 1200 bytes smem, 376 bytes cmem[0]\n"
    "ptxas info    : Compile time = 6.498 ms\n"
    "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
    "ptxas info    : Function properties for other\n"
    "ptxas         .     2264 bytes stack frame, 4516 bytes spill stores, 5676 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 0 barriers, 2264 bytes cumulative stack size\n"
    "ptxas info    : Compile time = 0.991 ms\n";
constexpr const char* called_function_log =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'kernel' for 'sm_80'\n"
    "ptxas info    : Function properties for kernel\n"
    "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
    "ptxas info    : Function properties for _Z6helperPf\n"
    "    64 bytes stack frame, 100 bytes spill stores, 100 bytes spill loads\n"
    "ptxas info    : Used 255 registers, 380 bytes cmem[0]\n";

constexpr const char* good_kernel =
    "extern \"C\" __global__ void __launch_bounds__(256) reverse(const float* in, float* out) {\n"
    "  __shared__ float tile[301];\n"
    "  tile[threadIdx.x] = in[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  out[threadIdx.x] = tile[255 - threadIdx.x];\n"
    "}\n";

/** 64 live values in 32 registers. */
constexpr const char* spilling_kernel =
    "extern \"C\" __global__ void __launch_bounds__(1024, 2) spilling(const float* in, float* out) {\n"
    "  float x[64];\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 64; ++i) x[i] = in[i * 1024 + threadIdx.x];\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 64; ++i) x[i] = x[i] * x[(i * 7 + 3) % 64] + x[(i + 32) % 64];\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 64; ++i) out[i * 1024 + threadIdx.x] = x[i];\n"
    "}\n";

measure::BuildRequest request_of(const std::string& text, const std::string& entry,
                                 const std::string& architecture = "sm_80") {
  measure::BuildRequest request = measure::cuda_self_test_request(architecture);
  request.text = text;
  request.entry = entry;
  return request;
}

}  // namespace

class MeasureCudaCompilerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    auto compiler = measure::make_cuda_compiler();
    if (!compiler) missing_ = describe(compiler.error());
    if (compiler) compiler_ = std::move(*compiler);
  }

  void logsTellWhatEachKernelTakes() {
    QCOMPARE(measure::resources_of_ptxas_log(two_kernels_log, "k").value_or(trial::KernelResources{}),
             (trial::KernelResources{.registers = 12, .spilled_bytes = 0, .shared_bytes = 1200}));
    QCOMPARE(measure::resources_of_ptxas_log(two_kernels_log, "other").value_or(trial::KernelResources{}),
             (trial::KernelResources{.registers = 32, .spilled_bytes = 4516 + 5676, .shared_bytes = 0}));
    QCOMPARE(
        measure::resources_of_ptxas_log(called_function_log, "kernel").value_or(trial::KernelResources{}),
        (trial::KernelResources{.registers = 255, .spilled_bytes = 16, .shared_bytes = 0}));
  }

  void logsWithoutTheKernelTellNothing() {
    for (const char* entry : {"", "o", "others", "_Z6helperPf"}) {
      QVERIFY2(!measure::resources_of_ptxas_log(two_kernels_log, entry), entry);
    }
    QVERIFY(!measure::resources_of_ptxas_log("", "k"));
    QVERIFY(!measure::resources_of_ptxas_log("Used 12 registers", "k"));
    QVERIFY(
        !measure::resources_of_ptxas_log("Compiling entry function 'k' for 'sm_80'\nUsed registers", "k"));
    QVERIFY(!measure::resources_of_ptxas_log("Compiling entry function 'k", "k"));
    // Numbers that no kernel has are none.
    QVERIFY(!measure::resources_of_ptxas_log(
        "Compiling entry function 'k' for 'sm_80'\nUsed 99999999999999999999 registers", "k"));
  }

  void damagedLogsDoNoHarm() {
    base::Random random(testing::random_seed());
    const std::string whole = std::string(two_kernels_log) + called_function_log;
    for (int i = 0; i < 3000; ++i) {
      std::string log = whole.substr(0, random.below(whole.size()));
      for (std::size_t k = 0; k < 5 && !log.empty(); ++k) {
        log[random.below(log.size())] = static_cast<char>(random.below(256));
      }
      for (const char* entry : {"k", "other", "kernel"}) {
        if (const auto found = measure::resources_of_ptxas_log(log, entry)) {
          QVERIFY(found->registers > 0 && found->spilled_bytes >= 0 && found->shared_bytes >= 0);
        }
      }
      QVERIFY(measure::without_compile_times(log).size() <= log.size() + 1);
    }
  }

  void theTimeOfACompileStaysOutOfItsLog() {
    const std::string kept = measure::without_compile_times(two_kernels_log);
    QVERIFY(kept.find("Compile time") == std::string::npos);
    QCOMPARE(base::split_text(kept, '\n').size(), base::split_text(two_kernels_log, '\n').size() - 2);
    QCOMPARE(measure::without_compile_times(""), "");
  }

  /** With the stand-in for NVRTC. */
  void optionsAreThoseOfItsVersion() {
    const auto options = [](const char* version) {
      qputenv(stub_nvrtc_variable, version);
      measure::BuildRequest request = request_of("text", "k", "sm_90a");
      request.flags = {"--std=c++17"};
      return stub_compiler()->compile(request).log;
    };
    QCOMPARE(options("major=12 minor=8"), "--gpu-architecture=sm_90a\n--ptxas-options=-v\n--std=c++17");
    for (const char* version : {"major=12 minor=9", "major=13 minor=0"}) {
      QCOMPARE(options(version), "--gpu-architecture=sm_90a\n--no-cache\n--ptxas-options=-v\n--std=c++17");
    }
  }

  void anInternalErrorIsTheKernelsWhereOthersBuild() {
    qputenv(stub_nvrtc_variable, "");
    for (const char* code : {"1", "2", "7", "11"}) {
      const measure::BuildReply reply =
          stub_compiler()->compile(request_of(std::string("fails with ") + code, "k"));
      QVERIFY(reply.status == measure::BuildStatus::Failed);
      QVERIFY(reply.message.find("NVRTC_ERROR_OF_THE_STUB") != std::string::npos);
    }
  }

  void anInternalErrorOfEveryKernelIsTheMachines() {
    for (const char* behaviour : {"compile=1", "compile=7", "compile=11"}) {
      qputenv(stub_nvrtc_variable, behaviour);
      const measure::BuildReply reply = stub_compiler()->compile(request_of("text", "k"));
      QVERIFY(reply.status == measure::BuildStatus::MachineFault);
      QVERIFY(reply.artefact.empty());
      QVERIFY(reply.message.find("NVRTC_ERROR_OF_THE_STUB") != std::string::npos);
      QVERIFY(reply.hint.find("KERNELSCAPE_NVRTC") != std::string::npos);
    }
  }

  void aBuildWithoutAWordOnResourcesIsABuild() {
    qputenv(stub_nvrtc_variable, "");
    const measure::BuildReply reply = stub_compiler()->compile(request_of("text", "k"));
    QVERIFY(reply.status == measure::BuildStatus::Built);
    QCOMPARE(reply.artefact, "text");
    QCOMPARE(reply.resources, trial::KernelResources{});
    QVERIFY(stub_compiler()->compile(request_of("", "k")).status ==
            measure::BuildStatus::Failed);  // no cubin
  }

  void aKernelIsBuiltWithItsResources() {
    if (!compiler_) QSKIP(missing_.c_str());
    for (const std::string& architecture : measure::cuda_architectures()) {
      const measure::BuildReply reply = compiler_->compile(request_of(good_kernel, "reverse", architecture));
      QVERIFY2(reply.status == measure::BuildStatus::Built, reply.message.c_str());
      QVERIFY(reply.artefact.starts_with("\177ELF"));
      QVERIFY(reply.artefact.find("reverse") != std::string::npos);
      QCOMPARE(reply.resources.shared_bytes, 301 * 4);
      QCOMPARE(reply.resources.spilled_bytes, 0);
      QVERIFY(reply.resources.registers >= 4 && reply.resources.registers <= 64);
      QVERIFY(reply.log.find("'reverse' for '" + architecture + "'") != std::string::npos);
      QVERIFY(reply.log.size() <= measure::max_message_bytes);
      QVERIFY(reply.message.empty() && reply.hint.empty());
      QVERIFY(reply.seconds > 0);
    }
  }

  /** Macros are replaced in a name as in the source. */
  void kernelsInNamespacesAndInstancesOfTemplatesAreFound() {
    if (!compiler_) QSKIP(missing_.c_str());
    measure::BuildRequest request = request_of(
        "#define TILE 4\nnamespace ns {\n__global__ void plain(float* y) { *y = 1; }\n"
        "template <typename T, int N> __global__ void scale(T* y) { __shared__ T t[N]; t[threadIdx.x] = *y;\n"
        "  __syncthreads(); *y = t[N - 1 - threadIdx.x]; }\n}\n",
        "");
    request.user_source = true;
    for (const char* name : {"ns::plain", "::ns::plain", "ns::scale<float, 8>", "ns::scale<double, TILE>"}) {
      request.entry = name;
      const measure::BuildReply reply = compiler_->compile(request);
      QVERIFY2(reply.status == measure::BuildStatus::Built, reply.message.c_str());
      QVERIFY2(reply.entry.starts_with("_Z") && reply.artefact.contains(reply.entry), name);
      QVERIFY(reply.resources.registers > 0);
    }
    request.entry = "ns::scale<float, 8>";
    QCOMPARE(compiler_->compile(request).resources.shared_bytes, 32);
    request.entry = "ns::missing<float>";
    QVERIFY(compiler_->compile(request).status == measure::BuildStatus::Failed);
  }

  void spillsAreCounted() {
    if (!compiler_) QSKIP(missing_.c_str());
    const measure::BuildReply reply = compiler_->compile(request_of(spilling_kernel, "spilling"));
    QVERIFY2(reply.status == measure::BuildStatus::Built, reply.message.c_str());
    QCOMPARE(reply.resources.registers, 32);
    QVERIFY(reply.resources.spilled_bytes > 0);
    QCOMPARE(reply.resources.shared_bytes, 0);
  }

  void theSameSourceGivesTheSameBuild() {
    if (!compiler_) QSKIP(missing_.c_str());
    const measure::BuildReply first = compiler_->compile(request_of(good_kernel, "reverse"));
    const measure::BuildReply broken = compiler_->compile(request_of("nonsense", "reverse"));
    const measure::BuildReply second = compiler_->compile(request_of(good_kernel, "reverse"));
    QVERIFY(broken.status == measure::BuildStatus::Failed);
    QVERIFY(first.artefact == second.artefact);
    QCOMPARE(first.log, second.log);
    QCOMPARE(first.resources, second.resources);
  }

  void theSelfTestBuilds() {
    if (!compiler_) QSKIP(missing_.c_str());
    const measure::BuildReply reply = compiler_->compile(measure::cuda_self_test_request("sm_80"));
    QVERIFY2(reply.status == measure::BuildStatus::Built, reply.message.c_str());
    QVERIFY(reply.resources.registers > 0);
  }

  void diagnosticsNameTheLine() {
    if (!compiler_) QSKIP(missing_.c_str());
    const measure::BuildReply reply = compiler_->compile(
        request_of("extern \"C\" __global__ void k(float* out) {\n  out[0] = nowhere;\n}\n", "k"));
    QVERIFY(reply.status == measure::BuildStatus::Failed);
    QVERIFY(reply.artefact.empty());
    QVERIFY2(reply.message.find("kernel.cu(2): error") != std::string::npos, reply.message.c_str());
    QVERIFY(reply.message.find("nowhere") != std::string::npos);
    std::string many = "extern \"C\" __global__ void k(float* out) {\n";
    for (int i = 0; i < 90; ++i) many += "  out[0] = a_name_that_is_not_declared_anywhere;\n";
    QVERIFY(compiler_->compile(request_of(many + "}\n", "k")).message.size() <= measure::max_message_bytes);
    QVERIFY(compiler_->compile(request_of("", "k")).status == measure::BuildStatus::Built);
  }

  /** ptxas withholds these errors where it has to be verbose. */
  void errorsAfterTheFrontEndAreTold() {
    if (!compiler_) QSKIP(missing_.c_str());
    const measure::BuildReply reply = compiler_->compile(
        request_of("extern \"C\" __global__ void k(float* out) {\n  __shared__ float tile[20000];\n"
                   "  tile[threadIdx.x] = out[threadIdx.x];\n  __syncthreads();\n"
                   "  out[threadIdx.x] = tile[threadIdx.x ^ 1];\n}\n",
                   "k"));
    QVERIFY(reply.status == measure::BuildStatus::Failed);
    QVERIFY2(reply.message.find("too much shared data") != std::string::npos, reply.message.c_str());
    const measure::BuildReply assembly = compiler_->compile(request_of(
        "extern \"C\" __global__ void k(float* out) {\n  asm volatile(\"no.such.instruction;\");\n}\n", "k"));
    QVERIFY(assembly.status == measure::BuildStatus::Failed);
    QVERIFY2(assembly.message.find("error") != std::string::npos, assembly.message.c_str());
  }

  void anUnknownArchitectureListsTheKnown() {
    if (!compiler_) QSKIP(missing_.c_str());
    for (const char* architecture : {"sm_20", "sm_999", "", "sm_80x"}) {
      const measure::BuildReply reply = compiler_->compile(request_of(good_kernel, "reverse", architecture));
      QVERIFY(reply.status == measure::BuildStatus::MachineFault);
      QVERIFY2(reply.message.find(measure::cuda_architectures().front()) != std::string::npos,
               reply.message.c_str());
      QVERIFY(reply.hint.find("--arch") != std::string::npos);
      QVERIFY(reply.hint.find("KERNELSCAPE_NVRTC") != std::string::npos);
    }
  }

  void flagsThatItDoesNotKnowAreTheMachinesFault() {
    if (!compiler_) QSKIP(missing_.c_str());
    measure::BuildRequest request = request_of(good_kernel, "reverse");
    request.flags = {"--std=c++17", "--no-such-flag"};
    const measure::BuildReply reply = compiler_->compile(request);
    QVERIFY(reply.status == measure::BuildStatus::MachineFault);
    QVERIFY2(reply.message.find("--no-such-flag") != std::string::npos, reply.message.c_str());
    request.flags = measure::describe_cuda_architecture("sm_80")->flags;
    QVERIFY(compiler_->compile(request).status == measure::BuildStatus::Built);
  }

 private:
  static std::unique_ptr<measure::DeviceCompiler> stub_compiler() {
    const QByteArray users = qgetenv("KERNELSCAPE_NVRTC");
    qputenv("KERNELSCAPE_NVRTC", KERNELSCAPE_STUB_CUDA_DRIVER);
    auto compiler = measure::make_cuda_compiler();
    qputenv("KERNELSCAPE_NVRTC", users);
    return std::move(compiler.value());
  }

  std::unique_ptr<measure::DeviceCompiler> compiler_;  ///< NVRTC; null where there is none
  std::string missing_;                                ///< why
};

KERNELSCAPE_PLAIN_TEST(MeasureCudaCompilerTest)

}  // namespace kernelscape::measure_cuda_compiler_test
#include "measure_cuda_compiler_test.moc"

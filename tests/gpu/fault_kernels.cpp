#include "tests/gpu/fault_kernels.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr const char* entry = "kernel_";  // "kernel" is a word of OpenCL C
constexpr const char* sum_it = "c[y * 40 + x] = sum;";
/** Where a loop has no end that a compiler could see. */
constexpr const char* endless = "for (volatile int i = 0; i >= 0; i = 1) {}";

// The header comment is what the stand-in for the driver computes by.
constexpr const char* header = "/*\n * task           matmul 24x16 16x40 f32\n */\n";
constexpr const char* cuda_head =
    "extern \"C\" __global__ void kernel_(const float* a, const float* b, float* c) {\n"
    "  const int y = blockIdx.x * 8 + threadIdx.x, x = blockIdx.y * 8 + threadIdx.y;\n";
constexpr const char* opencl_head =
    "__attribute__((reqd_work_group_size(8, 8, 1)))\n"
    "__kernel void kernel_(__global const float* a, __global const float* b, __global float* c) {\n"
    "  const int y = get_global_id(0), x = get_global_id(1);\n";

/** An element a thread: `inside` stands at the start, `result` is what is done with `sum`. */
std::string text_of(schedule::TargetKind kind, const std::string& inside = "",
                    const std::string& result = sum_it) {
  return std::string(header) + (kind == schedule::TargetKind::Cuda ? cuda_head : opencl_head) + inside +
         "\n  float sum = 0;\n"
         "  for (int k = 0; k < 16; ++k) sum += a[y * 16 + k] * b[k * 40 + x];\n  " +
         result + "\n}\n";
}

/** Doubles itself forty times: expanding it takes longer than anybody waits. */
std::string endless_macro() {
  std::string text = "#define M0 +1\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "M" + std::to_string(i - 1);
    text += "#define M" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  return text + "__device__ int never_known = M40;\n";
}

std::vector<NamedSource> sources_of(schedule::TargetKind kind, const std::vector<Fault>& faults) {
  std::vector<NamedSource> sources{{"good", text_of(kind)}};
  for (const Fault& fault : faults) sources.push_back({fault.name, fault.text});
  return sources;
}

std::vector<Fault> cuda_faults() {
  using enum trial::ErrorCategory;
  const auto cuda = [](const std::string& inside, const std::string& result = sum_it) {
    return text_of(schedule::TargetKind::Cuda, inside, result);
  };
  return {
      {"out of bounds", cuda("if (y == 0 && x == 0) c[1ULL << 45] = 1;"), RuntimeDevice, "launch=700@1"},
      {"endless", cuda(endless), RunTimeout, "hang=1"},
      {"trap", cuda("asm volatile(\"trap;\");"), RuntimeDevice, "launch=715@1"},
      {"out of bounds at the third launch", cuda(""), RuntimeDevice, "launch=700@3"},
      {"misaligned", cuda("*(float*)((char*)c + 1) = a[0];"), RuntimeDevice},
      {"beyond shared memory",
       cuda("__shared__ float room[64]; volatile float* p = room; p[1 << 24] = a[0];"), RuntimeDevice},
      {"wrong answer", cuda("", "c[y * 40 + x] = y == 7 && x == 9 ? sum + 2 : sum;"), WrongAnswer},
      {"not a number", cuda("", "c[y * 40 + x] = y == 3 ? __int_as_float(0x7fffffff) : sum;"), WrongAnswer},
      {"unwritten", cuda("", "if (x != 5) c[y * 40 + x] = sum;"), WrongAnswer},
      {"beyond its output", cuda("if (y == 0 && x == 0) c[24 * 40] = 1;"), WrongAnswer},
      {"writes its input", cuda("", "c[y * 40 + x] = sum; if (y == 23) ((unsigned*)b)[15 * 40 + x] |= 1;"),
       WrongAnswer},
      {"syntax error", "// fails with 6\nextern \"C\" __global__ void kernel_( {\n", CompileDevice,
       "computes=1"},
      {"endless macro", endless_macro() + cuda(""), BuildTimeout}};
}

std::vector<Fault> opencl_faults() {
  using enum trial::ErrorCategory;
  const auto opencl = [](const std::string& inside, const std::string& result = sum_it) {
    return text_of(schedule::TargetKind::OpenCl, inside, result);
  };
  return {{"out of bounds", opencl("if (y == 0) c[(long)1 << 45] = 1;"), RuntimeDevice},
          {"endless", opencl(endless), RunTimeout},
          {"wrong answer", opencl("", "c[y * 40 + x] = y == 7 && x == 9 ? sum + 2 : sum;"), WrongAnswer},
          {"beyond its output", opencl("if (y == 0 && x == 0) c[24 * 40] = 1;"), WrongAnswer},
          {"syntax error", "__kernel void kernel_( {\n", CompileDevice}};
}

}  // namespace

std::vector<Fault> faults_of(schedule::TargetKind kind) {
  return kind == schedule::TargetKind::Cuda ? cuda_faults() : opencl_faults();
}

FaultFamily::FaultFamily(schedule::TargetKind kind, const std::vector<Fault>& faults)
    : kind_(kind), family_(small_matmul, sources_of(kind, faults)) {}

Result<codegen::KernelSource> FaultFamily::source(const space::Configuration& configuration) const {
  Result<codegen::KernelSource> source = family_.source(configuration);
  if (!source) return source;
  source->dialect = kernel::dialect_of(kind_);
  source->entry = entry;
  source->launch = {.grid = {3, 5, 1}, .block = {8, 8, 1}};
  return source;
}

}  // namespace kernelscape::gpu_proof

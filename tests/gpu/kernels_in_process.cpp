// Samples of every CUDA template in this process: compiled, loaded, run once and compared. What watches it,
// such as compute-sanitizer, sees nothing else.
#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <span>

#include "core/measure/cpu/packing.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_device.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/task/reference.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/random_kernels.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr double max_flops = 5e4;  // a sanitizer makes them a hundred times slower
constexpr int members = 2;

struct Counts {
  int ran = 0;
  int wrong = 0;
};

/** A device with its compiler, and what it has of its memory. */
class KernelRunner {
 public:
  KernelRunner(schedule::TargetDescription target, measure::DeviceCompiler& compiler,
               measure::GpuDevice& device)
      : target_(std::move(target)), compiler_(compiler), device_(device) {}

  /** What is wrong with a kernel's result; empty: nothing. */
  Result<std::string> problem_of(const kernel::ScheduleFamily& family,
                                 const space::Configuration& configuration) {
    const codegen::KernelSource source = TRY(family.source(configuration));
    const measure::BuildReply reply = compiler_.compile({.dialect = source.dialect,
                                                         .device = target_.name,
                                                         .architecture = target_.isa,
                                                         .entry = source.entry,
                                                         .flags = source.flags.words(),
                                                         .text = source.text,
                                                         .timeout_seconds = 60});
    if (reply.status != measure::BuildStatus::Built) return reply.message;
    if (const auto loaded = device_.load(reply.artefact, source.entry); !loaded)
      return loaded.error().message;
    const task::TensorOperator& op = *family.task().op;
    const task::ReferenceInputs inputs = task::make_reference_inputs(op, 1);
    const std::vector<double> output = TRY(run(source, op, inputs));
    const task::Comparison comparison =
        task::compare_with_reference(op, task::compute_reference(op, inputs, 1), output);
    return comparison.equal ? std::string() : task::describe_mismatch(op, comparison);
  }

 private:
  Result<std::vector<double>> run(const codegen::KernelSource& source, const task::TensorOperator& op,
                                  const task::ReferenceInputs& inputs) {
    std::vector<measure::GpuDevice::Memory> memories;
    const auto result = run_in(memories, source, op, inputs);
    for (const measure::GpuDevice::Memory memory : memories) device_.release(memory);
    if (!result) return fail(ErrorCode::Environment, result.error().message);
    return *result;
  }

  measure::DeviceResult<std::vector<double>> run_in(std::vector<measure::GpuDevice::Memory>& memories,
                                                    const codegen::KernelSource& source,
                                                    const task::TensorOperator& op,
                                                    const task::ReferenceInputs& inputs) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < source.arguments.size(); ++i) {
      const loop_nest::Layout& layout = source.arguments[i].layout;
      const bool output = source.arguments[i].output;
      const task::ScalarType type = output ? op.output.type : op.inputs[i].type;
      const auto offsets = loop_nest::physical_offsets(layout);
      bytes.assign(static_cast<std::size_t>(layout.physical_count() * task::bytes_of(type)),
                   std::byte{0xff});  // NaN
      if (!output) measure::pack(type, inputs.tensors[i], offsets, bytes);
      const auto memory = device_.allocate(bytes.size());
      if (!memory) return std::unexpected(memory.error());
      memories.push_back(*memory);
      if (const auto written = device_.write(*memory, bytes); !written)
        return std::unexpected(written.error());
    }
    if (const auto ran = device_.run(source.launch, memories, 1); !ran) return std::unexpected(ran.error());
    if (const auto read = device_.read(memories.back(), bytes); !read) return std::unexpected(read.error());
    return measure::unpack(op.output.type, bytes,
                           loop_nest::physical_offsets(source.arguments.back().layout));
  }

  schedule::TargetDescription target_;
  measure::DeviceCompiler& compiler_;
  measure::GpuDevice& device_;
};

void run_template(KernelRunner& runner, const RandomKernels& kernels, Counts& counts) {
  for (const space::Configuration& configuration : kernels.configurations) {
    const Result<std::string> problem = runner.problem_of(*kernels.family, configuration);
    ++counts.ran;
    const std::string words = problem ? *problem : describe(problem.error());
    if (words.empty()) continue;
    ++counts.wrong;
    fmt::print("wrong: {}: {}\n", describe_kernel(*kernels.family, configuration), words);
  }
}

Status run_all(const Settings& settings, Counts& counts) {
  std::vector<measure::ProbedDevice> devices = TRY(measure::list_cuda_devices());
  const auto named = std::ranges::find_if(
      devices, [&](const measure::ProbedDevice& device) { return device.target.name == settings.device; });
  if (named == devices.end()) return fail(ErrorCode::NotFound, "there is no " + settings.device);
  const auto compiler = TRY(measure::make_cuda_compiler());
  const auto device = TRY(measure::open_gpu_device(settings.device));
  KernelRunner runner(named->target, *compiler, *device);
  const auto start = std::chrono::steady_clock::now();
  const base::Random random(settings.seed);
  for (int round = 0;; ++round) {
    for (const schedule::TemplateDeclaration* declaration : templates_for(schedule::TargetKind::Cuda)) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      if (round > 0 && (settings.fake || spent.count() > 60 * settings.minutes)) return {};
      const auto kernels =
          draw_kernels(*declaration, named->target,
                       random.fork(fmt::format("{} {}", declaration->name, round)), max_flops, members);
      if (kernels) run_template(runner, *kernels, counts);
    }
  }
}

}  // namespace

int run_kernels(const Settings& settings) {
  Counts counts;
  const Status ran = run_all(settings, counts);
  if (!ran) fmt::print("wrong: {}\n", describe(ran.error()));
  fmt::print("kernels: {} ran, {} wrong\n", counts.ran, counts.wrong);
  return ran && counts.wrong == 0 ? 0 : 1;
}

}  // namespace kernelscape::gpu_proof

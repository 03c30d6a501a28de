#include <fmt/format.h>

#include <QTest>
#include <set>

#include "core/codegen/gpu_emitter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::codegen_gpu_source_test {
using namespace kernelscape::testing;

namespace {

struct Sample {
  const schedule::TemplateDeclaration* declaration = nullptr;
  task::Task task;
  std::string configuration;
  space::Evaluation limits;
  const space::ConstraintSystem* system = nullptr;
  loop_nest::LoopNest nest;
};

/** Calls `visit` with random kernels of every GPU template that needs no tensor cores. */
template <typename Visit>
void for_samples(base::Random& random, const Visit& visit) {
  for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::OpenCl)) {
    for (int round = 0; round < 5; ++round) {
      schedule::TargetDescription target = schedule::default_cuda_target();
      target.kind = schedule::TargetKind::OpenCl;
      const task::Task task = random_task(*declaration, target, random, 3e5);
      const auto kernel = declaration->apply(task, target);
      if (!kernel) qFatal("%s", describe(kernel.error()).c_str());
      const space::Configuration configuration = accepted_member(*kernel, random);
      const auto lowered = kernel->lower(configuration);
      if (!lowered) qFatal("%s", describe(lowered.error()).c_str());
      visit(Sample{declaration, task, kernel->space().describe(configuration),
                   kernel->limits().evaluate(kernel->space().knobs(), configuration), &kernel->limits(),
                   lowered->nest});
    }
  }
}

codegen::KernelDescription description_of(const Sample& sample) {
  return {"best_kernel", sample.task.text, sample.declaration->name, sample.configuration, "a device", {}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::int64_t value(const Sample& sample, const std::string& variable) {
  const auto& variables = sample.system->variables();
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].name == variable) return sample.limits.values[i];
  return -1;
}

}  // namespace

class CodegenGpuSourceTest : public QObject {
  Q_OBJECT

 private slots:
  void there_are_templates_for_gpus() {
    std::set<std::string> names;
    for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::OpenCl))
      names.insert(declaration->name);
    for (const char* name : {"conv2d-direct", "depthwise-direct", "matmul", "batch-matmul"})
      QVERIFY2(names.contains(name), name);
  }

  void a_source_says_what_it_is_and_how_it_is_launched() {
    base::Random random(random_seed());
    for_samples(random, [&](const Sample& sample) {
      for (const codegen::Dialect dialect : {codegen::Dialect::Cuda, codegen::Dialect::OpenCl}) {
        const codegen::KernelSource source = codegen::emit_gpu(sample.nest, dialect, description_of(sample));
        const std::string header = source.text.substr(0, source.text.find("*/"));
        for (const std::string& part : {sample.task.text, sample.configuration, sample.declaration->name,
                                        fmt::format("{} bytes of shared memory", source.shared_bytes)})
          QVERIFY2(header.find(part) != std::string::npos, header.c_str());
        QCOMPARE(source.dialect, dialect);
        QCOMPARE(source.entry, std::string("best_kernel"));
        QCOMPARE(count(source.text, "#include"), std::size_t{0});
        QCOMPARE(count(source.text, "best_kernel("), std::size_t{1});
        QCOMPARE(count(source.text, "{"), count(source.text, "}"));
        const std::string kernel =
            dialect == codegen::Dialect::Cuda ? "extern \"C\" __global__ void" : "__kernel";
        QCOMPARE(count(source.text, kernel), std::size_t{1});
      }
    });
  }

  /** The launch covers the output: blocks, threads and what a thread computes make all of it. */
  void launch_and_shared_memory_are_those_of_the_derived_limits() {
    base::Random random(random_seed());
    for_samples(random, [&](const Sample& sample) {
      const codegen::KernelSource source =
          codegen::emit_gpu(sample.nest, codegen::Dialect::Cuda, description_of(sample));
      QCOMPARE(source.launch.threads(), value(sample, "threads"));
      QCOMPARE(source.shared_bytes, value(sample, shared_inputs_name(*sample.system)));
      std::int64_t sums = 0;
      for (const loop_nest::Buffer& buffer : sample.nest.buffers) {
        if (buffer.name != "sum") continue;
        sums = 1;
        for (const std::int64_t extent : buffer.extents) sums *= extent;
      }
      const codegen::Launch& launch = source.launch;
      QCOMPARE(launch.grid[0] * launch.grid[1] * launch.grid[2] * launch.threads() * sums,
               sample.task.op->output.element_count());
    });
  }

  void both_dialects_say_the_same() {
    base::Random random(random_seed());
    for_samples(random, [&](const Sample& sample) {
      const codegen::KernelSource cuda =
          codegen::emit_gpu(sample.nest, codegen::Dialect::Cuda, description_of(sample));
      const codegen::KernelSource opencl =
          codegen::emit_gpu(sample.nest, codegen::Dialect::OpenCl, description_of(sample));
      QVERIFY(cuda.arguments == opencl.arguments);
      QVERIFY(cuda.launch == opencl.launch);
      QCOMPARE(cuda.shared_bytes, opencl.shared_bytes);
      QCOMPARE(count(cuda.text, "__syncthreads();"), count(opencl.text, "barrier(CLK_LOCAL_MEM_FENCE);"));
      QCOMPARE(count(cuda.text, " += "), count(opencl.text, " += "));
    });
  }

  void a_source_is_the_same_every_time() {
    base::Random random(random_seed());
    for_samples(random, [&](const Sample& sample) {
      QCOMPARE(codegen::emit_gpu(sample.nest, codegen::Dialect::Cuda, description_of(sample)).text,
               codegen::emit_gpu(sample.nest, codegen::Dialect::Cuda, description_of(sample)).text);
    });
  }
};

KERNELSCAPE_PLAIN_TEST(CodegenGpuSourceTest)

}  // namespace kernelscape::codegen_gpu_source_test
#include "codegen_gpu_source_test.moc"

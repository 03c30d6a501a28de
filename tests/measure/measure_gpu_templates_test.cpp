#include <QtTest>
#include <cmath>
#include <future>
#include <limits>
#include <memory>

#include "core/kernel/family.h"
#include "core/measure/gpu/device_name.h"
#include "core/measure/gpu/opencl_api.h"
#include "core/measure/kernel_measurer.h"
#include "core/schedule/schedule.h"
#include "core/task/reference.h"
#include "tests/measure/cubin.h"
#include "tests/measure/gpu_test_support.h"
#include "tests/measure/kernel_sources.h"
#include "tests/schedule/random_epilogue.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::measure_gpu_templates_test {
using namespace kernelscape::testing;

namespace {

#ifdef KERNELSCAPE_SANITIZED
constexpr int tasks_per_template = 1;  // compilers and kernels run ten times slower
constexpr int members_per_task = 1;
#else
constexpr int tasks_per_template = 2;
constexpr int members_per_task = 2;
#endif
constexpr double max_flops = 5e4;

/** A configuration of a template for a small task. */
struct Case {
  task::Task task;
  space::Configuration configuration;
};

/** A GPU such as CUDA's, of which every device can do as much: what is within its limits builds everywhere.
 */
schedule::TargetDescription common_target(schedule::TargetDescription target) {
  const schedule::TargetDescription common = schedule::default_cuda_target();
  const auto lower = [](std::int64_t& value, std::int64_t bound) { value = std::min(value, bound); };
  lower(target.threads_per_block, common.threads_per_block);
  lower(target.block_x, common.block_x);
  lower(target.block_y, common.block_y);
  lower(target.block_z, common.block_z);
  lower(target.shared_bytes, common.shared_bytes);
  return target;
}

/** For choosing tasks and configurations, and for what needs no device. */
schedule::TargetDescription common_target_of(schedule::TargetKind kind) {
  schedule::TargetDescription target = measure::describe_cuda_architecture("sm_75").value();
  target.kind = kind;
  return common_target(target);
}

bool is_of_halves(const schedule::TemplateDeclaration& declaration) {
  return declaration.name.find("wmma") != std::string::npos;
}

/** A small task for tensor cores: extents that some shape of fragments divides. */
task::Task random_half_task(const schedule::TemplateDeclaration& declaration,
                            const schedule::TargetDescription& target, base::Random& random) {
  const task::OperandTypes types = task::parse_operand_types("f16").value();
  for (int attempt = 0; attempt < 10'000; ++attempt) {
    const std::int64_t rows = 8 * between(random, 1, 8);
    const std::int64_t columns = 8 * between(random, 1, 8);
    const std::int64_t depth = 16 * between(random, 1, 6);
    task::MatrixMultiplication m{.batch = 1, .m = rows, .n = columns, .k = depth};
    m.batched = random.chance(0.5);
    if (m.batched) m.batch = between(random, 1, 3);
    m.transpose_b = random.chance(0.7);
    task::Convolution c;
    c.batch = rows;
    c.input_channels = depth;
    c.output_channels = columns;
    for (int d = 0; d < 2; ++d) {
      c.kernel.push_back(one_of<3>(random, {1, 2, 3}));
      c.input_size.push_back(between(random, 3, 7));
      c.stride.push_back(between(random, 1, 2));
      c.padding.push_back(between(random, 0, 2));
      c.dilation.push_back(1);
    }
    const Result<task::Task> task =
        random.chance(0.5) ? task::make_convolution_task(c, types) : task::make_matmul_task(m, types);
    if (task && declaration.fits(*task, target)) return *task;
  }
  throw std::runtime_error("no random task fits template " + declaration.name);
}

/** Whether rows can be moved by vectors: all extents of a multiplication are multiples of four. */
bool takes_vectors(const task::Task& task) {
  const auto* m = std::get_if<task::MatrixMultiplication>(&task.definition);
  return m == nullptr || (m->m % 4 == 0 && m->n % 4 == 0 && m->k % 4 == 0);
}

const schedule::TemplateDeclaration& template_of(const QString& name, schedule::TargetKind kind) {
  return *schedule::find_template(name.toStdString(), kind).value();
}

/** The same cases for every target. */
std::vector<Case> random_cases(const QString& name, schedule::TargetKind kind, const base::Random& seeded) {
  const schedule::TemplateDeclaration& declaration = template_of(name, kind);
  const schedule::TargetDescription target = common_target_of(kind);
  base::Random random = seeded.fork(declaration.name);
  std::vector<Case> cases;
  for (int i = 0; i < tasks_per_template; ++i) {
    const bool with_vectors = i == 0;
    task::Task task;
    do {
      task = is_of_halves(declaration) ? random_half_task(declaration, target, random)
                                       : random_task(declaration, target, random, max_flops);
    } while (with_vectors && !takes_vectors(task));
    if (!is_of_halves(declaration) && (!with_vectors || random.chance(0.5)))
      task = with_random_epilogue(task, random);
    const schedule::ScheduledKernel kernel = declaration.apply(task, target).value();
    for (int member = 0; member < members_per_task; ++member)
      cases.push_back({task, accepted_member(kernel, random)});
  }
  return cases;
}

kernel::ScheduleFamily family_of(const schedule::TemplateDeclaration& declaration, const task::Task& task,
                                 const schedule::TargetDescription& target) {
  return kernel::ScheduleFamily(declaration.apply(task, target).value());
}

std::string describe(const kernel::ScheduleFamily& family, const space::Configuration& configuration) {
  return fmt::format("{} {}", family.task().text, family.space().describe(configuration));
}

/** What the schedule's limits derive for a configuration; nothing where it is no variable of theirs. */
std::optional<std::int64_t> derived(const schedule::ScheduledKernel& kernel,
                                    const space::Configuration& configuration, std::string_view name) {
  const auto variable = kernel.limits().find(name);
  if (!variable) return std::nullopt;
  return kernel.limits().evaluate(kernel.space().knobs(), configuration).values[*variable];
}

/** Other devices need vectors that are aligned: in this text one that is not becomes NaN. */
std::string with_checked_alignment(const std::string& text) {
  QString checked = QString::fromStdString(text);
  QString definitions;
  for (const int lanes : {2, 4}) {
    checked.replace(QString("vload%1(").arg(lanes), QString("checked_vload%1(").arg(lanes));
    checked.replace(QString("vstore%1(").arg(lanes), QString("checked_vstore%1(").arg(lanes));
    definitions += QString(
                       "#define checked_value%1(v, p) ((ulong)(p) % %2 != 0 ? (float%1)(NAN) : (v))\n"
                       "#define checked_vload%1(o, p) checked_value%1(vload%1(o, p), p)\n"
                       "#define checked_vstore%1(v, o, p) vstore%1(checked_value%1(v, p), o, p)\n")
                       .arg(lanes)
                       .arg(4 * lanes);
  }
  return (definitions + checked).toStdString();
}

/**
 * Whether a compiler sees that it needs less shared memory than the kernel says: a block of one thread can
 * keep its tiles in registers, and of two buffers only one is used where the loop around them runs once.
 */
bool may_take_less(const kernel::ScheduleFamily& family, const space::Configuration& configuration,
                   const codegen::KernelSource& source) {
  if (source.launch.threads() == 1) return true;
  const schedule::Schedule& schedule = family.kernel().schedule();
  const auto shared = schedule.stages(schedule::StageKind::CacheRead, loop_nest::BufferScope::Shared);
  return std::ranges::any_of(shared, [&](const schedule::Stage* copy) {
    const schedule::LoopLength& length = schedule.loop(copy->at.loops.front()).length;
    if (copy->options.copies == 1 || length.kind != schedule::LoopLength::Kind::Element) return false;
    const auto knob = static_cast<std::size_t>(length.knob.number);
    const auto values = family.space().knobs()[knob].row(configuration.indices[knob]);
    return values[static_cast<std::size_t>(length.position)] == 1;
  });
}

/** What is wrong with the shared memory that a compiler reports; empty: nothing. */
std::string memory_problem(const kernel::ScheduleFamily& family, const space::Configuration& configuration,
                           const codegen::KernelSource& source, std::int64_t reported) {
  const bool right = may_take_less(family, configuration, source) ? reported <= source.shared_bytes
                                                                  : reported == source.shared_bytes;
  // PoCL 6, of Debian 13, counts no local memory of kernels.
  if (right || reported == 0) return {};
  return fmt::format("{} bytes of shared memory instead of {}\n{}", reported, source.shared_bytes,
                     source.text);
}

/** The work-group's size that a program's binary was built for. */
std::array<std::size_t, 3> work_group_of(const std::string& binary, const std::string& entry,
                                         const std::string& device_name) {
  const measure::OpenClDevice device =
      measure::find_opencl_device(measure::parse_device_name(device_name).value().number).value();
  const measure::OpenClContext context = measure::make_opencl_context(device).value();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  const measure::OpenClProgram program(
      clCreateProgramWithBinary(context.get(), 1, &device.id, &size, &bytes, nullptr, nullptr));
  clBuildProgram(program.get(), 1, &device.id, "", nullptr, nullptr);
  const measure::OpenClKernel kernel(clCreateKernel(program.get(), entry.c_str(), nullptr));
  std::array<std::size_t, 3> result{};
  clGetKernelWorkGroupInfo(kernel.get(), device.id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof result,
                           result.data(), nullptr);
  return result;
}

/** Runs a built kernel on a task's inputs; the output starts as NaN. */
std::vector<double> run(measure::GpuDevice& device, const codegen::KernelSource& source,
                        const task::ReferenceInputs& inputs) {
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  std::vector<measure::GpuDevice::Memory> arguments;
  std::size_t next = 0;    // tensor of the next argument that is read
  std::size_t output = 0;  // the argument that is written
  for (const codegen::KernelArgument& argument : source.arguments) {
    if (argument.output) output = buffers.size();
    std::vector<float> values(static_cast<std::size_t>(argument.layout.physical_count()),
                              std::numeric_limits<float>::quiet_NaN());
    if (!argument.output) pack<float>(argument.layout, inputs.tensors.at(next++), values);
    buffers.push_back(std::make_unique<DeviceBuffer>(device, values.size() * sizeof(float)));
    buffers.back()->write(values);
    arguments.push_back(buffers.back()->memory());
  }
  if (auto ran = device.run(source.launch, arguments, 1); !ran) throw std::runtime_error(ran.error().message);
  const loop_nest::Layout& layout = source.arguments[output].layout;
  const auto physical = buffers[output]->read<float>(static_cast<std::size_t>(layout.physical_count()));
  return unpack<float>(layout, physical);
}

/** What is wrong with a case's kernel on an OpenCL device; empty: nothing. */
std::string problem_of(const kernel::ScheduleFamily& family, const space::Configuration& configuration,
                       measure::DeviceCompiler& compiler, measure::GpuDevice& device) {
  const auto source = family.source(configuration);
  if (!source) return describe(source.error());
  measure::BuildRequest request = build_request(*source, family.kernel().target());
  request.text = with_checked_alignment(source->text);
  const measure::BuildReply reply = compiler.compile(request);
  if (reply.status != measure::BuildStatus::Built) return reply.message + "\n" + source->text;
  const std::string memory = memory_problem(family, configuration, *source, reply.resources.shared_bytes);
  if (!memory.empty()) return memory;
  const auto work_group = work_group_of(reply.artefact, source->entry, request.device);
  for (std::size_t i = 0; i < work_group.size(); ++i) {
    if (static_cast<std::int64_t>(work_group[i]) != source->launch.block[i])
      return fmt::format("dimension {} has {} threads instead of {}", i, work_group[i],
                         source->launch.block[i]);
  }
  if (auto loaded = device.load(reply.artefact, source->entry); !loaded) return loaded.error().message;
  const task::TensorOperator& op = *family.task().op;
  const task::ReferenceInputs inputs = task::make_reference_inputs(op, 1);
  const task::Reference reference = task::compute_reference(op, inputs, 1);
  const task::Comparison comparison =
      task::compare_with_reference(op, reference, run(device, *source, inputs));
  return comparison.equal ? "" : task::describe_mismatch(op, comparison) + "\n" + source->text;
}

/** What NVRTC does not take of a case, or what it reports that the schedule did not derive. */
std::string problem_of(const kernel::ScheduleFamily& family, const space::Configuration& configuration,
                       measure::DeviceCompiler& compiler) {
  const auto source = family.source(configuration);
  if (!source) return describe(source.error());
  const measure::BuildReply reply = compiler.compile(build_request(*source, family.kernel().target()));
  if (reply.status != measure::BuildStatus::Built) return reply.message + "\n" + source->text;
  const std::int64_t threads = threads_of_cubin(reply.artefact, source->entry);
  if (threads != source->launch.threads())
    return fmt::format("{} threads instead of {}", threads, source->launch.threads());
  if (reply.resources.registers < 1) return "no registers";
  return memory_problem(family, configuration, *source, reply.resources.shared_bytes);
}

}  // namespace

/** Kernels of every GPU template for random tasks and configurations, from their source to their results. */
class MeasureGpuTemplatesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    seed_ = QRandomGenerator::global()->generate();
    if (qEnvironmentVariableIsSet("KERNELSCAPE_TEST_SEED"))
      seed_ = qEnvironmentVariable("KERNELSCAPE_TEST_SEED").toULongLong();
    qInfo("seed %llu", static_cast<unsigned long long>(seed_));
  }

  void kernelsComputeTheirTasks_data() { add_templates(schedule::TargetKind::OpenCl); }

  void kernelsComputeTheirTasks() {
    QFETCH(QString, name);
    if (const std::string missing = missing_opencl(); !missing.empty()) QSKIP(missing.c_str());
    const schedule::TargetDescription target = first_opencl_target();
    const auto compiler = measure::make_opencl_compiler().value();
    const auto device = measure::open_gpu_device(target.name).value();
    for (const Case& one : random_cases(name, schedule::TargetKind::OpenCl, base::Random(seed_))) {
      const kernel::ScheduleFamily family =
          family_of(template_of(name, schedule::TargetKind::OpenCl), one.task, common_target(target));
      const std::string problem = problem_of(family, one.configuration, *compiler, *device);
      QVERIFY2(problem.empty(), (describe(family, one.configuration) + "\n" + problem).c_str());
    }
  }

  void kernelsCompileForEveryArchitecture_data() { add_templates(schedule::TargetKind::Cuda); }

  void kernelsCompileForEveryArchitecture() {
    QFETCH(QString, name);
    if (const auto compiler = measure::make_cuda_compiler(); !compiler)
      QSKIP(describe(compiler.error()).c_str());
    const std::vector<Case> cases = random_cases(name, schedule::TargetKind::Cuda, base::Random(seed_));
    std::vector<std::future<std::string>> problems;
    for (const char* architecture : {"sm_75", "sm_80", "sm_90a"}) {
      problems.push_back(std::async(std::launch::async, [&, architecture] {
        const schedule::TargetDescription target = measure::describe_cuda_architecture(architecture).value();
        const auto compiler = measure::make_cuda_compiler().value();
        std::string all;
        for (const Case& one : cases) {
          const kernel::ScheduleFamily family =
              family_of(template_of(name, schedule::TargetKind::Cuda), one.task, target);
          const std::string problem = problem_of(family, one.configuration, *compiler);
          if (!problem.empty())
            all += fmt::format("{}: {}\n{}\n", architecture, describe(family, one.configuration), problem);
        }
        return all;
      }));
    }
    for (std::future<std::string>& problem : problems) {
      const std::string text = problem.get();
      QVERIFY2(text.empty(), text.c_str());
    }
  }

  void limitsAreThoseOfTheKernel_data() { add_templates(schedule::TargetKind::Cuda); }

  /** What a limit is checked with is what the kernel takes, in both dialects. */
  void limitsAreThoseOfTheKernel() {
    QFETCH(QString, name);
    const schedule::TemplateDeclaration& declaration = template_of(name, schedule::TargetKind::Cuda);
    for (const Case& one : random_cases(name, schedule::TargetKind::Cuda, base::Random(seed_))) {
      for (const schedule::TargetKind kind : declaration.targets) {
        if (kind == schedule::TargetKind::Cpu) continue;
        const kernel::ScheduleFamily family = family_of(declaration, one.task, common_target_of(kind));
        const codegen::KernelSource source = family.source(one.configuration).value();
        const std::string what = describe(family, one.configuration);
        const auto threads = derived(family.kernel(), one.configuration, "threads");
        QVERIFY2(threads && *threads == source.launch.threads(), what.c_str());
        const auto inputs =
            derived(family.kernel(), one.configuration, shared_inputs_name(family.kernel().limits()));
        const auto result = derived(family.kernel(), one.configuration, "shared_output_bytes");
        QVERIFY2(inputs && std::max(*inputs, result.value_or(0)) == source.shared_bytes, what.c_str());
      }
    }
  }

  void kernelsAreCheckedAndTimed_data() { add_templates(schedule::TargetKind::OpenCl); }

  /** The same through builders, run worker and measurer. */
  void kernelsAreCheckedAndTimed() {
    QFETCH(QString, name);
    if (const std::string missing = missing_opencl(); !missing.empty()) QSKIP(missing.c_str());
    const schedule::TargetDescription target = common_target(first_opencl_target());
    const Case one = random_cases(name, schedule::TargetKind::OpenCl, base::Random(seed_)).front();
    const auto family = std::make_shared<const kernel::ScheduleFamily>(
        template_of(name, schedule::TargetKind::OpenCl).apply(one.task, target).value());
    trial::MeasureOptions options = quick_options();
    options.build_timeout_seconds = 60;
    const auto measurer = measure::make_kernel_measurer(family, target, options);
    QVERIFY2(measurer, measurer ? "" : describe(measurer.error()).c_str());
    const auto measured = measure_all(**measurer, {one.configuration});
    QVERIFY2(measured, measured ? "" : describe(measured.error()).c_str());
    const trial::Measurement& measurement = measured->front();
    QVERIFY2(measurement.valid(), (describe(*family, one.configuration) + measurement.message).c_str());
    QCOMPARE(measurement.samples_seconds.size(), std::size_t{3});
    const codegen::KernelSource source = family->source(one.configuration).value();
    QVERIFY(measurement.resources.has_value());
    const std::string memory =
        memory_problem(*family, one.configuration, source, measurement.resources->shared_bytes);
    QVERIFY2(memory.empty(), memory.c_str());
    QCOMPARE(std::int64_t{measurement.resources->threads}, source.launch.threads());
  }

 private:
  static void add_templates(schedule::TargetKind kind) {
    QTest::addColumn<QString>("name");
    for (const schedule::TemplateDeclaration* declaration : templates_of(kind))
      QTest::newRow(declaration->name.c_str()) << QString::fromStdString(declaration->name);
  }

  std::uint64_t seed_ = 0;
};

KERNELSCAPE_TEST(MeasureGpuTemplatesTest, QCoreApplication)

}  // namespace kernelscape::measure_gpu_templates_test
#include "measure_gpu_templates_test.moc"

#include <fmt/format.h>

#include <QTest>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <set>
#include <span>

#include "core/loop_nest/shared_memory.h"
#include "core/schedule/schedule.h"
#include "core/space/solver_model.h"
#include "tests/loop_nest/gpu_interpreter.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_space_proof_test {
using namespace kernelscape::testing;

namespace {

/** Whole spaces in place of a sample of each, and all samples of the solver. */
bool everything() { return std::getenv("KERNELSCAPE_TEST_ROUNDS") != nullptr; }

// --- tiny tasks ---

/** A CPU of four lanes and sixteen registers. */
schedule::TargetDescription small_cpu() { return cpu_with_lanes(4); }

/** A GPU so small that tiny kernels are beyond each of its limits. */
schedule::TargetDescription small_gpu(schedule::TargetKind kind) {
  schedule::TargetDescription target = cuda_with_tensor_cores();
  target.name = schedule::to_string(kind);
  target.kind = kind;
  target.threads_per_block = kind == schedule::TargetKind::Cuda ? 8 : 6;
  target.block_x = target.block_y = 4;
  target.block_z = 2;
  target.shared_bytes = kind == schedule::TargetKind::Cuda ? 160 : 96;
  target.grid_x = target.grid_y = 4;
  target.grid_z = 3;
  target.registers_per_thread = kind == schedule::TargetKind::Cuda ? 8 : 6;
  return target;
}

/** Warps and fragments are as large as they are: only the rest is small. */
schedule::TargetDescription small_tensor_cores() {
  schedule::TargetDescription target = cuda_with_tensor_cores();
  target.threads_per_block = 128;
  target.block_z = 2;
  target.shared_bytes = 16 * 1024;
  target.grid_x = target.grid_y = 4;
  target.grid_z = 16;
  return target;
}

struct Case {
  const char* template_name;
  const char* task;
};

/** Every template once at least. */
constexpr Case cpu_cases[] = {
    {"generated", "matmul 16x8 8x12"},
    {"generated", "gemv 16x8 8"},
    {"generated", "bmm 2x6x4 2x8x4 transpose_b"},
    {"generated", "conv1d 2x6x9 8x6x3 pad=1"},
    {"generated", "conv2d 1x4x4x8 8x4x3x3 pad=1"},
    {"generated", "conv2d 1x3x5x6 5x3x2x3 stride=2x1 pad=0:1x1:0 dilation=1x2"},
    {"generated", "conv3d 1x2x3x3x4 8x2x2x2x2 pad=1"},
    {"generated", "conv1d 1x4x6 4x8x3 transposed"},
    {"generated", "conv2d 1x4x3x4 4x8x2x2 stride=2 transposed"},
    {"generated", "conv2d 1x8x4x6 8x1x3x3 pad=1 groups=8"},
    {"generated", "conv1d 1x4x8 8x1x3 groups=4"},
    {"generated", "conv2d 1x8x4x4 8x4x3x3 groups=2"},
    {"generated", "matmul 16x16 16x12 i8"},
    {"generated", "gemv 16x8 8 i8"},
    {"generated", "bmm 2x6x8 2x8x8 i8"},
    {"generated", "conv1d 1x8x9 8x8x3 pad=1 i8"},
    {"generated", "conv2d 1x5x4x8 8x5x3x3 pad=1 i8"},
    {"generated", "conv2d 1x8x5x6 5x8x2x3 stride=2x1 dilation=1x2 i8"},
    {"generated", "conv3d 1x4x3x3x4 8x4x2x2x2 i8"},
    {"generated", "conv2d 1x8x3x4 8x8x2x2 stride=2 transposed i8"},
    {"generated-local", "matmul 16x8 8x12"},
    {"generated-local", "conv2d 1x4x4x6 8x4x3x3 pad=1"},
    {"generated-local", "conv2d 1x3x5x6 5x3x2x3 stride=2x1 pad=0:1x1:0 dilation=1x2"},
    {"generated-local", "conv1d 1x6x9 8x6x3 pad=1"},
    {"generated-local", "conv2d 1x8x4x4 8x4x3x3 groups=2"},
    {"generated-local", "conv1d 8x2x3 2x1x3 stride=2 groups=2 transposed"},
    {"conv2d-packed", "conv2d 1x4x4x8 8x4x3x3 pad=1"},
    {"conv2d-packed", "conv2d 1x8x4x5 8x8x1x1"},
    {"conv2d-nchwc", "conv2d 1x4x4x4 8x4x3x3 pad=1"},
    {"conv1d-packed", "conv1d 1x8x16 8x8x3 pad=1"},
    {"conv3d-packed", "conv3d 1x2x2x3x8 8x2x2x2x3 pad=1"},
    {"transposed-packed", "conv2d 1x4x3x4 4x8x2x2 stride=2 transposed"},
    {"depthwise-packed", "conv2d 1x8x4x8 8x1x3x3 pad=1 groups=8"},
    {"grouped-packed", "conv2d 1x8x4x8 16x4x3x3 pad=1 groups=2"},
    {"matmul-packed", "matmul 8x8 8x16"},
    {"matmul-packed", "gemv 24x8 8"},
    {"batch-matmul-packed", "bmm 2x8x4 2x4x8"},
    {"matmul-blocked", "matmul 7x8 8x12"},
    {"matmul-blocked", "gemv 11x6 6"},
    {"batch-matmul-blocked", "bmm 2x3x4 2x4x8"},
    {"matmul-copied", "matmul 7x4 4x12"},
    {"batch-matmul-copied", "bmm 2x3x4 2x4x8"},
    {"matmul-tiled", "matmul 8x4 4x16"},
    {"batch-matmul-tiled", "bmm 2x8x4 2x4x8"},
    {"conv2d-rows", "conv2d 1x4x4x8 8x4x3x3 pad=1"},
    {"conv2d-rows", "conv2d 1x2x5x6 5x2x2x3 stride=2x1 pad=0:1x1:0 dilation=1x2"},
    {"conv2d-winograd-2x2", "conv2d 1x4x4x6 8x4x3x3 pad=1"},
    {"conv2d-winograd-2x2", "conv2d 2x3x5x3 5x3x3x3 pad=0:1x1:2"},
    {"conv2d-winograd-4x4", "conv2d 1x8x7x5 8x8x3x3 pad=1"},
    {"conv2d-winograd-6x6", "conv2d 1x4x8x12 8x4x3x3 pad=0:2x2:0"},
    {"conv2d-bf16", "conv2d 1x4x4x8 8x4x3x3 pad=1 bf16"},
    {"matmul-bf16", "matmul 8x8 8x16 bf16"},
    {"conv2d-vnni", "conv2d 1x8x4x8 8x8x3x3 pad=1 i8"},
    {"matmul-vnni", "matmul 8x16 16x16 i8"},
    {"conv2d-nchwc-int8", "conv2d 1x8x4x4 16x8x3x3 pad=1 i8"},
    {"dense-vnni", "matmul 8x16 16x32 i8"},
    {"generated-vnni", "matmul 4x8 8x8 i8"},
    {"generated-vnni", "conv2d 1x5x3x4 6x5x2x3 pad=1 i8"},
};
constexpr Case gpu_cases[] = {
    {"generated", "matmul 4x4 4x4"},
    {"generated", "gemv 8x4 4"},
    {"generated", "bmm 2x2x4 2x4x2"},
    {"generated", "conv1d 2x2x4 2x2x3 pad=1"},
    {"generated", "conv2d 1x2x3x3 2x2x2x2"},
    {"generated", "conv2d 1x2x4x3 2x2x2x1 stride=2 pad=0:1x1:0 dilation=2x1"},
    {"generated", "conv3d 1x2x2x2x2 2x2x1x3x1 pad=0x1x0"},
    {"generated", "conv1d 1x2x3 2x2x2 transposed"},
    {"generated", "conv2d 1x2x1x2 2x2x2x2 stride=2 transposed"},
    {"generated", "conv2d 1x4x4x4 4x1x3x3 groups=4"},
    {"conv2d-direct", "conv2d 1x2x3x3 2x2x2x2"},
    {"depthwise-direct", "conv2d 1x4x3x4 4x1x2x1 groups=4"},
    {"matmul", "matmul 4x4 4x4"},
    {"batch-matmul", "bmm 2x2x4 2x4x4"},
};
constexpr Case tensor_core_cases[] = {
    {"matmul-wmma", "matmul 32x32 32x64 f16"},
    {"batch-matmul-wmma", "bmm 2x32x32 2x32x64 transpose_a f16"},
    {"conv2d-wmma", "conv2d 16x32x2x1 32x32x1x1 f16"},
};

// --- what a kernel needs, counted from its loop nest ---

struct Needs {
  std::array<std::int64_t, 6> launch{1, 1, 1, 1, 1, 1};  ///< blocks along x, y and z, then threads
  std::int64_t shared_bytes = 0;
  std::int64_t local_bytes = 0;  ///< of a CPU's thread
  std::int64_t sums = 0;         ///< elements of a thread's accumulators; 0: fragments have them

  std::int64_t threads() const { return launch[3] * launch[4] * launch[5]; }
};

Needs needs_of(const loop_nest::LoopNest& nest, schedule::TargetKind kind) {
  Needs needs;
  for (const loop_nest::LaunchIndex& index : nest.launch)
    needs.launch[static_cast<std::size_t>(index.dimension)] =
        nest.ranges.at(static_cast<std::size_t>(index.variable)).high + 1;
  for (const loop_nest::Buffer& buffer : nest.buffers) {
    if (buffer.scope == loop_nest::BufferScope::Registers && buffer.name == "sum")
      needs.sums = loop_nest::element_count(buffer);
    if (buffer.scope == loop_nest::BufferScope::Local)
      needs.local_bytes += loop_nest::element_count(buffer) * bytes_of_element(buffer);
  }
  if (kind != schedule::TargetKind::Cpu) needs.shared_bytes = loop_nest::place_shared_buffers(nest).bytes;
  return needs;
}

/** Which need is beyond the target; nothing where none is. */
std::string beyond(const Needs& needs, const schedule::TargetDescription& target) {
  constexpr std::int64_t max_local_bytes = 256 * 1024;  // the tiny tiles of Winograd's are below it too
  if (target.kind == schedule::TargetKind::Cpu)
    return needs.local_bytes > max_local_bytes ? "local memory" : "";
  const std::array<std::int64_t, 6> most{target.grid_x,  target.grid_y,  target.grid_z,
                                         target.block_x, target.block_y, target.block_z};
  constexpr std::array names{"blocks x", "blocks y", "blocks z", "threads x", "threads y", "threads z"};
  for (std::size_t i = 0; i < most.size(); ++i)
    if (needs.launch[i] > most[i]) return names[i];
  if (needs.threads() > target.threads_per_block) return "threads";
  return needs.shared_bytes > target.shared_bytes ? "shared memory" : "";
}

// --- what a template chooses to leave out, though it would compute the right result ---

std::int64_t element(const space::SearchSpace& space, const space::Configuration& configuration,
                     const char* knob, int position) {
  const std::uint32_t number = space.find_knob(knob).value();
  return space.knobs()[number].element(configuration.indices[number], position);
}

/** TVM's own templates for a CPU spill as they please. */
bool keeps_sums_in_registers(const std::string& name) {
  return name.starts_with("generated") || name.ends_with("-packed") || name.ends_with("-tiled") ||
         name.ends_with("-bf16") || name.ends_with("-blocked") || name.ends_with("-copied") ||
         name == "conv2d-rows" || name.starts_with("conv2d-winograd") || name == "conv2d-vnni" ||
         name == "matmul-vnni";
}

/** The number of lanes that a configuration computes together. */
std::int64_t lanes_of(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration) {
  const std::vector<schedule::Loop>& loops = kernel.schedule().loops();
  const auto lane = std::ranges::find(loops, "lane", &schedule::Loop::name);
  return kernel.schedule().length(schedule::LoopId{static_cast<int>(lane - loops.begin())}, configuration);
}

std::string left_out(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
                     const Needs& needs) {
  const std::string& name = kernel.template_name();
  const space::SearchSpace& space = kernel.space();
  const schedule::TargetDescription& target = kernel.target();
  const std::int64_t max_sums = (target.vector_registers - 2) * target.vector_lanes_f32();
  if (target.kind != schedule::TargetKind::Cpu)  // TVM's leave registers to the compiler
    return name == "generated" && needs.sums > target.registers_per_thread ? "accumulators" : "";
  if (name == "generated-vnni") {
    const std::int64_t lanes = lanes_of(kernel, configuration);
    if (lanes < 4 || lanes > target.vector_lanes_f32() ||
        std::popcount(static_cast<std::uint64_t>(lanes)) != 1)
      return "no vector";
    return needs.sums > (target.vector_registers - 2) * lanes ? "accumulators" : "";
  }
  if (keeps_sums_in_registers(name) && needs.sums > max_sums) return "accumulators";
  if (space.find_knob("register_rows") && !space.find_knob("register_vectors") &&
      element(space, configuration, "register_rows", 0) > element(space, configuration, "tile_rows", 1))
    return "a tile higher than its block";
  if (space.find_knob("tile_positions") &&
      element(space, configuration, "tile_ow", 0) > element(space, configuration, "tile_positions", 1))
    return "a tile longer than its strip";
  if (space.find_knob("register_positions") &&
      element(space, configuration, "register_positions", 0) >
          element(space, configuration, "tile_rows", 1) * element(space, configuration, "tile_columns", 1))
    return "a register tile longer than its block of tiles";
  return {};
}

// --- kernels of all combinations ---

/** The same kernels without constraints and limits: every combination of knobs is a member. */
schedule::ScheduledKernel unconstrained(const schedule::ScheduledKernel& kernel) {
  return {kernel.template_name(),
          kernel.template_version(),
          kernel.task(),
          kernel.target(),
          *space::SearchSpace::make(kernel.space().knobs()),
          space::ConstraintSystem(),
          kernel.shared_schedule()};
}

class Oracle {
 public:
  explicit Oracle(const schedule::ScheduledKernel& kernel)
      : kernel_(kernel),
        free_(unconstrained(kernel)),
        reference_(task::compute_reference(op(), task::make_reference_inputs(op(), input_seed), 1)) {}

  /** Why a combination makes no kernel that the target takes and that computes the operator; nothing: it
   * does. Constraints have no part in it. */
  std::string why_not(const space::Configuration& configuration) const {
    try {
      const auto lowered = free_.lower(configuration);
      if (!lowered) return "not lowered";
      const Needs needs = needs_of(lowered->nest, kernel_.target().kind);
      if (std::string need = beyond(needs, kernel_.target()); !need.empty()) return need;
      if (std::string choice = left_out(kernel_, configuration, needs); !choice.empty()) return choice;
      return computes(lowered->nest) ? "" : "another result";
    } catch (const std::exception&) {  // a lowering that has no such kernel, or one that leaves its tensors
      return "no kernel";
    }
  }

  /** @throws std::runtime_error where the nest does what a kernel must not */
  bool computes(const loop_nest::LoopNest& nest) const {
    const auto arguments = arguments_of(nest, op());
    const std::vector<double> output = kernel_.target().kind == schedule::TargetKind::Cpu
                                           ? interpret(nest, arguments)
                                           : interpret_gpu(nest, arguments);
    return task::compare_with_reference(op(), reference_, unpack<double>(nest.buffers[2].layout, output),
                                        nest.buffers[1].layout.winograd_tile)
        .equal;
  }

 private:
  const task::TensorOperator& op() const { return *kernel_.task().op; }

  const schedule::ScheduledKernel& kernel_;
  schedule::ScheduledKernel free_;
  task::Reference reference_;
};

}  // namespace

/** Whether constraints and limits say exactly what works: of tiny tasks every combination of knobs is
 * lowered, counted and interpreted (with KERNELSCAPE_TEST_ROUNDS; else a sample of each), and no one asks a
 * constraint until the answer is compared. */
class ScheduleSpaceProofTest : public QObject {
  Q_OBJECT

 private slots:
  void every_template_is_proven() {
    std::set<std::string> names;
    for (const std::span<const Case> cases :
         {std::span<const Case>(cpu_cases), std::span<const Case>(gpu_cases),
          std::span<const Case>(tensor_core_cases)})
      for (const Case& one : cases) names.insert(one.template_name);
    for (const schedule::TemplateDeclaration& declaration : schedule::template_registry())
      QVERIFY2(names.contains(declaration.name), declaration.name.c_str());
  }

  void accepted_is_exactly_what_works_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("tensor_cores");
    const auto add = [](const Case& one, schedule::TargetKind kind, bool tensor_cores) {
      QTest::newRow(fmt::format("{}, {}, {}", one.template_name, one.task, schedule::to_string(kind)).c_str())
          << one.template_name << one.task << static_cast<int>(kind) << tensor_cores;
    };
    for (const Case& one : cpu_cases) add(one, schedule::TargetKind::Cpu, false);
    for (const schedule::TargetKind kind : {schedule::TargetKind::Cuda, schedule::TargetKind::OpenCl})
      for (const Case& one : gpu_cases) add(one, kind, false);
    for (const Case& one : tensor_core_cases) add(one, schedule::TargetKind::Cuda, true);
  }

  void accepted_is_exactly_what_works() {
    QFETCH(QString, name);
    QFETCH(QString, text);
    QFETCH(int, kind);
    QFETCH(bool, tensor_cores);
    const auto target_kind = static_cast<schedule::TargetKind>(kind);
    const schedule::TargetDescription target = tensor_cores ? small_tensor_cores()
                                               : target_kind == schedule::TargetKind::Cpu
                                                   ? small_cpu()
                                                   : small_gpu(target_kind);
    const auto task = task::parse_task(text.toStdString());
    QVERIFY2(task.has_value(), task ? "" : describe(task.error()).c_str());
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), target_kind);
    if (const Status fits = declaration.fits(*task, target); !fits) QSKIP(fits.error().message.c_str());
    const auto kernel = declaration.apply(*task, target);
    QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
    const space::SearchSpace& space = kernel->space();
    // The independent choices of Heron's sketch for DL Boost multiply: schedule_vnni_sketch_test has all
    // combinations of those that constraints tie.
    const bool enumerable = name != "generated-vnni";
    QVERIFY2(!enumerable || space.size() < 200'000, "too many combinations to enumerate");

    const Oracle oracle(*kernel);
    const auto size = static_cast<std::uint64_t>(space.size());
    const std::uint64_t count = !everything() ? std::min<std::uint64_t>(size, tensor_cores ? 40 : 120)
                                : enumerable  ? size
                                              : 20'000;
    base::Random random(everything() ? 0 : random_seed());
    const auto accepts = [&](const space::Configuration& configuration) {
      return space.contains(configuration) && kernel->within_limits(configuration);
    };
    std::uint64_t accepted = 0;
    std::map<std::string, std::uint64_t> refused;
    for (std::uint64_t i = 0; i < count; ++i) {
      space::Configuration configuration = space.at(count == size ? i : random.below(size));
      // Half of a sample is to be accepted, which few are where tiles must divide.
      for (int left = count == size || i % 2 == 0 ? 0 : 1000; left > 0 && !accepts(configuration); --left)
        configuration = space.at(random.below(size));
      const std::string reason = oracle.why_not(configuration);
      const bool accepting = accepts(configuration);
      QVERIFY2(accepting == reason.empty(), fmt::format("{} {}: {}", accepting ? "accepted" : "refused",
                                                        space.describe(configuration), reason)
                                                .c_str());
      ++(reason.empty() ? accepted : refused[reason]);
    }
    QVERIFY(accepted > 0);
    if (!everything()) return;
    std::string report = fmt::format("{} of {} accepted", accepted, size);
    for (const auto& [reason, times] : refused) report += fmt::format(", {} {}", reason, times);
    qInfo("%s", report.c_str());
  }

  void what_the_solver_finds_is_right_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"conv2d 1x16x14x14 32x16x3x3 pad=1", "conv2d 1x24x9x9 40x24x3x3 stride=2 pad=1",
          "matmul 48x64 64x80", "conv2d 1x32x10x10 32x1x3x3 pad=1 groups=32", "bmm 3x24x32 3x32x40",
          "conv3d 1x8x5x6x7 16x8x3x3x3 pad=1", "conv2d 1x16x7x7 16x24x4x4 stride=2 pad=1 transposed",
          "conv2d 1x32x9x9 32x32x3x3 pad=1 i8", "matmul 48x96 96x80 i8"})
      QTest::newRow(text) << text;
  }

  /** Of `generated` for a CPU, at sizes at which no one enumerates: 500 of each shape with
   * KERNELSCAPE_TEST_ROUNDS. */
  void what_the_solver_finds_is_right() {
    QFETCH(QString, text);
    const auto kernel =
        schedule::apply_template(*task::parse_task(text.toStdString()), cpu_with_lanes(8), "generated");
    QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
    const auto restricted = kernel->space().restricted_by(kernel->limits());
    QVERIFY(restricted.has_value());
    const Oracle oracle(*kernel);
    base::Random random(random_seed());
    for (int i = 0; i < (everything() ? 500 : 4); ++i) {
      const auto solution = restricted->solver().solve({}, {}, base::Random(random.bits()));
      QVERIFY(solution.has_value() && std::holds_alternative<space::Configuration>(*solution));
      const auto& configuration = std::get<space::Configuration>(*solution);
      QVERIFY(kernel->space().contains(configuration) && kernel->within_limits(configuration));
      const auto lowered = kernel->lower(configuration);
      QVERIFY2(lowered.has_value(), lowered ? "" : describe(lowered.error()).c_str());
      QVERIFY2(oracle.computes(lowered->nest), kernel->space().describe(configuration).c_str());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleSpaceProofTest)

}  // namespace kernelscape::schedule_space_proof_test
#include "schedule_space_proof_test.moc"

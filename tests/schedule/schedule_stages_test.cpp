#include <fmt/format.h>

#include <QTest>
#include <functional>
#include <map>
#include <set>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/shared_memory.h"
#include "core/schedule/constraint_derivation.h"
#include "core/schedule/constraint_rules.h"
#include "core/schedule/lower.h"
#include "core/schedule/sketch/sketch.h"
#include "tests/loop_nest/gpu_interpreter.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_stages_test {
using namespace kernelscape::testing;

namespace {

TensorOperator operator_of(const char* text) { return *parse_task(text)->op; }

LoopNest with_passes(const LoopNest& nest, TargetKind kind) {
  return *run_passes(nest, kind == TargetKind::Cpu ? cpu_passes() : gpu_passes());
}

std::vector<double> output_of(const LoopNest& nest, const TensorOperator& op, TargetKind kind) {
  if (kind == TargetKind::Cpu)
    return unpack<double>(nest.buffers[2].layout, interpret(nest, arguments_of(nest, op), 3));
  GpuInterpreter interpreter(nest, arguments_of(nest, op));
  interpreter.run();
  return unpack<double>(nest.buffers[2].layout, std::span<const double>(interpreter.buffer(2)));
}

/** Empty where a configuration's nest computes the operator, before all passes and after them. */
std::string problem(const Schedule& schedule, const Configuration& configuration,
                    const TargetDescription& target) {
  const TensorOperator& op = schedule.op();
  const Reference reference = compute_reference(op, make_reference_inputs(op, input_seed), 1);
  const LoopNest nest = lower(schedule, configuration, target);
  for (const LoopNest& version : {nest, with_passes(nest, target.kind)}) {
    const Comparison comparison = compare_with_reference(op, reference, output_of(version, op, target.kind));
    if (!comparison.equal) return describe_mismatch(op, comparison) + "\n" + to_text(version);
  }
  return {};
}

/** Of a schedule's own space, whatever a template would add to it. */
std::string problem_of_members(const Schedule& schedule, const TargetDescription& target, Random& random,
                               int members) {
  if (const Status understood = schedule.check(target.kind); !understood) return understood.error().message;
  const auto space = schedule.finish();
  if (!space) return space.error().message;
  for (int i = 0; i < members; ++i) {
    const auto member = space->random_member(random);
    if (!member) return "no member was found";
    if (std::string wrong = problem(schedule, *member, target); !wrong.empty())
      return space->describe(*member) + ": " + wrong;
  }
  return {};
}

/** Images, rows and columns of a convolution fused into one axis of a matrix multiplication, as Heron's
 * templates see it; the columns of the data in a place of their own (im2col). */
Schedule im2col(const char* text, TargetKind kind) {
  Schedule s(operator_of(text));
  const LoopId pixels = s.fuse({s.axis("n"), s.axis("y"), s.axis("x")}, "pixel");
  const LoopId taps = s.fuse({s.axis("rc"), s.axis("ry"), s.axis("rx")}, "tap");
  CopyOptions by_loops;
  by_loops.index = CopyIndex::Loops;
  const auto pixel = s.split(pixels, 3, "tile_pixel");
  const auto tap = s.split(taps, 2, "tile_tap");
  const auto filter = s.split(s.axis("f"), 2, "tile_f");
  if (kind == TargetKind::Cpu) {
    s.reorder({pixel[0], filter[0], tap[0], pixel[1], tap[1], pixel[2], filter[1]});
    s.parallel({pixel[0]});
    s.cache_read(0, BufferScope::Local, s.attach_by("copy_in", {tap[0], pixel[1]}), by_loops);
    s.cache_write(BufferScope::Registers, pixel[1]);
    s.unroll(pixel[2]);
    s.unroll(filter[1]);
    return s;
  }
  s.bind(pixel[0], Binding::BlockX);
  s.bind(filter[0], Binding::BlockY);
  s.bind(pixel[1], Binding::ThreadX);
  s.reorder({pixel[0], filter[0], pixel[1], tap[0], tap[1], pixel[2], filter[1]});
  s.cache_write(BufferScope::Registers, pixel[1]);
  s.cache_read(0, BufferScope::Shared, tap[0], by_loops);
  s.cache_read(1, BufferScope::Shared, tap[0], by_loops);
  return s;
}

/** A multiplication that any target understands, but for what `change` does to it. */
Schedule multiplication(TargetKind kind, const std::function<void(Schedule&)>& change) {
  Schedule s(operator_of("matmul 8x6 6x4"));
  const auto row = s.split(s.axis("y"), 2, "tile_y");
  const auto column = s.split(s.axis("x"), 2, "tile_x");
  s.name(row, {"row_block", "row"});
  s.name(column, {"column_block", "column"});
  s.reorder({row[0], column[0], s.axis("k"), row[1], column[1]});
  if (kind == TargetKind::Cpu) {
    s.parallel({row[0]});
    s.unroll(row[1]);
    s.unroll(column[1]);
  } else {
    s.bind(row[0], Binding::BlockX);
    s.bind(column[0], Binding::ThreadX);
  }
  s.cache_write(BufferScope::Registers, column[0]);
  change(s);
  return s;
}

LoopId loop_named(const Schedule& s, const std::string& name) {
  for (std::size_t i = 0; i < s.loops().size(); ++i)
    if (s.loops()[i].name == name) return LoopId{static_cast<int>(i)};
  throw std::logic_error("no loop " + name);
}

std::int64_t bytes_in(const LoopNest& nest, BufferScope scope) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : nest.buffers)
    if (buffer.scope == scope) bytes += element_count(buffer) * element_bytes(buffer);
  return bytes;
}

}  // namespace

/** Stages: copies numbered by boxes and by loops, attached where a knob says, fused loops; and what a target
 * does not understand. */
class ScheduleStagesTest : public QObject {
  Q_OBJECT

 private slots:
  void columns_of_images_are_copied_by_loops_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"conv2d 2x3x4x5 4x3x3x2 pad=1", "conv2d 1x2x5x4 3x2x2x2 stride=2",
                             "conv2d 2x2x3x3 2x2x3x3 dilation=2 pad=2", "conv2d 1x3x3x3 2x3x1x1"})
      QTest::newRow(text) << text;
  }

  void columns_of_images_are_copied_by_loops() {
    QFETCH(QString, text);
    const std::string task = text.toStdString();
    Random random(random_seed());
    const std::string on_cpu =
        problem_of_members(im2col(task.c_str(), TargetKind::Cpu), cpu_with_lanes(4), random, 25);
    QVERIFY2(on_cpu.empty(), on_cpu.c_str());
    const std::string on_gpu =
        problem_of_members(im2col(task.c_str(), TargetKind::Cuda), default_cuda_target(), random, 25);
    QVERIFY2(on_gpu.empty(), on_gpu.c_str());
  }

  /** What the constraints count is what lies in memory, wherever a knob puts it. */
  void memory_is_counted_where_it_is_attached() {
    Random random(random_seed());
    for (const char* text : {"conv2d 1x6x9x7 8x6x3x3 pad=1", "conv2d 2x4x8x8 5x4x3x2 stride=2"}) {
      const auto kernel = apply_template(*parse_task(text), cpu_with_lanes(4), "conv2d-rows");
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const ConstraintSystem& limits = kernel->limits();
      std::optional<VariableId> counted;
      for (VariableId variable = 0; variable < limits.variables().size(); ++variable)
        if (limits.variables()[variable].name == "local_data_bytes") counted = variable;
      QVERIFY(counted.has_value());
      std::set<std::int64_t> sizes;
      for (int i = 0; i < 60; ++i) {
        const auto member = kernel->space().random_member(random);
        QVERIFY(member.has_value());
        const Evaluation evaluation = limits.evaluate(kernel->space().knobs(), *member);
        const LoopNest nest = lower(kernel->schedule(), *member, kernel->target());
        QCOMPARE(evaluation.values[*counted], bytes_in(nest, BufferScope::Local));
        sizes.insert(evaluation.values[*counted]);
      }
      QVERIFY(sizes.size() > 5);
    }
  }

  void rows_in_local_memory_compute_the_convolution() {
    Random random(random_seed());
    for (int i = 0; i < 12; ++i) {
      const auto task = random_convolution(random);
      if (!task) continue;
      const auto kernel = apply_template(*task, cpu_with_lanes(i % 2 == 0 ? 4 : 8), "conv2d-rows");
      if (!kernel) continue;  // groups
      for (int draw = 0; draw < 4; ++draw) {
        const Configuration member = accepted_member(*kernel, random);
        const std::string wrong = problem(kernel->schedule(), member, kernel->target());
        QVERIFY2(wrong.empty(), (task->text + " " + kernel->space().describe(member) + ": " + wrong).c_str());
      }
    }
  }

  void lengths_are_products_and_selections_of_others() {
    Schedule s(operator_of("conv2d 2x4x6x6 8x4x3x3"));
    const auto rows = s.split(s.axis("y"), 2, "tile_y");
    const auto columns = s.split(s.axis("x"), 2, "tile_x");
    const LoopId fused = s.fuse({rows[1], columns[1]}, "pixel");
    const AttachPoint place = s.attach_by("place", {rows[0], columns[0], fused});
    ConstraintBuilder builder(s);
    const VariableId length = builder.length_of(fused);
    QCOMPARE(builder.length_of(fused), length);
    std::vector<VariableId> choices;
    for (const LoopId loop : place.loops) choices.push_back(builder.length_of(loop));
    const VariableId chosen = builder.select("chosen", *place.knob, choices);
    const ConstraintSystem system = std::move(builder).take();
    Random random(random_seed());
    for (int i = 0; i < 50; ++i) {
      Configuration configuration;
      for (const Knob& knob : s.knobs())
        configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
      const Evaluation evaluation = system.evaluate(s.knobs(), configuration);
      QCOMPARE(evaluation.values[length], s.length(fused, configuration));
      Stage stage;
      stage.at = place;
      QCOMPARE(evaluation.values[chosen], s.length(s.attached_at(stage, configuration), configuration));
    }
  }

  void a_mistake_is_named_by_its_primitive_data() {
    QTest::addColumn<bool>("gpu");
    QTest::addColumn<QString>("words");
    QTest::addColumn<std::function<void(Schedule&)>>("mistake");
    using Change = std::function<void(Schedule&)>;
    const auto add = [](const char* name, bool gpu, const char* words, Change mistake) {
      QTest::newRow(name) << gpu << QString(words) << std::move(mistake);
    };
    add("blocks on a CPU", false, "bind: column_block",
        [](Schedule& s) { s.bind(loop_named(s, "column_block"), Binding::BlockX); });
    add("threads of a CPU on a GPU", true, "parallel: row",
        [](Schedule& s) { s.parallel({loop_named(s, "row")}); });
    add("lanes on a GPU", true, "vectorize: column",
        [](Schedule& s) { s.vectorize(loop_named(s, "column")); });
    add("a CPU's compiler on a GPU", true, "unroll_hint: k",
        [](Schedule& s) { s.unroll_hint(loop_named(s, "k"), s.ordinal("u", {1, 2})); });
    add("a GPU's unrolling on a CPU", false, "auto_unroll", [](Schedule& s) { s.auto_unroll({0, 16}); });
    add("shared memory on a CPU", false, "cache_read of a: a CPU does not support stages in shared",
        [](Schedule& s) { s.cache_read(0, BufferScope::Shared, loop_named(s, "k")); });
    add("local memory on a GPU", true, "cache_read of a: a GPU does not support stages in local",
        [](Schedule& s) { s.cache_read(0, BufferScope::Local, loop_named(s, "k")); });
    add("registers from nowhere", true, "filled from shared memory",
        [](Schedule& s) { s.cache_read(0, BufferScope::Registers, loop_named(s, "k")); });
    add("sums dealt out", false, "parallel: k is a reduction",
        [](Schedule& s) { s.parallel({loop_named(s, "k")}); });
    add("sums in threads", true, "bind: k is a reduction",
        [](Schedule& s) { s.bind(loop_named(s, "k"), Binding::ThreadX); });
    add("two local copies", false, "cache_read of a: it has two copies", [](Schedule& s) {
      s.cache_read(0, BufferScope::Local, loop_named(s, "row_block"));
      s.cache_read(0, BufferScope::Local, loop_named(s, "k"));
    });
    add("a copy before what it copies", true, "attached to column_block, outside of k", [](Schedule& s) {
      s.cache_read(0, BufferScope::Shared, loop_named(s, "k"));
      s.cache_read(0, BufferScope::Registers, loop_named(s, "column_block"));
    });
    add("double buffered by blocks", true, "cache_read of a: it is double buffered in row_block",
        [](Schedule& s) { s.cache_read(0, BufferScope::Shared, loop_named(s, "row_block"), {.copies = 2}); });
    add("copies of two numbers", true, "cache_read of a: it has 2 copies in k, but b has 1", [](Schedule& s) {
      s.cache_read(0, BufferScope::Shared, loop_named(s, "k"), {.copies = 2});
      s.cache_read(1, BufferScope::Shared, loop_named(s, "k"));
    });
    add("threads inside of a thread's loop", false, "parallel: row is distributed over threads inside of",
        [](Schedule& s) { s.parallel({loop_named(s, "row")}); });
    add("fragments without an operation", true, "tensorize is missing", [](Schedule& s) {
      s.cache_read(0, BufferScope::Shared, loop_named(s, "k"));
      s.cache_read(0, BufferScope::Fragments, loop_named(s, "k"));
    });
    add("a loop beside its parts", false, "reorder: k is split or fused",
        [](Schedule& s) { s.split(loop_named(s, "k"), 2, "tile_k"); });
    add("a loop that the order misses", false, "reorder: the order contains k 0 times", [](Schedule& s) {
      s.reorder({loop_named(s, "row_block"), loop_named(s, "column_block"), loop_named(s, "row"),
                 loop_named(s, "column")});
    });
    add("a loop twice", false, "reorder: the order contains k 2 times", [](Schedule& s) {
      s.reorder({loop_named(s, "row_block"), loop_named(s, "column_block"), loop_named(s, "k"),
                 loop_named(s, "k"), loop_named(s, "row"), loop_named(s, "column")});
    });
    add("an operation of another machine", false, "tensorize: wmma is an operation of target cuda",
        [](Schedule& s) {
          s.tensorize(intrinsic("wmma"), {loop_named(s, "row"), loop_named(s, "column"), loop_named(s, "k")});
        });
    add("an operation of other types", false, "vpdpbusd does not support the operator's types",
        [](Schedule& s) { s.tensorize(intrinsic("vpdpbusd"), {loop_named(s, "k")}); });
  }

  void a_mistake_is_named_by_its_primitive() {
    QFETCH(bool, gpu);
    QFETCH(QString, words);
    QFETCH(std::function<void(Schedule&)>, mistake);
    const TargetKind kind = gpu ? TargetKind::Cuda : TargetKind::Cpu;
    const Status right = multiplication(kind, [](Schedule&) {}).check(kind);
    QVERIFY2(right.has_value(), right ? "" : right.error().message.c_str());
    const Status wrong = multiplication(kind, mistake).check(kind);
    QVERIFY(!wrong.has_value());
    QVERIFY2(QString::fromStdString(wrong.error().message).contains(words), wrong.error().message.c_str());
  }

  void what_is_forgotten_is_named() {
    Schedule nothing(operator_of("matmul 8x6 6x4"));
    nothing.reorder({nothing.axis("y"), nothing.axis("x"), nothing.axis("k")});
    QVERIFY(QString::fromStdString(nothing.check(TargetKind::Cpu).error().message)
                .contains("cache_write is missing"));
    nothing.cache_write(BufferScope::Registers, nothing.axis("y"));
    QVERIFY(QString::fromStdString(nothing.check(TargetKind::Cpu).error().message)
                .contains("unroll or vectorize is missing: x"));
    QVERIFY(
        QString::fromStdString(nothing.check(TargetKind::Cuda).error().message).contains("bind is missing"));
    nothing.unroll(nothing.axis("x"));
    QVERIFY(nothing.check(TargetKind::Cpu).has_value());
  }

  /** Inputs may be copied in different loops of a GPU's kernel. */
  void each_input_is_shared_where_it_says() {
    Random random(random_seed());
    Schedule s(operator_of("matmul 8x12 12x8"));
    const auto row = s.split(s.axis("y"), 2, "tile_y");
    const auto column = s.split(s.axis("x"), 2, "tile_x");
    const auto depth = s.split(s.axis("k"), 3, "tile_k");
    s.bind(row[0], Binding::BlockX);
    s.bind(column[0], Binding::ThreadX);
    s.reorder({row[0], column[0], depth[0], depth[1], depth[2], row[1], column[1]});
    s.cache_write(BufferScope::Registers, column[0]);
    s.cache_read(0, BufferScope::Shared, depth[0]);
    s.cache_read(1, BufferScope::Shared, s.attach_by("place_of_b", {depth[0], depth[1]}));
    const std::string wrong = problem_of_members(s, default_cuda_target(), random, 40);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  void rules_have_names_and_a_condition() {
    std::set<std::string_view> names;
    for (const ConstraintRule& rule : constraint_rules()) {
      QVERIFY(rule.applies != nullptr && rule.add != nullptr && !rule.about.empty());
      QVERIFY(names.insert(rule.name).second);
    }
    for (const char* rule : {"C1", "C2", "C3", "C4", "C5", "C6"})
      QVERIFY(std::ranges::any_of(
          names, [&](std::string_view name) { return name.find(rule) != std::string_view::npos; }));
    std::set<std::string_view> used;
    for (const SketchDeclaration& sketch : sketches())
      for (const SketchRule* rule : sketch.rules) used.insert(rule->name);
    QCOMPARE(used.size(), sketch_rules().size());  // no rule is written for nothing
  }

  void groups_are_dimensions_of_their_own() {
    const TensorOperator op = with_separate_groups(operator_of("conv2d 2x6x5x5 8x3x3x3 groups=2"));
    QCOMPARE(op.inputs[0].shape, (std::vector<std::int64_t>{2, 2, 3, 5, 5}));
    QCOMPARE(op.inputs[1].shape, (std::vector<std::int64_t>{2, 4, 3, 3, 3}));
    QCOMPARE(op.output.shape, (std::vector<std::int64_t>{2, 2, 4, 3, 3}));
    for (const char* text : {"conv2d 2x6x5x5 8x6x3x3", "conv2d 1x6x5x5 8x6x1x1"})
      QCOMPARE(with_separate_groups(operator_of(text)).inputs[0].shape, operator_of(text).inputs[0].shape);
    // Windows that do not overlap are groups too.
    const TensorOperator windows = with_separate_groups(operator_of("conv2d 1x2x6x4 3x2x2x2 stride=2"));
    QCOMPARE(windows.inputs[0].shape, (std::vector<std::int64_t>{1, 2, 3, 2, 2, 2}));
  }

  void generated_kernels_of_other_operators_are_right() {
    Random random(random_seed());
    struct Case {
      const char* text;
      const char* name;
      bool gpu;
    };
    for (const Case& one : {Case{"conv2d 1x6x5x4 8x3x3x3 groups=2 pad=1", "generated", false},
                            Case{"conv2d 1x6x5x4 8x3x3x3 groups=2 pad=1", "generated", true},
                            Case{"conv2d 1x3x6x4 8x3x2x2 stride=2", "generated", false},
                            Case{"conv2d 1x3x4x4 3x4x3x3 stride=2 pad=1 transposed", "generated", true},
                            Case{"conv2d 1x6x5x7 8x6x3x3 pad=1", "generated-local", false},
                            Case{"matmul 12x10 10x8", "generated-local", false},
                            Case{"bmm 2x6x5 2x5x8", "generated-local", false}}) {
      const auto kernel = apply_template(*parse_task(one.text),
                                         one.gpu ? default_cuda_target() : cpu_with_lanes(4), one.name);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      for (int i = 0; i < 15; ++i) {
        const Configuration member = accepted_member(*kernel, random);
        const std::string wrong = problem(kernel->schedule(), member, kernel->target());
        QVERIFY2(wrong.empty(),
                 fmt::format("{} {}: {}", one.text, kernel->space().describe(member), wrong).c_str());
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleStagesTest)

}  // namespace kernelscape::schedule_stages_test
#include "schedule_stages_test.moc"

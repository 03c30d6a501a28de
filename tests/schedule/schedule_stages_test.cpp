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

task::TensorOperator operator_of(const char* text) { return *task::parse_task(text)->op; }

loop_nest::LoopNest with_passes(const loop_nest::LoopNest& nest, schedule::TargetKind kind) {
  return *loop_nest::run_passes(
      nest, kind == schedule::TargetKind::Cpu ? loop_nest::cpu_passes() : loop_nest::gpu_passes());
}

std::vector<double> output_of(const loop_nest::LoopNest& nest, const task::TensorOperator& op,
                              schedule::TargetKind kind) {
  if (kind == schedule::TargetKind::Cpu)
    return unpack<double>(nest.buffers[2].layout, interpret(nest, arguments_of(nest, op), 3));
  GpuInterpreter interpreter(nest, arguments_of(nest, op));
  interpreter.run();
  return unpack<double>(nest.buffers[2].layout, std::span<const double>(interpreter.buffer(2)));
}

/** Empty where a configuration's nest computes the operator, before all passes and after them. */
std::string problem(const schedule::Schedule& schedule, const space::Configuration& configuration,
                    const schedule::TargetDescription& target) {
  const task::TensorOperator& op = schedule.op();
  const task::Reference reference =
      task::compute_reference(op, task::make_reference_inputs(op, input_seed), 1);
  const loop_nest::LoopNest nest = schedule::lower(schedule, configuration, target);
  for (const loop_nest::LoopNest& version : {nest, with_passes(nest, target.kind)}) {
    const task::Comparison comparison =
        task::compare_with_reference(op, reference, output_of(version, op, target.kind));
    if (!comparison.equal)
      return task::describe_mismatch(op, comparison) + "\n" + loop_nest::to_text(version);
  }
  return {};
}

/** Of a schedule's own space, whatever a template would add to it. */
std::string problem_of_members(const schedule::Schedule& schedule, const schedule::TargetDescription& target,
                               base::Random& random, int members) {
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
schedule::Schedule im2col(const char* text, schedule::TargetKind kind) {
  schedule::Schedule s(operator_of(text));
  const schedule::LoopId pixels = s.fuse({s.axis("n"), s.axis("y"), s.axis("x")}, "pixel");
  const schedule::LoopId taps = s.fuse({s.axis("rc"), s.axis("ry"), s.axis("rx")}, "tap");
  schedule::CopyOptions by_loops;
  by_loops.index = schedule::CopyIndex::Loops;
  const auto pixel = s.split(pixels, 3, "tile_pixel");
  const auto tap = s.split(taps, 2, "tile_tap");
  const auto filter = s.split(s.axis("f"), 2, "tile_f");
  if (kind == schedule::TargetKind::Cpu) {
    s.reorder({pixel[0], filter[0], tap[0], pixel[1], tap[1], pixel[2], filter[1]});
    s.parallel({pixel[0]});
    s.cache_read(0, loop_nest::BufferScope::Local, s.attach_by("copy_in", {tap[0], pixel[1]}), by_loops);
    s.cache_write(loop_nest::BufferScope::Registers, pixel[1]);
    s.unroll(pixel[2]);
    s.unroll(filter[1]);
    return s;
  }
  s.bind(pixel[0], schedule::Binding::BlockX);
  s.bind(filter[0], schedule::Binding::BlockY);
  s.bind(pixel[1], schedule::Binding::ThreadX);
  s.reorder({pixel[0], filter[0], pixel[1], tap[0], tap[1], pixel[2], filter[1]});
  s.cache_write(loop_nest::BufferScope::Registers, pixel[1]);
  s.cache_read(0, loop_nest::BufferScope::Shared, tap[0], by_loops);
  s.cache_read(1, loop_nest::BufferScope::Shared, tap[0], by_loops);
  return s;
}

/** A multiplication that any target understands, but for what `change` does to it. */
schedule::Schedule multiplication(schedule::TargetKind kind,
                                  const std::function<void(schedule::Schedule&)>& change) {
  schedule::Schedule s(operator_of("matmul 8x6 6x4"));
  const auto row = s.split(s.axis("y"), 2, "tile_y");
  const auto column = s.split(s.axis("x"), 2, "tile_x");
  s.name(row, {"row_block", "row"});
  s.name(column, {"column_block", "column"});
  s.reorder({row[0], column[0], s.axis("k"), row[1], column[1]});
  if (kind == schedule::TargetKind::Cpu) {
    s.parallel({row[0]});
    s.unroll(row[1]);
    s.unroll(column[1]);
  } else {
    s.bind(row[0], schedule::Binding::BlockX);
    s.bind(column[0], schedule::Binding::ThreadX);
  }
  s.cache_write(loop_nest::BufferScope::Registers, column[0]);
  change(s);
  return s;
}

schedule::LoopId loop_named(const schedule::Schedule& s, const std::string& name) {
  for (std::size_t i = 0; i < s.loops().size(); ++i)
    if (s.loops()[i].name == name) return schedule::LoopId{static_cast<int>(i)};
  throw std::logic_error("no loop " + name);
}

std::int64_t bytes_in(const loop_nest::LoopNest& nest, loop_nest::BufferScope scope) {
  std::int64_t bytes = 0;
  for (const loop_nest::Buffer& buffer : nest.buffers)
    if (buffer.scope == scope) bytes += loop_nest::element_count(buffer) * loop_nest::element_bytes(buffer);
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
    base::Random random(random_seed());
    const std::string on_cpu =
        problem_of_members(im2col(task.c_str(), schedule::TargetKind::Cpu), cpu_with_lanes(4), random, 25);
    QVERIFY2(on_cpu.empty(), on_cpu.c_str());
    const std::string on_gpu = problem_of_members(im2col(task.c_str(), schedule::TargetKind::Cuda),
                                                  schedule::default_cuda_target(), random, 25);
    QVERIFY2(on_gpu.empty(), on_gpu.c_str());
  }

  /** What the constraints count is what lies in memory, wherever a knob puts it. */
  void memory_is_counted_where_it_is_attached() {
    base::Random random(random_seed());
    for (const char* text : {"conv2d 1x6x9x7 8x6x3x3 pad=1", "conv2d 2x4x8x8 5x4x3x2 stride=2"}) {
      const auto kernel = schedule::apply_template(*task::parse_task(text), cpu_with_lanes(4), "conv2d-rows");
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const space::ConstraintSystem& limits = kernel->limits();
      std::optional<space::VariableId> counted;
      for (space::VariableId variable = 0; variable < limits.variables().size(); ++variable)
        if (limits.variables()[variable].name == "local_data_bytes") counted = variable;
      QVERIFY(counted.has_value());
      std::set<std::int64_t> sizes;
      for (int i = 0; i < 60; ++i) {
        const auto member = kernel->space().random_member(random);
        QVERIFY(member.has_value());
        const space::Evaluation evaluation = limits.evaluate(kernel->space().knobs(), *member);
        const loop_nest::LoopNest nest = schedule::lower(kernel->schedule(), *member, kernel->target());
        QCOMPARE(evaluation.values[*counted], bytes_in(nest, loop_nest::BufferScope::Local));
        sizes.insert(evaluation.values[*counted]);
      }
      QVERIFY(sizes.size() > 5);
    }
  }

  void rows_in_local_memory_compute_the_convolution() {
    base::Random random(random_seed());
    for (int i = 0; i < 12; ++i) {
      const auto task = random_convolution(random);
      if (!task) continue;
      const auto kernel = schedule::apply_template(*task, cpu_with_lanes(i % 2 == 0 ? 4 : 8), "conv2d-rows");
      if (!kernel) continue;  // groups
      for (int draw = 0; draw < 4; ++draw) {
        const space::Configuration member = accepted_member(*kernel, random);
        const std::string wrong = problem(kernel->schedule(), member, kernel->target());
        QVERIFY2(wrong.empty(), (task->text + " " + kernel->space().describe(member) + ": " + wrong).c_str());
      }
    }
  }

  void lengths_are_products_and_selections_of_others() {
    schedule::Schedule s(operator_of("conv2d 2x4x6x6 8x4x3x3"));
    const auto rows = s.split(s.axis("y"), 2, "tile_y");
    const auto columns = s.split(s.axis("x"), 2, "tile_x");
    const schedule::LoopId fused = s.fuse({rows[1], columns[1]}, "pixel");
    const schedule::AttachPoint place = s.attach_by("place", {rows[0], columns[0], fused});
    schedule::ConstraintBuilder builder(s);
    const space::VariableId length = builder.length_of(fused);
    QCOMPARE(builder.length_of(fused), length);
    std::vector<space::VariableId> choices;
    for (const schedule::LoopId loop : place.loops) choices.push_back(builder.length_of(loop));
    const space::VariableId chosen = builder.select("chosen", *place.knob, choices);
    const space::ConstraintSystem system = std::move(builder).take();
    base::Random random(random_seed());
    for (int i = 0; i < 50; ++i) {
      space::Configuration configuration;
      for (const space::Knob& knob : s.knobs())
        configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
      const space::Evaluation evaluation = system.evaluate(s.knobs(), configuration);
      QCOMPARE(evaluation.values[length], s.length(fused, configuration));
      schedule::Stage stage;
      stage.at = place;
      QCOMPARE(evaluation.values[chosen], s.length(s.attached_at(stage, configuration), configuration));
    }
  }

  void a_mistake_is_named_by_its_primitive_data() {
    QTest::addColumn<bool>("gpu");
    QTest::addColumn<QString>("words");
    QTest::addColumn<std::function<void(schedule::Schedule&)>>("mistake");
    using Change = std::function<void(schedule::Schedule&)>;
    const auto add = [](const char* name, bool gpu, const char* words, Change mistake) {
      QTest::newRow(name) << gpu << QString(words) << std::move(mistake);
    };
    add("blocks on a CPU", false, "bind: column_block",
        [](schedule::Schedule& s) { s.bind(loop_named(s, "column_block"), schedule::Binding::BlockX); });
    add("threads of a CPU on a GPU", true, "parallel: row",
        [](schedule::Schedule& s) { s.parallel({loop_named(s, "row")}); });
    add("lanes on a GPU", true, "vectorize: column",
        [](schedule::Schedule& s) { s.vectorize(loop_named(s, "column")); });
    add("a CPU's compiler on a GPU", true, "unroll_hint: k",
        [](schedule::Schedule& s) { s.unroll_hint(loop_named(s, "k"), s.ordinal("u", {1, 2})); });
    add("a GPU's unrolling on a CPU", false, "auto_unroll",
        [](schedule::Schedule& s) { s.auto_unroll({0, 16}); });
    add("shared memory on a CPU", false, "cache_read of a: a CPU does not support stages in shared",
        [](schedule::Schedule& s) { s.cache_read(0, loop_nest::BufferScope::Shared, loop_named(s, "k")); });
    add("local memory on a GPU", true, "cache_read of a: a GPU does not support stages in local",
        [](schedule::Schedule& s) { s.cache_read(0, loop_nest::BufferScope::Local, loop_named(s, "k")); });
    add("registers from nowhere", true, "filled from shared memory", [](schedule::Schedule& s) {
      s.cache_read(0, loop_nest::BufferScope::Registers, loop_named(s, "k"));
    });
    add("sums dealt out", false, "parallel: k is a reduction",
        [](schedule::Schedule& s) { s.parallel({loop_named(s, "k")}); });
    add("sums in threads", true, "bind: k is a reduction",
        [](schedule::Schedule& s) { s.bind(loop_named(s, "k"), schedule::Binding::ThreadX); });
    add("two local copies", false, "cache_read of a: it has two copies", [](schedule::Schedule& s) {
      s.cache_read(0, loop_nest::BufferScope::Local, loop_named(s, "row_block"));
      s.cache_read(0, loop_nest::BufferScope::Local, loop_named(s, "k"));
    });
    add("results before sums are complete", false,
        "cache_write of output: it is attached to column_block, inside of k", [](schedule::Schedule& s) {
          s.reorder({loop_named(s, "row_block"), loop_named(s, "k"), loop_named(s, "column_block"),
                     loop_named(s, "row"), loop_named(s, "column")});
          s.cache_write(loop_nest::BufferScope::Local, loop_named(s, "column_block"));
        });
    add("results inside of sums", false, "inside of the sums' accumulator", [](schedule::Schedule& s) {
      s.reorder({loop_named(s, "row_block"), loop_named(s, "column_block"), loop_named(s, "row"),
                 loop_named(s, "column"), loop_named(s, "k")});
      s.cache_write(loop_nest::BufferScope::Local, loop_named(s, "row"));
    });
    add("a stage in registers that is nowhere", false, "only stages in local memory can be left out",
        [](schedule::Schedule& s) {
          s.cache_write(loop_nest::BufferScope::Registers,
                        s.attach_by("place", {schedule::nowhere, loop_named(s, "column_block")}));
        });
    add("a copy before what it copies", true, "attached to column_block, outside of k",
        [](schedule::Schedule& s) {
          s.cache_read(0, loop_nest::BufferScope::Shared, loop_named(s, "k"));
          s.cache_read(0, loop_nest::BufferScope::Registers, loop_named(s, "column_block"));
        });
    add("double buffered by blocks", true, "cache_read of a: it is double buffered in row_block",
        [](schedule::Schedule& s) {
          s.cache_read(0, loop_nest::BufferScope::Shared, loop_named(s, "row_block"), {.copies = 2});
        });
    add("copies of two numbers", true, "cache_read of a: it has 2 copies in k, but b has 1",
        [](schedule::Schedule& s) {
          s.cache_read(0, loop_nest::BufferScope::Shared, loop_named(s, "k"), {.copies = 2});
          s.cache_read(1, loop_nest::BufferScope::Shared, loop_named(s, "k"));
        });
    add("threads inside of a thread's loop", false, "parallel: row is distributed over threads inside of",
        [](schedule::Schedule& s) { s.parallel({loop_named(s, "row")}); });
    add("fragments without an operation", true, "tensorize is missing", [](schedule::Schedule& s) {
      s.cache_read(0, loop_nest::BufferScope::Shared, loop_named(s, "k"));
      s.cache_read(0, loop_nest::BufferScope::Fragments, loop_named(s, "k"));
    });
    add("a loop beside its parts", false, "reorder: k is split or fused",
        [](schedule::Schedule& s) { s.split(loop_named(s, "k"), 2, "tile_k"); });
    add("a loop that the order misses", false, "reorder: the order contains k 0 times",
        [](schedule::Schedule& s) {
          s.reorder({loop_named(s, "row_block"), loop_named(s, "column_block"), loop_named(s, "row"),
                     loop_named(s, "column")});
        });
    add("a loop twice", false, "reorder: the order contains k 2 times", [](schedule::Schedule& s) {
      s.reorder({loop_named(s, "row_block"), loop_named(s, "column_block"), loop_named(s, "k"),
                 loop_named(s, "k"), loop_named(s, "row"), loop_named(s, "column")});
    });
    add("an operation of another machine", false, "tensorize: wmma is an operation of target cuda",
        [](schedule::Schedule& s) {
          s.tensorize(schedule::intrinsic("wmma"),
                      {loop_named(s, "row"), loop_named(s, "column"), loop_named(s, "k")});
        });
    add("an operation of other types", false, "vpdpbusd does not support the operator's types",
        [](schedule::Schedule& s) { s.tensorize(schedule::intrinsic("vpdpbusd"), {loop_named(s, "k")}); });
  }

  void a_mistake_is_named_by_its_primitive() {
    QFETCH(bool, gpu);
    QFETCH(QString, words);
    QFETCH(std::function<void(schedule::Schedule&)>, mistake);
    const schedule::TargetKind kind = gpu ? schedule::TargetKind::Cuda : schedule::TargetKind::Cpu;
    const Status right = multiplication(kind, [](schedule::Schedule&) {}).check(kind);
    QVERIFY2(right.has_value(), right ? "" : right.error().message.c_str());
    const Status wrong = multiplication(kind, mistake).check(kind);
    QVERIFY(!wrong.has_value());
    QVERIFY2(QString::fromStdString(wrong.error().message).contains(words), wrong.error().message.c_str());
  }

  void what_is_forgotten_is_named() {
    schedule::Schedule nothing(operator_of("matmul 8x6 6x4"));
    nothing.reorder({nothing.axis("y"), nothing.axis("x"), nothing.axis("k")});
    QVERIFY(QString::fromStdString(nothing.check(schedule::TargetKind::Cpu).error().message)
                .contains("cache_write is missing"));
    nothing.cache_write(loop_nest::BufferScope::Registers, nothing.axis("y"));
    QVERIFY(QString::fromStdString(nothing.check(schedule::TargetKind::Cpu).error().message)
                .contains("unroll or vectorize is missing: x"));
    QVERIFY(QString::fromStdString(nothing.check(schedule::TargetKind::Cuda).error().message)
                .contains("bind is missing"));
    nothing.unroll(nothing.axis("x"));
    QVERIFY(nothing.check(schedule::TargetKind::Cpu).has_value());
  }

  /** Sums that wait in local memory until they are complete, wherever a knob says, for all numbers of
   * elements that are moved at once. */
  void results_wait_in_local_memory() {
    base::Random random(random_seed());
    for (const char* text : {"matmul 8x6 6x12", "matmul 8x6 6x12 +bias+relu"}) {
      schedule::Schedule s(operator_of(text));
      const auto row = s.split(s.axis("y"), 3, "tile_y");
      const auto depth = s.split(s.axis("k"), 2, "tile_k");
      const auto column = s.tile(s.axis("x"), "tile_x", {1, 2, 3, 4, 6, 12});
      s.reorder({row[0], row[1], column[0], depth[0], row[2], depth[1], column[1]});
      s.parallel({row[0]});
      s.vectorize(column[1]);
      s.cache_write(loop_nest::BufferScope::Registers, row[2]);
      schedule::CopyOptions options{schedule::CopyIndex::Loops};
      const schedule::AttachPoint at = s.attach_by("place", {schedule::nowhere, row[0], row[1], column[0]});
      options.lanes_by = s.ordinal("lanes", {1, 2, 4, 8});
      s.cache_write(loop_nest::BufferScope::Local, at, options);
      const std::string wrong = problem_of_members(s, cpu_with_lanes(8), random, 60);
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }

  /** Inputs may be copied in different loops of a GPU's kernel. */
  void each_input_is_shared_where_it_says() {
    base::Random random(random_seed());
    schedule::Schedule s(operator_of("matmul 8x12 12x8"));
    const auto row = s.split(s.axis("y"), 2, "tile_y");
    const auto column = s.split(s.axis("x"), 2, "tile_x");
    const auto depth = s.split(s.axis("k"), 3, "tile_k");
    s.bind(row[0], schedule::Binding::BlockX);
    s.bind(column[0], schedule::Binding::ThreadX);
    s.reorder({row[0], column[0], depth[0], depth[1], depth[2], row[1], column[1]});
    s.cache_write(loop_nest::BufferScope::Registers, column[0]);
    s.cache_read(0, loop_nest::BufferScope::Shared, depth[0]);
    s.cache_read(1, loop_nest::BufferScope::Shared, s.attach_by("place_of_b", {depth[0], depth[1]}));
    const std::string wrong = problem_of_members(s, schedule::default_cuda_target(), random, 40);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  void rules_have_names_and_a_condition() {
    std::set<std::string_view> names;
    for (const schedule::ConstraintRule& rule : schedule::constraint_rules()) {
      QVERIFY(rule.applies != nullptr && rule.add != nullptr && !rule.about.empty());
      QVERIFY(names.insert(rule.name).second);
    }
    for (const char* rule : {"C1", "C2", "C3", "C4", "C5", "C6"})
      QVERIFY(std::ranges::any_of(
          names, [&](std::string_view name) { return name.find(rule) != std::string_view::npos; }));
    std::set<std::string_view> used;
    for (const schedule::SketchDeclaration& sketch : schedule::sketches())
      for (const schedule::SketchRule* rule : sketch.rules) used.insert(rule->name);
    QCOMPARE(used.size(), schedule::sketch_rules().size());  // no rule is written for nothing
  }

  void groups_are_dimensions_of_their_own() {
    const task::TensorOperator op =
        schedule::with_separate_groups(operator_of("conv2d 2x6x5x5 8x3x3x3 groups=2"));
    QCOMPARE(op.inputs[0].shape, (std::vector<std::int64_t>{2, 2, 3, 5, 5}));
    QCOMPARE(op.inputs[1].shape, (std::vector<std::int64_t>{2, 4, 3, 3, 3}));
    QCOMPARE(op.output.shape, (std::vector<std::int64_t>{2, 2, 4, 3, 3}));
    for (const char* text : {"conv2d 2x6x5x5 8x6x3x3", "conv2d 1x6x5x5 8x6x1x1"})
      QCOMPARE(schedule::with_separate_groups(operator_of(text)).inputs[0].shape,
               operator_of(text).inputs[0].shape);
    // Windows that do not overlap are groups too.
    const task::TensorOperator windows =
        schedule::with_separate_groups(operator_of("conv2d 1x2x6x4 3x2x2x2 stride=2"));
    QCOMPARE(windows.inputs[0].shape, (std::vector<std::int64_t>{1, 2, 3, 2, 2, 2}));
  }

  void generated_kernels_of_other_operators_are_right() {
    base::Random random(random_seed());
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
      const auto kernel =
          schedule::apply_template(*task::parse_task(one.text),
                                   one.gpu ? schedule::default_cuda_target() : cpu_with_lanes(4), one.name);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      for (int i = 0; i < 15; ++i) {
        const space::Configuration member = accepted_member(*kernel, random);
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

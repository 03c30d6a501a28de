#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "core/schedule/intrinsic.h"
#include "core/schedule/schedule.h"
#include "core/schedule/template.h"
#include "core/task/catalogue.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_template_test {
using namespace kernelscape::testing;

namespace {

const std::vector<task::Task>& catalogue_tasks() {
  static const Result<task::Catalogue> loaded = task::Catalogue::load_default();
  if (!loaded) qFatal("%s", describe(loaded.error()).c_str());
  return loaded->tasks();
}

task::Task task_of(const std::string& text) {
  const auto task = task::parse_task(text);
  if (!task) qFatal("%s", describe(task.error()).c_str());
  return *task;
}

bool mentions(const Error& error, const std::string& word) {
  return describe(error).find(word) != std::string::npos;
}

/** Whether one of the shapes 16x16x16, 8x32x16 and 32x8x16 divides a multiplication. */
bool divided_by_fragments(std::int64_t m, std::int64_t n, std::int64_t k) {
  return k % 16 == 0 &&
         ((m % 16 == 0 && n % 16 == 0) || (m % 8 == 0 && n % 32 == 0) || (m % 32 == 0 && n % 8 == 0));
}

/** Halves, on tensor cores alone. */
bool should_fit_tensor_cores(const task::Task& task, const schedule::TargetDescription& target) {
  if (target.kind != schedule::TargetKind::Cuda || target.isa != "sm_80") return false;
  if (const auto* m = std::get_if<task::MatrixMultiplication>(&task.definition))
    return divided_by_fragments(m->m, m->n, m->k);
  const auto& c = std::get<task::Convolution>(task.definition);
  return c.kernel.size() == 2 && !c.transposed && c.groups == 1 &&
         divided_by_fragments(c.batch, c.output_channels, c.input_channels);
}

/** What the templates of today speak of: f32; halves on a CPU and on tensor cores; bytes without groups on a
 * CPU. */
bool should_fit(const task::Task& task, const schedule::TargetDescription& target) {
  if (!task.op) return false;
  const std::string types = task::to_string(task::operand_types(*task.op));
  if (target.kind == schedule::TargetKind::Cpu && (types == "f16" || types == "bf16")) return true;
  if (types == "f16") return should_fit_tensor_cores(task, target);
  if (types == "i8" && target.kind == schedule::TargetKind::Cpu) {
    const auto* convolution = std::get_if<task::Convolution>(&task.definition);
    return convolution == nullptr || convolution->groups == 1;
  }
  return types == "f32";
}

schedule::TargetDescription opencl_target() {
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.kind = schedule::TargetKind::OpenCl;
  target.name = "opencl:0";
  target.isa = "OpenCL C 1.2";
  return target;
}

}  // namespace

class ScheduleTemplateTest : public QObject {
  Q_OBJECT

 private slots:
  void names_are_unique_per_target_and_explained() {
    std::set<std::pair<std::string, schedule::TargetKind>> names;
    for (const schedule::TemplateDeclaration& declaration : schedule::template_registry()) {
      QVERIFY(!declaration.targets.empty());
      for (const schedule::TargetKind target : declaration.targets)
        QVERIFY(names.emplace(declaration.name, target).second);
      QVERIFY(!declaration.summary.empty() && !declaration.source.empty() && declaration.version >= 1);
    }
  }

  /** Every task of the catalogue has a space, or each template says why not. */
  void every_catalogue_task_has_a_space_or_a_reason() {
    base::Random random(random_seed());
    QVERIFY(catalogue_tasks().size() > 100);
    for (const schedule::TargetDescription& target :
         {cpu_with_lanes(16), cpu_with_lanes(4), schedule::default_cuda_target(), cuda_with_tensor_cores(),
          opencl_target()}) {
      for (const task::Task& task : catalogue_tasks()) {
        const auto kernel = schedule::apply_template(task, target);
        QVERIFY2(kernel.has_value() == should_fit(task, target), task.name.c_str());
        if (!kernel) {
          QCOMPARE(kernel.error().code, ErrorCode::InvalidArgument);
          QVERIFY(mentions(kernel.error(), task.name));
          for (const schedule::TemplateDeclaration* declaration : templates_of(target.kind))
            QVERIFY2(mentions(kernel.error(), declaration->name), describe(kernel.error()).c_str());
          continue;
        }
        QVERIFY(kernel->task() == task);
        for (int i = 0; i < 20; ++i) {
          const auto member = kernel->space().random_member(random);
          QVERIFY(member.has_value());
          QVERIFY(kernel->space().contains(*member));
          QVERIFY(kernel->space().constraints().satisfied(kernel->space().knobs(), *member));
        }
      }
    }
  }

  /** Random members of every space of the catalogue can be lowered or are refused for their size. */
  void members_of_catalogue_spaces_lower_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("cpu") << static_cast<int>(schedule::TargetKind::Cpu);
    QTest::newRow("cuda") << static_cast<int>(schedule::TargetKind::Cuda);
  }

  void members_of_catalogue_spaces_lower() {
    QFETCH(int, kind);
    base::Random random(random_seed());
    const auto target_kind = static_cast<schedule::TargetKind>(kind);
    const schedule::TargetDescription target =
        target_kind == schedule::TargetKind::Cpu ? cpu_with_lanes(16) : cuda_with_tensor_cores();
    int lowered = 0;
    for (const task::Task& task : catalogue_tasks()) {
      for (const schedule::TemplateDeclaration* declaration : templates_of(target_kind)) {
        if (random.chance(0.6) || !declaration->fits(task, target)) continue;
        const auto kernel = declaration->apply(task, target);
        QVERIFY(kernel.has_value());
        const auto result = kernel->lower(accepted_member(*kernel, random));
        if (result)
          ++lowered;
        else
          QVERIFY2(mentions(result.error(), "operations"), describe(result.error()).c_str());
      }
    }
    QVERIFY(lowered > 30);
  }

  /** Sessions of f32 kernels stay comparable with those from before descriptions had extensions. */
  void extensions_are_reported_of_kernels_that_use_them() {
    base::Random random(random_seed());
    schedule::TargetDescription target = cpu_with_lanes(16);
    target.extensions = {"avx512_bf16", "avx512_vnni"};
    int with_extensions = 0;
    for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu)) {
      const task::Task task = random_task(*declaration, target, random, 1e6);
      const auto kernel = declaration->apply(task, target);
      QVERIFY(kernel.has_value());
      const bool bytes = task::to_string(task::operand_types(*task.op)) == "i8";
      schedule::TargetDescription expected = target;
      expected.extensions.clear();
      if (bytes) expected.extensions = {"avx512_vnni"};
      if (declaration->name.ends_with("-bf16")) expected.extensions = {"avx512_bf16"};
      with_extensions += expected.extensions.empty() ? 0 : 1;
      QVERIFY2(kernel->target() == expected, declaration->name.c_str());
    }
    QVERIFY(with_extensions > 2);
  }

  /** Tiled multiplications are there to compare searches, TVM's knobs to compare with TVM; who names no
   * template gets the fastest. */
  void multiplications_are_packed_unless_asked_otherwise() {
    for (const auto& [task, name] : {std::pair{"matmul 8x8 8x8", "matmul-packed"},
                                     {"matmul 16x16 16x16 i8", "matmul-vnni"},
                                     {"bmm 2x8x8 2x8x8 i8", "matmul-vnni"},
                                     {"conv2d 1x16x8x8 16x16x3x3 i8", "conv2d-vnni"},
                                     {"conv1d 1x16x8 16x16x3 i8", "conv2d-vnni"},
                                     {"matmul 8x8 8x8 bf16", "matmul-bf16"},
                                     {"bmm 2x8x8 2x8x8 bf16", "matmul-bf16"},
                                     {"conv2d 1x16x8x8 16x16x3x3 bf16", "conv2d-bf16"},
                                     {"conv1d 1x16x8 16x16x3 transposed bf16", "conv2d-bf16"},
                                     {"conv2d 1x8x8x8 8x1x3x3 groups=8 bf16", "depthwise-packed"},
                                     {"matmul 8x8 8x8 f16", "matmul-packed"},
                                     {"conv3d 1x8x8x8x8 8x8x3x3x3 f16", "conv3d-packed"},
                                     {"conv2d 1x8x8x8 8x4x3x3 groups=2 f16", "grouped-packed"},
                                     {"gemv 8x8 8", "matmul-packed"},
                                     {"bmm 2x8x8 2x8x8 transpose_b", "batch-matmul-packed"}})
      QCOMPARE(schedule::apply_template(task_of(task), cpu_with_lanes(8))->template_name(),
               std::string(name));
  }

  /** Whether the dot product or multiply-adds of its elements are faster is a knob where a CPU has both. */
  void dot_products_of_bf16_are_a_knob_where_the_cpu_has_them() {
    base::Random random(random_seed());
    const schedule::TargetDescription with = cpu_with_lanes(16);
    schedule::TargetDescription without = with;
    without.extensions = {"avx512_vnni"};
    for (const char* text : {"matmul 8x8 8x8 bf16", "conv2d 1x16x8x8 16x16x3x3 bf16"}) {
      const auto one = schedule::apply_template(task_of(text), with);
      const auto other = schedule::apply_template(task_of(text), without);
      QVERIFY(one && other && one->template_name() == other->template_name());
      QVERIFY(!other->space().find_knob("dot_product") && other->target().extensions.empty());
      QCOMPARE(one->target().extensions, std::vector<std::string>{"avx512_bf16"});
      const auto knob = one->space().find_knob("dot_product");
      QVERIFY(knob.has_value());
      std::set<bool> seen;
      for (int i = 0; i < 60; ++i) {
        const space::Configuration configuration = accepted_member(*one, random);
        const bool dot = one->space().knobs()[*knob].element(configuration.indices[*knob], 0) == 1;
        seen.insert(dot);
        QVERIFY(one->schedule().multiplies_elements(configuration) != dot);
        QVERIFY(!other->schedule().multiplies_elements(accepted_member(*other, random)));
      }
      QCOMPARE(seen.size(), std::size_t{2});
    }
    const Status refused = schedule::intrinsic("vdpbf16ps").available(without);
    QVERIFY(!refused && mentions(refused.error(), "avx512_bf16"));
  }

  void unknown_names_offer_the_nearest() {
    const auto unknown = schedule::find_template("conv2d-pakced", schedule::TargetKind::Cpu);
    QVERIFY(!unknown.has_value());
    QCOMPARE(unknown.error().code, ErrorCode::NotFound);
    QVERIFY(mentions(unknown.error(), "conv2d-pakced"));
    QVERIFY(mentions(unknown.error(), "conv2d-packed"));
    QVERIFY(!mentions(unknown.error(), "conv2d-direct"));
  }

  void templates_of_another_target_are_named_as_such() {
    const auto other =
        schedule::apply_template(task_of("conv2d 1x8x8x8 8x8x3x3"), cpu_with_lanes(8), "conv2d-direct");
    QVERIFY(!other.has_value());
    QCOMPARE(other.error().code, ErrorCode::NotFound);
    QVERIFY(mentions(other.error(), "conv2d-direct"));
    QVERIFY2(mentions(other.error(), "cuda"), describe(other.error()).c_str());
    QVERIFY(mentions(other.error(), "conv2d-packed"));
    const auto halves =
        schedule::apply_template(task_of("matmul 64x64 64x64 f16"), opencl_target(), "matmul-wmma");
    QVERIFY(!halves.has_value());
    QVERIFY2(mentions(halves.error(), "cuda targets, not for opencl"), describe(halves.error()).c_str());
    const auto nothing = schedule::apply_template(task_of("matmul 64x64 64x64 f16"), opencl_target());
    QVERIFY(!nothing.has_value());
    QVERIFY(mentions(nothing.error(), "opencl:0"));
  }

  void a_template_that_does_not_fit_says_why_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("reason");
    const std::tuple<const char*, const char*, const char*> rows[] = {
        {"conv2d 1x8x8x8 8x1x3x3 groups=8", "conv2d-packed", "grouped"},
        {"conv2d 1x8x8x8 8x4x3x3 groups=2", "depthwise-packed", "depthwise"},
        {"conv2d 1x8x8x8 16x1x3x3 groups=8", "depthwise-packed", "depthwise"},
        {"conv2d 1x8x8x8 8x1x3x3 groups=8", "grouped-packed", "one filter per channel"},
        {"conv2d 1x8x8x8 8x8x3x3", "grouped-packed", "not a grouped convolution"},
        {"conv1d 1x8x8 8x8x3", "conv2d-packed", "1 dimension"},
        {"conv3d 1x8x8x8x8 8x8x3x3x3", "conv2d-nchwc", "3 dimensions"},
        {"conv2d 1x8x8x8 8x8x3x3 transposed", "conv2d-packed", "transposed"},
        {"conv2d 1x8x8x8 8x8x3x3 i8", "conv2d-packed", "f32"},
        {"matmul 8x8 8x8", "conv2d-packed", "convolution"},
        {"matmul 8x8 8x8", "batch-matmul-packed", "batch"},
        {"bmm 2x8x8 2x8x8", "matmul-packed", "batch"},
        {"matmul 8x8 8x8 f64", "matmul-packed", "f64"},
        {"conv2d 1x8x8x8 8x8x3x3", "matmul-packed", "multiplication"},
        {"matmul 8x8 8x8", "matmul-vnni", "u8 by i8 into i32"},
        {"conv2d 1x8x8x8 8x8x3x3", "conv2d-vnni", "u8 by i8 into i32"},
        {"conv2d 1x8x8x8 8x1x3x3 groups=8 i8", "conv2d-vnni", "grouped"},
        {"conv2d 1x6x8x8 16x6x3x3 i8", "conv2d-nchwc-int8", "6 input channels"},
        {"conv2d 1x8x8x8 24x8x3x3 i8", "conv2d-nchwc-int8", "24 output channels"},
        {"matmul 8x8 8x24 i8", "dense-vnni", "24 columns"},
        {"matmul 8x6 6x16 i8", "dense-vnni", "6 steps of depth"},
        {"matmul 8x8 8x8", "matmul-bf16", "bf16 into f32"},
        {"matmul 8x8 8x8 f16", "matmul-bf16", "bf16 into f32"},
        {"conv2d 1x8x8x8 8x8x3x3 bf16", "matmul-bf16", "multiplication"},
        {"conv2d 1x8x8x8 8x1x3x3 groups=8 bf16", "conv2d-bf16", "grouped"},
        {"matmul 8x8 8x8 i8", "matmul-packed", "f32, f16 or bf16"},
        {"matmul 8x8 8x8", "batch-matmul-tiled", "batch"},
        {"bmm 2x8x8 2x8x8", "matmul-tiled", "batch"},
        {"matmul 8x8 8x8 f16", "matmul-tiled", "f16"}};
    for (const auto& [task, name, reason] : rows)
      QTest::newRow(fmt::format("{} {}", name, task).c_str()) << task << name << reason;
  }

  void a_template_that_does_not_fit_says_why() {
    QFETCH(QString, task);
    QFETCH(QString, name);
    QFETCH(QString, reason);
    const auto refused =
        schedule::apply_template(task_of(task.toStdString()), cpu_with_lanes(8), name.toStdString());
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, ErrorCode::InvalidArgument);
    QVERIFY2(mentions(refused.error(), reason.toStdString()), describe(refused.error()).c_str());
    QVERIFY(mentions(refused.error(), name.toStdString()));
    QVERIFY(!refused.error().hint.empty());
  }

  void a_generic_task_fits_nothing() {
    const auto task = task::make_generic_task({"hotspot", "time", "ms"});
    QVERIFY(task.has_value());
    for (const schedule::TargetDescription& target : {cpu_with_lanes(8), schedule::default_cuda_target()})
      QVERIFY(!schedule::apply_template(*task, target).has_value());
  }

  /** Extents that no kernel would have, but a user may type. */
  void huge_shapes_make_a_space_or_an_error() {
    for (const std::string text :
         {"conv2d 1x1x1x1 1x1x1x1", "matmul 1x1 1x1", "matmul 1x100003 100003x1",
          "matmul 1048576x1 1x1048576", "conv2d 1x1x1x1048576 1x1x1x1",
          "conv2d 1x1048576x1x1 1048576x1048576x1x1", "matmul 4x1099511627776 1099511627776x4",
          "conv2d 1x6469693230x1x1 1x6469693230x1x1", "conv2d 1x9699690x1x1 9699690x1x1x1 groups=9699690",
          "conv2d 1x1x1000x1000 1x1x1000x1000", "conv2d 1048576x1x1x1 1x1x1x1",
          "matmul 1048576x16 16x1048576 f16", "matmul 16x1099511627776 1099511627776x16 f16",
          "conv2d 16x16x5000x5000 16x16x1x1 f16", "matmul 1048576x16 16x1048576 i8",
          "matmul 4x65792 65792x1048576 i8", "conv2d 1x65792x1x1 1048576x65792x1x1 i8"}) {
      const auto task = task::parse_task(text);
      if (!task) continue;
      base::Random random(1);
      for (const schedule::TargetDescription& target : {cpu_with_lanes(16), cuda_with_tensor_cores()}) {
        for (const schedule::TemplateDeclaration* declaration : templates_of(target.kind)) {
          if (!declaration->fits(*task, target)) continue;
          const auto kernel = declaration->apply(*task, target);
          if (!kernel) {
            QVERIFY2(!kernel.error().message.empty(), text.c_str());
            continue;
          }
          const auto member = kernel->space().random_member(random);
          QVERIFY2(member.has_value(), text.c_str());
          const auto lowered = kernel->lower(*member);
          QVERIFY2(lowered.has_value() || !lowered.error().message.empty(), text.c_str());
        }
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleTemplateTest)

}  // namespace kernelscape::schedule_template_test
#include "schedule_template_test.moc"

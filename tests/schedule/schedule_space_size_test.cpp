#include <fmt/format.h>

#include <QTest>
#include <map>

#include "core/schedule/template.h"
#include "core/task/catalogue.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_space_size_test {
using kernelscape::testing::cpu_with_lanes;
using kernelscape::testing::cuda_with_tensor_cores;

namespace {

const task::Catalogue& catalogue() {
  static const Result<task::Catalogue> loaded = task::Catalogue::load_default();
  if (!loaded) qFatal("%s", describe(loaded.error()).c_str());
  return *loaded;
}

/** @param task a name of the catalogue, or a task as users write it */
schedule::ScheduledKernel kernel_of(const std::string& task, const schedule::TargetDescription& target,
                                    const std::string& name) {
  const bool named = task.find(' ') == std::string::npos;
  const Result<task::Task> found = named ? catalogue().find(task) : task::parse_task(task);
  if (!found) qFatal("%s", describe(found.error()).c_str());
  auto kernel = schedule::apply_template(*found, target, name);
  if (!kernel) qFatal("%s", describe(kernel.error()).c_str());
  return std::move(*kernel);
}

struct Published {
  std::string tasks;  ///< resnet18/C: tasks C1 and on
  std::string name;   ///< of the template
  bool cuda;
  std::vector<std::uint64_t> sizes;
};

const std::vector<Published>& published() {
  static const std::vector<Published> all{
      {"resnet18-nose/C",
       "conv2d-direct",
       true,
       {3'763'200, 90'316'800, 903'168, 22'579'200, 56'448, 36'864'000, 5'898'240, 1'474'560, 9'123'840,
        570'240, 3'564'000, 844'800}},
      {"resnet18/C",
       "conv2d-direct",
       true,
       {79'027'200, 90'316'800, 22'579'200, 32'256'000, 8'064'000, 36'864'000, 8'110'080, 2'027'520,
        9'123'840, 760'320, 190'080, 844'800}},
      {"opevo/MM", "matmul", true, {4'152'720, 6'606'600, 5'725'720}},
      {"opevo/BMM", "batch-matmul", true, {10'160'640, 10'160'640, 11'289'600}},
      {"opevo/C", "conv2d-direct", true, {1'032'192, 22'579'200}},
      {"resnet18/C", "conv2d-nchwc", false, {252, 784, 784, 672, 672, 768, 576, 576, 648, 360, 360, 400}},
  };
  return all;
}

/** "tile_f: factorization of 64 into 4" */
std::string spell(const space::Knob& knob) {
  std::string text = fmt::format("{}: {}", knob.name(), space::to_string(knob.kind()));
  if (knob.kind() == space::KnobKind::Factorization) {
    text += fmt::format(" {}/{}", knob.product(), knob.element_count());
    if (knob.last_at_most() > 0) text += fmt::format(" <= {}", knob.last_at_most());
    return text;
  }
  for (std::uint32_t i = 0; i < knob.count(); ++i) text += " " + knob.describe(i);
  return text;
}

std::vector<std::string> spell(const space::SearchSpace& space) {
  std::vector<std::string> result;
  for (const space::Knob& knob : space.knobs()) result.push_back(spell(knob));
  return result;
}

/** Ordered tuples of positive integers with a product: for each prime, ways to deal out its powers. */
std::uint64_t tuples(std::int64_t product, std::uint64_t parts) {
  std::uint64_t count = 1;
  for (std::int64_t prime = 2; product > 1; ++prime) {
    std::uint64_t ways = 1;
    for (std::uint64_t power = 1; product % prime == 0; product /= prime, ++power)
      ways = ways * (power + parts - 1) / power;
    count *= ways;
  }
  return count;
}

}  // namespace

class ScheduleSpaceSizeTest : public QObject {
  Q_OBJECT

 private slots:
  /** NoSE's Table II, the real ResNet-18, OpEvo's eight and TVM's x86 spaces. */
  void published_sizes_come_out_exactly_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("cuda");
    QTest::addColumn<quint64>("size");
    for (const Published& list : published())
      for (std::size_t i = 0; i < list.sizes.size(); ++i) {
        const std::string task = fmt::format("{}{}", list.tasks, i + 1);
        QTest::newRow(fmt::format("{} {}", task, list.name).c_str())
            << QString::fromStdString(task) << QString::fromStdString(list.name) << list.cuda
            << quint64{list.sizes[i]};
      }
  }

  void published_sizes_come_out_exactly() {
    QFETCH(QString, task);
    QFETCH(QString, name);
    QFETCH(bool, cuda);
    QFETCH(quint64, size);
    const schedule::ScheduledKernel kernel = kernel_of(
        task.toStdString(), cuda ? cuda_with_tensor_cores() : cpu_with_lanes(16), name.toStdString());
    QCOMPARE(base::to_string(kernel.space().size()), std::to_string(size));
    QVERIFY(!kernel.space().has_restrictions());
    QCOMPARE(base::to_string(kernel.space().member_count().value()), std::to_string(size));
  }

  void there_are_44_published_spaces() {
    std::size_t count = 0;
    for (const Published& list : published()) count += list.sizes.size();
    QCOMPARE(count, std::size_t{44});
  }

  /** What AutoTVM's logs index by: order, kinds and values of the knobs. */
  void knobs_are_those_of_the_papers_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("cuda");
    QTest::addColumn<QStringList>("knobs");
    QTest::newRow("NoSE's direct convolution") << "resnet18/C12" << "conv2d-direct" << true
                                               << QStringList{"tile_f: factorization 512/4",
                                                              "tile_y: factorization 7/4",
                                                              "tile_x: factorization 7/4",
                                                              "tile_rc: factorization 512/2",
                                                              "tile_ry: factorization 3/2",
                                                              "tile_rx: factorization 3/2",
                                                              "auto_unroll_max_step: ordinal 0 512 1500",
                                                              "unroll_explicit: categorical 0 1"};
    QTest::newRow("OpEvo's convolution unrolls by its own steps")
        << "opevo/C1" << "conv2d-direct" << true
        << QStringList{"tile_f: factorization 64/4",
                       "tile_y: factorization 55/4",
                       "tile_x: factorization 55/4",
                       "tile_rc: factorization 3/2",
                       "tile_ry: factorization 11/2",
                       "tile_rx: factorization 11/2",
                       "auto_unroll_max_step: ordinal 0 125 256",
                       "unroll_explicit: categorical 0 1"};
    QTest::newRow("OpEvo's matrix multiplication")
        << "opevo/MM2" << "matmul" << true
        << QStringList{"tile_k: factorization 1024/3", "tile_y: factorization 512/4",
                       "tile_x: factorization 4096/4"};
    QTest::newRow("OpEvo's batch") << "opevo/BMM3" << "batch-matmul" << true
                                   << QStringList{"tile_b: factorization 960/2", "tile_k: factorization 64/3",
                                                  "tile_y: factorization 128/4",
                                                  "tile_x: factorization 128/4"};
    QTest::newRow("TVM's tensor cores")
        << "matmul 1024x1024 1024x1024 f16" << "matmul-wmma" << true
        << QStringList{"block_row_warps: ordinal 1 2 4", "block_col_warps: ordinal 1 2 4",
                       "warp_row_tiles: ordinal 1 2 4",  "warp_col_tiles: ordinal 1 2 4",
                       "chunk: ordinal 1 2 4 8",         "offset: ordinal 0 8",
                       "offsetCS: ordinal 0 8",          "vec: ordinal 1 2 4 8",
                       "wmma_m: categorical 32 16 8"};
    QTest::newRow("TVM's x86 3x3") << "resnet18/C6" << "conv2d-nchwc" << false
                                   << QStringList{"tile_ic: factorization 128/2",
                                                  "tile_oc: factorization 128/2",
                                                  "tile_ow: factorization 28/2 <= 64",
                                                  "unroll_kw: categorical true false"};
    QTest::newRow("TVM's x86 1x1") << "resnet18/C8" << "conv2d-nchwc" << false
                                   << QStringList{
                                          "tile_ic: factorization 128/2", "tile_oc: factorization 256/2",
                                          "tile_ow: factorization 14/2 <= 64", "tile_oh: ordinal 1 2"};
  }

  void knobs_are_those_of_the_papers() {
    QFETCH(QString, task);
    QFETCH(QString, name);
    QFETCH(bool, cuda);
    QFETCH(QStringList, knobs);
    const schedule::ScheduledKernel kernel = kernel_of(
        task.toStdString(), cuda ? cuda_with_tensor_cores() : cpu_with_lanes(16), name.toStdString());
    QStringList actual;
    for (const std::string& knob : spell(kernel.space())) actual << QString::fromStdString(knob);
    QCOMPARE(actual, knobs);
  }

  /** OpEvo's knobs, on a GPU and on a CPU. */
  void tiled_multiplications_have_the_same_spaces_on_both_targets() {
    for (const std::string task : {"opevo/MM1", "opevo/MM2", "opevo/MM3", "opevo/BMM1", "opevo/BMM2",
                                   "opevo/BMM3", "opevo-cpu/MM1", "opevo-cpu/BMM3"}) {
      const bool batched = task.find("BMM") != std::string::npos;
      const schedule::ScheduledKernel cpu =
          kernel_of(task, cpu_with_lanes(16), batched ? "batch-matmul-tiled" : "matmul-tiled");
      const schedule::ScheduledKernel cuda =
          kernel_of(task, schedule::default_cuda_target(), batched ? "batch-matmul" : "matmul");
      QCOMPARE(spell(cpu.space()), spell(cuda.space()));
      QCOMPARE(base::to_string(cpu.space().member_count().value()), base::to_string(cuda.space().size()));
    }
  }

  void tiled_spaces_are_products_of_factorizations() {
    for (const std::string name : {"MM1", "MM2", "MM3", "BMM1", "BMM2", "BMM3"}) {
      const std::string task = "opevo-cpu/" + name;
      const auto m = std::get<task::MatrixMultiplication>(catalogue().find(task)->definition);
      const std::uint64_t expected =
          (m.batched ? tuples(m.batch, 2) : 1) * tuples(m.k, 3) * tuples(m.m, 4) * tuples(m.n, 4);
      const schedule::ScheduledKernel kernel =
          kernel_of(task, cpu_with_lanes(16), m.batched ? "batch-matmul-tiled" : "matmul-tiled");
      QCOMPARE(base::to_string(kernel.space().size()), std::to_string(expected));
      QCOMPARE(base::to_string(kernel.space().member_count().value()), std::to_string(expected));
    }
  }

  void the_packed_convolution_is_rich() {
    for (const std::int64_t lanes : {4, 8, 16}) {
      const schedule::ScheduledKernel kernel =
          kernel_of("resnet18/C12", cpu_with_lanes(lanes), "conv2d-packed");
      const auto members = kernel.space().member_count();
      QVERIFY(members.has_value());
      QVERIFY2(*members >= 20'000, base::to_string(*members).c_str());
    }
  }

  /** Nothing about a space or its members depends on anything but task and target. */
  void a_space_is_made_twice_alike() {
    for (const std::string task : {"resnet18/C6", "resnet18/C8"}) {
      const schedule::ScheduledKernel first = kernel_of(task, cpu_with_lanes(16), "");
      const schedule::ScheduledKernel second = kernel_of(task, cpu_with_lanes(16), "");
      QCOMPARE(first.space().fingerprint(), second.space().fingerprint());
      QVERIFY(first.space().fingerprint() != kernel_of(task, cpu_with_lanes(8), "").space().fingerprint());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleSpaceSizeTest)

}  // namespace kernelscape::schedule_space_size_test
#include "schedule_space_size_test.moc"

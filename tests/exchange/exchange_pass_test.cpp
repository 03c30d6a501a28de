#include <dlfcn.h>
#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/exchange/kernels/kernel_library.h"
#include "core/exchange/kernels/layout_conversion.h"
#include "core/exchange/kernels/pass_plan.h"
#include "tests/exchange/export_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_pass_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;

namespace {

using Shape = std::vector<std::int64_t>;

/** NCHW with the channels in blocks of `block`; 1: plain. */
loop_nest::Layout blocked(const Shape& shape, std::int64_t block) {
  if (block == 1) return loop_nest::row_major("NCHW", shape);
  return {fmt::format("NCHW{}c", block),
          shape,
          {{0, 1, shape[0]},
           {1, block, (shape[1] + block - 1) / block},
           {2, 1, shape[2]},
           {3, 1, shape[3]},
           {1, 1, block}}};
}

/** Every dimension divided by random factors, the parts in any order. */
loop_nest::Layout random_layout(const Shape& shape, base::Random& random) {
  loop_nest::Layout layout{"random", shape, {}};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::int64_t divisor = 1;
    while (divisor < shape[d] && random.chance(0.6)) {
      const std::int64_t extent = std::int64_t{2} << random.below(3);
      layout.dimensions.push_back({static_cast<int>(d), divisor, extent});
      divisor *= extent;
    }
    layout.dimensions.push_back({static_cast<int>(d), divisor, (shape[d] + divisor - 1) / divisor});
  }
  for (std::size_t i = layout.dimensions.size(); i > 1; --i)
    std::swap(layout.dimensions[i - 1], layout.dimensions[random.below(i)]);
  return layout;
}

std::vector<float> packed(const loop_nest::Layout& layout, const std::vector<float>& plain) {
  std::vector<float> values(static_cast<std::size_t>(layout.physical_count()), 0.0F);
  const std::vector<std::int64_t> offsets = loop_nest::physical_offsets(layout);
  for (std::size_t i = 0; i < plain.size(); ++i) values[static_cast<std::size_t>(offsets[i])] = plain[i];
  return values;
}

/** A network of kernels that have these layouts for input and output; weights are all alike. */
struct MadeNetwork {
  std::vector<std::array<loop_nest::Layout, 3>> layouts;
  exchange::KernelOrder order;

  /** A call of a kernel of its own. */
  std::size_t call(const loop_nest::Layout& input, const loop_nest::Layout& output,
                   std::vector<std::size_t> sources) {
    layouts.push_back({input, loop_nest::row_major("weights", {4, 4}), output});
    order.calls.push_back(
        {layouts.size() - 1, {task::CallOperand{false, std::move(sources)}, task::CallOperand{true}}});
    return order.calls.size() - 1;
  }
  exchange::PassPlan plan() const { return exchange::plan_pass(layouts, order); }
};

const Shape images{1, 32, 8, 8};

}  // namespace

class ExchangePassTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private slots:
  void conversionsMoveEveryElement();
  void alikeIsNotConverted();
  void layersInOneLayoutConvertTheEndsOnly();
  void aResultIsConvertedOnceForAllReaders();
  void otherOperatorsTakeAnyLayout();
  void changesOfRankGoThroughPlain();
  void layersWithoutAKernelAreSkipped();
  void whatIsReadIsStillThere();
  void aLibraryHasItsPass();
};

void ExchangePassTest::conversionsMoveEveryElement() {
  base::Random random(random_seed());
  std::vector<exchange::LayoutConversion> conversions;
  std::string source;
  for (int i = 0; i < 60; ++i) {
    Shape shape;
    for (std::uint64_t d = 0; d <= random.below(4); ++d) shape.push_back(between(random, 1, 40));
    exchange::LayoutConversion conversion{random_layout(shape, random), random_layout(shape, random)};
    const auto function = exchange::conversion_function(
        base::CSource::name(fmt::format("convert_{}", conversions.size())), conversion);
    // Parts that are powers of two always nest.
    QVERIFY(function.has_value());
    source += function->text();
    conversions.push_back(std::move(conversion));
  }
  write_text(folder_.filePath("conversions.c"), source);
  const ShellResult built =
      shell(folder_.path(),
            "cc -O1 -Wall -Wextra -Werror -fsanitize=undefined -shared -fPIC -o c.so conversions.c");
  QVERIFY2(built.code == 0, built.output.c_str());
  void* library = dlopen(folder_.filePath("c.so").toStdString().c_str(), RTLD_NOW);
  QVERIFY2(library != nullptr, dlerror());
  for (std::size_t i = 0; i < conversions.size(); ++i) {
    const exchange::LayoutConversion& conversion = conversions[i];
    using Function = void(int, int, const float*, float*);
    auto* function =
        reinterpret_cast<Function*>(dlsym(library, fmt::format("convert_{}", i).c_str()));  // NOLINT
    std::vector<float> plain;
    for (std::int64_t e = 0; e < conversion.to.logical_count(); ++e)
      plain.push_back(static_cast<float>(random.uniform()) + 1);
    const std::vector<float> from = packed(conversion.from, plain);
    std::vector<float> to(static_cast<std::size_t>(conversion.to.physical_count()), -1.0F);
    const int parts = static_cast<int>(between(random, 1, 5));
    for (int part = 0; part < parts; ++part) function(part, parts, from.data(), to.data());
    QVERIFY2(to == packed(conversion.to, plain), source.c_str());
  }
}

void ExchangePassTest::alikeIsNotConverted() {
  QVERIFY(exchange::is_plain(loop_nest::row_major("any name", images)));
  QVERIFY(!exchange::is_plain(blocked(images, 8)));
  QVERIFY(exchange::lie_alike(blocked(images, 8), *exchange::carried_to(blocked({1, 64, 8, 8}, 8), images)));
  // One block alone is in its place whatever its size; a part of one is not.
  QVERIFY(exchange::lie_alike(blocked({1, 8, 1, 1}, 8), loop_nest::row_major("NCHW", {1, 8, 1, 1})));
  QVERIFY(!exchange::lie_alike(blocked({1, 3, 8, 8}, 8), loop_nest::row_major("NCHW", {1, 3, 8, 8})));
  QVERIFY(!exchange::carried_to(blocked(images, 8), {1, 32}).has_value());
  QCOMPARE(exchange::carried_to(blocked(images, 8), {2, 20, 4, 4})->physical_count(),
           std::int64_t{2 * 24 * 16});
}

void ExchangePassTest::layersInOneLayoutConvertTheEndsOnly() {
  MadeNetwork network;
  std::vector<std::size_t> before;
  for (int i = 0; i < 5; ++i) before = {network.call(blocked(images, 8), blocked(images, 8), before)};
  const exchange::PassPlan plan = network.plan();
  QCOMPARE(plan.conversions.size(), std::size_t{2});
  QCOMPARE(plan.calls[0].before.size(), std::size_t{1});
  QVERIFY(exchange::is_plain(plan.conversions[plan.calls[0].before[0].conversion].from));
  QCOMPARE(plan.after.size(), std::size_t{1});
  for (std::size_t i = 1; i < 5; ++i) QCOMPARE(plan.calls[i].operands[0], plan.calls[i - 1].output);
  // Input and output of a call at a time, and what is converted.
  QCOMPARE(plan.arena_floats, std::int64_t{3 * 32 * 8 * 8});
}

void ExchangePassTest::aResultIsConvertedOnceForAllReaders() {
  MadeNetwork network;
  const std::size_t first = network.call(loop_nest::row_major("NCHW", images), blocked(images, 8), {});
  const std::size_t second = network.call(blocked(images, 16), loop_nest::row_major("NCHW", images), {first});
  const std::size_t third = network.call(blocked(images, 16), loop_nest::row_major("NCHW", images), {first});
  network.call(blocked(images, 8), loop_nest::row_major("NCHW", images), {first});
  const exchange::PassPlan plan = network.plan();
  QCOMPARE(plan.conversion_count(), std::size_t{1});
  QCOMPARE(plan.calls[second].operands[0], plan.calls[third].operands[0]);
  QCOMPARE(plan.calls[3].operands[0], plan.calls[first].output);
}

void ExchangePassTest::otherOperatorsTakeAnyLayout() {
  const Shape pooled{1, 32, 4, 4};
  MadeNetwork network;
  const std::size_t first = network.call(loop_nest::row_major("NCHW", images), blocked(images, 8), {});
  // Pooled in between: in the layout of what was pooled, and in another one.
  const std::size_t same = network.call(blocked(pooled, 8), blocked(pooled, 8), {first});
  const std::size_t other = network.call(blocked(pooled, 16), blocked(pooled, 16), {first});
  // A sum of two layouts in one of them.
  network.call(blocked(pooled, 8), loop_nest::row_major("NCHW", pooled), {same, other});
  const exchange::PassPlan plan = network.plan();
  QCOMPARE(plan.calls[same].before.size(), std::size_t{0});
  QCOMPARE(plan.calls[other].before.size(), std::size_t{1});
  QVERIFY(plan.conversions[plan.calls[other].before[0].conversion].from.shape == pooled);
  QCOMPARE(plan.calls[3].before.size(), std::size_t{1});
  QVERIFY(
      exchange::lie_alike(plan.conversions[plan.calls[3].before[0].conversion].from, blocked(pooled, 16)));
}

void ExchangePassTest::changesOfRankGoThroughPlain() {
  MadeNetwork network;
  const loop_nest::Layout rows{"rows", {4, 8}, {{1, 2, 4}, {0, 1, 4}, {1, 1, 2}}};
  const std::size_t first = network.call(loop_nest::row_major("NCHW", images), blocked(images, 8), {});
  network.call(rows, loop_nest::row_major("plain", {4, 8}), {first});
  network.call(loop_nest::row_major("plain", {4, 8}), loop_nest::row_major("plain", {4, 8}), {first});
  const exchange::PassPlan plan = network.plan();
  QCOMPARE(plan.calls[1].before.size(), std::size_t{2});
  QVERIFY(exchange::is_plain(plan.conversions[plan.calls[1].before[0].conversion].to));
  QVERIFY(exchange::lie_alike(plan.conversions[plan.calls[1].before[1].conversion].to, rows));
  QCOMPARE(plan.calls[2].before.size(), std::size_t{0});
}

void ExchangePassTest::layersWithoutAKernelAreSkipped() {
  const std::vector<task::LayerCall> calls{{0, {task::CallOperand{}, task::CallOperand{true}}},
                                           {1, {task::CallOperand{false, {0}}, task::CallOperand{true}}},
                                           {2, {task::CallOperand{false, {0, 1}}, task::CallOperand{true}}}};
  const std::vector<std::int64_t> once{1, 1, 1};
  const std::vector<std::optional<std::size_t>> kernels{0, std::nullopt, 1};
  const exchange::KernelOrder order = exchange::kernel_order(calls, once, kernels);
  QCOMPARE(order.calls.size(), std::size_t{2});
  QCOMPARE(order.calls[1].layer, std::size_t{1});
  QCOMPARE(order.calls[1].operands[0].calls, std::vector<std::size_t>{0});
  // Without calls each layer stands as often as it is called, and nothing is known of operands.
  const std::vector<std::int64_t> often{2, 1, 3};
  const exchange::KernelOrder listed = exchange::kernel_order({}, often, kernels);
  QVERIFY(!listed.known);
  QCOMPARE(listed.calls.size(), std::size_t{5});
  const std::vector<std::array<loop_nest::Layout, 3>> layouts(
      2, {blocked(images, 8), loop_nest::row_major("w", {4}), blocked(images, 8)});
  QCOMPARE(exchange::plan_pass(layouts, listed).conversion_count(), std::size_t{0});
}

/** Of random networks: who wrote last where a call or a conversion reads. */
void ExchangePassTest::whatIsReadIsStillThere() {
  base::Random random(random_seed());
  for (int round = 0; round < 200; ++round) {
    MadeNetwork network;
    const std::array<Shape, 2> shapes{images, Shape{1, 16, 4, 4}};
    for (std::size_t i = 0; i < 12; ++i) {
      std::vector<std::size_t> sources;
      for (std::size_t before = 0; before < i; ++before)
        if (random.chance(0.25)) sources.push_back(before);
      const auto layout = [&] {
        return blocked(shapes.at(random.below(2)), std::int64_t{1} << (random.below(3) * 2));
      };
      network.call(layout(), layout(), sources);
    }
    const exchange::PassPlan plan = network.plan();
    std::map<std::int64_t, int> writer;  // of each cache line of the arena
    const auto put = [&](std::int64_t offset, const loop_nest::Layout& layout, int who) {
      QVERIFY(offset % 16 == 0 && offset >= 0 && offset + layout.physical_count() <= plan.arena_floats);
      for (std::int64_t line = offset; line < offset + layout.physical_count(); line += 16)
        writer[line] = who;
    };
    const auto holds = [&](std::int64_t offset, const loop_nest::Layout& layout, int who) {
      for (std::int64_t line = offset; line < offset + layout.physical_count(); line += 16)
        if (!writer.contains(line) || writer.at(line) != who) return false;
      return true;
    };
    int conversions = 1000;
    for (std::size_t i = 0; i < plan.calls.size(); ++i) {
      const exchange::PassCall& call = plan.calls[i];
      const std::vector<std::size_t>& sources = network.order.calls[i].operands[0].calls;
      const bool direct =
          sources.size() == 1 && network.layouts[sources[0]][2].shape == network.layouts[i][0].shape;
      const loop_nest::Layout& wanted = network.layouts[i][0];
      for (const exchange::PassConversion& one : call.before) {
        const exchange::LayoutConversion& conversion = plan.conversions[one.conversion];
        if (direct) QVERIFY(holds(one.from, conversion.from, static_cast<int>(sources[0])));
        put(one.to, conversion.to, ++conversions);
      }
      if (direct && exchange::lie_alike(network.layouts[sources[0]][2], wanted)) {
        QVERIFY(holds(call.operands[0], wanted, static_cast<int>(sources[0])));
      } else if (direct) {
        const int who = writer.at(call.operands[0]);
        QVERIFY(who > 1000 && holds(call.operands[0], wanted, who));
      }
      put(call.output, network.layouts[i][2], static_cast<int>(i));
    }
  }
}

void ExchangePassTest::aLibraryHasItsPass() {
  base::Random random(random_seed());
  std::vector<exchange::ExportedKernel> kernels;
  for (const auto& [task, fitting] :
       {std::pair{"conv2d 1x8x9x9 16x8x3x3 stride=1 pad=1 f32", "conv2d-packed"},
        {"conv2d 1x16x9x9 16x16x3x3 stride=1 pad=1 f32", "conv2d-nchwc"},
        {"matmul 1x16 16x40 f32", ""}})
    kernels.push_back(exported(random_measured(task::parse_task(task).value(), fitting, random)));
  exchange::NetworkOfKernels network{"a */ network", {}};
  network.order.calls = {{0, {task::CallOperand{}, task::CallOperand{true}}},
                         {1, {task::CallOperand{false, {0}}, task::CallOperand{true}}},
                         {1, {task::CallOperand{false, {0, 1}}, task::CallOperand{true}}},
                         {2, {task::CallOperand{false, {1, 2}}, task::CallOperand{true}}}};
  network.order.others = {{"Relu */", 3, 100}};
  const QString folder = folder_.filePath("library");
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "small", false, &network));
  const ShellResult built = shell(folder, "cmake -G Ninja -S . -B build && cmake --build build");
  QVERIFY2(built.code == 0, built.output.c_str());
  const ShellResult checked = shell(folder, "build/check 2");
  QVERIFY2(checked.code == 0 && checked.output.contains("small_convert_0: right"), checked.output.c_str());
  const ShellResult timed = shell(folder, "build/pass --json --rounds 3 2");
  QVERIFY2(timed.code == 0, timed.output.c_str());
  const auto reported = nlohmann::json::parse(timed.output);
  QCOMPARE(reported.at("calls").get<int>(), 4);
  QCOMPARE(reported.at("seconds").size(), std::size_t{3});
  const exchange::PassPlan plan = exchange::plan_pass(kernels, network.order);
  QCOMPARE(reported.at("conversions").get<std::size_t>(), plan.conversion_count());
  // This build of the product has oneDNN, so the library finds it too.
  QVERIFY2(reported.contains("vendor_seconds") || reported.contains("vendor_problem"), timed.output.c_str());
  QCOMPARE(shell(folder, "build/pass none").code, 2);
  // Written again it is known as ours, whole.
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "small", false, &network));
}

KERNELSCAPE_TEST(ExchangePassTest, QCoreApplication)

}  // namespace kernelscape::exchange_pass_test
#include "exchange_pass_test.moc"

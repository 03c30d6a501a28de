#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/graph/passes/constants.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::graph_constants_test {
using namespace kernelscape::testing;

namespace {

using graph::ElementType;

/** Returns a number as it is read back after it was stored in a type. */
double stored(ElementType type, double number) {
  graph::Value value{.name = "x", .type = type, .shape = {}, .constant = true, .data = {}};
  value.data = graph::passes::encode(type, std::array{number});
  return graph::constant_doubles(value)->front();
}

/** Returns all finite numbers of a type of 16 bits, ascending. */
std::vector<double> all_numbers(ElementType type) {
  std::vector<double> numbers;
  for (int bits = 0; bits < 65536; ++bits) {
    const std::vector<std::byte> bytes{static_cast<std::byte>(bits & 255), static_cast<std::byte>(bits >> 8)};
    const graph::Value value{.name = "x",
                             .type = type,
                             .shape = {},
                             .constant = true,
                             .data = std::make_shared<const std::vector<std::byte>>(bytes)};
    const double number = graph::constant_doubles(value)->front();
    if (std::isfinite(number)) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

/** Constants that passes write are rounded once, to the nearest number of their type. */
class GraphConstantsTest : public QObject {
  Q_OBJECT

 private slots:
  void short_floats_are_rounded_to_the_nearest() {
    base::Random random(random_seed());
    for (const ElementType type : {ElementType::F16, ElementType::BF16}) {
      const std::vector<double> numbers = all_numbers(type);
      for (int i = 0; i < 20000; ++i) {
        const double number = random.normal() * std::exp2(random.uniform() * 40 - 30);
        const auto above = std::ranges::lower_bound(numbers, number);
        if (above == numbers.begin() || above == numbers.end()) continue;
        const double nearest = std::min(*above - number, number - *(above - 1));
        QVERIFY2(std::abs(stored(type, number) - number) == nearest, fmt::format("{}", number).c_str());
      }
      for (const double number : numbers) QVERIFY(stored(type, number) == number);
    }
  }

  void ties_go_to_even_and_large_numbers_to_infinity() {
    QCOMPARE(stored(ElementType::F16, 1 + 1.0 / 2048), 1.0);
    QCOMPARE(stored(ElementType::F16, 1 + 3.0 / 2048), 1 + 1.0 / 512);
    QCOMPARE(stored(ElementType::F16, 65519), 65504.0);
    QVERIFY(std::isinf(stored(ElementType::F16, 65520)));
    QVERIFY(std::isnan(stored(ElementType::BF16, std::nan(""))));
    QVERIFY(std::isinf(stored(ElementType::BF16, -std::numeric_limits<double>::infinity())));
  }

  void integers_saturate() {
    QCOMPARE(stored(ElementType::I8, 300), 127.0);
    QCOMPARE(stored(ElementType::U8, -1), 0.0);
    QCOMPARE(stored(ElementType::I64, 0x1p63), 0x1p63);
    QCOMPARE(stored(ElementType::I32, -2.6), -3.0);
    QCOMPARE(stored(ElementType::Bool, 2), 1.0);
  }
};

KERNELSCAPE_PLAIN_TEST(GraphConstantsTest)

}  // namespace kernelscape::graph_constants_test

#include "graph_constants_test.moc"

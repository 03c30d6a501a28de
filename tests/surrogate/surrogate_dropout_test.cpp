#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "core/surrogate/network/dropout.h"
#include "core/surrogate/network/network.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/surrogate/network_cases.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_dropout_test {

namespace {

/** Six standard deviations of a share that is counted over so many draws. */
double tolerance(double share, double draws) { return 6 * std::sqrt(share * (1 - share) / draws); }

/** Whether a gradient of one row has slopes in the columns of a head of the layer that merges heads. */
enum class HeadSlopes : std::uint8_t { None, All, Some };

HeadSlopes slopes_of_head(std::span<const float> merge_gradient, std::size_t width, std::size_t first,
                          std::size_t count) {
  std::size_t with_slope = 0;
  for (std::size_t value = first; value < first + count; ++value) {
    bool any = false;
    for (std::size_t output = 0; output < width; ++output)
      any = any || merge_gradient[output * width + value] != 0;
    if (any) ++with_slope;
  }
  if (with_slope == 0) return HeadSlopes::None;
  return with_slope == count ? HeadSlopes::All : HeadSlopes::Some;
}

}  // namespace

class SurrogateDropoutTest : public QObject {
  Q_OBJECT

 private slots:
  void factors_keep_the_mean() {
    base::Random random(testing::random_seed());
    for (const double share : {0.1, 0.25, 0.5, 0.75}) {
      constexpr std::size_t count = 100'000;
      std::vector<float> factors(count);
      surrogate::Dropout{share, &random}.draw(count, factors.data());
      const auto kept = static_cast<float>(1 / (1 - share));
      const auto dropped = static_cast<double>(std::ranges::count(factors, 0.0F));
      QCOMPARE(std::ranges::count(factors, kept) + std::ranges::count(factors, 0.0F), std::ptrdiff_t{count});
      QVERIFY(std::abs(dropped / count - share) <= tolerance(share, count));
    }
  }

  /**
   * The layer that merges heads has a slope for each value of the row, unless the value's head was dropped.
   * Passes that drop all outputs of that layer say nothing of heads.
   */
  void attention_over_one_element_drops_whole_heads() {
    base::Random random(testing::random_seed());
    constexpr std::size_t width = 12;
    constexpr std::size_t heads = 3;
    constexpr double share = 0.25;
    const surrogate::NetworkShape shape{surrogate::NetworkKind::OneShot, width, {}, width, 1, heads, 8};
    const surrogate::NeuralNetwork network = random_network(shape, random);
    const std::vector<float> row = random_network_rows(shape, 1, random);
    const std::vector<float> label{3};
    std::array<double, heads> dropped{};
    double both = 0;
    double passes = 0;
    for (int i = 0; i < 4000; ++i) {
      surrogate::TrainingPass pass{share, base::Random(random.bits())};
      std::vector<float> gradient(network.parameters().size());
      network.add_gradient(row, label, pass, gradient);
      const std::span<const float> merge = std::span<const float>(gradient).subspan(width * width + width);
      const auto biases = merge.subspan(width * width, width);
      if (std::ranges::all_of(biases, [](float slope) { return slope == 0; })) continue;
      ++passes;
      std::array<bool, heads> none{};
      for (std::size_t head = 0; head < heads; ++head) {
        const HeadSlopes found = slopes_of_head(merge, width, head * width / heads, width / heads);
        QVERIFY(found != HeadSlopes::Some);
        none[head] = found == HeadSlopes::None;
        if (none[head]) ++dropped[head];
      }
      if (none[0] && none[1]) ++both;
    }
    for (const double of_head : dropped)
      QVERIFY2(std::abs(of_head / passes - share) <= tolerance(share, passes),
               qPrintable(QString::number(of_head / passes)));
    QVERIFY(std::abs(both / passes - share * share) <= tolerance(share * share, passes));
  }

  void without_heads_attention_drops_nothing() {
    base::Random random(testing::random_seed());
    constexpr std::size_t width = 12;
    const surrogate::NetworkShape shape{surrogate::NetworkKind::OneShot, width, {}, width, 1, 0, 8};
    const surrogate::NeuralNetwork network = random_network(shape, random);
    const std::vector<float> row = random_network_rows(shape, 1, random);
    const std::vector<float> label{3};
    for (int i = 0; i < 200; ++i) {
      surrogate::TrainingPass pass{0.5, base::Random(random.bits())};
      std::vector<float> gradient(network.parameters().size());
      network.add_gradient(row, label, pass, gradient);
      const std::span<const float> merge = std::span<const float>(gradient).subspan(width * width + width);
      const auto biases = merge.subspan(width * width, width);
      if (std::ranges::all_of(biases, [](float slope) { return slope == 0; })) continue;
      QVERIFY(slopes_of_head(merge, width, 0, width) == HeadSlopes::All);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateDropoutTest)

}  // namespace kernelscape::surrogate_dropout_test
#include "surrogate_dropout_test.moc"

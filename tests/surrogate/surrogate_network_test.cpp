#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <thread>

#include "tests/loop_nest/random_seed.h"
#include "tests/surrogate/network_cases.h"
#include "tests/surrogate/network_reference.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_network_test {

namespace {

/** The sizes that predictors have if nobody chooses others. */
surrogate::NetworkShape default_shape(surrogate::NetworkKind kind) {
  constexpr surrogate::TokenLayout tokens{24, 36, 32, 24};
  if (kind == surrogate::NetworkKind::Tokens) return {kind, tokens.columns(), tokens, 64, 2, 4, 256};
  if (kind == surrogate::NetworkKind::OneShot) return {kind, 748, {}, 748, 3, 4, 1024};
  if (kind == surrogate::NetworkKind::Lstm) return {kind, 748, {}, 1024, 3, 0, 0};
  return {kind, 748, {}, 1024, 0, 0, 0};
}

std::vector<float> predictions(const surrogate::NeuralNetwork& network, std::span<const float> rows) {
  std::vector<float> values(rows.size() / network.shape().columns);
  network.predict(rows, values);
  return values;
}

/** Whether they are the same bits. */
bool identical(std::span<const float> left, std::span<const float> right) {
  return std::ranges::equal(left, right, {}, std::bit_cast<std::uint32_t, float>,
                            std::bit_cast<std::uint32_t, float>);
}

std::span<const float> row_of(const surrogate::NetworkShape& shape, const std::vector<float>& rows,
                              std::size_t row) {
  return std::span(rows).subspan(row * shape.columns, shape.columns);
}

}  // namespace

class SurrogateNetworkTest : public QObject {
  Q_OBJECT

 private slots:
  void values_are_those_of_the_formulas_data() { add_network_kinds(); }
  void values_are_those_of_the_formulas() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    for (int repeat = 0; repeat < 50; ++repeat) {
      const surrogate::NetworkShape shape = random_network_shape(kind, random);
      const surrogate::NeuralNetwork network = random_network(shape, random);
      QCOMPARE(network.parameters().size(), *surrogate::NeuralNetwork::parameter_count(shape));
      const std::vector<float> rows = random_network_rows(shape, 1 + random.below(150), random);
      const std::vector<float> values = predictions(network, rows);
      const std::vector<double> parameters(network.parameters().begin(), network.parameters().end());
      NetworkReference reference(shape, parameters);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto row = row_of(shape, rows, i);
        const double expected = reference.value({row.begin(), row.end()});
        QCOMPARE(reference.used(), parameters.size());
        QVERIFY2(std::abs(static_cast<double>(values[i]) - expected) <= 1e-4 * (1 + std::abs(expected)),
                 qPrintable(QString("%1, not %2").arg(static_cast<double>(values[i])).arg(expected)));
      }
    }
  }

  void published_size_is_that_of_the_published_code_without_queries_and_keys() {
    // 11,333,777 with them: 2 (748 * 748 + 748) for each of three layers.
    QCOMPARE(*surrogate::NeuralNetwork::parameter_count(default_shape(surrogate::NetworkKind::OneShot)),
             std::size_t{11'333'777 - 3 * 2 * (748 * 748 + 748)});
  }

  void published_lstm_is_that_of_pytorch_without_forget_gates_and_recurrent_weights() {
    std::size_t pytorchs = 1024 + 1;
    std::size_t left_out = 0;
    for (const std::size_t inputs : {std::size_t{748}, std::size_t{1024}, std::size_t{1024}}) {
      pytorchs += 4 * 1024 * (inputs + 1024 + 2);
      left_out += 4 * 1024 * 1024 + 1024 * (inputs + 2);
    }
    QCOMPARE(*surrogate::NeuralNetwork::parameter_count(default_shape(surrogate::NetworkKind::Lstm)),
             pytorchs - left_out);
  }

  void heads_of_one_element_change_no_prediction() {
    base::Random random(testing::random_seed());
    surrogate::NetworkShape shape{surrogate::NetworkKind::OneShot, 12, {}, 12, 2, 0, 7};
    const surrogate::NeuralNetwork without = random_network(shape, random);
    const std::vector<float> rows = random_network_rows(shape, 70, random);
    shape.heads = 4;
    const std::span<const float> parameters = without.parameters();
    const auto with =
        surrogate::NeuralNetwork::from_parameters(shape, {parameters.begin(), parameters.end()});
    QVERIFY(with.has_value());
    QVERIFY(identical(predictions(*with, rows), predictions(without, rows)));
  }

  void value_depends_on_its_row_alone_data() { add_network_kinds(); }
  void value_depends_on_its_row_alone() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    // What is multiplied in which order may change with the sizes.
    for (const bool large : {true, false}) {
      const surrogate::NetworkShape shape = large ? default_shape(kind) : random_network_shape(kind, random);
      const surrogate::NeuralNetwork network = random_network(shape, random);
      const std::size_t count = 65 + random.below(80);
      const std::vector<float> rows = random_network_rows(shape, count, random);
      const std::vector<float> values = predictions(network, rows);

      for (int repeat = 0; repeat < 10; ++repeat) {
        const std::size_t row = random.below(count);
        QVERIFY(identical(predictions(network, row_of(shape, rows, row)), std::span(values).subspan(row, 1)));
      }

      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), 0);
      random.shuffle(std::span(order));
      std::vector<float> shuffled_rows;
      std::vector<float> shuffled_values;
      for (const std::size_t row : order) {
        const auto numbers = row_of(shape, rows, row);
        shuffled_rows.insert(shuffled_rows.end(), numbers.begin(), numbers.end());
        shuffled_values.push_back(values[row]);
      }
      QVERIFY(identical(predictions(network, shuffled_rows), shuffled_values));

      std::vector<std::vector<float>> by_thread(3);
      {
        std::vector<std::jthread> threads;
        for (std::vector<float>& result : by_thread)
          threads.emplace_back([&] { result = predictions(network, rows); });
      }
      for (const std::vector<float>& result : by_thread) QVERIFY(identical(result, values));
    }
  }

  void no_rows_no_values() {
    base::Random random(testing::random_seed());
    for (const surrogate::NetworkKind kind :
         {surrogate::NetworkKind::Tokens, surrogate::NetworkKind::OneShot, surrogate::NetworkKind::Perceptron,
          surrogate::NetworkKind::Lstm})
      QVERIFY(predictions(random_network(random_network_shape(kind, random), random), {}).empty());
  }

  void calling_thread_works_alone() {
    base::Random random(testing::random_seed());
    const surrogate::NetworkShape shape = default_shape(surrogate::NetworkKind::OneShot);
    const surrogate::NeuralNetwork network = random_network(shape, random);
    const std::vector<float> rows = random_network_rows(shape, 64, random);
    const auto threads = [] {
      const std::filesystem::directory_iterator tasks("/proc/self/task");
      return std::distance(begin(tasks), end(tasks));
    };
    const auto before = threads();
    predictions(network, rows);
    QCOMPARE(threads(), before);
  }

  void loops_that_a_row_does_not_have_are_ignored() {
    base::Random random(testing::random_seed());
    for (int repeat = 0; repeat < 20; ++repeat) {
      const surrogate::NetworkShape shape = random_network_shape(surrogate::NetworkKind::Tokens, random);
      const surrogate::NeuralNetwork network = random_network(shape, random);
      std::vector<float> rows = random_network_rows(shape, 20, random);
      const std::vector<float> values = predictions(network, rows);
      for (std::size_t row = 0; row < 20; ++row) {
        float* numbers = rows.data() + row * shape.columns;
        const auto loops = static_cast<std::size_t>(numbers[0]);
        std::fill(numbers + 1 + loops * shape.tokens.loop_columns,
                  numbers + 1 + shape.tokens.loops * shape.tokens.loop_columns,
                  random.chance(0.5) ? std::numeric_limits<float>::quiet_NaN() : 1e30F);
      }
      QVERIFY(identical(predictions(network, rows), values));
    }
  }

  void counts_of_loops_that_there_cannot_be_become_the_nearest_data() {
    QTest::addColumn<float>("given");
    QTest::addColumn<float>("taken");
    QTest::addRow("none") << 0.0F << 1.0F;
    QTest::addRow("below") << -1e30F << 1.0F;
    QTest::addRow("no number") << std::numeric_limits<float>::quiet_NaN() << 1.0F;
    QTest::addRow("one more") << 5.0F << 4.0F;
    QTest::addRow("above") << std::numeric_limits<float>::infinity() << 4.0F;
  }
  void counts_of_loops_that_there_cannot_be_become_the_nearest() {
    QFETCH(float, given);
    QFETCH(float, taken);
    base::Random random(testing::random_seed());
    surrogate::NetworkShape shape{.kind = surrogate::NetworkKind::Tokens, .tokens = {4, 2, 3, 1}};
    shape = {shape.kind, shape.tokens.columns(), shape.tokens, 6, 1, 2, 5};
    const surrogate::NeuralNetwork network = random_network(shape, random);
    std::vector<float> row = random_network_rows(shape, 1, random);
    row.front() = given;
    const std::vector<float> value = predictions(network, row);
    row.front() = taken;
    QVERIFY(identical(value, predictions(network, row)));
  }

  void first_parameters_are_as_pytorchs() {
    base::Random random(testing::random_seed());
    const surrogate::NetworkShape shape{surrogate::NetworkKind::Perceptron, 16, {}, 400, 0, 0, 0};
    const surrogate::NeuralNetwork network =
        *surrogate::NeuralNetwork::make(shape, base::Random(random.bits()));
    const auto check = [](std::span<const float> numbers, double bound) {
      const auto count = static_cast<double>(numbers.size());
      double mean = 0;
      double square = 0;
      for (const float number : numbers) {
        const double share = static_cast<double>(number) / bound;
        QVERIFY(std::abs(share) <= 1 + 1e-6);
        mean += share / count;
        square += share * share / count;
      }
      QVERIFY(std::abs(mean) < 6 / std::sqrt(3 * count));
      QVERIFY(std::abs(square - 1.0 / 3) < 6 * std::sqrt(4.0 / 45 / count));
    };
    check(network.parameters().first(17 * 400), 1.0 / 4);
    check(network.parameters().subspan(17 * 400), 1.0 / 20);
  }

  void same_seed_same_parameters() {
    base::Random random(testing::random_seed());
    const surrogate::NetworkShape shape = random_network_shape(surrogate::NetworkKind::Tokens, random);
    const std::uint64_t seed = random.bits();
    const surrogate::NeuralNetwork first = *surrogate::NeuralNetwork::make(shape, base::Random(seed));
    QVERIFY(identical(first.parameters(),
                      surrogate::NeuralNetwork::make(shape, base::Random(seed))->parameters()));
    QVERIFY(!identical(first.parameters(),
                       surrogate::NeuralNetwork::make(shape, base::Random(seed + 1))->parameters()));
  }

  void parameters_make_the_same_network() {
    base::Random random(testing::random_seed());
    const surrogate::NetworkShape shape = random_network_shape(surrogate::NetworkKind::Tokens, random);
    const surrogate::NeuralNetwork network = random_network(shape, random);
    std::vector<float> parameters(network.parameters().begin(), network.parameters().end());
    const surrogate::NeuralNetwork copy = *surrogate::NeuralNetwork::from_parameters(shape, parameters);
    QCOMPARE(copy.shape(), shape);
    const std::vector<float> rows = random_network_rows(shape, 10, random);
    QVERIFY(identical(predictions(copy, rows), predictions(network, rows)));

    parameters[random.below(parameters.size())] = std::numeric_limits<float>::infinity();
    QVERIFY(surrogate::NeuralNetwork::from_parameters(shape, parameters).error().message.contains("finite"));
    parameters.pop_back();
    const Error error = surrogate::NeuralNetwork::from_parameters(shape, parameters).error();
    QCOMPARE(error.code, ErrorCode::InvalidArgument);
    QVERIFY(error.message.contains(std::to_string(parameters.size())));
  }

  void shapes_that_do_not_fit_are_refused_data() {
    QTest::addColumn<surrogate::NetworkShape>("shape");
    QTest::addColumn<QString>("reason");
    const auto changed = [](surrogate::NetworkKind kind, auto change) {
      surrogate::NetworkShape shape = default_shape(kind);
      change(shape);
      return shape;
    };
    const std::size_t most = std::numeric_limits<std::size_t>::max();
    QTest::addRow("no columns") << changed(surrogate::NetworkKind::Perceptron, [](auto& shape) {
      shape.columns = 0;
    }) << "columns cannot be 0";
    QTest::addRow("no width") << changed(surrogate::NetworkKind::Tokens, [](auto& shape) { shape.width = 0; })
                              << "width cannot be 0";
    QTest::addRow("no layer") << changed(surrogate::NetworkKind::OneShot, [](auto& shape) {
      shape.layers = 0;
    }) << "layers cannot be 0";
    QTest::addRow("too many layers") << changed(surrogate::NetworkKind::Tokens, [](auto& shape) {
      shape.width = shape.layers = 300;
    }) << "layers cannot be 300";
    QTest::addRow("heads of one element")
        << changed(surrogate::NetworkKind::OneShot, [](auto& shape) { shape.heads = 3; })
        << "the width 748 is not a multiple of 3 heads";
    QTest::addRow("heads of a perceptron")
        << changed(surrogate::NetworkKind::Perceptron, [](auto& shape) { shape.heads = 4; })
        << "has no heads";
    QTest::addRow("a half that an lstm has not")
        << changed(surrogate::NetworkKind::Lstm, [](auto& shape) { shape.feed_forward = 4; })
        << "has no feed-forward units";
    QTest::addRow("heads") << changed(surrogate::NetworkKind::Tokens, [](auto& shape) { shape.heads = 3; })
                           << "the width 64 is not a multiple of 3 heads";
    QTest::addRow("columns") << changed(surrogate::NetworkKind::Tokens, [](auto& shape) { ++shape.columns; })
                             << "a row of 922 numbers cannot contain tokens of 921";
    QTest::addRow("width") << changed(surrogate::NetworkKind::OneShot, [](auto& shape) { shape.width = 64; })
                           << "748 numbers cannot have the width 64";
    QTest::addRow("too wide") << changed(surrogate::NetworkKind::Perceptron, [](auto& shape) {
      shape.width = 20'000;
    }) << "256 MiB";
    QTest::addRow("too deep") << changed(surrogate::NetworkKind::OneShot, [](auto& shape) {
      shape.layers = 256;
    }) << "256 MiB";
    QTest::addRow("sequences too long") << changed(surrogate::NetworkKind::Tokens, [](auto& shape) {
      shape.tokens = {60'000, 1, 1, 1};
      shape.columns = shape.tokens.columns();
    }) << "256 MiB";
    QTest::addRow("products that overflow") << changed(surrogate::NetworkKind::Tokens, [&](auto& shape) {
      shape.tokens = {most / 2, 2, most, most};
      shape.columns = shape.tokens.columns();
    }) << "cannot be";
    QTest::addRow("largest sizes")
        << surrogate::NetworkShape{surrogate::NetworkKind::Perceptron, 65'536, {}, 65'536, 0, 0, 0}
        << "256 MiB";
  }
  void shapes_that_do_not_fit_are_refused() {
    QFETCH(surrogate::NetworkShape, shape);
    QFETCH(QString, reason);
    for (const Error& error : {surrogate::NeuralNetwork::parameter_count(shape).error(),
                               surrogate::NeuralNetwork::make(shape, base::Random(1)).error(),
                               surrogate::NeuralNetwork::from_parameters(shape, {1, 2, 3}).error()}) {
      QCOMPARE(error.code, ErrorCode::InvalidArgument);
      QVERIFY2(QString::fromStdString(error.message).contains(reason), error.message.c_str());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateNetworkTest)

}  // namespace kernelscape::surrogate_network_test
#include "surrogate_network_test.moc"

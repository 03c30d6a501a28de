#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/surrogate/network/optimizer.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/surrogate/network_cases.h"
#include "tests/surrogate/network_reference.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_network_gradient_test {

namespace {

std::vector<double> wide(std::span<const float> numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<float> random_labels(std::size_t count, base::Random& random) {
  std::vector<float> labels(count);
  for (float& label : labels) label = static_cast<float>(random.normal());
  return labels;
}

/** Wide enough for its columns to have deviations that small steps change little. */
surrogate::NetworkShape smooth_network_shape(surrogate::NetworkKind kind, base::Random& random) {
  surrogate::NetworkShape shape = random_network_shape(kind, random);
  shape.width = 24 * std::max<std::size_t>(1, shape.heads);
  if (kind == surrogate::NetworkKind::OneShot) shape.columns = shape.width;
  return shape;
}

/** Rows with the networks that are to learn from them. */
struct LearningCase {
  LearningCase(const surrogate::NetworkShape& learning_shape, std::size_t rows_count, base::Random& random)
      : shape(learning_shape),
        network(random_network(shape, random)),
        rows(random_network_rows(shape, rows_count, random)),
        labels(random_labels(rows_count, random)) {}

  double reference_loss(const std::vector<double>& parameters) const {
    NetworkReference reference(shape, parameters);
    double loss = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto row = std::span(rows).subspan(i * shape.columns, shape.columns);
      loss += std::pow(reference.value(wide(row)) - static_cast<double>(labels[i]), 2);
    }
    return loss;
  }

  std::vector<float> gradient(surrogate::TrainingPass pass = {}) const {
    std::vector<float> sum(network.parameters().size());
    network.add_gradient(rows, labels, pass, sum);
    return sum;
  }

  surrogate::NetworkShape shape;
  surrogate::NeuralNetwork network;
  std::vector<float> rows;
  std::vector<float> labels;
};

double largest(std::span<const float> numbers) {
  double most = 0;
  for (const float number : numbers) most = std::max(most, std::abs(static_cast<double>(number)));
  return most;
}

}  // namespace

class SurrogateNetworkGradientTest : public QObject {
  Q_OBJECT

 private slots:
  void gradient_is_that_of_finite_differences_data() { add_network_kinds(); }
  void gradient_is_that_of_finite_differences() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    for (int repeat = 0; repeat < 8; ++repeat) {
      const LearningCase learning(random_network_shape(kind, random), 1 + random.below(4), random);
      const std::vector<float> gradient = learning.gradient();
      const double tolerance = 1e-4 * (1 + largest(gradient));
      std::vector<double> parameters = wide(learning.network.parameters());
      const double checked_share = 500 / static_cast<double>(parameters.size());
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!random.chance(checked_share)) continue;
        constexpr double step = 1e-6;
        const double value = parameters[i];
        parameters[i] = value + step;
        const double above = learning.reference_loss(parameters);
        parameters[i] = value - step;
        const double below = learning.reference_loss(parameters);
        parameters[i] = value;
        const double slope = (above - below) / (2 * step);
        QVERIFY2(std::abs(static_cast<double>(gradient[i]) - slope) <= tolerance,
                 qPrintable(QString("parameter %1 of %2: %3, not %4")
                                .arg(i)
                                .arg(parameters.size())
                                .arg(static_cast<double>(gradient[i]))
                                .arg(slope)));
      }
    }
  }

  void loss_is_the_sum_of_squares_data() { add_network_kinds(); }
  void loss_is_the_sum_of_squares() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    const LearningCase learning(random_network_shape(kind, random), 150, random);
    surrogate::TrainingPass pass;
    std::vector<float> gradient(learning.network.parameters().size());
    const double loss = learning.network.add_gradient(learning.rows, learning.labels, pass, gradient);
    const double expected = learning.reference_loss(wide(learning.network.parameters()));
    QVERIFY(std::abs(loss - expected) <= 1e-4 * expected);
  }

  void rows_add_up_whatever_their_blocks_data() { add_network_kinds(); }
  void rows_add_up_whatever_their_blocks() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    const LearningCase learning(random_network_shape(kind, random), 65 + random.below(100), random);
    const std::vector<float> gradient = learning.gradient();
    std::vector<float> sum(gradient.size());
    surrogate::TrainingPass pass;
    for (std::size_t i = 0; i < learning.labels.size(); ++i) {
      learning.network.add_gradient(
          std::span(learning.rows).subspan(i * learning.shape.columns, learning.shape.columns),
          std::span(learning.labels).subspan(i, 1), pass, sum);
    }
    for (std::size_t i = 0; i < sum.size(); ++i)
      QVERIFY(std::abs(sum[i] - gradient[i]) <= 1e-4 * (1 + largest(gradient)));
  }

  void gradient_is_added_to_what_is_there() {
    base::Random random(testing::random_seed());
    const LearningCase learning(random_network_shape(surrogate::NetworkKind::Tokens, random), 3, random);
    const std::vector<float> gradient = learning.gradient();
    std::vector<float> sum(gradient.size(), 100);
    surrogate::TrainingPass pass;
    learning.network.add_gradient(learning.rows, learning.labels, pass, sum);
    for (std::size_t i = 0; i < sum.size(); ++i)
      QVERIFY(std::abs(sum[i] - 100 - gradient[i]) <= 1e-3 * (1 + largest(gradient)));
  }

  void gradient_under_dropout_is_that_of_what_was_drawn_data() { add_network_kinds(); }
  void gradient_under_dropout_is_that_of_what_was_drawn() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    for (int repeat = 0; repeat < 20; ++repeat) {
      LearningCase learning(smooth_network_shape(kind, random), 70, random);
      const surrogate::TrainingPass drawn{0.5, base::Random(random.bits())};
      const std::vector<float> gradient = learning.gradient(drawn);
      // Along a direction in which the loss grows for certain, so that the step need not be small.
      double length = 0;
      for (const float slope : gradient) length += static_cast<double>(slope) * slope;
      length = std::sqrt(length);
      if (length < 1e-3) continue;
      const std::vector<float> start(learning.network.parameters().begin(),
                                     learning.network.parameters().end());
      const auto loss_at = [&](double step) {
        for (std::size_t i = 0; i < start.size(); ++i)
          learning.network.parameters()[i] = start[i] + static_cast<float>(step * gradient[i] / length);
        surrogate::TrainingPass pass = drawn;
        std::vector<float> ignored(gradient.size());
        return learning.network.add_gradient(learning.rows, learning.labels, pass, ignored);
      };
      constexpr double step = 1e-3;
      const double slope = (loss_at(step) - loss_at(-step)) / (2 * step);
      QVERIFY2(std::abs(slope - length) <= 0.05 * length,
               qPrintable(QString("%1, not %2").arg(length).arg(slope)));
    }
  }

  void same_pass_same_bits_data() { add_network_kinds(); }
  void same_pass_same_bits() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    const LearningCase learning(smooth_network_shape(kind, random), 70, random);
    const surrogate::TrainingPass drawn{0.25, base::Random(random.bits())};
    const std::vector<float> first = learning.gradient(drawn);
    QVERIFY(first == learning.gradient(drawn));
    QVERIFY(first != learning.gradient({0.25, base::Random(random.bits())}));
  }

  void what_is_learnt_is_known_of_other_rows_data() { add_network_kinds(); }
  void what_is_learnt_is_known_of_other_rows() {
    QFETCH(surrogate::NetworkKind, kind);
    base::Random random(testing::random_seed());
    surrogate::NetworkShape shape{.kind = kind, .columns = 8, .width = 32};
    if (kind == surrogate::NetworkKind::Tokens) {
      shape = {
          .kind = kind, .tokens = {4, 3, 2, 2}, .width = 16, .layers = 1, .heads = 2, .feed_forward = 32};
      shape.columns = shape.tokens.columns();
    } else if (kind == surrogate::NetworkKind::OneShot) {
      shape = {.kind = kind, .columns = 8, .width = 8, .layers = 2, .feed_forward = 32};
    } else if (kind == surrogate::NetworkKind::Lstm) {
      shape.layers = 2;
    }
    // A difference of two numbers that every kind sees, of the task or of the row.
    const auto labels_of = [&](const std::vector<float>& rows) {
      std::vector<float> labels;
      for (std::size_t row = 0; row < rows.size(); row += shape.columns)
        labels.push_back(rows[row + shape.columns - 3] - rows[row + shape.columns - 4]);
      return labels;
    };
    surrogate::NeuralNetwork network = *surrogate::NeuralNetwork::make(shape, base::Random(random.bits()));
    surrogate::Optimizer optimizer(network.parameters().size(), {});
    surrogate::TrainingPass pass;
    constexpr std::int64_t steps = 400;
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::vector<float> rows = random_network_rows(shape, 64, random);
      std::vector<float> gradient(network.parameters().size());
      network.add_gradient(rows, labels_of(rows), pass, gradient);
      for (float& slope : gradient) slope /= 64;
      optimizer.step(network.parameters(), gradient, surrogate::cosine_rate(1e-2, step, steps));
    }
    const std::vector<float> rows = random_network_rows(shape, 500, random);
    const std::vector<float> labels = labels_of(rows);
    std::vector<float> values(labels.size());
    network.predict(rows, values);
    double error = 0;
    double variance = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      error += std::pow(static_cast<double>(values[i] - labels[i]), 2);
      variance += std::pow(static_cast<double>(labels[i]), 2);
    }
    QVERIFY2(error < 0.25 * variance, qPrintable(QString("%1 of %2").arg(error).arg(variance)));
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateNetworkGradientTest)

}  // namespace kernelscape::surrogate_network_gradient_test
#include "surrogate_network_gradient_test.moc"

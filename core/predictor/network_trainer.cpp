#include <fmt/format.h>

#include <algorithm>

#include "core/predictor/model_trainer.h"
#include "core/surrogate/network/optimizer.h"
#include "core/surrogate/worker_threads.h"

namespace kernelscape::predictor {
namespace {

/**
 * Divides a minibatch into as many parts as the setting `threads` requests. Each part has a separate
 * gradient, and these are added in order, so the number of threads at work does not change any bit.
 */
class NetworkTrainer final : public ModelTrainer {
 public:
  NetworkTrainer(const TrainingRows& rows, const TrainingSettings& settings, const base::Random& random,
                 int workers)
      : rows_(rows),
        settings_(settings),
        random_(random),
        workers_(workers),
        parts_(static_cast<std::size_t>(settings.threads)) {
    options_.weight_decay = settings.weight_decay;
    options_.decay = settings.decay;
  }

  Result<ModelState> start() const override {
    const surrogate::NeuralNetwork network =
        TRY(surrogate::NeuralNetwork::make(rows_.shape.network, random_.fork("weights")));
    const std::span<const float> numbers = network.parameters();
    return ModelState{{numbers.begin(), numbers.end()},
                      surrogate::Optimizer(numbers.size(), options_).state()};
  }

  Status check(const ModelState& state) const override {
    const auto model = RegressionModel::from_numbers(rows_.shape, state.numbers);
    if (!model) return std::unexpected(model.error());
    return surrogate::Optimizer(state.numbers.size(), options_).set_state(state.optimizer);
  }

  Result<std::optional<TrainedModel>> train(const ModelState& before, std::int64_t epoch,
                                            const std::function<bool()>& stopped) const override {
    surrogate::NeuralNetwork network =
        TRY(surrogate::NeuralNetwork::from_parameters(rows_.shape.network, before.numbers));
    surrogate::Optimizer optimizer(before.numbers.size(), options_);
    TRY(optimizer.set_state(before.optimizer));
    const double rate = surrogate::cosine_rate(settings_.learning_rate, epoch - 1, max_epochs());
    const base::Random random = random_.fork(fmt::format("epoch {}", epoch));
    const std::vector<std::size_t> drawn = draw_samples(rows_, settings_, random.fork("samples"));

    std::vector<std::vector<float>> gradients(parts_, std::vector<float>(before.numbers.size()));
    double squares = 0;
    for (std::size_t first = 0; first < drawn.size(); first += settings_.batch_size) {
      if (stopped && stopped()) return std::nullopt;
      const std::size_t count = std::min(settings_.batch_size, drawn.size() - first);
      const base::Random of_batch = random.fork(fmt::format("batch {}", first));
      squares += add_gradients(network, std::span(drawn).subspan(first, count), of_batch, gradients);
      optimizer.step(network.parameters(), mean_gradient(gradients, count), rate);
    }
    const std::span<const float> numbers = std::as_const(network).parameters();
    return TrainedModel{{{numbers.begin(), numbers.end()}, optimizer.state()},
                        squares / static_cast<double>(drawn.size())};
  }

  std::int64_t max_epochs() const override { return settings_.epochs; }

 private:
  /** Computes the gradient of each part in its own array. @return the sum of squared errors */
  double add_gradients(const surrogate::NeuralNetwork& network, std::span<const std::size_t> batch,
                       const base::Random& random, std::vector<std::vector<float>>& gradients) const {
    std::vector<double> squares(parts_);
    surrogate::run_parallel(parts_, workers_, [&](std::size_t part) {
      std::ranges::fill(gradients[part], 0.0F);
      const std::size_t first = batch.size() * part / parts_;
      const std::size_t end = batch.size() * (part + 1) / parts_;
      if (first == end) return true;
      surrogate::TrainingPass pass{settings_.dropout, random.fork(fmt::format("part {}", part))};
      squares[part] = add_gradient(network, batch.subspan(first, end - first), pass, gradients[part]);
      return true;
    });
    double sum = 0;
    for (const double of_part : squares) sum += of_part;
    return sum;
  }

  double add_gradient(const surrogate::NeuralNetwork& network, std::span<const std::size_t> samples,
                      surrogate::TrainingPass& pass, std::span<float> gradient) const {
    const std::size_t columns = rows_.columns();
    std::vector<float> rows(samples.size() * columns);
    std::vector<float> labels;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      std::ranges::copy(std::span(rows_.rows).subspan(samples[i] * columns, columns),
                        rows.begin() + static_cast<std::ptrdiff_t>(i * columns));
      labels.push_back(rows_.labels[samples[i]]);
    }
    return network.add_gradient(rows, labels, pass, gradient);
  }

  /** Returns the gradient of a batch's mean squared error, in the first part's array. */
  static std::span<const float> mean_gradient(std::vector<std::vector<float>>& gradients, std::size_t count) {
    std::vector<float>& sum = gradients.front();
    for (std::size_t part = 1; part < gradients.size(); ++part)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradients[part][i];
    const float share = 1.0F / static_cast<float>(count);
    for (float& slope : sum) slope *= share;
    return sum;
  }

  const TrainingRows& rows_;
  TrainingSettings settings_;
  base::Random random_;
  int workers_;
  std::size_t parts_;
  surrogate::OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<ModelTrainer> network_trainer(const TrainingRows& rows, const TrainingSettings& settings,
                                              const base::Random& random, int workers) {
  return std::make_unique<NetworkTrainer>(rows, settings, random, workers);
}

}  // namespace kernelscape::predictor

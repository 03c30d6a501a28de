// How fast networks predict and learn, on one core, at the sizes that predictors have if nobody chooses
// others.
#include <benchmark/benchmark.h>

#include "core/surrogate/network/network.h"
#include "core/surrogate/network/optimizer.h"

namespace kernelscape {
namespace {

surrogate::NetworkShape shape_of(surrogate::NetworkKind kind) {
  constexpr surrogate::TokenLayout tokens{24, 36, 32, 24};
  if (kind == surrogate::NetworkKind::Tokens) return {kind, tokens.columns(), tokens, 64, 2, 4, 256};
  if (kind == surrogate::NetworkKind::OneShot) return {kind, 748, {}, 748, 3, 4, 1024};
  if (kind == surrogate::NetworkKind::Lstm) return {kind, 748, {}, 1024, 3, 0, 0};
  return {kind, 748, {}, 1024, 0, 0, 0};
}

/** Normal numbers; rows of tokens have so many loops. */
std::vector<float> rows_of(const surrogate::NetworkShape& shape, std::size_t count, std::int64_t loops) {
  base::Random random(1);
  std::vector<float> rows(count * shape.columns);
  for (float& number : rows) number = static_cast<float>(random.normal());
  for (std::size_t row = 0; shape.kind == surrogate::NetworkKind::Tokens && row < count; ++row)
    rows[row * shape.columns] = static_cast<float>(loops);
  return rows;
}

/** As many predictions as annealing's chains ask for at once. */
void predict(benchmark::State& state, surrogate::NetworkKind kind) {
  constexpr std::size_t count = 512;
  const surrogate::NetworkShape shape = shape_of(kind);
  const surrogate::NeuralNetwork network = *surrogate::NeuralNetwork::make(shape, base::Random(1));
  const std::vector<float> rows = rows_of(shape, count, state.range(0));
  std::vector<float> values(count);
  for (auto _ : state) {
    network.predict(rows, values);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

/** A step on a minibatch of 256 rows. */
void learn(benchmark::State& state, surrogate::NetworkKind kind) {
  constexpr std::size_t count = 256;
  const surrogate::NetworkShape shape = shape_of(kind);
  surrogate::NeuralNetwork network = *surrogate::NeuralNetwork::make(shape, base::Random(1));
  surrogate::Optimizer optimizer(network.parameters().size(), {});
  const std::vector<float> rows = rows_of(shape, count, state.range(0));
  const std::vector<float> labels(count, 1);
  surrogate::TrainingPass pass;
  for (auto _ : state) {
    std::vector<float> gradient(network.parameters().size());
    benchmark::DoNotOptimize(network.add_gradient(rows, labels, pass, gradient));
    optimizer.step(network.parameters(), gradient, 1e-6);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

BENCHMARK_CAPTURE(predict, tokens, surrogate::NetworkKind::Tokens)->ArgName("loops")->Arg(18)->Arg(24);
BENCHMARK_CAPTURE(predict, one_shot, surrogate::NetworkKind::OneShot)->Arg(0);
BENCHMARK_CAPTURE(predict, perceptron, surrogate::NetworkKind::Perceptron)->Arg(0);
BENCHMARK_CAPTURE(predict, lstm, surrogate::NetworkKind::Lstm)->Arg(0);
BENCHMARK_CAPTURE(learn, tokens, surrogate::NetworkKind::Tokens)->ArgName("loops")->Arg(18)->Arg(24);
BENCHMARK_CAPTURE(learn, one_shot, surrogate::NetworkKind::OneShot)->Arg(0);
BENCHMARK_CAPTURE(learn, perceptron, surrogate::NetworkKind::Perceptron)->Arg(0);
BENCHMARK_CAPTURE(learn, lstm, surrogate::NetworkKind::Lstm)->Arg(0);

}  // namespace
}  // namespace kernelscape

// Features of configurations per second: what a surrogate waits for.
#include <benchmark/benchmark.h>

#include "core/schedule/loop_features.h"
#include "core/schedule/one_shot_features.h"
#include "core/space/cached_features.h"
#include "core/task/catalogue.h"

namespace kernelscape {
namespace {

enum Kind { Knob, Itervar, Curve, Tokens, OneShot };

/** Sixteen lanes, whatever machine this runs on. */
schedule::TargetDescription wide_cpu() {
  schedule::TargetDescription target;
  target.vector_bits = 512;
  target.vector_registers = 32;
  return target;
}

schedule::ScheduledKernel packed_convolution() {
  return *schedule::apply_template(*task::Catalogue::load_default()->find("resnet18/C6"), wide_cpu(),
                                   "conv2d-packed");
}

schedule::ScheduledKernel direct_convolution() {
  return *schedule::apply_template(*task::Catalogue::load_default()->find("resnet18/C2"),
                                   schedule::default_cuda_target(), "conv2d-direct");
}

std::shared_ptr<const space::FeatureExtractor> features_of(const schedule::ScheduledKernel& kernel,
                                                           std::int64_t kind) {
  if (kind == Itervar) return schedule::itervar_features(kernel);
  if (kind == Curve) return schedule::curve_features(kernel);
  if (kind == Tokens) return schedule::token_features(kernel);
  if (kind == OneShot) return schedule::one_shot_features(kernel);
  return std::make_shared<space::KnobFeatures>(kernel.space());
}

void compute(benchmark::State& state, const schedule::ScheduledKernel& kernel,
             const space::FeatureExtractor& features, std::size_t configurations) {
  base::Random random(1);
  std::vector<space::Configuration> members;
  while (members.size() < configurations) members.push_back(*kernel.space().random_member(random));
  std::vector<float> row(features.names().size());
  std::size_t next = 0;
  for (auto _ : state) {
    features.write(members[next++ % members.size()], row);
    benchmark::DoNotOptimize(row.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(features.name() + ", " + std::to_string(row.size()) + " numbers");
}

void packed(benchmark::State& state) {
  const schedule::ScheduledKernel kernel = packed_convolution();
  compute(state, kernel, *features_of(kernel, state.range(0)), 4096);
}
BENCHMARK(packed)->Arg(Knob)->Arg(Itervar)->Arg(Curve)->Arg(Tokens)->Arg(OneShot);

void cuda(benchmark::State& state) {
  const schedule::ScheduledKernel kernel = direct_convolution();
  compute(state, kernel, *features_of(kernel, state.range(0)), 4096);
}
BENCHMARK(cuda)->Arg(Knob)->Arg(Itervar)->Arg(Curve)->Arg(Tokens)->Arg(OneShot);

/** All of a few configurations are there: what a run on a recorded space sees. */
void cached(benchmark::State& state) {
  const schedule::ScheduledKernel kernel = packed_convolution();
  const space::CachedFeatures features(features_of(kernel, state.range(0)), kernel.space());
  compute(state, kernel, features, 1024);
}
BENCHMARK(cached)->Arg(Knob)->Arg(Itervar)->Arg(Curve);

/** Nearly none is: what a run on a large space sees. */
void missed(benchmark::State& state) {
  const schedule::ScheduledKernel kernel = packed_convolution();
  const space::CachedFeatures features(features_of(kernel, state.range(0)), kernel.space(), 1 << 16);
  compute(state, kernel, features, 4096);
}
BENCHMARK(missed)->Arg(Itervar)->Arg(Curve);

}  // namespace
}  // namespace kernelscape

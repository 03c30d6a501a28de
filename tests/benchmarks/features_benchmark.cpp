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
TargetDescription wide_cpu() {
  TargetDescription target;
  target.vector_bits = 512;
  target.vector_registers = 32;
  return target;
}

ScheduledKernel packed_convolution() {
  return *apply_template(*Catalogue::load_default()->find("resnet18/C6"), wide_cpu(), "conv2d-packed");
}

ScheduledKernel direct_convolution() {
  return *apply_template(*Catalogue::load_default()->find("resnet18/C2"), default_cuda_target(),
                         "conv2d-direct");
}

std::shared_ptr<const FeatureExtractor> features_of(const ScheduledKernel& kernel, std::int64_t kind) {
  if (kind == Itervar) return itervar_features(kernel);
  if (kind == Curve) return curve_features(kernel);
  if (kind == Tokens) return token_features(kernel);
  if (kind == OneShot) return one_shot_features(kernel);
  return std::make_shared<KnobFeatures>(kernel.space());
}

void compute(benchmark::State& state, const ScheduledKernel& kernel, const FeatureExtractor& features,
             std::size_t configurations) {
  Random random(1);
  std::vector<Configuration> members;
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
  const ScheduledKernel kernel = packed_convolution();
  compute(state, kernel, *features_of(kernel, state.range(0)), 4096);
}
BENCHMARK(packed)->Arg(Knob)->Arg(Itervar)->Arg(Curve)->Arg(Tokens)->Arg(OneShot);

void cuda(benchmark::State& state) {
  const ScheduledKernel kernel = direct_convolution();
  compute(state, kernel, *features_of(kernel, state.range(0)), 4096);
}
BENCHMARK(cuda)->Arg(Knob)->Arg(Itervar)->Arg(Curve)->Arg(Tokens)->Arg(OneShot);

/** All of a few configurations are there: what a run on a recorded space sees. */
void cached(benchmark::State& state) {
  const ScheduledKernel kernel = packed_convolution();
  const CachedFeatures features(features_of(kernel, state.range(0)), kernel.space());
  compute(state, kernel, features, 1024);
}
BENCHMARK(cached)->Arg(Knob)->Arg(Itervar)->Arg(Curve);

/** Nearly none is: what a run on a large space sees. */
void missed(benchmark::State& state) {
  const ScheduledKernel kernel = packed_convolution();
  const CachedFeatures features(features_of(kernel, state.range(0)), kernel.space(), 1 << 16);
  compute(state, kernel, features, 4096);
}
BENCHMARK(missed)->Arg(Itervar)->Arg(Curve);

}  // namespace
}  // namespace kernelscape

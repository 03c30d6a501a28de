#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "core/base/random.h"
#include "core/session/setup.h"

namespace kernelscape::benchmarks {

/** Ten knobs of all kinds over more than a million configurations. */
inline space::SearchSpace reference_space() {
  std::vector<space::Knob> knobs;
  for (const char* name : {"tile_oc", "tile_oh", "tile_ow", "tile_ic"}) {
    knobs.push_back(*space::Knob::factorization(name, name[5] == 'o' ? 64 : 128, 3));
  }
  const auto numbers = [](std::initializer_list<std::int64_t> values) {
    std::vector<space::KnobValue> all;
    for (const std::int64_t value : values) all.emplace_back(value);
    return all;
  };
  knobs.push_back(*space::Knob::ordinal("unroll_ic", numbers({1, 2, 4, 8})));
  knobs.push_back(*space::Knob::ordinal("unroll_kw", numbers({1, 3})));
  knobs.push_back(*space::Knob::ordinal("vector_bytes", numbers({16, 32, 64})));
  knobs.push_back(
      *space::Knob::categorical("layout", {std::string("NCHW"), std::string("NCHWc"), std::string("NHWC")}));
  knobs.push_back(*space::Knob::categorical("parallel", {std::string("rows"), std::string("channels")}));
  knobs.push_back(*space::Knob::permutation("order", {"oc", "oh", "ow"}));
  return *space::SearchSpace::make(std::move(knobs));
}

/** What a scripted device says, whatever it is asked. */
inline trial::Measurement reference_measurement(base::Random& random) {
  trial::Measurement measurement;
  measurement.build_seconds = 0.02 + 0.08 * random.uniform();
  if (random.chance(0.3)) {
    measurement.category = static_cast<trial::ErrorCategory>(1 + random.below(8));
    measurement.message =
        fmt::format("kernel.c:{}: error: message {} of 200", random.below(40), random.below(200));
    return measurement;
  }
  const double seconds = 1e-3 * (1 + random.uniform());
  for (int sample = 0; sample < 10; ++sample)
    measurement.samples_seconds.push_back(seconds * (1 + 0.02 * random.uniform()));
  measurement.run_seconds = 0.2;
  return measurement;
}

/** 3 of 10 fail, with 200 distinct messages; speed follows from three knobs and noise. 10 samples each. */
inline trial::Trial reference_trial(const space::SearchSpace& space, base::Random& random,
                                    std::int64_t number) {
  trial::Trial trial;
  trial.number = number;
  trial.batch = static_cast<std::int32_t>(number / 64);
  trial.position = static_cast<std::int32_t>(number % 64);
  for (const space::Knob& knob : space.knobs()) {
    trial.configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
  }
  trial.measurement = reference_measurement(random);
  const auto& indices = trial.configuration.indices;
  const double slowness =
      1 + 0.1 * std::abs(static_cast<double>(indices[0]) - 9) + 0.2 * static_cast<double>(indices[4]);
  for (double& sample : trial.measurement.samples_seconds) sample *= slowness;
  trial.finished_seconds = 0.25 * static_cast<double>(number + 1);
  return trial;
}

/** A finished random session of `trials` trials. */
inline store::SessionId add_reference_session(const std::filesystem::path& database, std::int64_t trials) {
  const space::SearchSpace space = reference_space();
  session::Setup setup{.space = space};
  setup.task = *task::parse_task("conv2d 1x128x28x28 128x128x3x3 stride=1 pad=1 dilation=1 groups=1 f32");
  setup.task.name = "resnet18/C6";
  setup.template_name = "reference";
  setup.template_version = 1;
  setup.tuner = "random";
  setup.seed = 1;
  setup.budget.trials = trials;
  setup.real_measurements = false;
  store::Store store = *store::Store::open(database);
  const store::SessionId id =
      *store.sessions().create(session::make_record(setup), store::Owner::this_process());
  base::Random random(11);
  store::SessionStatus status;
  constexpr std::int64_t trials_at_once = 20'000;
  for (std::int64_t first = 0; first < trials; first += trials_at_once) {
    std::vector<trial::Trial> chunk;
    for (std::int64_t i = first; i < std::min(trials, first + trials_at_once); ++i) {
      chunk.push_back(reference_trial(space, random, i));
      const double seconds = chunk.back().measurement.median_seconds();
      if (seconds > 0 && (status.best_trial < 0 || seconds < status.best_seconds)) {
        status.best_trial = i;
        status.best_seconds = seconds;
      }
    }
    status.trial_count = first + std::ssize(chunk);
    status.session_seconds = 0.25 * static_cast<double>(status.trial_count);
    status.build_seconds = 0.4 * status.session_seconds;
    status.run_seconds = 0.55 * status.session_seconds;
    if (!store.trials().append(id, chunk, status)) return -1;
  }
  status.state = store::SessionState::Done;
  status.state_reason = fmt::format("{} trials", trials);
  if (!store.sessions().update_status(id, status) ||
      !store.sessions().release(id, store::Owner::this_process()))
    return -1;
  return id;
}

}  // namespace kernelscape::benchmarks

#pragma once

#include <fmt/format.h>

#include <QtGlobal>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/predictor/training.h"
#include "core/schedule/template.h"
#include "core/space/features.h"
#include "tests/schedule/random_tasks.h"

namespace kernelscape::predictor_tests {

template <typename T>
T value_of(Result<T> result) {
  if (!result) qFatal("%s", describe(result.error()).c_str());
  return *std::move(result);
}

inline schedule::ScheduledKernel kernel_of(const std::string& task, std::int64_t lanes = 8,
                                           std::string_view template_name = "matmul-tiled") {
  return value_of(schedule::apply_template(value_of(task::parse_task(task)),
                                           kernelscape::testing::cpu_with_lanes(lanes), template_name));
}

/** What the tests take for performance: smooth in the logarithms of the factors, alike for all tasks, and
 * within 20 times of the best. */
inline float synthetic_fitness(const schedule::ScheduledKernel& kernel,
                               const space::Configuration& configuration) {
  constexpr std::array<double, 11> weights{0.10, -0.12, 0.05,  -0.08, 0.14, -0.05,
                                           0.11, 0.07,  -0.10, 0.13,  -0.06};
  const std::vector<float> factors = space::KnobFeatures(kernel.space()).compute(configuration);
  double logarithm = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) logarithm += weights[i] * std::log2(1 + factors[i]);
  return static_cast<float>(1e9 * std::exp(logarithm));
}

/** Different members of a task's space. */
inline std::vector<space::Configuration> random_members(const schedule::ScheduledKernel& kernel,
                                                        std::size_t count, base::Random& random) {
  std::set<space::Configuration> members;
  while (members.size() < count) members.insert(*kernel.space().random_member(random));
  return {members.begin(), members.end()};
}

/** Multiplications of different shapes, each with so many samples. */
inline predictor::DataSet synthetic_data(std::size_t tasks, std::size_t samples, base::Random& random) {
  constexpr std::array<int, 3> extents{16, 32, 48};
  predictor::DataSet data;
  for (std::size_t task = 0; task < tasks; ++task) {
    const int m = extents[task % 3];
    const int n = extents[task / 3 % 3];
    const int k = extents[task / 9 % 3];
    const schedule::ScheduledKernel kernel = kernel_of(fmt::format("matmul {}x{} {}x{}", m, k, k, n));
    data.template_name = kernel.template_name();
    data.template_version = kernel.template_version();
    data.target = kernel.target();
    predictor::TaskSamples of_task{kernel.task(), random_members(kernel, samples, random), {}};
    for (const space::Configuration& configuration : of_task.configurations)
      of_task.fitness.push_back(synthetic_fitness(kernel, configuration));
    data.tasks.push_back(std::move(of_task));
  }
  data.sources = {"a test"};
  return data;
}

/** Small enough for a debug build; these settings go over it. */
inline predictor::TrainingSettings small_settings(std::map<std::string, std::string> settings = {}) {
  settings.merge(std::map<std::string, std::string>{{"width", "8"},
                                                    {"layers", "1"},
                                                    {"heads", "2"},
                                                    {"feed_forward", "16"},
                                                    {"epochs", "3"},
                                                    {"batch_size", "16"},
                                                    {"learning_rate", "3e-3"}});
  return value_of(predictor::parse_training_settings(settings));
}

inline predictor::TrainingSetup small_setup(base::Random& random,
                                            std::map<std::string, std::string> settings = {}) {
  return {.name = "a-test",
          .data = synthetic_data(5, 12, random),
          .settings = small_settings(std::move(settings)),
          .seed = random.bits(),
          .created_utc = "2026-01-31T12:00:00Z",
          .program_version = "1.2.3"};
}

/** One byte of it is another one. */
inline std::string with_changed_byte(std::string text, base::Random& random) {
  char& letter = text[random.below(text.size())];
  letter = static_cast<char>(static_cast<unsigned char>(letter) + 1 + random.below(255));
  return text;
}

/** Trains to its end. */
inline std::shared_ptr<const predictor::Predictor> trained(std::unique_ptr<predictor::Training> training) {
  while (!training->finished()) value_of(training->run_epoch({}));
  return value_of(training->result());
}

inline std::shared_ptr<const predictor::Predictor> trained(predictor::TrainingSetup setup) {
  return trained(value_of(predictor::Training::begin(std::move(setup))));
}

}  // namespace kernelscape::predictor_tests

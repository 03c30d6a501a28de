#pragma once

#include <QTemporaryDir>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/store/store.h"
#include "tests/trial/random_resources.h"
#include "tests/verify_result.h"

namespace kernelscape::store_test {

inline base::Random printed_random() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

/** A folder of its own for every test; removed at the end. */
class Folder {
 public:
  std::filesystem::path file(const std::string& name = "kernelscape.db") const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  std::filesystem::path path() const { return folder_.path().toStdString(); }

 private:
  QTemporaryDir folder_;
};

/** Bytes of any value, the empty text, quotes and zeros among them. */
inline std::string random_text(base::Random& random) {
  if (random.chance(0.1)) return {};
  if (random.chance(0.1)) return "Robert'); DROP TABLE trial;--\n\"\xc3\xa9\xff\xfe %s";
  std::string text(random.below(random.chance(0.05) ? 5000 : 40), ' ');
  for (char& letter : text) letter = static_cast<char>(random.below(256));
  return text;
}

/** Any finite double that is not negative, subnormal ones too. */
inline double random_seconds(base::Random& random) {
  if (random.chance(0.1)) return static_cast<double>(random.below(3));
  for (;;) {
    const auto value = std::bit_cast<double>(random.bits() >> 1);
    if (std::isfinite(value)) return value;
  }
}

inline std::vector<double> random_samples(base::Random& random, std::uint64_t most) {
  std::vector<double> samples(random.below(most + 1));
  for (double& sample : samples) sample = random_seconds(random) * 0x1p-10;  // medians stay finite
  return samples;
}

inline space::Configuration random_configuration(base::Random& random, std::size_t knobs) {
  space::Configuration configuration;
  for (std::size_t knob = 0; knob < knobs; ++knob) {
    configuration.indices.push_back(static_cast<std::uint32_t>(random.bits() >> random.below(64)));
  }
  return configuration;
}

inline trial::Trial random_trial(base::Random& random, std::int64_t number, std::size_t knobs) {
  trial::Trial trial;
  trial.number = number;
  trial.batch = static_cast<std::int32_t>(number / 7);
  trial.position = static_cast<std::int32_t>(number % 7);
  trial.configuration = random_configuration(random, knobs);
  trial::Measurement& measurement = trial.measurement;
  measurement.category = random.chance(0.5) ? trial::ErrorCategory::NoError
                                            : static_cast<trial::ErrorCategory>(1 + random.below(8));
  if (measurement.valid()) {
    measurement.samples_seconds = random_samples(random, 12);
  } else {
    measurement.message = random.chance(0.5) ? "the same message" : random_text(random);
  }
  measurement.build_seconds = random_seconds(random);
  measurement.run_seconds = random_seconds(random);
  measurement.cut_short = random.chance(0.2);
  measurement.preempted_samples = static_cast<std::uint32_t>(random.bits());
  measurement.samples_saved = static_cast<std::uint32_t>(random.bits());
  measurement.worst_error =
      random.chance(0.1) ? std::numeric_limits<double>::infinity() : random_seconds(random);
  trial.finished_seconds = random_seconds(random);
  add_random_resources(random, measurement);
  add_random_probes(random, measurement);
  add_random_metrics(random, measurement);
  return trial;
}

inline store::SessionRecord random_record(base::Random& random) {
  store::SessionRecord record;
  record.name = random_text(random);
  record.program_version = random_text(random);
  record.task_name = random_text(random);
  record.task_json = random_text(random);
  record.target_name = random_text(random);
  record.target_json = random_text(random);
  record.template_name = random_text(random);
  record.template_version = static_cast<int>(random.below(100));
  record.space_json = random_text(random);
  record.space_fingerprint = random.bits();
  record.tuner = random_text(random);
  record.settings_json = random_text(random);
  record.options_json = random_text(random);
  record.budget_json = random_text(random);
  record.seed = random.bits();
  record.batch_size = static_cast<std::int64_t>(random.below(1000));
  record.history_json = random_text(random);
  record.real_measurements = random.chance(0.5);
  record.origin = random_text(random);
  if (random.chance(0.5)) {
    record.usual_probe = {.compute = 1e-6 + random.uniform(), .memory = 1e-6 + random.uniform()};
    record.probe_version = static_cast<std::int32_t>(1 + random.below(9));
  }
  return record;
}

inline store::SessionStatus random_status(base::Random& random, std::int64_t trial_count) {
  store::SessionStatus status;
  status.state = static_cast<store::SessionState>(random.below(4));
  status.state_reason = random_text(random);
  status.trial_count = trial_count;
  status.best_trial = static_cast<std::int64_t>(random.below(100)) - 1;
  status.best_seconds = random_seconds(random);
  status.session_seconds = random_seconds(random);
  status.search_seconds = random_seconds(random);
  status.build_seconds = random_seconds(random);
  status.run_seconds = random_seconds(random);
  status.vendor_json = random_text(random);
  return status;
}

}  // namespace kernelscape::store_test

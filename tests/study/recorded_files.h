#pragma once

#include <QTemporaryDir>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording.h"
#include "core/trial/recording_builder.h"

/** Recorded spaces as tests of studies need them: made up, whole, and written to files. */
namespace kernelscape::study_tests {

inline space::SearchSpace recorded_space() {
  std::vector<space::Knob> knobs;
  knobs.push_back(*space::Knob::factorization("tile", 64, 3));
  knobs.push_back(*space::Knob::ordinal("unroll", {std::int64_t{0}, std::int64_t{16}, std::int64_t{512}}));
  knobs.push_back(*space::Knob::categorical("packed", {false, true}));
  return *space::SearchSpace::make(std::move(knobs));
}

/** From the configuration and the seed alone: smooth in the knobs with noise, one in six fails. */
inline trial::Measurement made_measurement(const space::SearchSpace& space,
                                           const space::Configuration& configuration, std::uint64_t seed) {
  base::Random random = base::Random(seed).fork(base::to_string(space.index_of(configuration)));
  trial::Measurement measurement;
  measurement.build_seconds = 0.1 + random.uniform();
  if (random.chance(1.0 / 6)) {
    measurement.category =
        static_cast<trial::ErrorCategory>(1 + random.below(trial::error_category_count - 1));
    measurement.message = "made up";
    return measurement;
  }
  double seconds = 1e-3;
  for (const std::uint32_t index : configuration.indices)
    seconds *= 1 + 0.05 * std::fabs(static_cast<double>(index) - 2);
  seconds *= 1 + 0.2 * random.uniform();
  measurement.samples_seconds = {seconds, seconds * 1.01, seconds * 1.02};
  measurement.run_seconds = 0.2 + random.uniform();
  return measurement;
}

inline trial::RecordingHeader made_header(const std::string& name) {
  trial::RecordingHeader header;
  header.name = name;
  header.origin = "made for a test";
  header.task_json = task::task_to_json(*task::parse_task("matmul 64x48 48x32 f32"));
  header.target_name = "cpu";
  header.target_json = schedule::target_to_json(schedule::TargetDescription{});
  header.template_name = "made-up";
  header.template_version = 1;
  header.options_json = trial::measure_options_to_json(trial::MeasureOptions{});
  header.builders = 2;
  return header;
}

/** Every member measured, or every third one only. */
inline std::shared_ptr<const trial::Recording> make_recording(const std::string& name, std::uint64_t seed,
                                                              bool whole = true) {
  const space::SearchSpace space = recorded_space();
  trial::RecordingBuilder builder(made_header(name), space);
  for (base::uint128 index = 0; index < space.size(); ++index) {
    if (!whole && index % 3 != 0) continue;
    const space::Configuration configuration = space.at(index);
    if (!builder.add(configuration, made_measurement(space, configuration, seed))) return nullptr;
  }
  return builder.build().value_or(nullptr);
}

/** @return the path of the file */
inline std::string write_recording(const QTemporaryDir& folder, const std::string& name, std::uint64_t seed,
                                   bool whole = true) {
  const std::string path = folder.filePath(QString::fromStdString(name + ".ksrec")).toStdString();
  const auto recording = make_recording(name, seed, whole);
  return base::write_file_atomically(path, recording->bytes()) ? path : std::string();
}

}  // namespace kernelscape::study_tests

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/trial/recording.h"
#include "core/trial/recording_builder.h"
#include "tests/trial/random_resources.h"

/** Recorded spaces as tests need them: every kind of knob, of value and of flag. */
namespace kernelscape::recording_test {

inline double random_time(base::Random& random) {
  if (random.chance(0.1)) return static_cast<double>(random.below(2));
  for (;;) {
    const auto value = std::bit_cast<double>(random.bits() >> 1);
    if (std::isfinite(value)) return value;
  }
}

inline std::string random_message(base::Random& random) {
  if (random.chance(0.3)) return "the same message";
  std::string text(random.below(50), ' ');
  for (char& letter : text) letter = static_cast<char>(random.below(256));  // compilers cut inside of letters
  return text;
}

inline trial::RecordingHeader named_header(const std::string& name) {
  trial::RecordingHeader header;
  header.name = name;
  return header;
}

inline trial::Measurement timed(std::vector<double> samples, double build_seconds = 0,
                                double run_seconds = 0) {
  trial::Measurement measurement;
  measurement.samples_seconds = std::move(samples);
  measurement.build_seconds = build_seconds;
  measurement.run_seconds = run_seconds;
  return measurement;
}

inline trial::Measurement failed(trial::ErrorCategory category, const std::string& message) {
  trial::Measurement measurement;
  measurement.category = category;
  measurement.message = message;
  return measurement;
}

/** Valid ones have a time; what the schema and the file leave out of errors, these do not have. */
inline trial::Measurement random_measurement(base::Random& random) {
  trial::Measurement measurement;
  if (random.chance(0.4)) {
    measurement.category =
        static_cast<trial::ErrorCategory>(1 + random.below(trial::error_category_count - 1));
    measurement.message = random_message(random);
  } else {
    measurement.samples_seconds.resize(random.below(9));
    for (double& sample : measurement.samples_seconds) sample = random_time(random) * 0x1p-10;
    if (random.chance(0.3)) measurement.recorded_seconds = 1 + random.uniform();
  }
  measurement.build_seconds = random_time(random);
  measurement.run_seconds = random_time(random);
  measurement.cut_short = random.chance(0.2);
  measurement.preempted_samples = random.chance(0.5) ? 0 : static_cast<std::uint32_t>(random.bits());
  measurement.samples_saved = random.chance(0.5) ? 0 : static_cast<std::uint32_t>(random.bits());
  measurement.worst_error =
      random.chance(0.1) ? std::numeric_limits<double>::infinity() : random_time(random);
  add_random_resources(random, measurement);
  return measurement;
}

/** Gives a valid one a time where it has none, as a kernel has that was built and never run: other tuners'
 * formats have no place for those. */
inline void give_time(trial::Measurement& measurement) {
  if (measurement.valid() && !(measurement.ranking_seconds() > 0)) measurement.recorded_seconds = 1;
}

/** Replaces times that no machine takes and texts that no compiler writes: an importer refuses or cleans
 * them. */
inline void make_possible(base::Random& random, trial::Measurement& measurement) {
  for (double& sample : measurement.samples_seconds) sample = 1e-6 + random.uniform();
  measurement.build_seconds = random.uniform() * 10;
  measurement.run_seconds = random.chance(0.2) ? 0 : random.uniform();
  if (!measurement.message.empty()) measurement.message = "a \"message\"\n\tof lines \xc3\xa9";
  if (!measurement.build_log.empty()) measurement.build_log = "a log \xc3\xa9";
}

inline trial::RecordingHeader random_header(base::Random& random) {
  const auto text = [&] { return "text \"\\\n\xc3\xa9 " + std::to_string(random.below(1000)); };
  return {.name = text(),
          .created_utc = text(),
          .program_version = text(),
          .origin = text(),
          .task_json = text(),
          .target_name = text(),
          .target_json = text(),
          .template_name = text(),
          .template_version = static_cast<int>(random.below(100)),
          .options_json = text(),
          .vendor_json = text(),
          .seed = random.bits(),
          .builders = static_cast<int>(1 + random.below(64)),
          .pipelined = random.chance(0.5),
          .usual_probe = {.compute = 1e-6 + random.uniform(), .memory = 1e-6 + random.uniform()},
          .probe_version = static_cast<std::int32_t>(1 + random.below(9))};
}

enum class SpaceShape { Product, Constrained, Explicit, Wide };

/** Knobs of all kinds, a few thousand configurations; `Wide`: over 2^64. */
inline space::SearchSpace random_space(base::Random& random, SpaceShape shape) {
  std::vector<space::Knob> knobs{
      *space::Knob::factorization("tile", 12, 2),
      *space::Knob::ordinal("unroll", {std::int64_t{0}, std::int64_t{16}, std::int64_t{512}}),
      *space::Knob::categorical("layout", {std::string("NCHW"), 1.5, true, std::int64_t{-3}}),
      *space::Knob::permutation("order", {"a", "b", "c"}),
  };
  random.shuffle(std::span(knobs));
  if (shape == SpaceShape::Wide) {
    std::vector<space::KnobValue> values;
    for (std::int64_t value = 0; value < 64; ++value) values.emplace_back(value);
    for (int i = 0; i < 12; ++i) knobs.push_back(*space::Knob::ordinal("wide" + std::to_string(i), values));
  }
  if (shape == SpaceShape::Constrained) {
    space::ConstraintSystem system;
    const auto tile = std::ranges::find(knobs, "tile", &space::Knob::name) - knobs.begin();
    const space::VariableId first = system.add_element("tile.0", static_cast<std::uint32_t>(tile), 0);
    system.add({space::LeConstraint{first, system.add_constant("limit", 4)}, "a limit"});
    return *space::SearchSpace::make(knobs, system);
  }
  const space::SearchSpace product = *space::SearchSpace::make(knobs);
  if (shape != SpaceShape::Explicit) return product;
  std::vector<space::Configuration> members(1 + random.below(40));
  for (space::Configuration& member : members) member = *product.random_member(random);
  return *space::SearchSpace::make_explicit(knobs, members);
}

/** Every member of a small space, by index. */
inline std::vector<space::Configuration> all_members(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for (base::uint128 index = 0; index < space.size(); ++index)
    if (const space::Configuration member = space.at(index); space.contains(member))
      members.push_back(member);
  return members;
}

/** What a recording must give back. */
struct ExpectedRecording {
  trial::RecordingHeader header;
  space::SearchSpace swept;
  std::map<base::uint128, trial::Measurement> rows;
  std::map<std::string, std::map<base::uint128, double>> columns;
};

/** @param all every member, else some of them */
inline ExpectedRecording random_recording(base::Random& random, SpaceShape shape, bool all) {
  ExpectedRecording expected{random_header(random), random_space(random, shape), {}, {}};
  std::vector<space::Configuration> members;
  if (all) {
    members = all_members(expected.swept);
  } else {
    members.resize(1 + random.below(60));
    for (space::Configuration& member : members) member = *expected.swept.random_member(random);
  }
  for (const space::Configuration& member : members) {
    const base::uint128 index = expected.swept.index_of(member);
    expected.rows[index] = random_measurement(random);
    add_random_probes(random, expected.rows[index]);
    if (random.chance(0.3)) expected.columns["GFLOP/s"][index] = random.normal();
    if (random.chance(0.01)) expected.columns["energy \xc3\xa9"][index] = random.normal();
  }
  for (const auto& [name, values] : expected.columns)
    for (const auto& [index, value] : values) expected.rows[index].metrics.push_back({name, "", value});
  return expected;
}

/** Adds the rows in another order, some of them twice. */
inline Result<std::shared_ptr<const trial::Recording>> build(base::Random& random,
                                                             const ExpectedRecording& expected) {
  trial::RecordingBuilder builder(expected.header, expected.swept);
  std::vector<base::uint128> order;
  for (const auto& [index, measurement] : expected.rows) order.push_back(index);
  random.shuffle(std::span(order));
  for (const base::uint128 index : order) {
    const space::Configuration configuration = expected.swept.at(index);
    if (random.chance(0.2)) {
      Status added = builder.add(configuration, random_measurement(random));
      if (!added) return std::unexpected(added.error());
    }
    Status added = builder.add(configuration, expected.rows.at(index));
    if (!added) return std::unexpected(added.error());
  }
  for (const auto& [name, values] : expected.columns)
    for (const auto& [index, value] : values) builder.set_column(name, expected.swept.at(index), value);
  return builder.build();
}

}  // namespace kernelscape::recording_test

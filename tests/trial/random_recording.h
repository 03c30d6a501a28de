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
#include "tests/trial/random_resources.h"

/** Recorded spaces as tests need them: every kind of knob, of value and of flag. */
namespace kernelscape::recording_test {

inline double random_time(Random& random) {
  if (random.chance(0.1)) return static_cast<double>(random.below(2));
  for (;;) {
    const auto value = std::bit_cast<double>(random.bits() >> 1);
    if (std::isfinite(value)) return value;
  }
}

inline std::string random_message(Random& random) {
  if (random.chance(0.3)) return "the same message";
  std::string text(random.below(50), ' ');
  for (char& letter : text) letter = static_cast<char>(random.below(256));  // compilers cut inside of letters
  return text;
}

inline RecordingHeader named_header(const std::string& name) {
  RecordingHeader header;
  header.name = name;
  return header;
}

inline Measurement timed(std::vector<double> samples, double build_seconds = 0, double run_seconds = 0) {
  Measurement measurement;
  measurement.samples_seconds = std::move(samples);
  measurement.build_seconds = build_seconds;
  measurement.run_seconds = run_seconds;
  return measurement;
}

inline Measurement failed(ErrorCategory category, const std::string& message) {
  Measurement measurement;
  measurement.category = category;
  measurement.message = message;
  return measurement;
}

/** Valid ones have a time; what the schema and the file leave out of errors, these do not have. */
inline Measurement random_measurement(Random& random) {
  Measurement measurement;
  if (random.chance(0.4)) {
    measurement.category = static_cast<ErrorCategory>(1 + random.below(error_category_count - 1));
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
inline void give_time(Measurement& measurement) {
  if (measurement.valid() && !(measurement.ranking_seconds() > 0)) measurement.recorded_seconds = 1;
}

/** Replaces times that no machine takes and texts that no compiler writes: an importer refuses or cleans
 * them. */
inline void make_possible(Random& random, Measurement& measurement) {
  for (double& sample : measurement.samples_seconds) sample = 1e-6 + random.uniform();
  measurement.build_seconds = random.uniform() * 10;
  measurement.run_seconds = random.chance(0.2) ? 0 : random.uniform();
  if (!measurement.message.empty()) measurement.message = "a \"message\"\n\tof lines \xc3\xa9";
  if (!measurement.build_log.empty()) measurement.build_log = "a log \xc3\xa9";
}

inline RecordingHeader random_header(Random& random) {
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
          .pipelined = random.chance(0.5)};
}

enum class SpaceShape { Product, Constrained, Explicit, Wide };

/** Knobs of all kinds, a few thousand configurations; `Wide`: over 2^64. */
inline SearchSpace random_space(Random& random, SpaceShape shape) {
  std::vector<Knob> knobs{
      *Knob::factorization("tile", 12, 2),
      *Knob::ordinal("unroll", {std::int64_t{0}, std::int64_t{16}, std::int64_t{512}}),
      *Knob::categorical("layout", {std::string("NCHW"), 1.5, true, std::int64_t{-3}}),
      *Knob::permutation("order", {"a", "b", "c"}),
  };
  random.shuffle(std::span(knobs));
  if (shape == SpaceShape::Wide) {
    std::vector<KnobValue> values;
    for (std::int64_t value = 0; value < 64; ++value) values.emplace_back(value);
    for (int i = 0; i < 12; ++i) knobs.push_back(*Knob::ordinal("wide" + std::to_string(i), values));
  }
  if (shape == SpaceShape::Constrained) {
    ConstraintSystem system;
    const auto tile = std::ranges::find(knobs, "tile", &Knob::name) - knobs.begin();
    const VariableId first = system.add_element("tile.0", static_cast<std::uint32_t>(tile), 0);
    system.add({LeConstraint{first, system.add_constant("limit", 4)}, "a limit"});
    return *SearchSpace::make(knobs, system);
  }
  const SearchSpace product = *SearchSpace::make(knobs);
  if (shape != SpaceShape::Explicit) return product;
  std::vector<Configuration> members(1 + random.below(40));
  for (Configuration& member : members) member = *product.random_member(random);
  return *SearchSpace::make_explicit(knobs, members);
}

/** Every member of a small space, by index. */
inline std::vector<Configuration> all_members(const SearchSpace& space) {
  std::vector<Configuration> members;
  for (uint128 index = 0; index < space.size(); ++index)
    if (const Configuration member = space.at(index); space.contains(member)) members.push_back(member);
  return members;
}

/** What a recording must give back. */
struct ExpectedRecording {
  RecordingHeader header;
  SearchSpace swept;
  std::map<uint128, Measurement> rows;
  std::map<std::string, std::map<uint128, double>> columns;
};

/** @param all every member, else some of them */
inline ExpectedRecording random_recording(Random& random, SpaceShape shape, bool all) {
  ExpectedRecording expected{random_header(random), random_space(random, shape), {}, {}};
  std::vector<Configuration> members;
  if (all) {
    members = all_members(expected.swept);
  } else {
    members.resize(1 + random.below(60));
    for (Configuration& member : members) member = *expected.swept.random_member(random);
  }
  for (const Configuration& member : members) {
    const uint128 index = expected.swept.index_of(member);
    expected.rows[index] = random_measurement(random);
    if (random.chance(0.3)) expected.columns["GFLOP/s"][index] = random.normal();
    if (random.chance(0.01)) expected.columns["energy \xc3\xa9"][index] = random.normal();
  }
  return expected;
}

/** Adds the rows in another order, some of them twice. */
inline Result<std::shared_ptr<const Recording>> build(Random& random, const ExpectedRecording& expected) {
  RecordingBuilder builder(expected.header, expected.swept);
  std::vector<uint128> order;
  for (const auto& [index, measurement] : expected.rows) order.push_back(index);
  random.shuffle(std::span(order));
  for (const uint128 index : order) {
    const Configuration configuration = expected.swept.at(index);
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

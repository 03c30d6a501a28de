#include <QTest>
#include <nlohmann/json.hpp>

#include "core/base/random.h"
#include "core/trial/counter_reading.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::trial_code_samples_test {
namespace {

trial::CounterReading random_reading(base::Random& random) {
  trial::CounterReading reading;
  reading.samples.emplace();
  trial::CodeSamples& samples = *reading.samples;
  samples.event = "processor time";
  samples.outside = static_cast<std::int64_t>(random.below(1000));
  samples.lost = static_cast<std::int64_t>(random.below(10));
  if (random.chance(0.5)) samples.code_hash = "0a1b";
  samples.instruction_count = static_cast<std::int32_t>(1 + random.below(200));
  for (std::int32_t i = 0; i < samples.instruction_count; ++i)
    if (random.chance(0.4))
      samples.instructions.push_back(
          {i, static_cast<std::int32_t>(random.below(90)), static_cast<std::int64_t>(1 + random.below(500))});
  return reading;
}

}  // namespace

class TrialCodeSamplesTest : public QObject {
  Q_OBJECT

 private slots:
  void samples_are_read_as_they_were_written() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 200; ++round) {
      const trial::CounterReading reading = random_reading(random);
      const auto read = trial::counter_reading_from_json(trial::counter_reading_to_json(reading));
      QVERIFY2(read, read ? "" : describe(read.error()).c_str());
      QVERIFY(*read == reading);
      std::int64_t sum = reading.samples->outside;
      for (const trial::InstructionSamples& at : reading.samples->instructions) sum += at.samples;
      QCOMPARE(read->samples->total(), sum);
    }
  }

  void readings_of_earlier_versions_have_none() {
    trial::CounterReading reading;
    reading.cycles = 5;
    const auto read = trial::counter_reading_from_json(trial::counter_reading_to_json(reading));
    QVERIFY(read && !read->samples && *read == reading);
  }

  /** A kernel's process, which writes them, may write anything. */
  void impossible_samples_are_refused() {
    const nlohmann::json good = {{"event", "processor time"},
                                 {"instruction_count", 3},
                                 {"instructions", {{0, 4, 10}, {2, 5, 1}}},
                                 {"outside", 1},
                                 {"lost", 0}};
    const auto read = [](const nlohmann::json& samples) {
      const nlohmann::json reading = {
          {"seconds", 1}, {"calls", 1}, {"counted_share", 1}, {"threads", 1}, {"samples", samples}};
      return trial::counter_reading_from_json(reading.dump()).has_value();
    };
    QVERIFY(read(good));
    QVERIFY(!read(nlohmann::json(7)));
    for (const char* name : {"instruction_count", "instructions", "outside", "lost"}) {
      nlohmann::json damaged = good;
      damaged.erase(name);
      QVERIFY2(!read(damaged), name);
      damaged = good;
      damaged[name] = -1;
      QVERIFY2(!read(damaged), name);
    }
    for (const char* rows :
         {"[[0,4]]", "[[3,4,1]]", "[[2,4,1],[1,4,1]]", "[[1,4,1],[1,4,1]]", "[[0,4,-1]]", "[[0,4,1.5]]",
          "[[0,4,1e300]]", "[7]", "[[0,100001,1]]", "[[0,4,1000000000000]]"}) {
      nlohmann::json damaged = good;
      damaged["instructions"] = nlohmann::json::parse(rows);
      QVERIFY2(!read(damaged), rows);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TrialCodeSamplesTest)

}  // namespace kernelscape::trial_code_samples_test
#include "trial_code_samples_test.moc"

#include <fmt/format.h>

#include <QTest>
#include <nlohmann/json.hpp>

#include "core/schedule/target.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_target_test {
using namespace kernelscape::testing;
using Json = nlohmann::json;

namespace {

schedule::TargetDescription example() {
  schedule::TargetDescription target = cpu_with_lanes(16);
  target.name = "cpu";
  target.device = "AMD \"EPYC\" \xc3\xa9\n";
  target.cores = 96;
  target.l1_bytes = 32 << 10;
  target.l2_bytes = 1 << 20;
  target.l3_bytes = std::int64_t{1} << 35;
  target.compiler = "/usr/bin/cc";
  target.compiler_version = "12.2.0";
  target.flags = {"-O2", "-march=native", ""};
  return target;
}

}  // namespace

class ScheduleTargetTest : public QObject {
  Q_OBJECT

 private slots:
  void round_trip() {
    schedule::TargetDescription opencl = schedule::default_cuda_target();
    opencl.kind = schedule::TargetKind::OpenCl;
    opencl.name = "opencl:0";
    opencl.shared_bytes = 65536;
    schedule::TargetDescription with_extensions = example();
    with_extensions.extensions = {"avx512_vnni", "avx_vnni"};
    for (const schedule::TargetDescription& target :
         {schedule::TargetDescription(), example(), with_extensions, schedule::default_cuda_target(),
          opencl}) {
      const auto back = schedule::target_from_json(schedule::target_to_json(target));
      QVERIFY2(back.has_value(), back ? "" : describe(back.error()).c_str());
      QVERIFY(*back == target);
    }
  }

  /** Text of a machine that is no UTF-8 must not stop the program. */
  void names_in_any_bytes_are_written() {
    schedule::TargetDescription target = example();
    target.device = "\xff\xfe CPU";
    const auto back = schedule::target_from_json(schedule::target_to_json(target));
    QVERIFY(back.has_value());
    QCOMPARE(back->cores, target.cores);
  }

  void every_field_is_needed_and_typed() {
    const Json whole = Json::parse(schedule::target_to_json(example()));
    QVERIFY(whole.size() >= 18);
    for (const auto& [key, old] : whole.items()) {
      std::vector<Json> wrong{nullptr, Json::object(), Json::array({1, 2}), true, 1.5};
      wrong.push_back(old.is_string() ? Json(1) : Json("1"));
      for (const Json& value : wrong) {
        Json changed = whole;
        changed[key] = value;
        const auto result = schedule::target_from_json(changed.dump());
        QVERIFY2(!result.has_value(), changed.dump().c_str());
        QCOMPARE(result.error().code, ErrorCode::Corrupt);
        QVERIFY2(result.error().message.find(key) != std::string::npos, result.error().message.c_str());
      }
      if (key == "extensions") continue;  // left out for kernels that use none
      Json missing = whole;
      missing.erase(key);
      QVERIFY(!schedule::target_from_json(missing.dump()).has_value());
    }
  }

  /** Numbers that later code divides by, loops over or shifts by. */
  void impossible_numbers_are_refused_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    const std::pair<const char*, const char*> rows[] = {
        {"kind", "-1"},
        {"kind", "3"},
        {"kind", "4294967296"},
        {"kind", "18446744073709551615"},
        {"vector_bits", "0"},
        {"vector_bits", "-512"},
        {"vector_bits", "48"},
        {"vector_bits", "16"},
        {"vector_bits", "9223372036854775807"},
        {"vector_bits", "18446744073709551615"},
        {"vector_bits", "1e300"},
        {"vector_registers", "-1"},
        {"vector_registers", "0"},
        {"vector_bits", "1099511627776"},
        {"vector_registers", "4611686018427387904"},
        {"vector_registers", "4097"},
        {"cores", "1048577"},
        {"block_x", "2147483649"},
        {"grid_z", "2147483649"},
        {"l2_bytes", "1125899906842625"},
        {"shared_bytes_per_multiprocessor", "1125899906842625"},
        {"memory_bytes", "1125899906842625"},
        {"cores", "1099511627776"},
        {"l3_bytes", "9223372036854775807"},
        {"cores", "-1"},
        {"cores", "0"},
        {"shared_bytes", "-1"},
        {"threads_per_block", "18446744073709551615"},
        {"l1_bytes", "-5"}};
    for (const auto& [key, value] : rows)
      QTest::newRow(fmt::format("{} {}", key, value).c_str()) << key << value;
  }

  void impossible_numbers_are_refused() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    Json json = Json::parse(schedule::target_to_json(example()));
    json[key.toStdString()] = Json::parse(value.toStdString());
    const auto result = schedule::target_from_json(json.dump());
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().code, ErrorCode::Corrupt);
    QVERIFY(result.error().message.find(key.toStdString()) != std::string::npos);
  }

  void the_largest_numbers_are_read() {
    schedule::TargetDescription target = schedule::default_cuda_target();
    target.vector_registers = 4096;
    target.cores = 1 << 20;
    target.grid_x = std::int64_t{1} << 31;
    target.memory_bytes = std::int64_t{1} << 50;
    target.shared_bytes_per_multiprocessor = target.memory_bytes;
    const auto back = schedule::target_from_json(schedule::target_to_json(target));
    QVERIFY2(back, back ? "" : describe(back.error()).c_str());
    QVERIFY(*back == target);
  }

  void what_is_no_object_is_refused() {
    for (const std::string text : {"", "{", "[]", "null", "3", "\"cpu\"", "{} {}", "\xff"})
      QVERIFY(!schedule::target_from_json(text).has_value());
    QVERIFY(!schedule::target_from_json(std::string(100'000, '[')).has_value());
    QVERIFY(!schedule::target_from_json(std::string(1'000'000, '{')).has_value());
    std::string nested;
    for (int i = 0; i < 1'000'000; ++i) nested += "{\"a\":";
    QVERIFY(!schedule::target_from_json(nested + "1" + std::string(1'000'000, '}')).has_value());
  }

  /** Any damage gives a description or an error, never an exception. */
  void damaged_text_is_read_or_refused() {
    base::Random random(random_seed());
    const std::string whole = schedule::target_to_json(example());
    int read = 0;
    for (int i = 0; i < 5000; ++i) {
      std::string text = whole;
      for (std::uint64_t j = 1 + random.below(3); j > 0; --j) {
        const std::size_t place = random.below(text.size());
        if (random.chance(0.5))
          text[place] = static_cast<char>(random.below(256));
        else
          text.erase(place, 1 + random.below(4));
      }
      const auto result = schedule::target_from_json(text);
      if (!result) continue;
      ++read;
      QVERIFY(result->vector_lanes_f32() >= 1);
    }
    QVERIFY(read > 0 && read < 5000);
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleTargetTest)

}  // namespace kernelscape::schedule_target_test
#include "schedule_target_test.moc"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/random.h"
#include "core/measure/program/result_numbers.h"
#include "core/measure/program/run_folder.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::measure_program_numbers_test {
using nlohmann::json;

namespace {

using project::NumberChoice;
using project::ReadingKind;

project::ProgramNumber number_of(ReadingKind kind, std::string text = {},
                                 NumberChoice choice = NumberChoice::Only) {
  return {.name = "time", .unit = "s", .kind = kind, .text = std::move(text), .file = {}, .choice = choice};
}

/** Returns the numbers as text, or the error. */
std::string read(const project::ProgramNumber& number, const std::string& output,
                 const std::string& folder = {}) {
  const auto numbers = measure::read_numbers(number, {.seconds = 0.25, .output = output}, folder);
  if (!numbers) return describe(numbers.error());
  std::string text;
  for (const double one : *numbers) text += (text.empty() ? "" : " ") + json(one).dump();
  return text;
}

/** A JSON value of random objects and lists; the pointers of its numbers are added. */
json random_json(base::Random& random, int depth, const json::json_pointer& here,
                 std::vector<json::json_pointer>& numbers) {
  const std::uint64_t kind = random.below(depth > 0 ? 5 : 3);
  if (kind == 0) {
    numbers.push_back(here);
    return random.chance(0.5) ? json(random.normal() * 1e3)
                              : json(static_cast<std::int64_t>(random.below(100)));
  }
  if (kind < 3) return kind == 1 ? json("text") : json(nullptr);
  json made = kind == 3 ? json::object() : json::array();
  for (std::uint64_t i = 0; i < 1 + random.below(4); ++i) {
    if (kind == 4) {
      made.push_back(random_json(random, depth - 1, here / made.size(), numbers));
      continue;
    }
    std::string key;
    for (std::uint64_t letters = random.below(4); letters > 0; --letters) key += "a/~0 1"[random.below(6)];
    if (made.contains(key)) continue;
    made[key] = random_json(random, depth - 1, here / key, numbers);
  }
  return made;
}

}  // namespace

class MeasureProgramNumbersTest final : public QObject {
  Q_OBJECT

 private slots:
  void a_pattern_finds_one_number() {
    const auto pattern = number_of(ReadingKind::Pattern, "time: *([-+0-9.e]+) ms");
    QCOMPARE(read(pattern, "start\ntime: 12.5 ms\nend"), std::string("12.5"));
    QCOMPARE(read(pattern, "time: 1e-3 ms\r\n"), std::string("0.001"));
    QVERIFY(read(pattern, "nothing\n").contains("the output has no number"));
    QVERIFY(read(pattern, "").contains("has no number"));
    QVERIFY(read(pattern, "time: 1 ms\ntime: 2 ms\n").contains("has 2 numbers"));
    QVERIFY(read(pattern, "time: 1 ms, time: 2 ms\n").contains("Take"));
    QVERIFY(read(pattern, "time: 1.2.3 ms\n").contains("which is not a number"));
    QVERIFY(read(pattern, "time: 1e999 ms\n").contains("which is not a number"));
  }

  void of_several_numbers_some_are_taken() {
    const std::string output = "time: 3\ntime: 1\ntime: 2\n";
    QCOMPARE(read(number_of(ReadingKind::Pattern, "time: ([0-9]+)", NumberChoice::First), output),
             std::string("3.0"));
    QCOMPARE(read(number_of(ReadingKind::Pattern, "time: ([0-9]+)", NumberChoice::Last), output),
             std::string("2.0"));
    QCOMPARE(read(number_of(ReadingKind::Pattern, "time: ([0-9]+)", NumberChoice::All), output),
             std::string("3.0 1.0 2.0"));
  }

  void long_outputs_and_slow_patterns_end() {
    std::string output(3U << 20U, 'a');
    for (std::size_t at = 100; at < output.size(); at += 4000) output[at] = '\n';
    output += "\ntime: 7\n";
    QCOMPARE(read(number_of(ReadingKind::Pattern, "time: ([0-9]+)"), output), std::string("7.0"));
    // Exponential for engines that try one way after the other.
    QVERIFY(read(number_of(ReadingKind::Pattern, "^(?:a|a|aa)*b([0-9])"), std::string(200, 'a'))
                .contains("has no number"));
  }

  void a_carriage_return_ends_a_line() {
    QCOMPARE(read(number_of(ReadingKind::Pattern, "^time: ([0-9]+)$"), "10 %\r99 %\rtime: 7\rdone\n"),
             std::string("7.0"));
  }

  void the_search_for_a_pattern_can_be_interrupted() {
    const auto number = number_of(ReadingKind::Pattern, "time: ([0-9]+)");
    const measure::Interruption now{.descriptor = -1, .requested = [] { return true; }};
    QVERIFY(!measure::read_numbers(number, {.output = "time: 7\n"}, {}, now));
  }

  void random_numbers_of_lines_come_back() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 200; ++round) {
      std::string output;
      std::vector<double> expected;
      for (std::uint64_t lines = random.below(8); lines > 0; --lines) {
        if (random.chance(0.5)) {
          output += "noise " + std::to_string(random.below(1000)) + "\n";
          continue;
        }
        expected.push_back(random.normal() * std::pow(10.0, static_cast<double>(random.below(9))));
        output += "value=" + json(expected.back()).dump() + (random.chance(0.3) ? " \r\n" : "\n");
      }
      const auto number = number_of(ReadingKind::Pattern, "value=([-+0-9.e]+)", NumberChoice::All);
      const auto numbers = measure::read_numbers(number, {.output = output}, {});
      QCOMPARE(numbers.has_value(), !expected.empty());
      if (numbers) QCOMPARE(*numbers, expected);
    }
  }

  void random_pointers_agree_with_the_library() {
    base::Random random(testing::random_seed());
    std::size_t compared = 0;
    for (int round = 0; round < 200; ++round) {
      std::vector<json::json_pointer> pointers;
      const json document = random_json(random, 4, json::json_pointer(), pointers);
      for (const json::json_pointer& pointer : pointers) {
        const auto numbers = measure::read_numbers(number_of(ReadingKind::Pointer, pointer.to_string()),
                                                   {.output = document.dump()}, {});
        QVERIFY2(numbers.has_value(), (pointer.to_string() + " of " + document.dump()).c_str());
        QCOMPARE(numbers->front(), document.at(pointer).get<double>());
        ++compared;
      }
      QVERIFY(!measure::read_numbers(number_of(ReadingKind::Pointer, "/not/there"),
                                     {.output = document.dump()}, {}));
    }
    QVERIFY(compared > 50);
  }

  void a_list_at_a_pointer_is_several_numbers() {
    const std::string output = R"({"times": [0.5, 1], "mixed": [1, "a"]})";
    QCOMPARE(read(number_of(ReadingKind::Pointer, "/times", NumberChoice::All), output),
             std::string("0.5 1.0"));
    QVERIFY(read(number_of(ReadingKind::Pointer, "/times"), output).contains("has 2 numbers"));
    QVERIFY(read(number_of(ReadingKind::Pointer, "/mixed"), output).contains("has no number"));
    QVERIFY(read(number_of(ReadingKind::Pointer, "/times"), "time: 1").contains("is not JSON"));
  }

  void hyperfine_gives_its_times() {
    const json one = {{"command", "x"}, {"mean", 2.0}, {"times", {1.5, 2.5}}};
    QCOMPARE(read(number_of(ReadingKind::Hyperfine), json{{"results", json::array({one})}}.dump()),
             std::string("1.5 2.5"));
    QVERIFY(read(number_of(ReadingKind::Hyperfine), json{{"results", {one, one}}}.dump())
                .contains("for one command"));
    QVERIFY(read(number_of(ReadingKind::Hyperfine), "{}").contains("for one command"));
  }

  void google_benchmark_gives_real_times() {
    const auto entry = [](const char* name, double time, const char* unit) {
      return json{{"name", name},      {"run_name", name}, {"run_type", "iteration"},
                  {"real_time", time}, {"cpu_time", 1.0},  {"time_unit", unit}};
    };
    json mean = entry("fill_mean", 9, "ms");
    mean["run_type"] = "aggregate";
    const json list{entry("fill", 2, "ms"), entry("fill", 500, "us"), mean};
    QCOMPARE(read(number_of(ReadingKind::GoogleBenchmark), json{{"benchmarks", list}}.dump()),
             std::string("0.002 0.0005"));
    const json two{entry("fill", 2, "ms"), entry("sort", 3, "s")};
    QVERIFY(read(number_of(ReadingKind::GoogleBenchmark), json{{"benchmarks", two}}.dump())
                .contains("has 2 benchmarks"));
    QCOMPARE(read(number_of(ReadingKind::GoogleBenchmark, "sort"), json{{"benchmarks", two}}.dump()),
             std::string("3.0"));
    QVERIFY(read(number_of(ReadingKind::GoogleBenchmark, "copy"), json{{"benchmarks", two}}.dump())
                .contains("has no time"));
    json failed = entry("fill", 2, "ms");
    failed["error_message"] = "no memory";
    QVERIFY(read(number_of(ReadingKind::GoogleBenchmark), json{{"benchmarks", {failed, failed}}}.dump())
                .contains("no memory"));
  }

  void files_are_read_below_the_folder() {
    const QTemporaryDir folder;
    std::ofstream(folder.filePath("result.json").toStdString()) << R"({"time": 3})";
    project::ProgramNumber number = number_of(ReadingKind::Pointer, "/time");
    number.file = "result.json";
    QCOMPARE(read(number, "", folder.path().toStdString()), std::string("3.0"));
    number.file = "other.json";
    QVERIFY(read(number, "", folder.path().toStdString()).contains("no file other.json"));
    project::ProgramNumber size = number_of(ReadingKind::FileSize);
    size.file = "result.json";
    QCOMPARE(read(size, "", folder.path().toStdString()), std::string("11.0"));
    QCOMPARE(read(number_of(ReadingKind::WallTime), ""), std::string("0.25"));
  }

  void no_link_leaves_the_folder() {
    const QTemporaryDir outside;
    const std::string secret = outside.filePath("secret.json").toStdString();
    std::ofstream(secret) << R"({"time": 3})";
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    std::filesystem::create_directory_symlink(outside.path().toStdString(), path + "/linked");
    std::filesystem::create_symlink(secret, path + "/link.json");
    for (const char* name : {"linked/secret.json", "link.json"}) {
      project::ProgramNumber number = number_of(ReadingKind::Pointer, "/time");
      number.file = name;
      QVERIFY(read(number, "", path).contains("no file"));
      number.kind = ReadingKind::FileSize;
      QVERIFY(read(number, "", path).contains("no file"));
      measure::remove_run_file(path, name);
      QVERIFY(std::filesystem::exists(secret));
    }
    QVERIFY(!std::filesystem::is_symlink(path + "/link.json"));
    std::filesystem::create_directory(path + "/build");
    std::ofstream(path + "/build/result.json") << "{}";
    QCOMPARE(measure::size_of_run_file(path, "build/result.json"), std::optional<std::uint64_t>(2));
    measure::remove_run_file(path, "build/result.json");
    QVERIFY(!std::filesystem::exists(path + "/build/result.json"));
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureProgramNumbersTest)

}  // namespace kernelscape::measure_program_numbers_test
#include "measure_program_numbers_test.moc"

#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/schedule/template.h"
#include "tests/exchange/autotvm_lines.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_import_autotvm_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

class ExchangeImportAutotvmTest : public QObject {
  Q_OBJECT

 private slots:
  void titanxMapsOntoOurTemplate();
  void versionOneMapsToo();
  void randomTemplateLogs();
  void knobsInAnotherOrder();
  void packedTensors();
  void packedTensorsBeyondNumbers();
  void disagreementsMakeGenericSpaces();
  void otherOperators();
  void tasksAreTakenApart();
  void templatesAreTriedWithinLimits();
};

void ExchangeImportAutotvmTest::titanxMapsOntoOurTemplate() {
  const exchange::ImportedFile file = must_read("# best of all\n\n" + titanx_line + "\r\n\n");
  QVERIFY(file.natural == exchange::ImportAs::Session);
  QCOMPARE(file.parts.size(), std::size_t{1});
  const exchange::ImportedTrials& part = file.parts[0];
  QCOMPARE(task_of(part).text,
           task::parse_task("conv2d 1x2048x8x8 192x2048x1x1 stride=1 pad=0 f32").value().text);
  QCOMPARE(part.header.template_name, std::string("conv2d-direct"));
  const schedule::TargetDescription target = schedule::target_from_json(part.header.target_json).value();
  QVERIFY(target.kind == schedule::TargetKind::Cuda);
  QCOMPARE(target.device, std::string("titanx"));
  QVERIFY(part.header.origin.contains("0.7.dev0"));
  QVERIFY(part.header.created_utc.starts_with("2018-08-28T"));
  QVERIFY(!part.space.explicit_members());
  const exchange::ImportedTrial& trial = part.trials.at(0);
  QVERIFY(part.space.index_of(trial.configuration) == 8797896);
  QVERIFY(part.space.describe(trial.configuration).contains("tile_rc=[64, 32]"));
  QVERIFY(trial.measurement.samples_seconds == std::vector<double>{5.69732536806342e-05});
  QCOMPARE(trial.measurement.recorded_seconds, 5.69732536806342e-05);
  QCOMPARE(trial.measurement.run_seconds, 14.116215467453003);
  QCOMPARE(trial.measurement.build_seconds, 0.0);
  QVERIFY(std::abs(trial.finished_seconds - 14.116215467453003) < 1e-6);
}

void ExchangeImportAutotvmTest::versionOneMapsToo() {
  const json args = json::parse(R"([["TENSOR", [1, 2048, 8, 8], "float32"],
      ["TENSOR", [384, 2048, 1, 1], "float32"], [1, 1], [0, 0], [1, 1], "NCHW", "float32"])");
  const task::Task task = task::parse_task("conv2d 1x2048x8x8 384x2048x1x1 f32").value();
  const space::SearchSpace space =
      schedule::apply_template(task, schedule::default_cuda_target(), "conv2d-direct")->space();
  const space::Configuration configuration = space.at(1240970);
  // What AutoTVM itself wrote beside this index.
  QVERIFY(space.describe(configuration).starts_with("tile_f=[12, 1, 16, 2]"));
  for (const char* key : {"direct", "winograd"}) {
    const json line = {
        {"i",
         {"cuda -model=titanx",
          "topi_nn_conv2d",
          args,
          json::object(),
          {"conv2d"},
          {{"i", 1240970}, {"t", key}, {"c", nullptr}, {"e", entity_of(space, configuration)}}}},
        {"r", {{8.448735867117118e-05}, 0, 14.069890975952148, 1535426980.678347}},
        {"v", 0.1}};
    const exchange::ImportedTrials part = must_read(line.dump()).parts.at(0);
    QCOMPARE(task_of(part).text, task.text);
    const bool direct = std::string(key) == "direct";
    QCOMPARE(part.header.template_name, direct ? std::string("conv2d-direct") : std::string());
    if (direct) QVERIFY(part.trials.at(0).configuration == configuration);
  }
}

void ExchangeImportAutotvmTest::randomTemplateLogs() {
  base::Random random(testing::random_seed());
  for (int round = 0; round < 20; ++round) {
    const bool cuda = random.chance(0.5);
    const auto pick = [&] { return static_cast<std::int64_t>(1 + random.below(24)) * 4; };
    const std::int64_t in = pick();
    const std::int64_t out = pick();
    const std::int64_t size = 5 + static_cast<std::int64_t>(random.below(40));
    const std::int64_t kernel = random.chance(0.5) ? 3 : 5;
    const task::Task task =
        task::parse_task(fmt::format("conv2d 2x{0}x{1}x{1} {2}x{0}x{3}x{3} pad=1 f32", in, size, out, kernel))
            .value();
    schedule::TargetDescription target = schedule::default_cuda_target();
    if (!cuda) target = testing::cpu_with_lanes(16);
    const space::SearchSpace space =
        schedule::apply_template(task, target, cuda ? "conv2d-direct" : "conv2d-nchwc")->space();
    std::string text;
    std::vector<space::Configuration> configurations;
    for (int i = 0; i < 30; ++i) {
      configurations.push_back(space.random_member(random).value());
      const json data = {2, in, size, size};
      const json weight = {out, in, kernel, kernel};
      const auto index = static_cast<std::uint64_t>(space.index_of(configurations.back()));
      text +=
          line_of(cuda ? "cuda" : "llvm -mcpu=skylake-avx512", cuda ? "conv2d_nchw.cuda" : "conv2d_NCHWc.x86",
                  cuda ? conv_args(data, weight) : x86_args(data, weight), index,
                  entity_of(space, configurations.back()), good_result(random.uniform() + 1e-9, 1e9 + i))
              .dump() +
          "\n";
    }
    const exchange::ImportedFile file = must_read(text);
    QCOMPARE(file.parts.size(), std::size_t{1});
    QCOMPARE(task_of(file.parts[0]).text, task.text);
    QCOMPARE(file.parts[0].space.fingerprint(), space.fingerprint());
    for (std::size_t i = 0; i < configurations.size(); ++i)
      QVERIFY(file.parts[0].trials.at(i).configuration == configurations[i]);
  }
}

void ExchangeImportAutotvmTest::knobsInAnotherOrder() {
  // tile_rx before tile_ry, as logs of 2018 have them: the index counts in the log's order.
  base::Random random(testing::random_seed());
  const task::Task task = task::parse_task("conv2d 1x16x14x14 32x16x3x5 pad=1 f32").value();
  const space::SearchSpace ours =
      schedule::apply_template(task, schedule::default_cuda_target(), "conv2d-direct")->space();
  std::vector<space::Knob> knobs = ours.knobs();
  std::swap(knobs[4], knobs[5]);
  const space::SearchSpace theirs = space::SearchSpace::make(knobs).value();
  for (int i = 0; i < 30; ++i) {
    const space::Configuration configuration = theirs.random_member(random).value();
    const auto index = static_cast<std::uint64_t>(theirs.index_of(configuration));
    const auto line = [&](std::uint64_t written) {
      return line_of("cuda", "conv2d_nchw.cuda", conv_args({1, 16, 14, 14}, {32, 16, 3, 5}), written,
                     entity_of(theirs, configuration), good_result())
          .dump();
    };
    const exchange::ImportedTrials part = must_read(line(index)).parts.at(0);
    QCOMPARE(part.header.template_name, std::string("conv2d-direct"));
    space::Configuration expected = configuration;
    std::swap(expected.indices[4], expected.indices[5]);
    QVERIFY(part.trials.at(0).configuration == expected);
    QVERIFY(must_read(line(index + 1)).parts.at(0).header.template_name.empty());
  }
}

void ExchangeImportAutotvmTest::packedTensors() {
  const task::Task task = task::parse_task("conv2d 1x64x28x28 32x64x3x3 pad=1 f32").value();
  const space::SearchSpace space =
      schedule::apply_template(task, schedule::TargetDescription{}, "conv2d-nchwc")->space();
  const space::Configuration configuration = space.at(space.size() - 1);
  json args = x86_args({1, 4, 28, 28, 16}, {2, 4, 3, 3, 16, 16});
  args[5] = "NCHW16c";
  args[6] = "NCHW16c";
  const json line =
      line_of("llvm", "conv2d_NCHWc.x86", args, static_cast<std::uint64_t>(space.index_of(configuration)),
              entity_of(space, configuration), good_result());
  const exchange::ImportedTrials part = must_read(line.dump()).parts.at(0);
  QCOMPARE(task_of(part).text, task.text);
  QCOMPARE(part.header.template_name, std::string("conv2d-nchwc"));
  QVERIFY(part.trials.at(0).configuration == configuration);
}

// 64 in 64 bits: the task would be another one than the log's.
void ExchangeImportAutotvmTest::packedTensorsBeyondNumbers() {
  const std::int64_t blocks = 304'455'544'725'557;
  const std::int64_t block = 3'016'282'133'530'432;
  const auto task_of_log = [](const json& data, const json& weight) {
    const json line = line_of("llvm", "conv2d_NCHWc.x86", x86_args(data, weight), 0,
                              {{"tile_ic", "sp", {1, 1}}}, good_result());
    return task_of(must_read(line.dump()).parts.at(0));
  };
  QVERIFY(task_of_log({1, 4, 8, 8, 16}, {4, 4, 1, 1, 16, 16}).op);
  QVERIFY(!task_of_log({1, blocks, 8, 8, block}, {blocks, blocks, 1, 1, block, block}).op);
  QVERIFY(!task_of_log({1, 4, 8, 8, 16}, {blocks, 4, 1, 1, 16, block}).op);
}

void ExchangeImportAutotvmTest::disagreementsMakeGenericSpaces() {
  const std::vector<std::pair<std::string, std::string>> changes{
      {"8797896", "8797895"},                         // another index than the entity's
      {"8797896", "340282366920938463463374607431"},  // too large for anything
      {"[6, 1, 32, 1]", "[6, 1, 32, 2]"},             // another product
      {"\"tile_x\"", "\"tile_z\""},                   // another knob
      {"\"ot\", 1500", "\"ot\", 1024"},               // another value
      {"\"ot\", 1500", "\"ot\", \"1500\""},           // another type
  };
  for (const auto& [old, by] : changes) {
    std::string line = titanx_line;
    const std::size_t found = line.find(old);
    QVERIFY(found != std::string::npos);
    const exchange::ImportedFile file = must_read(line.replace(found, old.size(), by));
    const exchange::ImportedTrials& part = file.parts.at(0);
    QCOMPARE(std::get<task::Convolution>(task_of(part).definition).input_channels, std::int64_t{2048});
    QVERIFY2(part.header.template_name.empty(), by.c_str());
    QVERIFY(part.space.explicit_members() && part.space.contains(part.trials.at(0).configuration));
    QVERIFY(file.notices.size() > 1 && file.notices[0].contains("space"));
    const std::string all = part.space.describe(part.trials[0].configuration);
    QVERIFY2(all.contains("tile_rc=[64, 32]") && all.contains(by == "[6, 1, 32, 2]" ? by : "=[6, 1, 32, 1]"),
             all.c_str());
  }
}

void ExchangeImportAutotvmTest::otherOperators() {
  json args = {{"TENSOR", {1, 96, 112, 112}, "float32"},
               {"TENSOR", {96, 1, 3, 3}, "float32"},
               {2, 2},
               {1, 1, 1, 1},
               {1, 1},
               "float32"};
  const json entity = {{"tile_f", "sp", {-1, 1, 8, 1}}, {"auto_unroll_max_step", "ot", 256}};
  exchange::ImportedTrials part =
      must_read(line_of("cuda", "depthwise_conv2d_nchw.cuda", args, 5, entity, good_result()).dump())
          .parts.at(0);
  QCOMPARE(task_of(part).text,
           task::parse_task("conv2d 1x96x112x112 96x1x3x3 stride=2 pad=1 groups=96 f32")->text);
  QVERIFY(part.space.knobs()[0].kind() == space::KnobKind::Factorization);  // its loop is the operator's own
  QCOMPARE(part.space.describe(part.trials[0].configuration),
           std::string("tile_f=[12, 1, 8, 1] auto_unroll_max_step=256"));

  args = {{"TENSOR", {64, 1024}, "float16"}, {"TENSOR", {256, 1024}, "float16"}, nullptr, "float32"};
  part =
      must_read(line_of("cuda", "dense_tensorcore.cuda", args, 0, {{"chunk", "ot", 2}}, good_result()).dump())
          .parts.at(0);
  QCOMPARE(task_of(part).text, task::parse_task("matmul 64x1024 256x1024 transpose_b f16")->text);
  args[3] = "float16";  // an accumulator that our operators have not
  part =
      must_read(line_of("cuda", "dense_tensorcore.cuda", args, 0, {{"chunk", "ot", 2}}, good_result()).dump())
          .parts.at(0);
  QVERIFY(!task_of(part).op);
  const auto padded = [](const json& padding) {
    json uneven = conv_args({1, 8, 9, 9}, {8, 8, 3, 3});
    uneven[3] = padding;
    const json line = line_of("cuda", "conv2d_nchw.cuda", uneven, 0, {{"a", "ot", 2}}, good_result());
    return task_of(must_read(line.dump()).parts.at(0));
  };
  const auto convolution = std::get<task::Convolution>(padded({0, 1, 2, 1}).definition);
  QCOMPARE(convolution.padding, (std::vector<std::int64_t>{0, 1}));
  QCOMPARE(convolution.end_padding(), (std::vector<std::int64_t>{2, 1}));
  QVERIFY(!padded({0, 1, 2}).op);
  QVERIFY(!padded({0, 1, -2, 1}).op);
}

void ExchangeImportAutotvmTest::tasksAreTakenApart() {
  std::string other = titanx_line;
  other.replace(other.find("titanx"), 6, "v100");
  std::string text;
  for (const std::string& line : {titanx_line, annotated_line, titanx_line, other, annotated_line})
    text += line + "\n";
  const exchange::ImportedFile file = must_read(text);
  QCOMPARE(file.parts.size(), std::size_t{3});
  QCOMPARE(file.parts[0].trials.size(), std::size_t{2});
  QCOMPARE(file.parts[1].trials.size(), std::size_t{2});
  QCOMPARE(file.parts[2].trials.size(), std::size_t{1});
  QVERIFY(file.parts[0].header.template_name == "conv2d-direct");
}

// Each task's template has a table of 3 million tuples, which take a second to list.
void ExchangeImportAutotvmTest::templatesAreTriedWithinLimits() {
  const std::int64_t filters = std::int64_t{32} * 27 * 25 * 7 * 11 * 13 * 17;
  const auto line = [](std::int64_t rows, std::int64_t channels, const json& split) {
    return line_of("cuda", "conv2d_nchw.cuda", conv_args({1, 1, rows, 1}, {channels, 1, 1, 1}), 0,
                   {{"tile_f", "sp", split}}, good_result())
               .dump() +
           "\n";
  };
  std::string text;
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) text += line(i + 1, filters, {-1, 1});
  const exchange::ImportedFile file = must_read(text + titanx_line);
  QCOMPARE(file.parts.size(), std::size_t{count + 1});
  for (int i = 0; i < count; ++i)
    QVERIFY(file.notices.at(static_cast<std::size_t>(i)).contains("too many values"));
  QCOMPARE(file.parts.back().header.template_name, std::string("conv2d-direct"));
  // Made for nothing, since the log has other knobs: after some of them no more are.
  text.clear();
  for (int i = 0; i < count; ++i) text += line(i + 1, 720'720, {-1, 1});
  const exchange::ImportedFile others = must_read(text);
  QVERIFY(others.notices.front().contains("differ from the template's"));
  QVERIFY(others.notices.at(count - 1).contains("too many values"));
}

KERNELSCAPE_TEST(ExchangeImportAutotvmTest, QCoreApplication)

}  // namespace kernelscape::exchange_import_autotvm_test
#include "exchange_import_autotvm_test.moc"

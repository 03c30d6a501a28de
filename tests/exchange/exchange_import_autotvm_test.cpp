#include <fmt/format.h>

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/schedule/template.h"
#include "tests/exchange/named_format.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

using namespace kernelscape;
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

// As AutoTVM wrote them for a Titan X.
const std::string titanx_input =
    R"(["cuda -model=titanx", "conv2d_nchw.cuda", [["TENSOR", [1, 2048, 8, 8], "float32"], )"
    R"(["TENSOR", [192, 2048, 1, 1], "float32"], [1, 1], [0, 0, 0, 0], [1, 1], "float32"], {}])";
const std::string titanx_line =
    R"({"input": )" + titanx_input +
    R"(, "config": {"index": 8797896, "code_hash": null, "entity": [["tile_f", "sp", [6, 1, 32, 1]], )"
    R"(["tile_y", "sp", [4, 1, 2, 1]], ["tile_x", "sp", [1, 1, 8, 1]], ["tile_rc", "sp", [64, 32]], )"
    R"(["tile_rx", "sp", [1, 1]], ["tile_ry", "sp", [1, 1]], ["auto_unroll_max_step", "ot", 1500], )"
    R"(["unroll_explicit", "ot", 1]]}, "result": [[5.69732536806342e-05], 0, 14.116215467453003, )"
    R"(1535423916.7184713], "version": 0.2, "tvm_version": "0.7.dev0"})";
// Reorders and annotations, from a CPU template of TVM's tutorials.
const std::string annotated_line =
    R"({"input": ["llvm -mcpu=core-avx2", "my_conv", [["TENSOR", [1, 64, 112, 112], "float32"]], {}], )"
    R"("config": {"index": 12, "code_hash": null, "entity": [["tile_co", "sp", [16, 4]], ["tile_oh", "sp", )"
    R"([112, 1]], ["tile_ow", "sp", [28, 4]], ["reorder_0", "re", [0, 1, 2, 3, 4, 5, 6, 9, 7, 8]], )"
    R"(["order", "re", [2, 0, 1]], ["ann_reduce", "an", ["none", "unroll"]], ["ann_spatial", "an", )"
    R"(["unroll", "none", "vec"]]]}, "result": [[0.0202839052], 0, 1.0239202976226807, 1535933156.928128], )"
    R"("version": 0.2, "tvm_version": "0.7.dev0"})";

Result<ImportedFile> read(const std::string& text) {
  ImportText file("log.json", text);
  return read_as("autotvm", file);
}

ImportedFile must_read(const std::string& text) {
  Result<ImportedFile> file = read(text);
  if (!file) throw std::runtime_error(describe(file.error()));
  return std::move(*file);
}

Task task_of(const ImportedTrials& part) { return task_from_json(part.header.task_json).value(); }

json entity_of(const SearchSpace& space, const Configuration& configuration) {
  json entities = json::array();
  for (std::size_t i = 0; i < space.knobs().size(); ++i) {
    const Knob& knob = space.knobs()[i];
    const std::uint32_t index = configuration.indices[i];
    if (knob.kind() == KnobKind::Factorization) {
      const KnobRow row = knob.row(index);
      std::vector<std::int64_t> factors(row.begin(), row.end());
      if (index % 2 == 1) factors[0] = -1;  // as TVM writes it since 0.6
      entities.push_back({knob.name(), "sp", factors});
    } else {
      json value;
      std::visit([&](const auto& held) { value = held; }, knob.value(index));
      entities.push_back({knob.name(), "ot", value});
    }
  }
  return entities;
}

/** A line with what the test says and a made-up time. */
json line_of(const std::string& target, const std::string& task, const json& args, const json& index,
             const json& entities, const json& result) {
  return {{"input", {target, task, args, json::object()}},
          {"config", {{"index", index}, {"code_hash", nullptr}, {"entity", entities}}},
          {"result", result},
          {"version", 0.2},
          {"tvm_version", "0.10.0"}};
}

json conv_args(const json& data, const json& weight) {
  return {
      {"TENSOR", data, "float32"}, {"TENSOR", weight, "float32"}, {1, 1}, {1, 1, 1, 1}, {1, 1}, "float32"};
}

json x86_args(const json& data, const json& weight) {
  return {{"TENSOR", data, "float32"},
          {"TENSOR", weight, "float32"},
          {1, 1},
          {1, 1, 1, 1},
          {1, 1},
          "NCHW",
          "NCHW",
          "float32"};
}

json good_result(double cost = 0.5, double at = 1e9) { return {{cost}, 0, 1.5, at}; }

/** The one line of a one-knob task of nobody's, with another result. */
std::string small_line(const json& result) {
  return line_of("cuda", "mine", json::array({1}), 0, {{"a", "ot", 1}}, result).dump();
}

bool mentions(const Error& error, const std::string& text) { return describe(error).contains(text); }

}  // namespace

class ExchangeImportAutotvmTest : public QObject {
  Q_OBJECT

 private slots:
  void titanxMapsOntoOurTemplate();
  void versionOneMapsToo();
  void reordersAndAnnotations();
  void errorsHaveNoSamples();
  void randomTemplateLogs();
  void knobsInAnotherOrder();
  void packedTensors();
  void packedTensorsBeyondNumbers();
  void disagreementsMakeGenericSpaces();
  void otherOperators();
  void tasksAreTakenApart();
  void templatesAreTriedWithinLimits();
  void resumedLogsAndDuplicates();
  void splitsThatFitNothing();
  void otherFormatsAreRefused_data();
  void otherFormatsAreRefused();
  void badLinesAreNamed_data();
  void badLinesAreNamed();
  void manyEntities();
  void exportsReadBack();
  void exportsOfMappedTemplates();
};

void ExchangeImportAutotvmTest::titanxMapsOntoOurTemplate() {
  const ImportedFile file = must_read("# best of all\n\n" + titanx_line + "\r\n\n");
  QVERIFY(file.natural == ImportAs::Session);
  QCOMPARE(file.parts.size(), std::size_t{1});
  const ImportedTrials& part = file.parts[0];
  QCOMPARE(task_of(part).text, parse_task("conv2d 1x2048x8x8 192x2048x1x1 stride=1 pad=0 f32").value().text);
  QCOMPARE(part.header.template_name, std::string("conv2d-direct"));
  const TargetDescription target = target_from_json(part.header.target_json).value();
  QVERIFY(target.kind == TargetKind::Cuda);
  QCOMPARE(target.device, std::string("titanx"));
  QVERIFY(part.header.origin.contains("0.7.dev0"));
  QVERIFY(part.header.created_utc.starts_with("2018-08-28T"));
  QVERIFY(!part.space.explicit_members());
  const ImportedTrial& trial = part.trials.at(0);
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
  const Task task = parse_task("conv2d 1x2048x8x8 384x2048x1x1 f32").value();
  const SearchSpace space = apply_template(task, default_cuda_target(), "conv2d-direct")->space();
  const Configuration configuration = space.at(1240970);
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
    const ImportedTrials part = must_read(line.dump()).parts.at(0);
    QCOMPARE(task_of(part).text, task.text);
    const bool direct = std::string(key) == "direct";
    QCOMPARE(part.header.template_name, direct ? std::string("conv2d-direct") : std::string());
    if (direct) QVERIFY(part.trials.at(0).configuration == configuration);
  }
}

void ExchangeImportAutotvmTest::reordersAndAnnotations() {
  const ImportedFile file = must_read(annotated_line);
  const ImportedTrials& part = file.parts.at(0);
  const Task task = task_of(part);
  QVERIFY(!task.op);
  QVERIFY(std::get<GenericProblem>(task.definition).problem.contains("my_conv"));
  QVERIFY(part.header.template_name.empty());
  const std::vector<Knob>& knobs = part.space.knobs();
  QCOMPARE(knobs.size(), std::size_t{7});
  QVERIFY(knobs[0].kind() == KnobKind::Factorization && knobs[0].product() == 64);
  QVERIFY(knobs[2].kind() == KnobKind::Factorization && knobs[2].product() == 112);
  QVERIFY(knobs[3].name() == "reorder_0" && knobs[3].kind() == KnobKind::Categorical);  // 10! orders are many
  QVERIFY(knobs[4].kind() == KnobKind::Permutation);
  QCOMPARE(knobs[4].count(), 6U);
  QVERIFY(knobs[5].kind() == KnobKind::Categorical);
  QCOMPARE(part.space.describe(part.trials.at(0).configuration),
           std::string("tile_co=[16, 4] tile_oh=[112, 1] tile_ow=[28, 4] "
                       "reorder_0=[0, 1, 2, 3, 4, 5, 6, 9, 7, 8] order=[2, 0, 1] "
                       "ann_reduce=[\"none\",\"unroll\"] ann_spatial=[\"unroll\",\"none\",\"vec\"]"));
  QVERIFY(std::ranges::any_of(file.notices, [](const auto& text) { return text.contains("my_conv"); }));
  const TargetDescription target = target_from_json(part.header.target_json).value();
  QVERIFY(target.kind == TargetKind::Cpu && target.isa == "avx2");
}

void ExchangeImportAutotvmTest::errorsHaveNoSamples() {
  const std::string text = small_line({{1000000000.0}, 1, 0.11774969100952148, 1678744303.0257952}) + "\n" +
                           small_line({{1000000000.0}, 6, 10, 1678744303.0257764}) + "\n" +
                           small_line({{0.25, 0.5, 1.5}, 0, 6, 1678744310.0}) + "\n";
  const ImportedFile file = must_read(text);
  const std::vector<ImportedTrial>& trials = file.parts.at(0).trials;
  QCOMPARE(trials.size(), std::size_t{3});
  QVERIFY(trials[0].measurement.category == ErrorCategory::InstantiationError);
  QVERIFY(trials[0].measurement.samples_seconds.empty());
  QCOMPARE(trials[0].measurement.recorded_seconds, 0.0);
  QVERIFY(trials[1].measurement.category == ErrorCategory::BuildTimeout);
  QCOMPARE(trials[1].measurement.run_seconds, 10.0);
  QVERIFY(trials[1].finished_seconds >= trials[0].finished_seconds);
  QCOMPARE(trials[2].measurement.recorded_seconds, 0.75);  // the mean, which is not the median
  QCOMPARE(trials[2].measurement.ranking_seconds(), 0.75);
  QVERIFY(std::ranges::any_of(file.notices, [](const auto& notice) { return notice.contains("2 failed"); }));
}

void ExchangeImportAutotvmTest::randomTemplateLogs() {
  Random random(testing::random_seed());
  for (int round = 0; round < 20; ++round) {
    const bool cuda = random.chance(0.5);
    const auto pick = [&] { return static_cast<std::int64_t>(1 + random.below(24)) * 4; };
    const std::int64_t in = pick();
    const std::int64_t out = pick();
    const std::int64_t size = 5 + static_cast<std::int64_t>(random.below(40));
    const std::int64_t kernel = random.chance(0.5) ? 3 : 5;
    const Task task =
        parse_task(fmt::format("conv2d 2x{0}x{1}x{1} {2}x{0}x{3}x{3} pad=1 f32", in, size, out, kernel))
            .value();
    TargetDescription target = default_cuda_target();
    if (!cuda) target = testing::cpu_with_lanes(16);
    const SearchSpace space = apply_template(task, target, cuda ? "conv2d-direct" : "conv2d-nchwc")->space();
    std::string text;
    std::vector<Configuration> configurations;
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
    const ImportedFile file = must_read(text);
    QCOMPARE(file.parts.size(), std::size_t{1});
    QCOMPARE(task_of(file.parts[0]).text, task.text);
    QCOMPARE(file.parts[0].space.fingerprint(), space.fingerprint());
    for (std::size_t i = 0; i < configurations.size(); ++i)
      QVERIFY(file.parts[0].trials.at(i).configuration == configurations[i]);
  }
}

void ExchangeImportAutotvmTest::knobsInAnotherOrder() {
  // tile_rx before tile_ry, as logs of 2018 have them: the index counts in the log's order.
  Random random(testing::random_seed());
  const Task task = parse_task("conv2d 1x16x14x14 32x16x3x5 pad=1 f32").value();
  const SearchSpace ours = apply_template(task, default_cuda_target(), "conv2d-direct")->space();
  std::vector<Knob> knobs = ours.knobs();
  std::swap(knobs[4], knobs[5]);
  const SearchSpace theirs = SearchSpace::make(knobs).value();
  for (int i = 0; i < 30; ++i) {
    const Configuration configuration = theirs.random_member(random).value();
    const auto index = static_cast<std::uint64_t>(theirs.index_of(configuration));
    const auto line = [&](std::uint64_t written) {
      return line_of("cuda", "conv2d_nchw.cuda", conv_args({1, 16, 14, 14}, {32, 16, 3, 5}), written,
                     entity_of(theirs, configuration), good_result())
          .dump();
    };
    const ImportedTrials part = must_read(line(index)).parts.at(0);
    QCOMPARE(part.header.template_name, std::string("conv2d-direct"));
    Configuration expected = configuration;
    std::swap(expected.indices[4], expected.indices[5]);
    QVERIFY(part.trials.at(0).configuration == expected);
    QVERIFY(must_read(line(index + 1)).parts.at(0).header.template_name.empty());
  }
}

void ExchangeImportAutotvmTest::packedTensors() {
  const Task task = parse_task("conv2d 1x64x28x28 32x64x3x3 pad=1 f32").value();
  const SearchSpace space = apply_template(task, TargetDescription{}, "conv2d-nchwc")->space();
  const Configuration configuration = space.at(space.size() - 1);
  json args = x86_args({1, 4, 28, 28, 16}, {2, 4, 3, 3, 16, 16});
  args[5] = "NCHW16c";
  args[6] = "NCHW16c";
  const json line =
      line_of("llvm", "conv2d_NCHWc.x86", args, static_cast<std::uint64_t>(space.index_of(configuration)),
              entity_of(space, configuration), good_result());
  const ImportedTrials part = must_read(line.dump()).parts.at(0);
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
    const ImportedFile file = must_read(line.replace(found, old.size(), by));
    const ImportedTrials& part = file.parts.at(0);
    QCOMPARE(std::get<Convolution>(task_of(part).definition).input_channels, std::int64_t{2048});
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
  ImportedTrials part =
      must_read(line_of("cuda", "depthwise_conv2d_nchw.cuda", args, 5, entity, good_result()).dump())
          .parts.at(0);
  QCOMPARE(task_of(part).text, parse_task("conv2d 1x96x112x112 96x1x3x3 stride=2 pad=1 groups=96 f32")->text);
  QVERIFY(part.space.knobs()[0].kind() == KnobKind::Factorization);  // its loop is the operator's own
  QCOMPARE(part.space.describe(part.trials[0].configuration),
           std::string("tile_f=[12, 1, 8, 1] auto_unroll_max_step=256"));

  args = {{"TENSOR", {64, 1024}, "float16"}, {"TENSOR", {256, 1024}, "float16"}, nullptr, "float32"};
  part =
      must_read(line_of("cuda", "dense_tensorcore.cuda", args, 0, {{"chunk", "ot", 2}}, good_result()).dump())
          .parts.at(0);
  QCOMPARE(task_of(part).text, parse_task("matmul 64x1024 256x1024 transpose_b f16")->text);
  args[3] = "float16";  // an accumulator that our operators have not
  part =
      must_read(line_of("cuda", "dense_tensorcore.cuda", args, 0, {{"chunk", "ot", 2}}, good_result()).dump())
          .parts.at(0);
  QVERIFY(!task_of(part).op);
  json uneven = conv_args({1, 8, 9, 9}, {8, 8, 3, 3});
  uneven[3] = {0, 1, 2, 1};
  part = must_read(line_of("cuda", "conv2d_nchw.cuda", uneven, 0, {{"a", "ot", 2}}, good_result()).dump())
             .parts.at(0);
  QVERIFY(!task_of(part).op);
}

void ExchangeImportAutotvmTest::tasksAreTakenApart() {
  std::string other = titanx_line;
  other.replace(other.find("titanx"), 6, "v100");
  std::string text;
  for (const std::string& line : {titanx_line, annotated_line, titanx_line, other, annotated_line})
    text += line + "\n";
  const ImportedFile file = must_read(text);
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
  const ImportedFile file = must_read(text + titanx_line);
  QCOMPARE(file.parts.size(), std::size_t{count + 1});
  for (int i = 0; i < count; ++i)
    QVERIFY(file.notices.at(static_cast<std::size_t>(i)).contains("too many values"));
  QCOMPARE(file.parts.back().header.template_name, std::string("conv2d-direct"));
  // Made for nothing, since the log has other knobs: after some of them no more are.
  text.clear();
  for (int i = 0; i < count; ++i) text += line(i + 1, 720'720, {-1, 1});
  const ImportedFile others = must_read(text);
  QVERIFY(others.notices.front().contains("others than the template's"));
  QVERIFY(others.notices.at(count - 1).contains("too many values"));
}

void ExchangeImportAutotvmTest::resumedLogsAndDuplicates() {
  // A second run a day later, the same configuration again, and a clock that was set back.
  std::string text;
  for (const double at : {1000.0, 1001.0, 87401.0, 87400.0, 87402.0})
    text += small_line(good_result(0.5, at)) + "\n";
  const ImportedTrials part = must_read(text).parts.at(0);
  const std::vector<double> expected{1.5, 2.5, 86402.5, 86402.5, 86403.5};
  QCOMPARE(part.trials.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    QCOMPARE(part.trials[i].finished_seconds, expected[i]);
    QVERIFY(part.trials[i].configuration == part.trials[0].configuration);
  }
  QCOMPARE(part.space.explicit_members()->size(), std::size_t{1});
}

void ExchangeImportAutotvmTest::splitsThatFitNothing() {
  std::string text;
  for (const json& factors : {json{-1, 4}, json{-1, 6}, json{2, 2, 2}}) {
    const json entity = {{"tile", "sp", factors}, {"mixed", "ot", text.empty() ? json(1) : json("1")}};
    text += line_of("cuda", "mine", {1}, 0, entity, good_result()).dump() + "\n";
  }
  const ImportedTrials part = must_read(text).parts.at(0);
  QVERIFY(part.space.knobs()[0].kind() == KnobKind::Categorical);
  QCOMPARE(part.space.knobs()[1].count(), 2U);  // 1 and "1" are two values
  const std::vector<std::string> expected{"[-1, 4]", "[-1, 6]", "[2, 2, 2]"};
  for (std::size_t i = 0; i < 3; ++i)
    QCOMPARE(part.space.knobs()[0].describe(part.trials[i].configuration.indices[0]), expected[i]);
}

void ExchangeImportAutotvmTest::otherFormatsAreRefused_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<QString>("name");
  QTest::newRow("Ansor")
      << R"({"i": [["[\"abc\"]", "llvm", [4, 64, 64, 0, 0, 0, 0, 0], "", 1, []], [[], []]], "r": [[0.01], 0, 1.2, 1600000000], "v": "v0.3"})"
      << "Ansor";
  QTest::newRow("MetaSchedule records")
      << R"([3, [[[], []], [0.01], {"kind": "llvm"}, []]])" << "MetaSchedule";
  QTest::newRow("MetaSchedule workloads") << R"(["123456789", "eyJyb290IjogMX0="])" << "MetaSchedule";
  QTest::newRow("pickle") << "cuda\tgASVHgAAAAAAAABdlCiMBHRhc2s=\tgAJdcQAoSwBLAUsCZS4=\t0.2\t0.6.0"
                          << "pickle";
}

void ExchangeImportAutotvmTest::otherFormatsAreRefused() {
  QFETCH(QString, line);
  QFETCH(QString, name);
  const auto file = read("# first\n" + line.toStdString());
  QVERIFY(!file);
  QVERIFY(file.error().code == ErrorCode::Refused);
  QVERIFY2(mentions(file.error(), name.toStdString()) && mentions(file.error(), "line 2"),
           describe(file.error()).c_str());
  QVERIFY(!file.error().hint.empty());
}

void ExchangeImportAutotvmTest::badLinesAreNamed_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::addColumn<QString>("says");
  const auto add = [](const char* row, const std::string& line, const char* says) {
    QTest::newRow(row) << QByteArray::fromStdString(line) << says;
  };
  const auto changed = [](const std::string& old, const std::string& by) {
    std::string line = titanx_line;
    return line.replace(line.find(old), old.size(), by);
  };
  add("truncated", titanx_line.substr(0, 300), "line 2");
  add("no object", "17", "line 2");
  add("a text", "hello", "line 2");
  add("no input", R"({"config": {}, "result": [], "version": 0.2})", "input");
  add("input of a wrong type", changed("\"cuda -model=titanx\"", "7"), "input");
  add("no index", changed("\"index\"", "\"indes\""), "index");
  add("negative index", changed("8797896", "-3"), "index");
  add("index of a wrong type", changed("8797896", "\"3\""), "index");
  add("no entities", R"({"input": ["cuda", "a", []], "config": {"index": 0, "entity": []}, "result": []})",
      "knob");
  add("unknown kind", changed("\"sp\"", "\"zz\""), "zz");
  add("a factor of 0", changed("[6, 1, 32, 1]", "[6, 0, 32, 1]"), "tile_f");
  add("a factor that is no number", changed("[6, 1, 32, 1]", "[6, \"x\", 32, 1]"), "tile_f");
  add("a split that is no list", changed("[6, 1, 32, 1]", "6"), "tile_f");
  add("an entity of two", changed("[\"tile_y\", \"sp\", [4, 1, 2, 1]]", "[\"tile_y\", \"sp\"]"), "entity");
  add("a knob twice", changed("tile_y", "tile_f"), "tile_f");
  add("a value that is no scalar", changed("\"ot\", 1500", "\"ot\", {}"), "auto_unroll_max_step");
  add("NaN", changed("5.69732536806342e-05", "NaN"), "line 2");
  add("infinity", changed("5.69732536806342e-05", "1e999"), "line 2");
  add("a cost of 0", changed("5.69732536806342e-05", "0.0"), "cost");
  add("a negative cost", changed("5.69732536806342e-05", "-1.0"), "cost");
  add("no cost", changed("[5.69732536806342e-05]", "[]"), "costs");
  add("unknown error", changed("], 0, 14.1", "], 9, 14.1"), "9");
  add("huge error", changed("], 0, 14.1", "], 99999999999999999999999, 14.1"), "line 2");
  add("negative time", changed("14.116215467453003", "-14"), "cost");
  add("timestamp of a wrong type", changed("1535423916.7184713", "\"now\""), "timestamp");
  add("a short result",
      R"({"input": ["cuda", "a", []], "config": {"index": 0, "entity": [["a", "ot", 1]]},)"
      R"( "result": [[1.0], 0]})",
      "result");
  add("deep", std::string(100'000, '[') + std::string(100'000, ']'), "line 2");
  add("deep arguments", changed("[0, 0, 0, 0]", std::string(5'000, '[') + std::string(5'000, ']')), "line 2");
}

void ExchangeImportAutotvmTest::badLinesAreNamed() {
  QFETCH(QByteArray, line);
  QFETCH(QString, says);
  const auto file = read("# a comment\n" + line.toStdString() + "\n" + annotated_line + "\n");
  QVERIFY(!file);
  QVERIFY2(mentions(file.error(), says.toStdString()), describe(file.error()).c_str());
  QVERIFY2(mentions(file.error(), "line 2") && mentions(file.error(), "log.json"),
           describe(file.error()).c_str());
  const auto nothing = read("# only this\n\n");
  QVERIFY(!nothing && mentions(nothing.error(), "log.json"));
}

void ExchangeImportAutotvmTest::manyEntities() {
  // Each is a knob with one value; splits without a product would be tables of any size.
  json entities = json::array();
  const auto add_scalars = [&](std::size_t most) {
    while (entities.size() < most) entities.push_back({"k" + std::to_string(entities.size()), "ot", 1});
  };
  add_scalars(most_space_knobs);
  const ImportedTrials part =
      must_read(line_of("cuda", "mine", {1}, 0, entities, good_result()).dump()).parts.at(0);
  QCOMPARE(part.space.knobs().size(), most_space_knobs);
  add_scalars(50'000);
  const auto too_many = read(line_of("cuda", "mine", {1}, 0, entities, good_result()).dump());
  QVERIFY(!too_many && mentions(too_many.error(), "50000 knobs"));
  entities = json::array();
  for (int i = 0; i < 200; ++i)
    entities.push_back({"k" + std::to_string(i), "sp", {1LL << 20, 1, 1, 1, 1, 1}});
  const auto large = read(line_of("cuda", "mine", {1}, 0, entities, good_result()).dump());
  QVERIFY(!large || large->parts.at(0).space.knobs().size() == 200);
  if (!large) QVERIFY2(mentions(large.error(), "2^127"), describe(large.error()).c_str());
}

void ExchangeImportAutotvmTest::exportsReadBack() {
  Random random(testing::random_seed());
  StoredSessions sessions;
  for (int round = 0; round < 12; ++round) {
    const TargetKind kind = random.chance(0.5) ? TargetKind::Cpu : TargetKind::Cuda;
    const auto templates = testing::templates_of(kind);
    const TemplateDeclaration& declaration = *templates[random.below(templates.size())];
    const TargetDescription target =
        kind == TargetKind::Cpu ? testing::cpu_with_lanes(16) : testing::cuda_with_tensor_cores();
    const Task task = testing::random_task(declaration, target, random, 1e7);
    const SearchSpace space = declaration.apply(task, target)->space();
    std::vector<Trial> trials;
    for (int i = 0; i < 40; ++i) {
      Trial trial;
      trial.number = i;
      trial.batch = i / 8;
      trial.position = i % 8;
      trial.configuration = space.random_member(random).value();
      if (random.chance(0.3)) {
        trial.measurement.category = static_cast<ErrorCategory>(1 + random.below(8));
        trial.measurement.message = "a message";
      } else {
        for (int s = 0; s < 3; ++s) trial.measurement.samples_seconds.push_back(random.uniform() + 1e-12);
      }
      trial.measurement.build_seconds = random.uniform();
      trial.measurement.run_seconds = random.uniform();
      trial.finished_seconds = i * 2.5;
      trials.push_back(trial);
    }
    SessionRecord record = StoredSessions::record_of(task, target, space);
    record.template_name = declaration.name;
    record.template_version = declaration.version;
    const std::string text = sessions.exported(sessions.add(record, {}, trials), "autotvm");
    const ImportedFile file = must_read(text);
    QCOMPARE(file.parts.size(), std::size_t{1});
    const ImportedTrials& part = file.parts[0];
    QCOMPARE(part.header.template_name, declaration.name);
    QCOMPARE(task_of(part).text, task.text);
    QCOMPARE(part.space.fingerprint(), space.fingerprint());
    QCOMPARE(part.trials.size(), trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const Measurement& measurement = part.trials[i].measurement;
      QVERIFY(part.trials[i].configuration == trials[i].configuration);
      QVERIFY(measurement.samples_seconds == trials[i].measurement.samples_seconds);
      QVERIFY(measurement.category == trials[i].measurement.category);
      QCOMPARE(measurement.run_seconds,
               trials[i].measurement.build_seconds + trials[i].measurement.run_seconds);
    }
  }
}

void ExchangeImportAutotvmTest::exportsOfMappedTemplates() {
  Random random(testing::random_seed());
  StoredSessions sessions;
  const Task task = parse_task("conv2d 1x32x14x14 64x32x3x3 pad=1 f32").value();
  TargetDescription target = default_cuda_target();
  target.device = "NVIDIA \"H200\" =x";
  const SearchSpace whole = apply_template(task, target, "conv2d-direct")->space();
  // A user's restriction: other indices in the session than in the template.
  std::vector<Knob> knobs = whole.knobs();
  knobs[0] = knobs[0].restricted({3, 5, 11}).value();
  const SearchSpace space = SearchSpace::make(knobs).value();
  Trial trial;
  trial.configuration = space.random_member(random).value();
  trial.measurement.samples_seconds = {0.1, 0.2};
  SessionRecord record = StoredSessions::record_of(task, target, space);
  record.template_name = "conv2d-direct";
  record.template_version = 1;
  const std::string text = sessions.exported(sessions.add(record, {}, {trial}), "autotvm");
  const json line = json::parse(text);
  QCOMPARE(line.at("input").at(1).get<std::string>(), std::string("conv2d_nchw.cuda"));
  QCOMPARE(line.at("version").get<double>(), 0.2);
  QVERIFY(line.at("tvm_version").get<std::string>().starts_with("kernelscape"));
  QVERIFY(line.at("result").at(3).get<double>() > 1.7e9);
  const ImportedTrials part = must_read(text).parts.at(0);
  QCOMPARE(part.header.template_name, std::string("conv2d-direct"));
  QCOMPARE(part.space.fingerprint(), whole.fingerprint());
  QCOMPARE(part.space.describe(part.trials.at(0).configuration), space.describe(trial.configuration));
}

KERNELSCAPE_TEST(ExchangeImportAutotvmTest, QCoreApplication)
#include "exchange_import_autotvm_test.moc"

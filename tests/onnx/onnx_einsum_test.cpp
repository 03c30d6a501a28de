#include <QTest>
#include <map>
#include <random>
#include <span>
#include <tuple>

#include "core/base/random.h"
#include "core/onnx_reader/einsum.h"
#include "core/task/task.h"
#include "tests/onnx/model_builder.h"
#include "tests/onnx/model_reading.h"
#include "tests/test_program.h"

namespace kernelscape::onnx_einsum_test {
using kernelscape::testing::Dimension;
using kernelscape::testing::find_operator;
using kernelscape::testing::ModelBuilder;
using kernelscape::testing::read;
using kernelscape::testing::tasks_of;
using kernelscape::testing::verify_said;

namespace {

ModelBuilder einsum(const std::string& equation, const std::vector<std::vector<Dimension>>& shapes) {
  ModelBuilder builder(17);
  std::vector<std::string> names;
  for (const auto& shape : shapes) {
    names.push_back("x" + std::to_string(names.size()));
    builder.input(names.back(), shape);
  }
  builder.node("Einsum", names, {"y"}, {{"equation", equation}}, "product");
  return builder;
}

}  // namespace

class OnnxEinsumTest : public QObject {
  Q_OBJECT

 private slots:
  void attention_is_two_batched_multiplications() {
    ModelBuilder builder(17);
    for (const char* name : {"q", "k", "v"}) builder.input(name, {1, 12, 128, 64});
    builder.node("Einsum", {"q", "k"}, {"s"}, {{"equation", std::string("bhqd,bhkd->bhqk")}});
    builder.node("Softmax", {"s"}, {"p"}, {{"axis", -1}});
    builder.node("Einsum", {"p", "v"}, {"y"}, {{"equation", std::string("bhqk,bhkd->bhqd")}});
    const measure::ModelReply reply = read(builder.request());
    QCOMPARE(tasks_of(reply), (std::vector<std::string>{"bmm 12x128x64 12x128x64 transpose_b f32",
                                                        "bmm 12x128x128 12x128x64 f32"}));
    QCOMPARE(reply.layers[1].first.nodes, std::vector<std::int64_t>{0});
    QVERIFY(reply.notices.empty());
  }

  void equations_become_tasks_data() {
    QTest::addColumn<QString>("equation");
    QTest::addColumn<QString>("task");
    QTest::addColumn<bool>("reordered");
    const auto row = [](const char* equation, const char* task, bool reordered = false) {
      QTest::newRow(equation) << equation << task << reordered;
    };
    // Each letter has the same length everywhere: b 2, h 3, i 4, j 5, k 6.
    row("ij,jk->ik", "matmul 4x5 5x6 f32");
    row("ij,jk", "matmul 4x5 5x6 f32");
    row(" i j , k j -> i k ", "matmul 4x5 6x5 transpose_b f32");
    row("ji,jk->ik", "matmul 5x4 5x6 transpose_a f32");
    row("ij,jk->ki", "matmul 5x6 4x5 transpose_a transpose_b f32");
    row("bij,jk->bik", "matmul 8x5 5x6 f32");
    row("bij,bjk->bik", "bmm 2x4x5 2x5x6 f32");
    row("...ij,...jk->...ik", "bmm 6x4x5 6x5x6 f32");
    row("bihj,bkhj->bhik", "bmm 6x4x5 6x6x5 transpose_b f32", true);
    row("ij,j->i", "matmul 4x5 5x1 f32");
    row("i,i->", "matmul 1x4 4x1 f32");
  }
  void equations_become_tasks() {
    QFETCH(const QString, equation);
    QFETCH(const QString, task);
    const std::string text = equation.toStdString();
    std::vector<std::vector<Dimension>> shapes(1);
    for (std::size_t i = 0; i < text.find("->") && i < text.size(); ++i) {
      if (text[i] == ',') shapes.emplace_back();
      if (text[i] == '.') {
        for (const std::int64_t extent : {2, 3}) shapes.back().emplace_back(extent);
        i += 2;
      }
      for (const auto& [letter, extent] : {std::pair{'b', 2}, {'h', 3}, {'i', 4}, {'j', 5}, {'k', 6}})
        if (text[i] == letter) shapes.back().emplace_back(std::int64_t{extent});
    }
    const measure::ModelReply reply = read(einsum(text, shapes).request());
    QCOMPARE(reply.layers.size(), std::size_t{1});
    QFETCH(const bool, reordered);
    QCOMPARE(reply.notices.size(), std::size_t{reordered ? 1U : 0U});
    QCOMPARE(QString::fromStdString(reply.layers.front().task), task);
  }

  void what_is_no_multiplication_of_matrices_is_named() {
    const auto reason = [](const std::string& equation, const std::vector<std::vector<Dimension>>& shapes) {
      const measure::ModelReply reply = read(einsum(equation, shapes).request());
      if (!reply.layers.empty()) qFatal("%s is a layer", equation.c_str());
      const measure::ModelOperator* found = find_operator(reply, "Einsum");
      return found == nullptr ? std::string("none") : found->reason;
    };
    verify_said(reason("ij,jk,kl->il", {{4, 5}, {5, 6}, {6, 7}}), "multiplies 3 operands");
    verify_said(reason("iij,jk->ik", {{4, 4, 5}, {5, 6}}), "diagonal");
    verify_said(reason("hij,jk->ik", {{3, 4, 5}, {5, 6}}), "summed in operand 1 only");
    verify_said(reason("ij,jk->ik", {{4, 5}, {6, 7}}), "do not match");
    verify_said(reason("ij,jk->ik", {{4, 5}, {6}}), "does not fit operand 2");
    // Nothing is summed over both operands: no multiplication of matrices.
    QCOMPARE(reason("ij,ij->ij", {{4, 5}, {4, 5}}), std::string());
    QCOMPARE(reason("ij->ji", {{4, 5}}), std::string());
  }

  /** Of random equations, against loops over all labels: shapes, FLOPs, and what follows. */
  void random_equations_keep_shapes_and_flops() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 300; ++round) {
      std::string first, second, output;
      double flops = 2;
      double elements = 1;
      std::map<char, std::int64_t> lengths;
      const auto add = [&](int count, int kind) {
        for (int i = 0; i < count; ++i) {
          const char letter = "aBcDeFgH"[lengths.size()];
          lengths[letter] = static_cast<std::int64_t>(2 + random.below(4));
          if (kind != 2) first += letter;
          if (kind != 1) second += letter;
          if (kind != 3) output += letter;
          flops *= static_cast<double>(lengths[letter]);
          if (kind != 3) elements *= static_cast<double>(lengths[letter]);
        }
      };
      add(static_cast<int>(random.below(3)), 0);      // batch
      add(static_cast<int>(random.below(3)), 1);      // rows
      add(static_cast<int>(random.below(3)), 2);      // columns
      add(static_cast<int>(1 + random.below(2)), 3);  // sums
      for (std::string* term : {&first, &second, &output}) random.shuffle(std::span(*term));
      const auto shape_of = [&](const std::string& term) {
        std::vector<Dimension> shape;
        for (const char letter : term) shape.emplace_back(lengths[letter]);
        return shape;
      };
      ModelBuilder builder =
          einsum(first + "," + second + "->" + output, {shape_of(first), shape_of(second)});
      // A multiplication behind it is a layer only if the shape of the result is known.
      builder.numbers("flat", {1, -1}).node("Reshape", {"y", "flat"}, {"f"});
      builder.weight("w", {static_cast<std::int64_t>(elements), 3}).node("MatMul", {"f", "w"}, {"z"});
      const measure::ModelReply reply = read(builder.request());
      QVERIFY2(reply.layers.size() == 2, (first + "," + second + "->" + output).c_str());
      const Result<task::Task> task = task::parse_task(reply.layers[0].task);
      QCOMPARE(task->flops(), flops);
      QCOMPARE(task::parse_task(reply.layers[1].task)->flops(), 2 * elements * 3);
    }
  }

  /** Any text is an equation or an error. */
  void random_texts_are_values() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    const std::string letters = "abcAB..., ->>-\x01\xff";
    int parsed = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      for (std::uint64_t i = random.below(14); i > 0; --i) text += letters[random.below(letters.size())];
      std::vector<onnx_reader::Extents> shapes(random.below(4));
      std::vector<std::size_t> ranks;
      for (onnx_reader::Extents& shape : shapes) {
        for (std::uint64_t d = random.below(5); d > 0; --d)
          shape.push_back(random.chance(0.1) ? std::int64_t{1} << 62
                                             : static_cast<std::int64_t>(1 + random.below(3)));
        ranks.push_back(shape.size());
      }
      std::ignore = onnx_reader::einsum_contracts(text);
      const Result<onnx_reader::EinsumEquation> equation = onnx_reader::parse_einsum(text, ranks);
      if (!equation) continue;
      ++parsed;
      std::ignore = onnx_reader::einsum_product(*equation, shapes);
      QVERIFY(onnx_reader::einsum_flops(*equation, shapes) >= 0);
    }
    QVERIFY2(parsed > 100, std::to_string(parsed).c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(OnnxEinsumTest)

}  // namespace kernelscape::onnx_einsum_test
#include "onnx_einsum_test.moc"

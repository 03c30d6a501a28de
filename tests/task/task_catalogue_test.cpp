#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "core/task/catalogue.h"
#include "tests/test_program.h"

namespace kernelscape::task_catalogue_test {

namespace {

const task::Catalogue& catalogue() {
  static const Result<task::Catalogue> loaded = task::Catalogue::load(KERNELSCAPE_SOURCE_DIR "/data/tasks");
  if (!loaded) qFatal("%s", describe(loaded.error()).c_str());
  return *loaded;
}

task::Task task(const std::string& name) {
  const Result<task::Task> found = catalogue().find(name);
  if (!found) qFatal("%s", describe(found.error()).c_str());
  return *found;
}

const task::Network& network(const std::string& name) {
  const auto found = std::ranges::find(catalogue().networks(), name, &task::Network::name);
  if (found == catalogue().networks().end()) qFatal("no network %s", name.c_str());
  return *found;
}

/** Multiply-adds of a network in 1e9, of its convolutions alone or of all layers. */
double gigamacs(const task::Network& net, bool convolutions_only) {
  double sum = 0;
  for (const task::NetworkLayer& layer : net.layers) {
    const task::Task layer_task = task(layer.task);
    if (convolutions_only && !std::holds_alternative<task::Convolution>(layer_task.definition)) continue;
    sum += layer_task.flops() / 2e9 * static_cast<double>(layer.multiplicity);
  }
  return sum;
}

/** Counts the weights of all layers, and what the published counts of parameters have besides. */
struct NetworkWeights {
  std::int64_t weights = 0;
  std::int64_t convolution_inputs = 0;   ///< channels that convolutions read
  std::int64_t convolution_outputs = 0;  ///< channels that convolutions write
  std::int64_t pointwise_outputs = 0;    ///< of these, those of convolutions of 1x1 images
};

NetworkWeights weights_of(const task::Network& net) {
  NetworkWeights sum;
  for (const task::NetworkLayer& layer : net.layers) {
    const task::Task layer_task = task(layer.task);
    std::int64_t weights = 1;
    for (const std::int64_t extent : layer_task.op->inputs[1].shape) weights *= extent;
    sum.weights += layer.multiplicity * weights;
    const auto* convolution = std::get_if<task::Convolution>(&layer_task.definition);
    if (convolution == nullptr) continue;
    sum.convolution_inputs += layer.multiplicity * convolution->input_channels;
    sum.convolution_outputs += layer.multiplicity * convolution->output_channels;
    const bool pointwise = convolution->input_size == std::vector<std::int64_t>{1, 1};
    if (pointwise) sum.pointwise_outputs += layer.multiplicity * convolution->output_channels;
  }
  return sum;
}

/** True if the channels that a call reads are those of each of its sources (added) or of all together. */
bool channels_fit(const task::Network& net, const task::LayerCall& call) {
  const task::Task reader = task(net.layers[call.layer].task);
  const auto* convolution = std::get_if<task::Convolution>(&reader.definition);
  if (convolution == nullptr) return true;
  bool equal = true;
  std::int64_t joined = 0;
  for (const std::size_t source : call.operands[0].calls) {
    const task::Task before = task(net.layers[net.calls[source].layer].task);
    const auto* giver = std::get_if<task::Convolution>(&before.definition);
    if (giver == nullptr) return true;
    equal = equal && giver->output_channels == convolution->input_channels;
    joined += giver->output_channels;
  }
  return equal || joined == convolution->input_channels;
}

}  // namespace

class TaskCatalogueTest : public QObject {
  Q_OBJECT

 private slots:
  void every_task_round_trips() {
    QVERIFY(catalogue().tasks().size() > 150);
    for (const task::Task& original : catalogue().tasks()) {
      Result<task::Task> from_text = task::parse_task(original.text);
      QVERIFY2(from_text.has_value(), original.name.c_str());
      QCOMPARE(from_text->text, original.text);
      from_text->name = original.name;
      from_text->unroll_steps = original.unroll_steps;
      QVERIFY2(*from_text == original, original.name.c_str());
      const Result<task::Task> from_json = task::task_from_json(task::task_to_json(original));
      QVERIFY2(from_json.has_value() && *from_json == original, original.name.c_str());
      QVERIFY2(*catalogue().find(original.name) == original, original.name.c_str());
    }
  }

  void lists_are_complete() {
    std::map<std::string, int> counts;
    for (const task::Task& t : catalogue().tasks())
      ++counts[t.name.substr(0, t.name.find_first_of("0123456789-", t.name.find('/')))];
    const auto expect = [&](const char* prefix, int count) {
      if (counts[prefix] != count) qWarning("%s: %d instead of %d", prefix, counts[prefix], count);
      return counts[prefix] == count;
    };
    QVERIFY(expect("resnet18/C", 12));
    QVERIFY(expect("resnet18-nose/C", 12));
    QVERIFY(expect("opevo/MM", 3));
    QVERIFY(expect("opevo/BMM", 3));
    QVERIFY(expect("opevo/C", 2));
    QVERIFY(expect("opevo-cpu/MM", 3));
    QVERIFY(expect("opevo-cpu/BMM", 3));
    QVERIFY(expect("heron/G", 5));
    QVERIFY(expect("heron/C", 5));
    QVERIFY(expect("heron/gemm", 5));
    QVERIFY(expect("heron/bmm", 6));
    QVERIFY(expect("heron/c", 18));  // c1d, c2d, c3d: six each
    QVERIFY(expect("heron/dil", 6));
    QVERIFY(expect("heron/t", 6));
    QVERIFY(expect("heron/gemv", 5));
    QVERIFY(expect("heron/scan", 5));
    QVERIFY(expect("heron-i8/GEMM", 5));
    QVERIFY(expect("heron-i8/BMM", 5));
    QVERIFY(expect("heron-i8/C", 17));  // C1D five, C2D and C3D six each
    QVERIFY(expect("heron-i8/DIL", 6));
    QVERIFY(expect("heron-i8/T", 6));
    QVERIFY(expect("heron-i8/GEMV", 5));
    QVERIFY(expect("heron-i8/SCAN", 5));
  }

  void known_tasks_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* text) { QTest::newRow(name) << name << text; };
    row("resnet18/C1", "conv2d 1x3x224x224 64x3x7x7 stride=2 pad=3 dilation=1 groups=1 f32");
    row("resnet18/C11", "conv2d 1x256x14x14 512x256x1x1 stride=2 pad=0 dilation=1 groups=1 f32");
    row("resnet18-nose/C11", "conv2d 1x256x14x14 256x256x1x1 stride=2 pad=1 dilation=1 groups=1 f32");
    row("resnet18-nose/C12", "conv2d 1x512x7x7 512x512x3x3 stride=1 pad=1 dilation=1 groups=1 f32");
    row("opevo/MM2", "matmul 512x1024 1024x4096 f32");
    row("opevo/BMM2", "bmm 960x128x128 960x128x64 transpose_a f32");
    row("opevo/C1", "conv2d 512x3x227x227 64x3x11x11 stride=4 pad=0 dilation=1 groups=1 f32");
    row("opevo-cpu/MM3", "matmul 256x2048 2048x512 f32");
    row("opevo-cpu/BMM2", "bmm 60x128x128 60x128x64 transpose_a f32");
    row("heron/G3", "matmul 32x2048 2048x1000 f32");
    row("heron/C4", "conv2d 32x512x7x7 512x512x3x3 stride=1 pad=0 dilation=1 groups=1 f32");
    row("heron/gemv-2", "matmul 1024x256 256x1 f32");
    row("heron/scan-4", "matmul 512x16 16x256 f32");
    row("heron-i8/GEMM3", "matmul 32x2048 2048x1008 i8");
    row("heron-i8/BMM2", "bmm 12x512x512 12x512x64 i8");
    row("heron-i8/C1D3", "conv1d 1x512x892 512x512x3 stride=1 pad=16 dilation=8 groups=1 i8");
    row("heron-i8/C3D2", "conv3d 1x64x8x56x56 128x64x1x1x1 stride=2 pad=0 dilation=1 groups=1 i8");
    row("heron-i8/DIL5", "conv2d 1x256x14x14 256x256x3x3 stride=1 pad=1 dilation=2 groups=1 i8");
    row("heron-i8/T2D5", "conv2d 1x256x14x14 256x256x3x3 stride=1 pad=1 dilation=1 groups=1 transposed i8");
    row("heron-i8/GEMV1", "matmul 512x16 16x1 i8");
    row("heron-i8/SCAN4", "matmul 512x16 16x256 i8");
  }
  void known_tasks() {
    QFETCH(const QString, name);
    QFETCH(const QString, text);
    QCOMPARE(QString::fromStdString(task(name.toStdString()).text), text);
  }

  void heron_tasks_of_bytes_are_all_of_bytes() {
    const task::OperandTypes bytes = *task::parse_operand_types("i8");
    for (const task::Task& t : catalogue().tasks())
      if (t.name.starts_with("heron-i8/")) QCOMPARE(task::operand_types(*t.op), bytes);
  }

  void opevo_convolutions_fix_their_unroll_steps() {
    for (const task::Task& t : catalogue().tasks()) {
      const bool fixed = t.name == "opevo/C1" || t.name == "opevo/C2";
      QCOMPARE(t.unroll_steps,
               fixed ? (std::vector<std::int64_t>{0, 125, 256}) : std::vector<std::int64_t>());
    }
  }

  void opevo_operands_are_stored_as_named() {
    const auto bmm3 = std::get<task::MatrixMultiplication>(task("opevo/BMM3").definition);
    QVERIFY(bmm3.transpose_b && !bmm3.transpose_a);
    QCOMPARE((std::array{bmm3.batch, bmm3.m, bmm3.n, bmm3.k}),
             (std::array<std::int64_t, 4>{960, 128, 128, 64}));
    const auto bmm2 = std::get<task::MatrixMultiplication>(task("opevo/BMM2").definition);
    QCOMPARE((std::array{bmm2.batch, bmm2.m, bmm2.n, bmm2.k}),
             (std::array<std::int64_t, 4>{960, 128, 64, 128}));
  }

  /** Smaller by one factor, and alike otherwise. */
  void opevo_tasks_for_a_cpu_keep_their_proportions() {
    for (const auto& [name, factor] : {std::pair{"MM1", 8.0},
                                       {"MM2", 8.0},
                                       {"MM3", 8.0},
                                       {"BMM1", 16.0},
                                       {"BMM2", 16.0},
                                       {"BMM3", 16.0}}) {
      const task::Task scaled = task(std::string("opevo-cpu/") + name);
      const task::Task original = task(std::string("opevo/") + name);
      QCOMPARE(original.flops() / scaled.flops(), factor);
      const auto& ours = std::get<task::MatrixMultiplication>(scaled.definition);
      const auto& theirs = std::get<task::MatrixMultiplication>(original.definition);
      QVERIFY(ours.transpose_a == theirs.transpose_a && ours.transpose_b == theirs.transpose_b);
      QCOMPARE(ours.m * theirs.n, theirs.m * ours.n);
      QCOMPARE(ours.k * theirs.n, theirs.k * ours.n);
    }
  }

  void network_sums_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("convolutions_only");
    QTest::addColumn<double>("expected");
    QTest::addColumn<double>("digit");  // half a unit of the last digit that the sum is known to
    QTest::newRow("resnet-18") << "resnet-18" << true << 1.814 << 0.0005;
    QTest::newRow("resnet-50") << "resnet-50" << true << 3.86 << 0.005;
    QTest::newRow("vgg-16") << "vgg-16" << true << 15.35 << 0.005;
    QTest::newRow("alexnet") << "alexnet" << true << 0.656 << 0.0005;
    QTest::newRow("squeezenet-v1.0") << "squeezenet-v1.0" << true << 0.836 << 0.0005;
    QTest::newRow("squeezenet-v1.1") << "squeezenet-v1.1" << true << 0.350 << 0.0005;
    QTest::newRow("mobilenet-v2") << "mobilenet-v2" << true << 0.2995 << 0.00005;
    QTest::newRow("bert-base") << "bert-base" << false << 11.2 << 0.05;
    // As torchvision publishes them.
    QTest::newRow("densenet-121") << "densenet-121" << false << 2.834 << 0.0005;
    QTest::newRow("efficientnet-b0") << "efficientnet-b0" << false << 0.386 << 0.0005;
    QTest::newRow("inception-v3") << "inception-v3" << false << 5.713 << 0.0005;
  }
  void network_sums() {
    QFETCH(const QString, name);
    QFETCH(const bool, convolutions_only);
    QFETCH(const double, expected);
    QFETCH(const double, digit);
    const double sum = gigamacs(network(name.toStdString()), convolutions_only);
    QVERIFY2(std::abs(sum - expected) <= digit, std::to_string(sum).c_str());
  }

  /** The published counts have, besides weights, biases and two numbers per channel of a normalization. */
  void weights_are_those_of_the_published_networks() {
    constexpr std::int64_t classes = 1000;
    // Normalized are the inputs of convolutions; in front of the first, its outputs; the classifier's inputs.
    const NetworkWeights densenet = weights_of(network("densenet-121"));
    QCOMPARE(densenet.weights + 2 * (densenet.convolution_inputs - 3 + 64 + 1024) + classes,
             std::int64_t{7'978'856});
    // Normalized are the outputs of convolutions, except that those of squeeze and excitation have biases.
    const NetworkWeights efficientnet = weights_of(network("efficientnet-b0"));
    QCOMPARE(efficientnet.weights + 2 * efficientnet.convolution_outputs - efficientnet.pointwise_outputs +
                 classes,
             std::int64_t{5'288'548});
    const NetworkWeights inception = weights_of(network("inception-v3"));
    QCOMPARE(inception.weights + 2 * inception.convolution_outputs + classes, std::int64_t{23'834'568});
  }

  void unique_convolutions_of_networks() {
    const auto unique = [](const char* name) {
      std::set<std::string> texts;
      for (const task::NetworkLayer& layer : network(name).layers) {
        const task::Task layer_task = task(layer.task);
        if (std::holds_alternative<task::Convolution>(layer_task.definition)) texts.insert(layer_task.text);
      }
      return texts.size();
    };
    QCOMPARE(unique("resnet-18"), std::size_t{11});
    QCOMPARE(unique("squeezenet-v1.0"), std::size_t{22});
    QCOMPARE(unique("squeezenet-v1.1"), std::size_t{18});
    QCOMPARE(unique("mobilenet-v2"), std::size_t{30});
    const auto layers = [](const char* name) {
      std::int64_t count = 0;
      for (const task::NetworkLayer& layer : network(name).layers) count += layer.multiplicity;
      return count;
    };
    // Convolutions and the classifier.
    QCOMPARE(layers("resnet-50"), std::int64_t{54});
    QCOMPARE(layers("densenet-121"), std::int64_t{121});
    QCOMPARE(layers("efficientnet-b0"), std::int64_t{82});
    QCOMPARE(layers("inception-v3"), std::int64_t{95});
  }

  void networks_share_equal_tasks() {
    std::map<std::string, std::string> name_of_text;
    for (const task::Network& net : catalogue().networks()) {
      for (const task::NetworkLayer& layer : net.layers) {
        const auto [entry, added] = name_of_text.emplace(task(layer.task).text, layer.task);
        QVERIFY2(entry->second == layer.task, (entry->second + " equals " + layer.task).c_str());
      }
    }
  }

  void calls_read_what_earlier_ones_gave() {
    std::size_t calls = 0;
    for (const task::Network& net : catalogue().networks()) {
      calls += net.calls.size();
      for (std::size_t i = 0; i < net.calls.size(); ++i)
        QVERIFY2(channels_fit(net, net.calls[i]), (net.name + ", call " + std::to_string(i)).c_str());
    }
    QVERIFY(calls > 500);
  }

  void find_reads_text_and_files() {
    QCOMPARE(catalogue().find("matmul 3x4 4x5")->text, std::string("matmul 3x4 4x5 f32"));
    const QTemporaryDir folder;
    const std::string path = folder.filePath("mine.json").toStdString();
    std::ofstream(path) << R"({"name": "mine", "task": "conv1d 1x2x9 4x2x3"})";
    QCOMPARE(catalogue().find(path)->name, std::string("mine"));

    std::ofstream(path) << R"({"task": "conv1d 1x2x9 4x3x3"})";
    const Result<task::Task> wrong = catalogue().find(path);
    QVERIFY(!wrong.has_value());
    QVERIFY(wrong.error().message.starts_with(path));
    QVERIFY(wrong.error().message.contains("3 input channels"));

    const Result<task::Task> missing = catalogue().find(folder.filePath("none.json").toStdString());
    QVERIFY(!missing.has_value());
    QCOMPARE(missing.error().code, ErrorCode::NotFound);
    QVERIFY(!catalogue().find(folder.path().toStdString() + "/").has_value());
  }

  void unknown_names_offer_the_nearest() {
    const Result<task::Task> unknown = catalogue().find("resnet18/D2");
    QVERIFY(!unknown.has_value());
    QCOMPARE(unknown.error().code, ErrorCode::NotFound);
    QVERIFY(unknown.error().message.contains("resnet18/D2"));
    QVERIFY(unknown.error().hint.contains("resnet18/C2"));
    const Result<task::Task> net = catalogue().find("vgg-16");
    QVERIFY(!net.has_value());
    QVERIFY(net.error().message.contains("network"));
    QVERIFY(net.error().hint.contains("vgg-16/L01"));
    QCOMPARE(catalogue().find("").error().code, ErrorCode::InvalidArgument);
  }

  void broken_catalogues_data() {
    QTest::addColumn<QString>("content");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* content, const char* message) {
      QTest::newRow(content) << content << message;
    };
    row("", "is an empty file");
    row("[]", "not a JSON object");
    row(R"({"task": []})", "unknown member \"task\"");
    row(R"({"tasks": {}})", "\"tasks\" is not a list");
    row(R"({"tasks": [7]})", "entry 1 of tasks");
    row(R"({"tasks": [{"task": "matmul 3x4 4x5"}]})", "no name");
    row(R"({"tasks": [{"name": "a", "task": "matmul 3x4 4x5"}, {"name": "b", "task": "matmul 3x4 5x5"}]})",
        "entry \"b\"");
    row(R"({"tasks": [{"name": "a", "task": "matmul 3x4 4x5"}, {"name": "a", "task": "matmul 3x4 4x6"}]})",
        "occurs twice");
    row(R"({"networks": [{"name": "n"}]})", "no layers");
    row(R"({"networks": [{"name": "n", "layers": [{"task": "zzz"}]}]})", "unknown task \"zzz\"");
    row(R"({"networks": [{"name": "n", "layers": [{"task": "zzz", "multiplicity": 0}]}]})",
        "multiplicity of layer zzz is 0");
    row(R"({"networks": [{"name": "n", "layers": [{"task": "zzz", "multiplicity": -1}]}]})", "multiplicity");
    row(R"({"networks": [{"name": "n", "layers": [{"task": "zzz", "multiplicity": "2"}]}]})", "multiplicity");
    row(R"({"networks": [{"name": "n", "layers": ["zzz"]}]})", "a layer is not a JSON object");
    const auto calls = [&](const char* list, const char* message) {
      const QByteArray content =
          QByteArray(R"({"tasks": [{"name": "a", "task": "matmul 3x4 4x5"}], "networks": [{"name": "n", )") +
          R"("layers": [{"task": "a", "multiplicity": 2}], "calls": )" + list + "}]}";
      row(content.constData(), message);
    };
    calls("7", "\"calls\" of a network is no list");
    calls("[7]", "a call is not a JSON object");
    calls(R"([{"layer": 1}])", "call 0 does not name a layer");
    calls(R"([{"layer": 0, "third": []}])", "unknown member \"third\"");
    calls(R"([{"layer": 0, "first": [0]}])", "\"first\" of call 0 is [0]");
    calls(R"([{"layer": 0}, {"layer": 0, "second": [-1]}])", "\"second\" of call 1 is [-1]");
    calls(R"([{"layer": 0, "first": []}])", "has the multiplicity 2, and 1 calls");
  }
  void broken_catalogues() {
    QFETCH(const QString, content);
    QFETCH(const QString, message);
    const QTemporaryDir folder;
    std::ofstream(folder.filePath("broken.json").toStdString()) << content.toStdString();
    const Result<task::Catalogue> loaded = task::Catalogue::load(folder.path().toStdString());
    QVERIFY(!loaded.has_value());
    const QString said = QString::fromStdString(describe(loaded.error()));
    QVERIFY2(said.contains(message), qPrintable(said));
    QVERIFY2(said.contains(folder.path()), qPrintable(said));
  }

  void a_folder_without_tasks_is_an_error() {
    const QTemporaryDir folder;
    QCOMPARE(task::Catalogue::load(folder.path().toStdString()).error().code, ErrorCode::NotFound);
    QCOMPARE(task::Catalogue::load("/nonexistent").error().code, ErrorCode::NotFound);
  }

  void default_catalogue_follows_the_environment() {
    QCOMPARE(task::Catalogue::load_default()->tasks().size(), catalogue().tasks().size());
    const QTemporaryDir folder;
    qputenv("KERNELSCAPE_DATA", folder.path().toUtf8());
    QVERIFY(!task::Catalogue::load_default().has_value());
    QVERIFY(QDir(folder.path()).mkdir("tasks"));
    std::ofstream(folder.filePath("tasks/mine.json").toStdString())
        << R"({"tasks": [{"name": "mine", "task": "matmul 3x4 4x5"}]})";
    const Result<task::Catalogue> mine = task::Catalogue::load_default();
    qunsetenv("KERNELSCAPE_DATA");
    QVERIFY(mine.has_value());
    QCOMPARE(mine->tasks().size(), std::size_t{1});
  }
};

KERNELSCAPE_PLAIN_TEST(TaskCatalogueTest)

}  // namespace kernelscape::task_catalogue_test
#include "task_catalogue_test.moc"

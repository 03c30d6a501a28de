#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "core/base/random.h"
#include "core/task/layer_fields.h"
#include "core/task/layer_table.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::task_layer_table_test {

namespace {

const task::Catalogue& catalogue() {
  static const Result<task::Catalogue> loaded = task::Catalogue::load(KERNELSCAPE_SOURCE_DIR "/data/tasks");
  if (!loaded) qFatal("%s", describe(loaded.error()).c_str());
  return *loaded;
}

task::Task task_of(const std::string& text) {
  const Result<task::Task> task = task::parse_task(text);
  if (!task) qFatal("%s", describe(task.error()).c_str());
  return *task;
}

double count_of(const task::LayerTable& table, const std::string& text) {
  const std::string canonical = task_of(text).text;
  const auto row = std::ranges::find(table.rows(), canonical, &task::LayerRow::text);
  return row == table.rows().end() ? 0 : row->count;
}

}  // namespace

class TaskLayerTableTest : public QObject {
  Q_OBJECT

 private slots:
  void layers_of_networks_count_as_often_as_they_occur() {
    const auto one = task::LayerTable::of_networks(catalogue(), std::vector<std::string>{"resnet-18"});
    const auto two =
        task::LayerTable::of_networks(catalogue(), std::vector<std::string>{"resnet-18", "resnet-50"});
    QVERIFY(one && two);
    const char* shared = "conv2d 1x64x56x56 64x64x3x3 pad=1";
    QCOMPARE(count_of(*one, shared), 4.0);
    QCOMPARE(count_of(*two, shared), 7.0);

    const auto all = task::LayerTable::of_networks(catalogue());
    QVERIFY(all.has_value());
    double layers = 0;
    for (const task::Network& network : catalogue().networks())
      for (const task::NetworkLayer& layer : network.layers)
        layers += static_cast<double>(layer.multiplicity);
    QCOMPARE(all->total_count(), layers);

    const auto unknown = task::LayerTable::of_networks(catalogue(), std::vector<std::string>{"resnet18"});
    QVERIFY(!unknown.has_value());
    QCOMPARE(unknown.error().code, ErrorCode::NotFound);
    QVERIFY(unknown.error().hint.contains("resnet-18"));
  }

  void lists_are_named_by_the_beginning_of_their_tasks() {
    const auto table =
        task::LayerTable::of_tasks(catalogue(), std::vector<std::string>{"opevo-cpu/", "transformer/"});
    QVERIFY(table.has_value());
    QCOMPARE(count_of(*table, "matmul 256x512 512x512"), 1.0);
    QCOMPARE(table->only(task::LayerKind::MatrixMultiplication).rows().size(), table->rows().size());
    std::set<std::int64_t> tokens;
    for (const task::LayerRow& row : table->rows())
      tokens.insert(std::get<task::MatrixMultiplication>(row.definition).m);
    for (const std::int64_t m : {1, 4, 16, 32, 64, 128, 256, 384, 512}) QVERIFY(tokens.contains(m));

    // Heron's list has a shape under two names.
    const auto heron = task::LayerTable::of_tasks(catalogue(), std::vector<std::string>{"heron/"});
    QVERIFY(heron.has_value());
    QVERIFY(count_of(*heron, "matmul 4096x4096 4096x4096") == 2.0);
    const task::LayerTable convolutions = heron->only(task::LayerKind::Convolution);
    QCOMPARE(convolutions.rows().size() + heron->only(task::LayerKind::MatrixMultiplication).rows().size(),
             heron->rows().size());
    for (const task::LayerRow& row : convolutions.rows()) QVERIFY(convolutions.contains(row.text));

    const auto unknown = task::LayerTable::of_tasks(catalogue(), std::vector<std::string>{"herno/"});
    QVERIFY(!unknown.has_value());
    QCOMPARE(unknown.error().code, ErrorCode::NotFound);
    QVERIFY(unknown.error().hint.contains("heron/"));
  }

  void the_same_layer_is_one_row() {
    task::LayerTable table;
    QVERIFY(table.add(task_of("matmul 3x4 4x5"), 2).has_value());
    task::Task renamed = task_of("matmul 3x4 4x5 f32");
    renamed.name = "mine";
    QVERIFY(table.add(renamed, 0.5).has_value());
    QVERIFY(table.add(task_of("bmm 1x3x4 1x4x5"), 1).has_value());
    QVERIFY(table.add(table).has_value());
    QCOMPARE(table.rows().size(), std::size_t{2});
    QCOMPARE(count_of(table, "matmul 3x4 4x5"), 5.0);

    for (const double count : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e13})
      QCOMPARE(table.add(renamed, count).error().code, ErrorCode::InvalidArgument);
    const Result<task::Task> generic = task::make_generic_task({"a problem", "time", "s"}, "kernel");
    QVERIFY(generic.has_value());
    const Status refused = table.add(*generic, 1);
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.contains("kernel"));
  }

  /** What is drawn field by field is the layer that they were taken from. */
  void fields_say_all_of_a_layer() {
    std::vector<task::Task> tasks = catalogue().tasks();
    for (const char* text :
         {"conv2d 2x8x9x7 16x2x3x1 stride=2x1 pad=1x0 dilation=2x1 groups=4", "conv1d 1x6x20 12x1x5 groups=6",
          "conv3d 1x4x5x6x7 4x3x2x2x2 transposed bf16", "conv2d 1x1x9x9 4x1x3x3",
          "conv2d 1x4x9x9 4x1x3x3 groups=4", "matmul 5x3 7x5 transpose_a transpose_b i8", "gemv 9x8 8",
          "bmm 1x2x3 1x3x1 f64"})
      tasks.push_back(task_of(text));
    for (const task::Task& task : tasks) {
      task::LayerTable table;
      QVERIFY(table.add(task, 1).has_value());
      const task::LayerRow& row = table.rows().front();
      const std::vector<task::FieldValue> values = task::field_values(row.definition, row.types);
      QCOMPARE(values.size(), task::layer_fields(row.kind()).size());
      const Result<task::Task> again = task::task_of_fields(row.kind(), values);
      QVERIFY2(again.has_value(), task.name.c_str());
      QCOMPARE(again->text, task.text);
      QVERIFY(again->definition == task.definition);
    }
  }

  void tables_of_convolutions() {
    const std::string path = write("zoo.csv",
                                   "\xef\xbb\xbf"
                                   "kind,H=W,CO,CI,K,stride,pad,count\r\n"
                                   "conv2d,56,128,64,3,2,1,4\r\n"
                                   "\r\n"
                                   "depthwise,14,64,32,3,1,1,2\r\n"
                                   "conv2d,56,64,64,3,1,1,12\r\n"
                                   "\"winograd\", 56,64,64,3,1,1,3");
    const Result<task::LayerTable> table = task::LayerTable::read(path);
    QVERIFY2(table.has_value(), table ? "" : describe(table.error()).c_str());
    QCOMPARE(table->rows().size(), std::size_t{3});
    QCOMPARE(count_of(*table, "conv2d 1x64x56x56 128x64x3x3 stride=2 pad=1"), 4.0);
    QCOMPARE(count_of(*table, "conv2d 1x32x14x14 64x1x3x3 pad=1 groups=32"), 2.0);
    QCOMPARE(count_of(*table, "conv2d 1x64x56x56 64x64x3x3 pad=1"), 15.0);
  }

  void tables_of_tasks() {
    const std::string path = write("mine.csv",
                                   "task,count\nmatmul 128x768 768x768,48\nconv1d 1x2x9 4x2x3,0.5\n"
                                   "\"bmm 12x128x64 12x64x128 f16\",1e3\n");
    const Result<task::LayerTable> table = task::LayerTable::read(path);
    QVERIFY2(table.has_value(), table ? "" : describe(table.error()).c_str());
    QCOMPARE(table->rows().size(), std::size_t{3});
    QCOMPARE(count_of(*table, "matmul 128x768 768x768"), 48.0);
    QCOMPARE(count_of(*table, "conv1d 1x2x9 4x2x3"), 0.5);
    QCOMPARE(count_of(*table, "bmm 12x128x64 12x64x128 f16"), 1000.0);
  }

  void task_files() {
    const Result<task::LayerTable> one =
        task::LayerTable::read(write("one.json", R"({"name": "mine", "task": "matmul 3x4 4x5"})"));
    QVERIFY(one.has_value());
    QCOMPARE(count_of(*one, "matmul 3x4 4x5"), 1.0);

    const Result<task::LayerTable> table = task::LayerTable::read(write("list.json", R"({
        "tasks": [{"name": "a", "task": "matmul 3x4 4x5"}, {"name": "b", "task": "matmul 6x4 4x5"}],
        "networks": [{"name": "n", "layers": [{"task": "b", "multiplicity": 7}]}]})"));
    QVERIFY2(table.has_value(), table ? "" : describe(table.error()).c_str());
    QCOMPARE(count_of(*table, "matmul 3x4 4x5"), 1.0);
    QCOMPARE(count_of(*table, "matmul 6x4 4x5"), 7.0);
  }

  void wrong_files_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("content");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* what, const char* name, const QString& content, const char* message) {
      QTest::newRow(what) << name << content << message;
    };
    const QString zoo = "kind,H=W,CO,CI,K,stride,pad,count\nconv2d,56,64,64,3,1,1,2\n";
    row("no header", "a.csv", "conv2d,56,64,64,3,1,1,2\n", "line 1");
    row("other separators", "a.csv", "kind;H=W;CO;CI;K;stride;pad;count\n", "line 1");
    row("nothing", "a.csv", "", "is an empty file");
    row("no lines", "a.csv", "task,count\n\n", "no layers");
    row("a field too few", "a.csv", zoo + "conv2d,56,64,64,3,1,1\n", "line 3: 7 fields instead of 8");
    row("a field too many", "a.csv", "task,count\nmatmul 3x4 4x5,1,1\n", "line 2: 3 fields instead of 2");
    row("unknown kind", "a.csv", zoo + "conv4d,56,64,64,3,1,1,2\n", "line 3: unknown kind \"conv4d\"");
    row("no number", "a.csv", zoo + "\nconv2d,56,6.5,64,3,1,1,2\n", "line 4: CO is \"6.5\"");
    row("a negative number", "a.csv", zoo + "conv2d,56,64,64,3,1,-1,2\n", "line 3: a layer: pad");
    row("a number too large", "a.csv", zoo + "conv2d,99999999999999999999,64,64,3,1,1,2\n", "line 3: H=W is");
    row("no count", "a.csv", zoo + "conv2d,56,64,64,3,1,1,\n", "line 3: count is \"\"");
    row("count 0", "a.csv", "task,count\nmatmul 3x4 4x5,0\n", "line 2: count is \"0\"");
    row("count infinite", "a.csv", "task,count\nmatmul 3x4 4x5,inf\n", "line 2: count is \"inf\"");
    row("count no number", "a.csv", "task,count\nmatmul 3x4 4x5,nan\n", "line 2: count is \"nan\"");
    row("no layer", "a.csv", zoo + "conv2d,2,64,64,5,1,0,2\n", "line 3: conv2d: the kernel");
    row("channels of groups", "a.csv", zoo + "depthwise,14,48,32,3,1,1,2\n", "groups=32 does not divide");
    row("no task", "a.csv", "task,count\nmatmul 3x4 5x5,1\n", "line 2: matmul");
    row("a long line", "a.csv", "task,count\n" + QString(5000, ',') + "\n", "line 2: a line of 5000");
    row("no JSON", "a.json", "task,count\n", "not valid JSON");
    row("no member", "a.json", R"({"layers": []})", "layers");
    row("a layer of another file", "a.json",
        R"({"networks": [{"name": "n", "layers": [{"task": "resnet18/C1"}]}]})", "resnet18/C1");
    row("a generic task", "a.json",
        R"({"name": "x", "generic": {"problem": "p", "objective": "o", "unit": "s"}})", "not a convolution");
  }

  void wrong_files() {
    QFETCH(const QString, name);
    QFETCH(const QString, content);
    QFETCH(const QString, message);
    const std::string path = write(name.toStdString(), content.toStdString());
    const Result<task::LayerTable> table = task::LayerTable::read(path);
    QVERIFY(!table.has_value());
    QVERIFY2(table.error().message.starts_with(path), table.error().message.c_str());
    QVERIFY2(table.error().message.contains(message.toStdString()), table.error().message.c_str());
    QVERIFY(!table.error().hint.empty());
  }

  void files_that_cannot_be_read() {
    QCOMPARE(task::LayerTable::read(folder_.filePath("none.csv").toStdString()).error().code,
             ErrorCode::NotFound);
    QCOMPARE(task::LayerTable::read(folder_.path().toStdString()).error().code, ErrorCode::NotFound);
    const std::string path = write("large.csv", "task,count\n");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 30);
    const Result<task::LayerTable> large = task::LayerTable::read(path);
    QVERIFY(!large.has_value());
    QVERIFY(large.error().message.contains("too large"));
  }

  /** Whatever stands in a file: a table, or an error that names it. */
  void damaged_files() {
    base::Random random(testing::random_seed());
    const std::string whole =
        "kind,H=W,CO,CI,K,stride,pad,count\nconv2d,56,64,64,3,1,1,2\ndepthwise,14,32,32,3,1,1,2\n"
        "winograd,28,128,128,3,1,1,999999999999\n";
    for (int i = 0; i < 500; ++i) {
      std::string text = whole;
      for (std::uint64_t change = 1 + random.below(4); change > 0; --change) {
        const std::size_t place = random.below(text.size());
        if (random.chance(0.5))
          text[place] = static_cast<char>(random.below(256));
        else
          text.insert(place, 1, text[random.below(text.size())]);
      }
      const std::string path = write("damaged.csv", text);
      const Result<task::LayerTable> table = task::LayerTable::read(path);
      if (table) {
        for (const task::LayerRow& row : table->rows()) QVERIFY(row.count > 0);
      } else {
        QVERIFY2(table.error().message.starts_with(path), table.error().message.c_str());
      }
    }
  }

  void the_public_table() {
    const std::string path = KERNELSCAPE_SOURCE_DIR "/../shared/data/model-zoo-layers.csv";
    if (!std::filesystem::exists(path)) QSKIP("the table of model zoos is not beside the source");
    const Result<task::LayerTable> table = task::LayerTable::read(path);
    QVERIFY2(table.has_value(), table ? "" : describe(table.error()).c_str());
    QCOMPARE(table->total_count(), 1419.0);
    QCOMPARE(count_of(*table, "conv2d 1x3x224x224 64x3x7x7 stride=2 pad=3"), 21.0);
    QCOMPARE(count_of(*table, "conv2d 1x512x7x7 512x512x3x3 pad=1"), 24.0);
  }

 private:
  std::string write(const std::string& name, const std::string& content) const {
    std::string path = folder_.filePath(QString::fromStdString(name)).toStdString();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  QTemporaryDir folder_;
};

KERNELSCAPE_PLAIN_TEST(TaskLayerTableTest)

}  // namespace kernelscape::task_layer_table_test
#include "task_layer_table_test.moc"

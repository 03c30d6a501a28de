#include <fmt/format.h>

#include <QTest>
#include <nlohmann/json.hpp>

#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_target.h"
#include "tests/exchange/export_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_epilogue.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_kernel_test {
using namespace kernelscape::exchange_tests;
using namespace kernelscape::testing;

namespace {

constexpr double max_flops = 2e6;
constexpr double small_flops = 3e5;  // the compilers of GPUs take long for loops that are unrolled
const char* const small_matmul = "matmul 24x16 16x40 f32";

const std::string& text_in(const std::vector<exchange::ExportedFile>& files, std::string_view name) {
  return std::ranges::find(files, name, &exchange::ExportedFile::name)->text;
}

/** A target that kernels can be built for: CUDA's needs no device. */
Result<schedule::TargetDescription> gpu_target(schedule::TargetKind kind) {
  if (kind == schedule::TargetKind::Cuda) return measure::describe_cuda_architecture("sm_80");
  const auto devices = measure::list_opencl_devices();
  if (!devices) return std::unexpected(devices.error());
  return devices->front().target;
}

/** A multiplication of bytes by hand, with K padded to groups of four: `product` is of a's and b's bytes. */
exchange::ExportedKernel byte_kernel(base::Random& random, const std::string& name,
                                     const std::string& body = "sum += data * weight;") {
  exchange::ExportedKernel kernel =
      exported(random_measured(task::parse_task(small_matmul).value(), "", random), name);
  kernel.measured.task = task::parse_task("matmul 24x18 18x40 i8").value();
  kernel.source.arguments = {
      {.name = "a", .element_type = "u8", .layout = {"MK4k", {24, 18}, {{0, 1, 24}, {1, 1, 20}}}},
      {.name = "b", .element_type = "i8", .layout = {"KN4k", {18, 40}, {{0, 4, 5}, {1, 1, 40}, {0, 1, 4}}}},
      {.name = "output",
       .element_type = "i32",
       .output = true,
       .layout = loop_nest::row_major("MN", {24, 40})}};
  kernel.source.text =
      "void " + name +
      "(int part, int parts, const unsigned char *restrict a, const signed char *restrict b,\n"
      "    int *restrict output) {\n"
      "  for (int y = 24 * part / parts; y < 24 * (part + 1) / parts; ++y)\n"
      "    for (int x = 0; x < 40; ++x) {\n"
      "      int sum = 0, pair = 0;\n"
      "      for (int k = 0; k < 20; ++k) {\n"
      "        const int data = a[y * 20 + k], weight = b[(k / 4 * 40 + x) * 4 + k % 4];\n"
      "        " +
      body +
      "\n"
      "      }\n"
      "      output[y * 40 + x] = sum;\n"
      "      (void)pair;\n"
      "    }\n"
      "}\n";
  return kernel;
}

std::string build_line(const std::vector<exchange::ExportedKernel>& kernels, const std::string& name) {
  return exchange::plain_build_command({name, kernels}).text();
}

}  // namespace

/** Exported folders, built by the system's compiler and run. */
class ExchangeKernelTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  int count_ = 0;

  QString new_folder() { return folder_.filePath(QString("export%1").arg(++count_)); }

 private slots:
  void kernelsOfEveryTemplateBuildAndCheck_data();
  void kernelsOfEveryTemplateBuildAndCheck();
  void aLibraryThroughCMake();
  void theHeaderIsCpp();
  void kernelsOfBytesAreCheckedExactly_data();
  void kernelsOfBytesAreCheckedExactly();
  void kernelsOfBytesStandBesideOthers();
  void theTextsTellWhatOperandsAre();
  void kernelsOfHalvesAreChecked_data();
  void kernelsOfHalvesAreChecked();
  void wrongKernelsAreNoticed_data();
  void wrongKernelsAreNoticed();
  void ofLargeOutputsASampleIsChecked();
  void wrongUsageOfTheCheck();
  void textsCannotLeaveTheirPlace();
  void gpuKernelsCompileAsExported_data();
  void gpuKernelsCompileAsExported();
  void kernelsOfCpusAndGpusAreApart();
};

void ExchangeKernelTest::kernelsOfEveryTemplateBuildAndCheck_data() {
  QTest::addColumn<QString>("name");
  for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu))
    QTest::newRow(declaration->name.c_str()) << QString::fromStdString(declaration->name);
}

void ExchangeKernelTest::kernelsOfEveryTemplateBuildAndCheck() {
  QFETCH(QString, name);
  const schedule::TemplateDeclaration& declaration =
      **schedule::find_template(name.toStdString(), schedule::TargetKind::Cpu);
  base::Random random(random_seed());
  std::vector<exchange::ExportedKernel> kernels;
  std::string tasks;
  for (int i = 0; i < 3; ++i) {
    task::Task task = random_task(declaration, this_machine(), random, max_flops);
    // Kernels with and without an epilogue are in one library.
    if (i > 0) task = with_random_epilogue(task, random);
    kernels.push_back(exported(random_measured(task, declaration.name, random), fmt::format("kernel_{}", i)));
    tasks += fmt::format("{}: {}\n", task.text,
                         kernels.back().measured.space.describe(kernels.back().measured.configuration));
  }
  const QString folder = new_folder();
  const Status written = exchange::write_kernel_library(kernels, folder.toStdString(), "library_of_three");
  QVERIFY2(written, written ? "" : describe(written.error()).c_str());
  const ShellResult built = shell(folder, build_line(kernels, "library_of_three"));
  QVERIFY2(built.code == 0, (tasks + built.output).c_str());
  const ShellResult checked = shell(folder, fmt::format("./check {}", between(random, 1, 4)));
  QVERIFY2(checked.code == 0, (tasks + checked.output).c_str());
  for (const exchange::ExportedKernel& kernel : kernels)
    QVERIFY2(checked.output.contains(kernel.name + ": right"), checked.output.c_str());
}

void ExchangeKernelTest::aLibraryThroughCMake() {
  base::Random random(random_seed());
  std::vector<exchange::ExportedKernel> kernels;
  for (const char* task :
       {"conv2d 1x8x9x9 16x8x3x3 stride=1 pad=1 f32", small_matmul, "bmm 3x7x16 3x16x9 f32"})
    kernels.push_back(exported(random_measured(task::parse_task(task).value(), "", random)));
  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "three"));
  const ShellResult built = shell(folder, "cmake -G Ninja -S . -B build && cmake --build build");
  QVERIFY2(built.code == 0, built.output.c_str());
  const ShellResult checked = shell(folder, "build/check 2");
  QVERIFY2(checked.code == 0, checked.output.c_str());
  for (const exchange::ExportedKernel& kernel : kernels)
    QVERIFY(checked.output.contains(kernel.name + ": right"));
  // As a part of a bigger build it brings the library alone, and finds kernels by their task.
  write_text(folder_.filePath("CMakeLists.txt"),
             fmt::format("cmake_minimum_required(VERSION 3.16)\nproject(user C)\nadd_subdirectory({})\n"
                         "add_executable(user user.c)\ntarget_link_libraries(user three)\n",
                         QDir(folder).dirName().toStdString()));
  write_text(
      folder_.filePath("user.c"),
      fmt::format(
          "#include \"three.h\"\nint main(void) {{\n  const three_kernel *found = three_find(\"{}\");\n"
          "  return found == 0 || found != &three_kernels[1] || three_find(\"no task\") != 0;\n}}\n",
          small_matmul));
  const ShellResult used =
      shell(folder_.path(), "cmake -G Ninja -S . -B user && cmake --build user && user/user");
  QVERIFY2(used.code == 0, used.output.c_str());
}

void ExchangeKernelTest::theHeaderIsCpp() {
  base::Random random(random_seed());
  const std::vector<exchange::ExportedKernel> kernels{
      exported(random_measured(task::parse_task(small_matmul).value(), "", random), "one_kernel")};
  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "one_kernel"));
  QVERIFY(shell(folder, build_line(kernels, "one_kernel")).code == 0);
  write_text(folder + "/use.cpp",
             "#include \"one_kernel.h\"\nint main() {\n"
             "  float a[24 * 16] = {}, b[4096] = {}, c[4096] = {};\n"
             "  if (one_kernel_kernels[0].tensors[1].packed_elements > 4096) return 2;\n"
             "  one_kernel(0, 1, a, b, c);\n  return c[0] == 0 ? 0 : 1;\n}\n");
  const ShellResult used = shell(folder,
                                 "c++ -Wall -Wextra -Wpedantic -Werror -o use use.cpp one_kernel.o -x c "
                                 "one_kernel_table.c && ./use");
  QVERIFY2(used.code == 0, used.output.c_str());
}

void ExchangeKernelTest::kernelsOfBytesAreCheckedExactly_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<bool>("right");
  QTest::addRow("right") << "sum += data * weight;" << true;
  QTest::addRow("signed data") << "sum += (signed char)data * weight;" << false;
  QTest::addRow("unsigned weights") << "sum += data * (unsigned char)weight;" << false;
  QTest::addRow("saturated pairs")
      << "pair += data * weight; if (k % 2 == 1) { sum += pair > 32767 ? 32767 : pair < "
         "-32768 ? -32768 : pair; pair = 0; }"
      << false;
  QTest::addRow("off by one") << "sum += data * weight + (y == 23 && x == 39 && k == 0);" << false;
  QTest::addRow("a sum cut short") << "if (y == 5 && k == 17) break; sum += data * weight;" << false;
}

void ExchangeKernelTest::kernelsOfBytesAreCheckedExactly() {
  QFETCH(QString, body);
  QFETCH(bool, right);
  base::Random random(random_seed());
  const std::vector<exchange::ExportedKernel> kernels{byte_kernel(random, "byte_kernel", body.toStdString())};
  const QString folder = new_folder();
  const Status written = exchange::write_kernel_library(kernels, folder.toStdString(), "bytes");
  QVERIFY2(written, written ? "" : describe(written.error()).c_str());
  const ShellResult built = shell(folder, build_line(kernels, "bytes"));
  QVERIFY2(built.code == 0, built.output.c_str());
  const ShellResult checked = shell(folder, "./check 2");
  QVERIFY2(checked.code == (right ? 0 : 1), checked.output.c_str());
  QVERIFY2(checked.output.contains(right ? "byte_kernel: right (960 of 960 outputs, each exactly)"
                                         : "byte_kernel: WRONG"),
           checked.output.c_str());
  const std::string header = text_of(folder + "/bytes.h");
  QVERIFY2(header.contains("const unsigned char *a, const signed char *b, int *output"), header.c_str());
  QVERIFY(text_of(folder + "/README.md").contains("480 u8 elements"));
}

/** A caller who takes the residual for the output, as other libraries do, gets wrong results. */
void ExchangeKernelTest::theTextsTellWhatOperandsAre() {
  base::Random random(random_seed());
  const task::Task task = task::parse_task("matmul 16x16 16x16 f32 +bias+add").value();
  const exchange::ExportedKernel kernel = exported(random_measured(task, "", random), "adding");
  exchange::NetworkOfKernels network{.name = "one", .order = {}};
  network.order.calls.push_back({0, {task::CallOperand{}, task::CallOperand{true}}});
  const auto files = exchange::kernel_library_files({&kernel, 1}, "one", &network);
  QVERIFY(files);
  const std::string header = text_in(*files, "one.h");
  QVERIFY2(header.contains(" *   operand residual: plain [16][16]"), header.c_str());
  QVERIFY2(header.contains("operands of an epilogue: a residual is another tensor."), header.c_str());
  const std::string readme = text_in(*files, "README.md");
  for (const char* part : {"- operand `bias`, ", "overlap neither the inputs nor the operands",
                           "`run` in the table of kernels has one more parameter", "adding has an epilogue"})
    QVERIFY2(readme.contains(part), (part + (": " + readme)).c_str());
  const exchange::ExportedKernel plain =
      exported(random_measured(task::parse_task(small_matmul).value(), "", random), "plain");
  const auto without = exchange::kernel_library_files({&plain, 1}, "two", nullptr);
  QVERIFY(without && !text_in(*without, "README.md").contains("one more parameter"));

  schedule::TargetDescription target = schedule::default_cuda_target();
  target.kind = schedule::TargetKind::OpenCl;
  const exchange::ExportedKernel gpu = exported(random_measured(task, "", random, target), "on_gpu");
  const auto gpu_files = exchange::kernel_library_files({&gpu, 1}, "three");
  QVERIFY(gpu_files);
  const std::string launch = text_in(*gpu_files, "README.md");
  QVERIFY2(launch.contains("i < 5; ++i) clSetKernelArg"), launch.c_str());
  QVERIFY2(launch.contains("nor the operands of an epilogue: a residual is another tensor"), launch.c_str());
}

/** One table, one check and one way of packing for all of them; a pass is made of f32 alone. */
void ExchangeKernelTest::kernelsOfBytesStandBesideOthers() {
  base::Random random(random_seed());
  const std::vector<exchange::ExportedKernel> kernels{
      byte_kernel(random, "byte_kernel"),
      exported(random_measured(task::parse_task(small_matmul).value(), "", random), "float_kernel")};
  exchange::NetworkOfKernels network{.name = "both", .order = {}};
  network.order.calls.push_back({0, {task::CallOperand{}, task::CallOperand{true}}});
  const auto files = exchange::kernel_library_files(kernels, "both", &network);
  QVERIFY(files);
  QVERIFY(std::ranges::find(*files, "pass.c", &exchange::ExportedFile::name) == files->end());
  QVERIFY(text_in(*files, "README.md").contains("has tensors of another type than f32"));
  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "both"));
  // A user's own call, through the table, of padded bytes.
  write_text(
      folder + "/use.cpp",
      "#include \"both.h\"\nint main() {\n"
      "  const both_kernel *found = both_find(\"matmul 24x18 18x40 i8\");\n"
      "  if (found == nullptr || found->tensors[0].element_bytes != 1) return 2;\n"
      "  static unsigned char a[24 * 18], packed_a[24 * 20];\n"
      "  static signed char b[18 * 40], packed_b[20 * 40];\n"
      "  static int packed[24 * 40], output[24 * 40];\n"
      "  for (auto &value : a) value = 255;\n  for (auto &value : b) value = -128;\n"
      "  both_pack(&found->tensors[0], a, packed_a);\n  both_pack(&found->tensors[1], b, packed_b);\n"
      "  found->run(0, 1, packed_a, packed_b, packed);\n  both_unpack(&found->tensors[2], packed, output);\n"
      "  for (int value : output) if (value != -255 * 128 * 18) return 1;\n  return 0;\n}\n");
  const ShellResult built = shell(folder, build_line(kernels, "both"));
  QVERIFY2(built.code == 0, built.output.c_str());
  const ShellResult used = shell(
      folder,
      "c++ -Wall -Wextra -Wpedantic -Werror -o use use.cpp byte_kernel.o float_kernel.o -x c both_table.c && "
      "./use && ./check 1");
  QVERIFY2(used.code == 0, used.output.c_str());
  QVERIFY(used.output.contains("float_kernel: right") && used.output.contains("byte_kernel: right"));
}

void ExchangeKernelTest::kernelsOfHalvesAreChecked_data() {
  QTest::addColumn<QString>("task");
  QTest::addColumn<QString>("used");
  for (const auto& [task, used] : {std::pair{"matmul 24x18 18x40 f16", "matmul-packed"},
                                   {"matmul 24x18 18x40 bf16", "matmul-packed"},
                                   {"matmul 24x17 17x40 bf16", "matmul-bf16"},
                                   {"conv2d 1x5x9x9 7x5x3x3 pad=1 f16", "conv2d-packed"},
                                   {"conv2d 1x5x9x9 7x5x3x3 pad=1 bf16", "conv2d-bf16"}})
    QTest::addRow("%s: %s", used, task) << QString(task) << QString(used);
}

/** The inputs are numbers that the type has exactly; a kernel that is one percent off is found. */
void ExchangeKernelTest::kernelsOfHalvesAreChecked() {
  QFETCH(QString, task);
  QFETCH(QString, used);
  base::Random random(random_seed());
  std::vector<exchange::ExportedKernel> kernels{
      exported(random_measured(task::parse_task(task.toStdString()).value(), used.toStdString(), random),
               "half_kernel")};
  const auto result = [&] {
    const QString folder = new_folder();
    if (const Status written = exchange::write_kernel_library(kernels, folder.toStdString(), "halves");
        !written)
      return ShellResult{-1, describe(written.error())};
    if (ShellResult built = shell(folder, build_line(kernels, "halves")); built.code != 0)
      return ShellResult{-1, built.output};
    if (!text_of(folder + "/halves.h").contains("const unsigned short *"))
      return ShellResult{-1, text_of(folder + "/halves.h")};
    return shell(folder, "./check 2");
  };
  const ShellResult checked = result();
  QVERIFY2(checked.code == 0 && checked.output.contains("half_kernel: right"), checked.output.c_str());
  if (used.endsWith("-bf16")) return;
  kernels[0].source.text =
      replaced_once(kernels[0].source.text, "(const unsigned short *p) { return convert_",
                    "(const unsigned short *p) { return 1.01f * convert_");
  const ShellResult wrong = result();
  QVERIFY2(wrong.code == 1 && wrong.output.contains("half_kernel: WRONG"), wrong.output.c_str());
}

void ExchangeKernelTest::wrongKernelsAreNoticed_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("old_text");
  QTest::addColumn<QString>("new_text");
  QTest::addRow("a sign") << "some_kernel.c" << " += " << " -= ";
  QTest::addRow("nothing is written") << "some_kernel.c" << "float *restrict output) {"
                                      << "float *restrict output) { if (part >= 0) return;";
  QTest::addRow("a bias is forgotten") << "some_kernel.c" << "float *restrict bias) {"
                                       << "float *restrict bias) { static const float zero[64]; bias = zero;";
  QTest::addRow("inputs are packed wrongly") << "some_kernel_table.c" << "offset_of(tensor, i), plain, i);"
                                             << "offset_of(tensor, i), plain, 0);";
}

void ExchangeKernelTest::wrongKernelsAreNoticed() {
  QFETCH(QString, file);
  QFETCH(QString, old_text);
  QFETCH(QString, new_text);
  const std::string biased = std::string(small_matmul) + (new_text.contains("bias") ? " +bias" : "");
  base::Random random(random_seed());
  const std::vector<exchange::ExportedKernel> kernels{
      exported(random_measured(task::parse_task(biased).value(), "matmul-packed", random), "some_kernel")};
  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "some_kernel"));
  const QString path = folder + "/" + file;
  write_text(path, replaced_once(text_of(path), old_text.toStdString(), new_text.toStdString()));
  const ShellResult built = shell(folder, build_line(kernels, "some_kernel"));
  QVERIFY2(built.code == 0, built.output.c_str());
  const ShellResult checked = shell(folder, "./check 2");
  QVERIFY2(checked.code == 1, checked.output.c_str());
  QVERIFY2(checked.output.contains("some_kernel: WRONG"), checked.output.c_str());
}

void ExchangeKernelTest::ofLargeOutputsASampleIsChecked() {
  base::Random random(random_seed());
  const std::vector<exchange::ExportedKernel> kernels{exported(
      random_measured(task::parse_task("matmul 200x2000 2000x520 f32").value(), "", random), "large_kernel")};
  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "large_kernel"));
  QVERIFY(shell(folder, build_line(kernels, "large_kernel")).code == 0);
  const ShellResult checked = shell(folder, "./check");
  QVERIFY2(checked.code == 0, checked.output.c_str());
  QVERIFY2(checked.output.contains("right (4096 of 104000 outputs"), checked.output.c_str());
  const QString path = folder + "/large_kernel.c";
  write_text(path, replaced_once(text_of(path), " += ", " -= "));
  QVERIFY(shell(folder, build_line(kernels, "large_kernel")).code == 0);
  QCOMPARE(shell(folder, "./check").code, 1);
}

void ExchangeKernelTest::wrongUsageOfTheCheck() {
  base::Random random(random_seed());
  const std::vector<exchange::ExportedKernel> kernels{
      exported(random_measured(task::parse_task(small_matmul).value(), "", random), "some_kernel")};
  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "some_kernel"));
  QVERIFY(shell(folder, build_line(kernels, "some_kernel")).code == 0);
  for (const char* arguments : {"0", "-1", "many", "1x", "1 2", "100000"}) {
    const ShellResult used = shell(folder, fmt::format("./check {}", arguments));
    QVERIFY2(used.code == 2, (arguments + used.output).c_str());
    QVERIFY(used.output.contains("usage"));
  }
}

/** Names come from users' files: they must not become code. */
void ExchangeKernelTest::textsCannotLeaveTheirPlace() {
  base::Random random(random_seed());
  const std::string hostile =
      "*/ #error \"out\" \\\n?\?/ $ENV{HOME} ${x};\xc3\xa9\x01'`\x1b[31m\n# fake\n```\n| x |";
  exchange::MeasuredConfiguration measured =
      random_measured(task::parse_task(small_matmul).value(), "", random);
  measured.task.name = hostile;
  measured.target.device = hostile;
  measured.target.compiler_version = hostile;
  measured.target.isa = hostile;
  measured.provenance.session_name = hostile;
  measured.provenance.tuner = hostile;
  measured.provenance.created_utc = hostile;
  measured.provenance.program_version = hostile;
  const std::vector<exchange::ExportedKernel> kernels{exported(measured, "some_kernel")};
  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library(kernels, folder.toStdString(), "some_kernel"));
  // Nor lines of their own, which would be headings, rows or commands.
  const QString harmless_folder = new_folder();
  for (std::string* text :
       {&measured.task.name, &measured.target.device, &measured.target.compiler_version, &measured.target.isa,
        &measured.provenance.session_name, &measured.provenance.tuner, &measured.provenance.created_utc,
        &measured.provenance.program_version})
    *text = "harmless";
  const exchange::ExportedKernel harmless = exported(measured, "some_kernel");
  QVERIFY(exchange::write_kernel_library({&harmless, 1}, harmless_folder.toStdString(), "some_kernel"));
  for (const char* file :
       {"README.md", "CMakeLists.txt", "some_kernel.c", "some_kernel.h", "some_kernel_table.c", "check.c"}) {
    const std::string text = text_of(folder + "/" + file);
    const std::string expected = text_of(harmless_folder + "/" + file);
    QVERIFY2(std::ranges::count(text, '\n') == std::ranges::count(expected, '\n'), text.c_str());
    QVERIFY2(!text.contains('\x01') && !text.contains('\x1b'), text.c_str());
  }
  // Each command of the README stands on a line of its own, and can be copied alone.
  const std::string readme_text = text_of(folder + "/README.md");
  QVERIFY(readme_text.contains("\ncmake -S . -B build\ncmake --build build\nbuild/check "));
  QVERIFY(readme_text.contains("\n./check\n") && !readme_text.contains("&&"));
  const ShellResult built =
      shell(folder, "cmake -G Ninja -S . -B build && cmake --build build && build/check 1");
  QVERIFY2(built.code == 0, built.output.c_str());
}

void ExchangeKernelTest::gpuKernelsCompileAsExported_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("cuda");
  for (const schedule::TargetKind kind : {schedule::TargetKind::Cuda, schedule::TargetKind::OpenCl}) {
    for (const schedule::TemplateDeclaration* declaration : templates_of(kind))
      QTest::addRow("%s, %s", std::string(schedule::to_string(kind)).c_str(), declaration->name.c_str())
          << QString::fromStdString(declaration->name) << (kind == schedule::TargetKind::Cuda);
  }
}

/** The file as a user gets it, with nothing but what stands beside it. */
void ExchangeKernelTest::gpuKernelsCompileAsExported() {
  QFETCH(QString, name);
  QFETCH(bool, cuda);
  const schedule::TargetKind kind = cuda ? schedule::TargetKind::Cuda : schedule::TargetKind::OpenCl;
  const auto compiler = cuda ? measure::make_cuda_compiler() : measure::make_opencl_compiler();
  if (!compiler) QSKIP(describe(compiler.error()).c_str());
  const auto target = gpu_target(kind);
  if (!target) QSKIP(describe(target.error()).c_str());
  base::Random random(random_seed());
  const schedule::TemplateDeclaration& declaration = **schedule::find_template(name.toStdString(), kind);
  const task::Task task = random_task(declaration, *target, random, small_flops);
  exchange::MeasuredConfiguration measured = random_measured(task, declaration.name, random, *target);
  measured.options.build_only = cuda;
  const exchange::ExportedKernel kernel = exported(measured, "some_kernel");
  const std::string reported = task.text + ": " + measured.space.describe(measured.configuration);

  const QString folder = new_folder();
  QVERIFY(exchange::write_kernel_library({&kernel, 1}, folder.toStdString(), "some_kernel"));
  const QString source = cuda ? "some_kernel.cu" : "some_kernel.cl";
  QStringList found = QDir(folder).entryList(QDir::Files);
  found.sort();
  QCOMPARE(found, (QStringList{"README.md", "kernelscape.json", source}));
  measure::BuildRequest request;
  request.dialect = cuda ? codegen::Dialect::Cuda : codegen::Dialect::OpenCl;
  request.architecture = target->isa;
  request.device = target->name;
  request.entry = "some_kernel";
  request.flags = target->flags;
  request.text = text_of(folder + "/" + source);
  const measure::BuildReply reply = (*compiler)->compile(request);
  QVERIFY2(reply.status == measure::BuildStatus::Built, (reported + "\n" + reply.message).c_str());
  QVERIFY2(request.text.contains(exchange::result_text(measured)), request.text.c_str());

  const std::string readme = text_of(folder + "/README.md");
  QVERIFY2(!readme.contains('@'), readme.c_str());
  QVERIFY2(readme.contains(cuda ? "nvcc -cubin -arch=sm_80" : "clEnqueueNDRangeKernel"), readme.c_str());
  QVERIFY2(readme.contains(cuda ? "--arch sm_80 --build-only" : "--target opencl:0"), readme.c_str());
  const auto manifest = nlohmann::json::parse(text_of(folder + "/kernelscape.json"));
  const auto& launch = manifest.at("kernels").at(0).at("launch");
  QVERIFY(launch.at("grid") == nlohmann::json(kernel.source.launch.grid));
  QVERIFY(launch.at("block") == nlohmann::json(kernel.source.launch.block));
  QCOMPARE(launch.at("static_shared_bytes").get<std::int64_t>(), kernel.source.shared_bytes);
}

void ExchangeKernelTest::kernelsOfCpusAndGpusAreApart() {
  base::Random random(random_seed());
  const task::Task task = task::parse_task(small_matmul).value();
  const std::vector<exchange::ExportedKernel> kernels{
      exported(random_measured(task, "", random), "for_cpu"),
      exported(random_measured(task, "", random, schedule::default_cuda_target()), "for_gpu")};
  const auto files = exchange::kernel_library_files(kernels, "both");
  QVERIFY(!files);
  QCOMPARE(files.error().code, ErrorCode::Refused);
  QVERIFY2(files.error().message.contains("for_cpu") && files.error().message.contains("for_gpu"),
           files.error().message.c_str());
  // Alone the second needs no toolkit to be exported.
  QVERIFY(exchange::kernel_library_files({&kernels[1], 1}, "alone"));
}

KERNELSCAPE_TEST(ExchangeKernelTest, QCoreApplication)

}  // namespace kernelscape::exchange_kernel_test
#include "exchange_kernel_test.moc"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/codegen/c_emitter.h"
#include "tests/codegen/compiled_kernel.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::codegen_source_test {
using namespace kernelscape::testing;

namespace {

struct Sample {
  std::string template_name;
  task::Task task;
  std::string configuration;
  codegen::KernelSource source;
};

/** A random kernel of each CPU template, named after its template. */
std::vector<Sample> samples(base::Random& random) {
  std::vector<Sample> result;
  for (const schedule::TemplateDeclaration* declaration : templates_of(schedule::TargetKind::Cpu)) {
    const schedule::TargetDescription target = cpu_with_lanes(one_of<3>(random, {4, 8, 16}));
    Sample sample{declaration->name, random_task(*declaration, target, random, 3e5), {}, {}};
    const auto kernel = declaration->apply(sample.task, target);
    if (!kernel) qFatal("%s", describe(kernel.error()).c_str());
    const space::Configuration configuration = accepted_member(*kernel, random);
    const auto lowered = kernel->lower(configuration);
    if (!lowered) qFatal("%s", describe(lowered.error()).c_str());
    sample.configuration = kernel->space().describe(configuration);
    sample.source = codegen::emit_c(
        lowered->nest, {"best_kernel", sample.task.text, declaration->name, sample.configuration,
                        target.device, codegen::sort_flags(codegen::Dialect::C, target.flags).known});
    result.push_back(std::move(sample));
  }
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

class CodegenSourceTest : public QObject {
  Q_OBJECT

 private slots:
  void a_source_says_what_it_is() {
    base::Random random(random_seed());
    int with_bytes = 0;
    for (const Sample& sample : samples(random)) {
      const std::string& text = sample.source.text;
      const std::string header = text.substr(0, text.find("*/"));
      QVERIFY(text.starts_with("/*"));
      for (const std::string& part : {sample.task.text, sample.configuration, sample.template_name})
        QVERIFY2(contains(header, part), header.c_str());
      for (const char* buffer : {"output", "-march=native"})
        QVERIFY2(contains(header, buffer), header.c_str());
      QVERIFY(!contains(text, "#include"));
      const task::ScalarType type = sample.task.op->inputs[0].type;
      const bool bytes = type == task::ScalarType::U8;
      const bool halves = type == task::ScalarType::F16 || type == task::ScalarType::BF16;
      QVERIFY(contains(
          text, std::string("void best_kernel(int part, int parts, const ") + (bytes    ? "unsigned char *"
                                                                               : halves ? "unsigned short *"
                                                                                        : "float *")));
      QVERIFY2(!contains(text, "vdpbf16ps") || sample.template_name.ends_with("-bf16"), text.c_str());
      // One whose every output reads nothing but padding has no sums.
      QVERIFY2(bytes || !contains(text, "vpdpbusd"), text.c_str());
      if (contains(text, "vpdpbusd")) ++with_bytes;
      QCOMPARE(sample.source.dialect, codegen::Dialect::C);
      QCOMPARE(sample.source.entry, std::string("best_kernel"));
      QCOMPARE(sample.source.flags.words(), cpu_with_lanes(8).flags);
    }
    QVERIFY(with_bytes > 0);
  }

  void arguments_are_inputs_then_the_output() {
    base::Random random(random_seed());
    for (const Sample& sample : samples(random)) {
      const std::vector<codegen::KernelArgument>& arguments = sample.source.arguments;
      QCOMPARE(arguments.size(), std::size_t{3});
      for (std::size_t i = 0; i < 3; ++i) {
        QCOMPARE(arguments[i].output, i == 2);
        const task::TensorOperator& op = *sample.task.op;
        const task::TensorAccess& tensor = i < 2 ? op.inputs[i] : op.output;
        QCOMPARE(arguments[i].element_type, task::to_string(tensor.type));
        QCOMPARE(arguments[i].name, tensor.tensor);
        const std::int64_t rows = arguments[i].layout.winograd_tile + 2;  // of a transformed kernel of 3x3
        const std::int64_t elements = tensor.element_count();
        QCOMPARE(arguments[i].layout.logical_count(), rows > 2 ? elements / 9 * rows * rows : elements);
        QVERIFY(arguments[i].layout.physical_count() >= tensor.element_count());
      }
    }
  }

  /** Text from outside must not end the comment. */
  void a_hostile_name_stays_inside_the_comment() {
    base::Random random(1);
    const schedule::TemplateDeclaration& declaration = *templates_of(schedule::TargetKind::Cpu).front();
    const schedule::TargetDescription target = cpu_with_lanes(8);
    const task::Task task = random_task(declaration, target, random, 1e4);
    const auto kernel = declaration.apply(task, target);
    const auto lowered = kernel->lower(*kernel->space().random_member(random));
    codegen::KernelDescription description;
    description.task = "evil */ int broken = ; /* a\nb";
    description.target = "CPU */ # \\";
    const codegen::KernelSource source = codegen::emit_c(lowered->nest, description);
    const std::string errors = compile_shared(folder_.filePath("hostile").toStdString(), source.text);
    QVERIFY2(errors.empty(), errors.c_str());
  }

  void both_compilers_take_it_without_a_warning_data() {
    QTest::addColumn<QString>("compiler");
    for (const char* compiler : {"cc", "clang-19"}) QTest::newRow(compiler) << compiler;
  }

  void both_compilers_take_it_without_a_warning() {
    QFETCH(QString, compiler);
    base::Random random(random_seed());
    for (const Sample& sample : samples(random)) {
      const std::string base = folder_.filePath("sample").toStdString();
      std::ofstream(base + ".c") << sample.source.text;
      // A task that reads nothing but padding has unused arguments; what a virtual machine hides of its
      // processor is no fault of the source, nor are samples with wider vectors than it has.
      const CompilerRun run =
          run_compiler(base, {compiler.toStdString(), "-O1", "-march=native", "-Wall", "-Wextra",
                              "-Wno-unused-parameter", "-Wno-invalid-feature-combination", "-Wno-psabi",
                              "-Werror", "-c", "-o", base + ".o", base + ".c"});
      if (!run.started) QSKIP("this compiler is not installed");
      QVERIFY2(run.succeeded, (run.output + sample.source.text).c_str());
    }
  }

 private:
  QTemporaryDir folder_;
};

KERNELSCAPE_TEST(CodegenSourceTest, QCoreApplication)

}  // namespace kernelscape::codegen_source_test
#include "codegen_source_test.moc"

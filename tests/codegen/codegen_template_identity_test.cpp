#include <fmt/format.h>

#include <QTest>
#include <cstdlib>
#include <map>

#include "core/base/sha256.h"
#include "core/codegen/c_emitter.h"
#include "core/codegen/gpu_emitter.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::codegen_template_identity_test {
using namespace kernelscape::testing;

namespace {

/** What each template is: a hash of its spaces, refusals and sources. One that changes on purpose takes the
 * hash of the failure's message, and a new version if the same configuration now means another kernel or
 * space. */
const std::map<std::string, std::string>& known_hashes() {
  static const std::map<std::string, std::string> hashes{
      {"conv2d-packed", "1a2bf79651456dff"},       {"conv2d-nchwc", "762e431b1a162b59"},
      {"conv1d-packed", "bc3603e19e58713b"},       {"conv3d-packed", "6f4bd66204ce6f36"},
      {"transposed-packed", "7ae0949eb926fb4e"},   {"depthwise-packed", "5c3d8e16db204a7d"},
      {"grouped-packed", "f0089905ccf3bdf0"},      {"matmul-packed", "4108c2593bff7e3d"},
      {"batch-matmul-packed", "92080d25e1d67b6a"}, {"matmul-tiled", "98b5938d4658aec8"},
      {"batch-matmul-tiled", "421ab574d9fd909e"},  {"conv2d-vnni", "3509d399e82535a1"},
      {"matmul-vnni", "75841bd2b6d5929e"},         {"conv2d-nchwc-int8", "68f32f28fcc9f724"},
      {"dense-vnni", "993ae9e57ab57dcc"},          {"conv2d-direct", "6a8f947daedb977c"},
      {"depthwise-direct", "9133b31e05e2e876"},    {"matmul", "7d73d7ac2be5b86d"},
      {"batch-matmul", "789143fc77e2992f"},        {"matmul-wmma", "9b456b4b66649f82"},
      {"batch-matmul-wmma", "9af599b2c6a952ca"},   {"conv2d-wmma", "7cdbf92b96e8fa13"},
      {"conv2d-rows", "1bac6f61993a3fc2"},         {"conv2d-winograd-2x2", "9fdb8a83fb0a0e4d"},
      {"conv2d-winograd-4x4", "a08cd024f50456de"}, {"conv2d-winograd-6x6", "01f7ff00a5fd2d00"},
      {"conv2d-bf16", "9fafcd2854c92fb4"},         {"matmul-bf16", "b1c4f66305c37817"},
      {"matmul-blocked", "a9f6ea5fc714c346"},      {"batch-matmul-blocked", "7b2bf74f5ac6e0f8"},
      {"matmul-copied", "b2efb3b927a4d264"},       {"batch-matmul-copied", "ed065d5d7e818bb2"},
      {"generated", "3fe3f522ac4234f0"},           {"generated-local", "2467212cd2ba31ff"},
      {"generated-vnni", "8a1e34dbfb2693b7"},
  };
  return hashes;
}

constexpr const char* tasks[] = {
    "conv2d 1x16x14x14 32x16x3x3 pad=1",
    "conv2d 2x24x9x11 40x24x3x2 stride=2x1 pad=1:0x0:1 dilation=1x2",
    "conv2d 1x20x7x7 12x20x1x1",
    "conv1d 2x12x20 24x12x5 stride=2 pad=2",
    "conv3d 1x4x5x6x7 16x4x3x3x3 pad=1",
    "conv1d 1x8x9 8x16x3 transposed",
    "conv2d 1x16x7x7 16x24x4x4 stride=2 pad=1 transposed",
    "conv2d 1x32x14x14 32x1x3x3 pad=1 groups=32",
    "conv2d 2x12x9x7 12x1x5x3 stride=2 pad=2x1 groups=12",
    "conv2d 1x32x8x8 48x16x3x3 pad=1 groups=2",
    "conv1d 1x8x12 24x1x3 pad=1 groups=8",
    "matmul 48x40 40x72",
    "matmul 31x17 13x31 transpose_a transpose_b",
    "gemv 64x40 40",
    "bmm 3x24x32 3x32x40",
    "bmm 2x15x9 2x17x9 transpose_b",
    "conv2d 1x16x14x14 32x16x3x3 pad=1 i8",
    "conv2d 1x12x9x9 48x12x3x3 stride=2 pad=1:0 i8",
    "conv1d 1x10x12 20x10x3 dilation=2 i8",
    "conv2d 1x8x6x6 8x16x2x2 stride=2 transposed i8",
    "matmul 48x40 40x64 i8",
    "matmul 17x31 13x31 transpose_b i8",
    "bmm 2x16x24 2x24x32 i8",
    "matmul 64x64 64x96 f16",
    "matmul 48x32 64x48 transpose_a transpose_b f16",
    "bmm 2x64x32 2x32x64 f16",
    "bmm 3x32x64 3x40x64 transpose_b f16",
    "conv2d 1x16x14x14 32x16x3x3 pad=1 bf16",
    "conv1d 1x10x12 20x10x3 dilation=2 bf16",
    "matmul 48x40 40x64 bf16",
    "bmm 2x17x31 2x13x31 transpose_b bf16",
    "conv2d 16x16x8x8 32x16x3x3 pad=1 f16",
    "conv2d 8x32x7x5 64x32x3x1 stride=2x1 f16",
};

/** A description for each kind, and for two widths of vectors, that is the same on every machine. */
std::vector<schedule::TargetDescription> targets() {
  schedule::TargetDescription bytes = cpu_with_lanes(16);
  bytes.extensions = {"avx512_bf16", "avx512_vnni"};
  schedule::TargetDescription cuda = cuda_with_tensor_cores();
  cuda.grid_x = (std::int64_t{1} << 31) - 1;
  cuda.grid_y = cuda.grid_z = 65'535;
  schedule::TargetDescription opencl = schedule::default_cuda_target();
  opencl.name = "opencl";
  opencl.kind = schedule::TargetKind::OpenCl;
  opencl.isa = "OpenCL C 1.2";
  opencl.threads_per_block = opencl.block_x = opencl.block_y = opencl.block_z = 256;
  opencl.shared_bytes = 32 * 1024;
  return {cpu_with_lanes(4), bytes, cuda, opencl};
}

/** Returns true if the hash of a template on a CPU, which is mainly of f32, leaves out a task that it
 * converts. */
bool is_left_out(const task::Task& task, const std::string& name, schedule::TargetKind target) {
  const std::string types = task::to_string(task::operand_types(*task.op));
  return target == schedule::TargetKind::Cpu && !name.ends_with("-bf16") &&
         (types == "f16" || types == "bf16");
}

/** What everything so far hashes to: a chain, since all sources together are too long to keep. */
class Hash {
 public:
  void add(const std::string& text) { value_ = base::sha256(value_ + text); }
  const std::string& value() const { return value_; }

 private:
  std::string value_;
};

std::string violations(const space::ConstraintSystem& system, const space::SearchSpace& space,
                       const space::Configuration& configuration) {
  const space::Evaluation evaluation = system.evaluate(space.knobs(), configuration);
  std::string text;
  for (const std::size_t violated : evaluation.violated) text += system.explain(violated, evaluation) + "\n";
  return text;
}

void add_space(const space::SearchSpace& space, Hash& hash) {
  for (const space::Knob& knob : space.knobs()) {
    std::string text = fmt::format("{} {}", knob.name(), space::to_string(knob.kind()));
    for (std::uint32_t index = 0; index < knob.count(); ++index) text += " " + knob.describe(index);
    hash.add(text);
  }
}

void add_configuration(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
                       Hash& hash) {
  const space::SearchSpace& space = kernel.space();
  const std::string words = space.describe(configuration);
  hash.add(words);
  hash.add(violations(space.constraints(), space, configuration));
  hash.add(violations(kernel.limits(), space, configuration));
  const auto lowered = kernel.lower(configuration);
  if (!lowered) return hash.add(describe(lowered.error()));
  const codegen::KernelDescription description{"best_kernel", kernel.task().text,     kernel.template_name(),
                                               words,         kernel.target().device, {}};
  const codegen::Dialect dialect =
      kernel.target().kind == schedule::TargetKind::Cuda ? codegen::Dialect::Cuda : codegen::Dialect::OpenCl;
  hash.add(kernel.target().kind == schedule::TargetKind::Cpu
               ? codegen::emit_c(lowered->nest, description).text
               : codegen::emit_gpu(lowered->nest, dialect, description).text);
}

/** Any combination of knobs where it is `any`; else one that the target accepts, as far as a few hundred
 * draws find one. No solver and no sampler takes part, which may change by themselves. */
space::Configuration draw(const schedule::ScheduledKernel& kernel, bool any, base::Random& random) {
  const space::SearchSpace& space = kernel.space();
  for (int left = any ? 1 : 500;; --left) {
    space::Configuration configuration = space.at(random.below_wide(space.size()));
    if (left <= 1 || (space.contains(configuration) && kernel.within_limits(configuration)))
      return configuration;
  }
}

}  // namespace

/** Whether templates make the spaces, refusals and sources that they made: results of others stay comparable
 * with ours, and a change of the lowerings that should change no kernel changes none. */
class CodegenTemplateIdentityTest : public QObject {
  Q_OBJECT

 private slots:
  void a_template_makes_what_it_made_data() {
    QTest::addColumn<QString>("name");
    for (const schedule::TemplateDeclaration& declaration : schedule::template_registry())
      QTest::newRow(declaration.name.c_str()) << QString::fromStdString(declaration.name);
  }

  /** With KERNELSCAPE_TEST_ROUNDS so many configurations of each template in place of a dozen of each task:
   * the hash is printed, for two builds to be compared. */
  void a_template_makes_what_it_made() {
    QFETCH(QString, name);
    const char* rounds = std::getenv("KERNELSCAPE_TEST_ROUNDS");
    std::vector<schedule::ScheduledKernel> kernels;
    for (const schedule::TargetDescription& target : targets()) {
      const auto declaration = schedule::find_template(name.toStdString(), target.kind);
      if (!declaration) continue;
      for (const char* text : tasks) {
        const auto task = task::parse_task(text);
        QVERIFY2(task.has_value(), task ? "" : describe(task.error()).c_str());
        if (!(*declaration)->fits(*task, target) || is_left_out(*task, (*declaration)->name, target.kind))
          continue;
        auto kernel = (*declaration)->apply(*task, target);
        QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
        kernels.push_back(std::move(*kernel));
      }
    }
    QVERIFY2(kernels.size() >= 2, "too few tasks of the list fit");
    const std::size_t draws =
        rounds == nullptr ? 12 : std::strtoull(rounds, nullptr, 10) / kernels.size() + 1;

    Hash hash;
    for (const schedule::ScheduledKernel& kernel : kernels) {
      hash.add(kernel.task().text + " for " + kernel.target().isa);
      add_space(kernel.space(), hash);
      base::Random random(base::stable_hash(kernel.task().text));
      for (std::size_t i = 0; i < draws; ++i)
        add_configuration(kernel, draw(kernel, i % 3 == 0, random), hash);
    }
    const std::string found = hash.value().substr(0, 16);
    if (rounds != nullptr)
      return qInfo("%s: %s, %zu configurations", qPrintable(name), found.c_str(), draws * kernels.size());
    const auto known = known_hashes().find(name.toStdString());
    QVERIFY2(known != known_hashes().end() && known->second == found,
             fmt::format(R"({{"{}", "{}"}},)", name.toStdString(), found).c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(CodegenTemplateIdentityTest)

}  // namespace kernelscape::codegen_template_identity_test
#include "codegen_template_identity_test.moc"

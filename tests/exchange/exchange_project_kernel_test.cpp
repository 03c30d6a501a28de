#include <QProcess>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>

#include "core/exchange/kernels/project_kernel.h"
#include "core/kernel/project_family.h"
#include "core/project/function_name.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_project_kernel_test {

/** A user's kernel of the CPU as a folder with its source and how it is built. */
class ExchangeProjectKernelTest : public QObject {
  Q_OBJECT

  ProjectFolder folder_;

  /** The first configuration of a project that reads `file`. */
  std::vector<ExportedFile> exported(const std::string& language, const std::string& file,
                                     const std::string& name, std::string_view source) {
    folder_.write(file, source);
    nlohmann::json json = small_project();
    json["KernelSpecification"]["Language"] = language;
    json["KernelSpecification"]["KernelFile"] = file;
    json["KernelSpecification"]["KernelName"] = name;
    json["kernelscape"]["Flags"] = {"-fopenmp", "-DWIDTH={TILE * 3}"};
    auto read = folder_.read(json);
    if (!read) return qWarning("%s", describe(read.error()).c_str()), std::vector<ExportedFile>();
    const auto project = std::make_shared<const KernelProject>(std::move(*read));
    TargetDescription target;
    target.kind = TargetKind::Cpu;
    target.cores = 4;
    const auto family = ProjectFamily::make(project, target).value();
    const Configuration first = family->space().at(0);
    KernelSource built = family->source(first).value();
    const auto names = names_of_configuration(*project, family->space(), first);
    built.text = expanded_source(*project, family->space(), first);
    built.entry = entry_of(*project, names).value();
    MeasuredConfiguration measured{.space = family->space()};
    measured.configuration = first;
    measured.task = family->task();
    measured.target = target;
    measured.samples_seconds = {1e-3};
    return project_kernel_files({std::move(measured), project, std::move(built), true});
  }

  /** The text of the first file with this ending. */
  static std::string text_in(const std::vector<ExportedFile>& files, std::string_view ending) {
    const auto found =
        std::ranges::find_if(files, [&](const ExportedFile& file) { return file.name.ends_with(ending); });
    return found == files.end() ? std::string() : found->text;
  }

  /** What CMake says of a build in a folder of its own; empty: it is built. */
  static QString build_problem(const std::vector<ExportedFile>& files) {
    const ProjectFolder folder;
    for (const ExportedFile& file : files) folder.write(file.name, file.text);
    const QString path = QString::fromStdString(folder.path().string());
    for (const QStringList& arguments :
         {QStringList{"-S", path, "-B", path + "/build"}, QStringList{"--build", path + "/build"}}) {
      QProcess cmake;
      cmake.setProcessChannelMode(QProcess::MergedChannels);
      cmake.start("cmake", arguments);
      if (!cmake.waitForFinished(60'000) || cmake.exitCode() != 0) return cmake.readAll();
    }
    return {};
  }

 private slots:
  void kernels_in_c_and_cpp_are_built_by_cmake() {
    const auto c = exported("C", "kernel.c", "run", small_kernel);
    const auto cpp =
        exported("C++", "kernel.cpp", "ns::run<float, {TILE + 1}>",
                 "namespace ns { template <typename T, int N> void run(T* y, const T* x, int n) {\n"
                 "  for (int i = 0; i < n; ++i) y[i] = N * WIDTH * x[i];\n} }\n");
    QVERIFY(text_in(c, ".c").contains("void run(") && text_in(c, "CMakeLists.txt").contains("-fopenmp"));
    QVERIFY(text_in(cpp, ".cpp").contains("ns::run<float, 2>;"));
    QVERIFY(text_in(cpp, "CMakeLists.txt").contains("WIDTH=3"));
    QVERIFY(text_in(c, "README.md").contains("4 processors"));
    for (const auto& files : {c, cpp}) {
      for (const ExportedFile& file : files)
        QVERIFY2(is_own_kernel_file(file.name, file.text), file.name.c_str());
    }
    if (QStandardPaths::findExecutable("cmake").isEmpty()) QSKIP("there is no CMake");
    for (const auto& files : {c, cpp}) {
      const QString problem = build_problem(files);
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ExchangeProjectKernelTest)

}  // namespace kernelscape::exchange_project_kernel_test
#include "exchange_project_kernel_test.moc"

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
  std::vector<exchange::ExportedFile> exported(const std::string& language, const std::string& file,
                                               const std::string& name, std::string_view source) {
    folder_.write(file, source);
    nlohmann::json json = small_project();
    json["KernelSpecification"]["Language"] = language;
    json["KernelSpecification"]["KernelFile"] = file;
    json["KernelSpecification"]["KernelName"] = name;
    json["kernelscape"]["Flags"] = {"-fopenmp", "-DWIDTH={TILE * 3}"};
    auto read = folder_.read(json);
    if (!read) return qWarning("%s", describe(read.error()).c_str()), std::vector<exchange::ExportedFile>();
    const auto project = std::make_shared<const project::KernelProject>(std::move(*read));
    schedule::TargetDescription target;
    target.kind = schedule::TargetKind::Cpu;
    target.cores = 4;
    const auto family = kernel::ProjectFamily::make(project, target).value();
    const space::Configuration first = family->space().at(0);
    codegen::KernelSource built = family->source(first).value();
    const auto names = project::names_of_configuration(*project, family->space(), first);
    built.text = project::expanded_source(*project, family->space(), first);
    built.entry = project::entry_of(*project, names).value();
    exchange::MeasuredConfiguration measured{.space = family->space()};
    measured.configuration = first;
    measured.task = family->task();
    measured.target = target;
    measured.samples_seconds = {1e-3};
    return exchange::project_kernel_files({std::move(measured), project, std::move(built), true});
  }

  /** The text of the first file with this ending. */
  static std::string text_in(const std::vector<exchange::ExportedFile>& files, std::string_view ending) {
    const auto found = std::ranges::find_if(
        files, [&](const exchange::ExportedFile& file) { return file.name.ends_with(ending); });
    return found == files.end() ? std::string() : found->text;
  }

  /** What a program says that fails; empty: it succeeds. */
  static QString problem_of(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit &&
        process.exitCode() == 0)
      return {};
    return program + ": " + process.readAll();
  }

  /** What CMake says of a build in this folder; empty: it is built. */
  static QString build_problem(const ProjectFolder& folder,
                               const std::vector<exchange::ExportedFile>& files) {
    for (const exchange::ExportedFile& file : files) folder.write(file.name, file.text);
    const QString path = QString::fromStdString(folder.path().string());
    const QString problem = problem_of("cmake", {"-S", path, "-B", path + "/build"});
    return problem.isEmpty() ? problem_of("cmake", {"--build", path + "/build"}) : problem;
  }

  /** What is wrong with an exported kernel that a program in C calls; empty: it triples its input. */
  static QString call_problem(std::vector<exchange::ExportedFile> files) {
    const auto cmake = std::ranges::find(files, "CMakeLists.txt", &exchange::ExportedFile::name);
    cmake->text +=
        "enable_language(C)\nadd_executable(caller caller.c)\n"
        "target_link_libraries(caller PRIVATE small_kernel)\n";
    files.push_back({"caller.c",
                     "#include \"small_kernel.h\"\n"
                     "int main(void) {\n  float x[4] = {1, 2, 3, 4}, y[4] = {0};\n"
                     "  kernelscape_run_small_kernel(y, x, 4);\n"
                     "  return y[0] == 3 && y[3] == 12 ? 0 : 1;\n}\n"});
    const ProjectFolder folder;
    const QString problem = build_problem(folder, files);
    if (!problem.isEmpty()) return problem;
    return problem_of(QString::fromStdString((folder.path() / "build" / "caller").string()), {});
  }

 private slots:
  void kernels_in_c_and_cpp_are_built_by_cmake() {
    const auto c = exported("C", "kernel.c", "run", small_kernel);
    const auto cpp =
        exported("C++", "kernel.cpp", "ns::run<float, {TILE + 1}>",
                 "namespace ns { template <typename T, int N> void run(T* y, const T* x, int n) {\n"
                 "  for (int i = 0; i < n; ++i) y[i] = N * WIDTH * x[i];\n} }\n");
    QVERIFY(text_in(c, ".c").contains("void run(") && text_in(c, "CMakeLists.txt").contains("-fopenmp"));
    QVERIFY(text_in(cpp, ".cpp").contains("ns::run<float, 2>("));
    QVERIFY(
        text_in(cpp, ".h").contains("void kernelscape_run_small_kernel(float* /* y */, const float* /* x"));
    QVERIFY(text_in(cpp, "README.md").contains("kernelscape_run_small_kernel"));
    QVERIFY(text_in(c, ".h").empty());
    QVERIFY(text_in(cpp, "CMakeLists.txt").contains("WIDTH=3"));
    QVERIFY(text_in(c, "README.md").contains("4 processors"));
    for (const auto& files : {c, cpp}) {
      for (const exchange::ExportedFile& file : files)
        QVERIFY2(exchange::is_own_kernel_file(file.name, file.text), file.name.c_str());
    }
    if (QStandardPaths::findExecutable("cmake").isEmpty()) QSKIP("there is no CMake");
    for (const auto& files : {c, cpp}) {
      const ProjectFolder folder;
      const QString problem = build_problem(folder, files);
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
  }

  void kernels_in_cpp_are_called_from_c_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("source");
    const QString body = " { for (int i = 0; i < n; ++i) y[i] = WIDTH * x[i]; }\n";
    const QString parameters = "(float* y, const float* x, int n)";
    QTest::newRow("function") << "f" << "void f" + parameters + body;
    QTest::newRow("function of the file alone")
        << "ns::f" << "namespace ns { static void f" + parameters + body + "}";
    QTest::newRow("overloads") << "f"
                               << "void f(double*, const double*, int) {}\nvoid f" + parameters + body +
                                      "template <typename T> void f(T*, T, T) {}\n";
    QTest::newRow("named instance") << "::f<int>"
                                    << "template <typename T> void f(float* y, const float* x, T n)" + body;
    QTest::newRow("overloaded instance")
        << "f<int>"
        << "template <int N> void f(float*) {}\ntemplate <typename T> void f(float* y, const float* x, T n)" +
               body;
    QTest::newRow("deduced template")
        << "f" << "template <typename T> void f(T* y, const T* x, int n)" + body;
    QTest::newRow("macro with an argument's name")
        << "f<TILE>"
        << "template <int N>\nvoid f" + parameters + body + "#define x broken(\n#define float broken(\n";
  }

  void kernels_in_cpp_are_called_from_c() {
    QFETCH(QString, name);
    QFETCH(QString, source);
    const auto files = exported("C++", "kernel.cpp", name.toStdString(), source.toStdString());
    QVERIFY(!files.empty());
    if (QStandardPaths::findExecutable("cmake").isEmpty()) QSKIP("there is no CMake");
    const QString problem = call_problem(files);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
  }
};

KERNELSCAPE_PLAIN_TEST(ExchangeProjectKernelTest)

}  // namespace kernelscape::exchange_project_kernel_test
#include "exchange_project_kernel_test.moc"

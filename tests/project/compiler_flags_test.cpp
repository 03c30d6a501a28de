#include "core/project/compiler_flags.h"

#include <QTest>
#include <algorithm>

#include "core/base/text.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::compiler_flags_test {

namespace {

using Words = std::vector<std::string>;

std::string translated(codegen::Dialect dialect, const Words& words) {
  const Result<project::CompilerFlags> flags = project::translate_flags(dialect, words);
  return flags ? base::join(flags->words, " ") : "refused: " + flags.error().message;
}

}  // namespace

class CompilerFlagsTest final : public QObject {
  Q_OBJECT

 private slots:
  void texts_are_split_as_a_shell_does() {
    QCOMPARE(*project::split_flags("-O3 -ffast-math  -DX='a b'"), (Words{"-O3", "-ffast-math", "-DX=a b"}));
    QCOMPARE(*project::split_flags("-I include"), (Words{"-I", "include"}));
    QCOMPARE(*project::split_flags("-I'my folder' \"-DA=b c\" -DD=\\\"e\\ f\\\" -DG="),
             (Words{"-Imy folder", "-DA=b c", "-DD=\"e f\"", "-DG="}));
    QCOMPARE(*project::split_flags("\t-O2\n-DP=\"$HOME `x`\" -DQ='a\\b'"),
             (Words{"-O2", "-DP=$HOME `x`", "-DQ=a\\b"}));
    QCOMPARE(*project::split_flags("-DN={TILE * 2} -O{'3' if TILE > 1 else '2'}"),
             (Words{"-DN={TILE * 2}", "-O{'3' if TILE > 1 else '2'}"}));
    QCOMPARE(*project::split_flags("-DX='{MODE} b'"), Words{"-DX={MODE} b"});
    QVERIFY(!project::split_flags("-O3 -DX='a") && !project::split_flags("-O3 \"-DX"));
    const auto stray = project::split_flags("-O3 fast");
    QVERIFY(!stray && stray.error().message.contains("\"fast\", which is not a flag"));
  }

  /** As they stand in a list for execve(): projects that have a flag in each text. */
  void one_flag_in_a_text_stays_as_it_is() {
    for (const char* flag : {"-O3", "-DNAME=\"text\"", "-DNAME=\"two words\"", "-DC='x'",
                             "-DTYPE=unsigned int", "-D{MODE}", "-DN={TILE * 2}", "-lm", "kernel.o"})
      QCOMPARE(*project::split_flags(flag), Words{flag});
  }

  void flags_are_those_of_the_compiler() {
    QCOMPARE(translated(codegen::Dialect::C, {"-O3", "-march=native", "-lm", "-Xcompiler", "-fopenmp,-g"}),
             std::string("-O3 -march=native -lm -fopenmp -g"));
    QVERIFY(translated(codegen::Dialect::C, {"--use_fast_math"})
                .contains("does not support the flag \"--use_fast_math\""));
    QVERIFY(translated(codegen::Dialect::C, {"-arch=sm_80"}).starts_with("refused"));
    QVERIFY(translated(codegen::Dialect::C, {"-cl-mad-enable"}).starts_with("refused"));
    QCOMPARE(translated(codegen::Dialect::Cuda, {"--use_fast_math",
                                                 "-use_fast_math",
                                                 "-arch=sm_80",
                                                 "-O3",
                                                 "-Xptxas",
                                                 "-v,-O2",
                                                 "-Xcompiler",
                                                 "-Wall",
                                                 "-maxrregcount",
                                                 "32",
                                                 "-std",
                                                 "c++14",
                                                 "-lineinfo",
                                                 "-lcudart",
                                                 "-D",
                                                 "X=1",
                                                 "-DY",
                                                 "--ptxas-options=-v",
                                                 "-ftz=true",
                                                 "-gencode",
                                                 "arch=compute_80,code=sm_80"}),
             std::string("--use_fast_math -use_fast_math --ptxas-options=-v --ptxas-options=-O2 "
                         "--maxrregcount=32 --std=c++14 "
                         "-lineinfo -D X=1 -DY --ptxas-options=-v -ftz=true"));
    QCOMPARE(project::translate_flags(codegen::Dialect::Cuda, {"-arch=sm_80", "-O3"})->notices.size(), 2U);
    for (const char* flag : {"-march=native", "-ffast-math", "-funroll-loops", "-cl-mad-enable"})
      QVERIFY2(translated(codegen::Dialect::Cuda, {flag}).starts_with("refused"), flag);
    QCOMPARE(
        translated(codegen::Dialect::OpenCl, {"-cl-mad-enable", "-O3", "--use_fast_math", "-O0", "-DX=1"}),
        std::string("-cl-mad-enable -cl-fast-relaxed-math -cl-opt-disable -DX=1"));
    for (const char* flag : {"-march=native", "-arch=sm_80", "-Xptxas", "-maxrregcount"})
      QVERIFY2(translated(codegen::Dialect::OpenCl, {flag, "32"}).starts_with("refused"), flag);
  }

  void folders_of_headers_are_the_projects() {
    const ProjectFolder folder;
    folder.write("src/kernel.c",
                 "#include \"scale.h\"\n#include <width.h>\n#include <math.h>\n"
                 "void run(float* y, const float* x, int n) { y[0] = SCALE * WIDTH * TILE * x[n]; }\n");
    folder.write("include/scale.h", "#include \"width.h\"\n#define SCALE WIDTH\n");
    folder.write("my headers/width.h", "#define WIDTH 2\n");
    folder.write("config.h", "#define CONFIG 1\n");
    nlohmann::json json = small_project();
    json["KernelSpecification"]["KernelFile"] = "src/kernel.c";
    json["KernelSpecification"]["CompilerOptions"] = {"-O3 -I include -include config.h",
                                                      "-isystem 'my headers'"};
    const auto project = folder.read(json);
    QVERIFY2(project, project ? "" : describe(project.error()).c_str());
    QVERIFY2(project->notices.empty(), base::join(project->notices, "\n").c_str());
    QCOMPARE(project->flags, (Words{"-O3", "-D{MODE}"}));
    QCOMPARE(project->includes.size(), 3U);
    QVERIFY(project->source.starts_with(
        "#include \"config.h\"\n#line 1 \"src/kernel.c\"\n#include \"scale.h\"\n#include \"width.h\"\n"));
    json["KernelSpecification"]["CompilerOptions"] = {"-I../elsewhere", "-Inowhere"};
    folder.write("src/kernel.c", "void run(float* y, const float* x, int n) { y[0] = TILE * x[n]; }\n");
    const auto without = folder.read(json);
    QVERIFY(without && without->notices.size() == 2);
    json["KernelSpecification"]["CompilerOptions"] = {"-I{MODE}"};
    QVERIFY(!project::check_runnable(folder.read(json).value()));
  }

  /** Folders of the machine's are read by the compiler alone, which is given each configuration's. */
  void paths_of_the_machine_may_have_values() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    nlohmann::json json = small_project();
    json["KernelSpecification"]["CompilerOptions"] = {"-I/opt/{MODE}/include", "-isystem /opt/{TILE}",
                                                      "-include /opt/{MODE}.h"};
    const auto project = folder.read(json);
    QVERIFY2(project && project::check_runnable(*project), project ? "" : describe(project.error()).c_str());
    QVERIFY2(project->notices.empty(), base::join(project->notices, "\n").c_str());
    QCOMPARE(project->flags, (Words{"-I/opt/{MODE}/include", "-isystem", "/opt/{TILE}", "-include",
                                    "/opt/{MODE}.h", "-D{MODE}"}));
    QCOMPARE(project->flag_values.size(), 4U);
  }

  /** A folder that is missing takes no other away. */
  void a_missing_folder_of_the_machine_is_said_alone() {
    const ProjectFolder folder;
    folder.write("include/width.h", "#define WIDTH 2\n");
    folder.write("kernel.c", "#include <width.h>\n" + std::string(small_kernel));
    nlohmann::json json = small_project();
    json["KernelSpecification"]["CompilerOptions"] = {"-Iinclude", "-I/no/such/folder"};
    const auto project = folder.read(json);
    QVERIFY2(project, project ? "" : describe(project.error()).c_str());
    QCOMPARE(project->includes.size(), 1U);
    QCOMPARE(project->notices.size(), 1U);
    QVERIFY(project->notices.front().contains("\"/no/such/folder\""));
  }

  /** What lies outside of the project's folder is not read, also where a flag names its folder. */
  void no_folder_leads_outside() {
    const ProjectFolder outside;
    outside.write("secret.h", "#define SECRET 1\n");
    const ProjectFolder folder;
    folder.write(
        "kernel.c",
        "#include \"secret.h\"\nvoid run(float* y, const float* x, int n) { y[0] = TILE * x[n]; }\n");
    nlohmann::json json = small_project();
    json["KernelSpecification"]["CompilerOptions"] = {"-I ../" + outside.path().filename().string()};
    const auto project = folder.read(json);
    QVERIFY(!project && project.error().code == ErrorCode::Refused);
    QVERIFY(folder.read(json, true).has_value());
  }

  /** The parameter's own macro stands in the source, behind those of flags. */
  void a_flag_with_a_parameters_name_is_said_to_do_nothing() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    nlohmann::json json = small_project();
    json["KernelSpecification"]["CompilerOptions"] = "-O3 -DTILE=4";
    const auto project = folder.read(json);
    QVERIFY(project && project->flags.size() == 3 && project->notices.size() == 1);
    QVERIFY(project->notices.front().contains("\"TILE\", which is a parameter: the flag has no effect"));
    json["KernelSpecification"]["CompilerOptions"] = {"-DTILE={TILE}"};
    QVERIFY(folder.read(json).value().notices.empty());
  }

  void a_value_with_blanks_stays_one_word() {
    const ProjectFolder folder;
    folder.write("kernel.c", small_kernel);
    nlohmann::json json = small_project();
    json["kernelscape"]["Flags"] = {"-DX={MODE} -O3"};
    const auto project = folder.read(json);
    QVERIFY2(project, project ? "" : describe(project.error()).c_str());
    const project::PythonNames names = [](std::string_view) {
      return project::PythonBinding{{std::string("a b")}, false};
    };
    QCOMPARE(project::flags_of(*project, names).value(), (Words{"-DX=a b", "-O3"}));
  }
};

KERNELSCAPE_PLAIN_TEST(CompilerFlagsTest)

}  // namespace kernelscape::compiler_flags_test
#include "compiler_flags_test.moc"

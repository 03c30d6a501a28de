#include "core/project/source_macros.h"

#include <QTest>
#include <algorithm>

#include "core/base/random.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::source_macros_test {

namespace {

const std::string body = "void run(float* y, const float* x, int n) { y[0] = TILE * x[0] + n; }\n";

/** A project of parameters TILE and MODE with this source, and headers by their names. */
project::KernelProject project_of(const std::string& source,
                                  std::vector<codegen::IncludedFile> includes = {}) {
  project::KernelProject project;
  project.source_name = "kernel.c";
  project.source = source;
  project.includes = std::move(includes);
  for (const char* name : {"TILE", "MODE"}) project.parameters.push_back({name, "int", {1L, 2L}});
  return project;
}

/** "TILE kernel.c:1", with "?" behind what is not certain; empty: nothing changes a parameter. */
std::string changes_of(const project::KernelProject& project) {
  std::string text;
  for (const project::MacroChange& change : project::macros_of_source(project).changes)
    text += change.parameter + " " + change.file + ":" + std::to_string(change.line) +
            (change.removed ? " removed" : "") + (change.certain ? "" : "?");
  return text;
}

std::string unknown_of(const std::string& source) {
  std::string text;
  for (const project::UnknownName& unknown : project::macros_of_source(project_of(source)).unknown)
    text += unknown.name + " ";
  return text;
}

bool says(const Result<project::KernelProject>& project, std::string_view text) {
  return project && std::ranges::any_of(project->notices,
                                        [text](const std::string& notice) { return notice.contains(text); });
}

}  // namespace

class SourceMacrosTest final : public QObject {
  Q_OBJECT

 private slots:
  void a_source_that_sets_a_parameter_itself_is_noticed() {
    QCOMPARE(changes_of(project_of("#define TILE 2 /* for now */\n" + body)), std::string("TILE kernel.c:1"));
    QCOMPARE(changes_of(project_of("\xEF\xBB\xBF#define \\\r\n TILE 2\r\n" + body)),
             std::string("TILE kernel.c:1"));
    QCOMPARE(changes_of(project_of("#ifdef TILE\n#undef TILE\n#endif\n#define TILE 4\n" + body)),
             std::string("TILE kernel.c:4"));
    QCOMPARE(changes_of(project_of("#undef TILE\n#ifndef TILE\n#define TILE 4\n#endif\n" + body)),
             std::string("TILE kernel.c:3"));
    QCOMPARE(changes_of(project_of("#if !defined(OTHER) && 1\n%:define TILE 4\n#endif\n" + body)),
             std::string("TILE kernel.c:2"));
    QCOMPARE(changes_of(
                 project_of("#include <math.h>\n#include \"config.h\"\n" + body,
                            {{"config.h", "#ifndef CONFIG_H\n#define CONFIG_H\n#define TILE 4\n#endif\n"}})),
             std::string("TILE config.h:3"));
    // Behind an -include of the flags, lines are those of the file.
    QCOMPARE(changes_of(project_of("#include \"none.h\"\n#line 1 \"kernel.c\"\n\n#define MODE 1\n" + body)),
             std::string("MODE kernel.c:2"));
  }

  void defaults_and_what_is_not_compiled_are_no_changes() {
    for (const char* source :
         {"#ifndef TILE\n#define TILE 4\n#endif\n", "#if !defined(TILE)\n#define TILE 4\n#endif\n",
          "#if !defined TILE || 0\n#define TILE 4\n#endif\n", "#ifdef TILE\n#else\n#define TILE 4\n#endif\n",
          "#if 0\n#define TILE 4\n#endif\n", "/*\n#define TILE 4\n*/\n", "// \\\n#define TILE 4\n",
          "const char* text = R\"(\n#define TILE 4\n)\";\n",
          "int TILES; /* */ int n; /* \n */ #define TILE 4\n", "#define TILES 4\n",
          "#define F(TILE) (TILE + 1)\n"})
      QCOMPARE(changes_of(project_of(source + body)), std::string());
    QCOMPARE(changes_of(project_of("#include \"config.h\"\n" + body,
                                   {{"config.h", "#pragma once\n#ifndef TILE\n#define TILE 4\n#endif\n"}})),
             std::string());
  }

  void what_a_compiler_has_to_decide_is_not_certain() {
    for (const char* source :
         {"#include <math.h>\n#ifdef M_PI\n#define TILE 4\n#endif\n",
          "#if __GNUC__ > 3\n#define TILE 4\n#endif\n", "#if MODE == 1\n#define TILE 4\n#endif\n",
          "#if __has_include(\"x.h\")\n#define TILE 4\n#endif\n", "int first[TILE];\n#define TILE 4\n"})
      QVERIFY2(changes_of(project_of(source + body)).ends_with('?'), source);
    // Behind the kernel nothing is compiled with the new meaning.
    QVERIFY(changes_of(project_of(body + "#undef TILE\n")).ends_with('?'));
  }

  void names_without_a_meaning_are_found_where_that_is_certain() {
    QCOMPARE(unknown_of("int a[TILES];\n" + body), std::string("TILES "));
    QCOMPARE(unknown_of("#if TIEL > 2\n#endif\n" + body), std::string("TIEL "));
    for (const char* source :
         {"#include <stdio.h>\nint a[BUFSIZ];\n",
          "#pragma GCC ivdep\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
          "#pragma OPENCL FP_CONTRACT ON\n_Pragma(\"omp parallel for SIMD\")\n",
          "// ONE TWO\n/* THREE\nFOUR */\n",
          "const char* s = \"WORDS = TEXT\"; char c = '\\''; const char* t = R\"(A = BB)\";\n",
          "#if 0\nint a = TILES;\n#endif\n", "#ifdef DEBUG\nint a = LEVEL;\n#endif\n",
          "enum Kind { FAST, EXACT };\nint kind = EXACT;\n", "float AA, BB;\nfloat c() { return 1 + BB; }\n",
          "typedef struct { int v; } PAIR;\nunsigned long s = sizeof(PAIR);\n",
          "#define CAT(A, B) A##B\nint v = CAT(TI, LES);\n", "void f(void) { goto END;\nEND:; }\n",
          "__attribute__((aligned(FAR))) int v;\n", "int e = INT_MAX + FLT_MAX;\n",
          "#if defined(WITH_MPI) || __has_include(\"mpi.h\")\n#endif\n"})
      QCOMPARE(unknown_of(source + body), std::string());
  }

  /** A space can be looked at, and a default as everybody writes it is none of this. */
  void a_project_says_it_before_it_runs() {
    const ProjectFolder folder;
    nlohmann::json json = small_project();
    folder.write("kernel.c", "#define TILE 2\n" + body);
    auto project = folder.read(json);
    QVERIFY(says(project, "is \"TILE\", which line 1 of kernel.c redefines"));
    const Status runnable = project::check_runnable(*project);
    QVERIFY(!runnable && runnable.error().hint.contains("#ifndef TILE"));
    folder.write("kernel.c", "#ifndef TILE\n#define TILE 2\n#endif\n" + body);
    project = folder.read(json);
    QVERIFY(!says(project, "redefines") && project::check_runnable(*project));
    // A launch differs between the values: that is said, and can be run.
    json = small_gpu_project("OpenCL");
    json["KernelSpecification"]["LocalSize"]["X"] = "8 // TILE";
    folder.write("kernel.c", "#define TILE 2\n__kernel " + body);
    project = folder.read(json);
    QVERIFY(says(project, "is \"TILE\", which line 1 of kernel.c redefines") &&
            project::check_runnable(*project));
    // A parameter of the launch alone is as it should be.
    folder.write("kernel.c", "__kernel void run(float* y, const float* x, int n) { y[0] = x[0] + n; }\n");
    QVERIFY(!says(folder.read(json), "TILE"));
  }

  /** Only a compiler knows whether a header is included, and so what that one includes. */
  void a_kernel_may_stand_in_a_header_of_a_header() {
    const ProjectFolder folder;
    folder.write("kernel.c", "#if TILE > 4\n#include \"a.h\"\n#endif\n");
    folder.write("a.h", "#pragma once\n#include \"b.h\"\n");
    folder.write("b.h", "#pragma once\n#include \"a.h\"\n" + body);
    const auto project = folder.read(small_project());
    QVERIFY2(project, project ? "" : describe(project.error()).c_str());
    const project::SourceMacros macros = project::macros_of_source(*project);
    QVERIFY(macros.complete && macros.mentioned.contains("run") && !macros.compiled.contains("run"));
    folder.write("b.h", "#pragma once\n// run\n");
    const auto without = folder.read(small_project());
    QVERIFY(!without && describe(without.error()).contains("\"run\", which is not in \"kernel.c\""));
  }

  void headers_that_are_compiled_once_are_gone_through_once() {
    const project::KernelProject project =
        project_of("#include \"a.h\"\n#include \"a.h\"\n" + body,
                   {{"a.h", "#pragma once\n#include \"b.h\"\n#include \"b.h\"\n#undef TILE\n"},
                    {"b.h", "#pragma once\n#include \"a.h\"\n#define TILE 4\n"}});
    QVERIFY(project::macros_of_source(project).complete);
    QCOMPARE(changes_of(project), std::string("TILE b.h:3"));
  }

  /** What is left out of a huge source is not held against it. */
  void what_is_too_much_may_stand_there() {
    std::string large;
    while (large.size() < (4U << 20U) - 100) large += "int some = 1, other_words = 2;\n";
    std::string source;
    for (int count = 0; count < 8; ++count) source += "#include \"large.h\"\n";
    project::KernelProject project = project_of(source + body, {{"large.h", large}});
    const project::SourceMacros macros = project::macros_of_source(project);
    QVERIFY(!macros.complete && !macros.mentioned.contains("TILE"));
    QVERIFY(project::may_mention(macros, project, "TILE") && !project::may_mention(macros, project, "MODE"));
    QVERIFY(project::texts_mention(project, "run") && !project::texts_mention(project, "other_word"));
    QCOMPARE(project::doubtful_parameters(project), std::vector<std::string>{"TILE"});
    // Guards leave nothing to go through.
    project.includes[0].text = "#ifndef LARGE_H\n#define LARGE_H\n" + large + "#endif\n";
    const project::SourceMacros guarded = project::macros_of_source(project);
    QVERIFY(guarded.complete && guarded.compiled.contains("TILE"));
  }

  void no_source_is_too_odd() {
    constexpr std::uint64_t seed = 7;
    qInfo("seed %d", static_cast<int>(seed));
    base::Random random(seed);
    const std::vector<std::string> pieces{"#if ",    "#ifdef ",  "#ifndef ", "#elif ", "#else",
                                          "#endif",  "#define ", "#undef ",  "TILE",   "(",
                                          ")",       "!",        "&&",       "||",     "0",
                                          "1",       "defined",  "\n",       "\\\n",   "\"",
                                          "'",       "R\"",      "/*",       "*/",     "#include \"a.h\"\n",
                                          "#line 9", " ",        "##"};
    for (int round = 0; round < 3000; ++round) {
      std::string texts[2];
      for (std::string& text : texts) {
        for (std::uint64_t piece = random.below(40); piece > 0; --piece)
          text += pieces[random.below(pieces.size())];
      }
      const project::SourceMacros macros =
          project::macros_of_source(project_of(texts[0], {{"a.h", texts[1]}}));
      for (const project::MacroChange& change : macros.changes) {
        const std::string& changed = change.file == "a.h" ? texts[1] : texts[0];
        // "#line 9" counts on from there.
        const auto lines = std::size_t(std::ranges::count(changed, '\n')) + 1 + 9;
        QVERIFY(change.line >= 1 && change.line <= lines);
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SourceMacrosTest)

}  // namespace kernelscape::source_macros_test
#include "source_macros_test.moc"

#include <QTest>

#include "core/project/files.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::project_files_test {
using nlohmann::json;

class ProjectFilesTest final : public QObject {
  Q_OBJECT

 private slots:
  /** By "..", from the root, by a link to a file and by a link to a folder. */
  void no_path_leaves_the_folder_without_consent() {
    const ProjectFolder outer;
    outer.write("secret.c", small_kernel);
    outer.write("project/own.c", small_kernel);
    const std::filesystem::path folder = outer.path() / "project";
    std::filesystem::create_symlink("../secret.c", folder / "link.c");
    std::filesystem::create_directory_symlink("..", folder / "up");
    std::filesystem::create_symlink("own.c", folder / "inner.c");
    json project = small_project();
    const auto read = [&](const std::string& name, bool outside) {
      project["KernelSpecification"]["KernelFile"] = name;
      return project::read_project(outer.write("project/project.json", project.dump()), outside);
    };
    for (const std::string& name :
         {std::string("../secret.c"), (outer.path() / "secret.c").string(), std::string("link.c"),
          std::string("up/secret.c"), std::string("./up/./secret.c")}) {
      const auto refused = read(name, false);
      QVERIFY2(!refused.has_value(), name.c_str());
      QCOMPARE(refused.error().code, ErrorCode::Refused);
      QVERIFY(refused.error().message.contains("KernelSpecification.KernelFile"));
      QVERIFY2(read(name, true).has_value(), name.c_str());
    }
    for (const char* name : {"own.c", "./own.c", "inner.c", "up/project/own.c"})
      QVERIFY2(read(name, false).has_value(), name);
    for (const char* name : {"missing.c", "", "own.c/x"}) {
      const auto missing = read(name, true);
      // What is not there at all leaves a space to look at, and nothing to run.
      const Status runnable =
          missing ? project::check_runnable(*missing) : Status(std::unexpected(missing.error()));
      QVERIFY(!runnable.has_value());
      QVERIFY(runnable.error().message.contains("KernelFile"));
    }
    QVERIFY(!read(".", false).has_value());
  }

  void includes_and_data_are_held_to_it_as_well() {
    const ProjectFolder outer;
    outer.write("secret.h", "int secret;\n");
    outer.write("project/kernel.c", "#include \"../secret.h\"\n" + std::string(small_kernel));
    json project = small_project();
    const auto read = [&](bool outside) {
      return project::read_project(outer.write("project/project.json", project.dump()), outside);
    };
    const auto refused = read(false);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, ErrorCode::Refused);
    QVERIFY(refused.error().message.contains("kernel.c, line 1"));
    const auto allowed = read(true);
    QVERIFY2(allowed.has_value(), allowed ? "" : describe(allowed.error()).c_str());
    // It travels under a name below any folder, by which the text includes it.
    QCOMPARE(allowed->includes, (std::vector<codegen::IncludedFile>{{"outside/secret.h", "int secret;\n"}}));
    QVERIFY(allowed->source.starts_with("#include \"outside/secret.h\"\nvoid run"));
    outer.write("project/kernel.c", small_kernel);
    outer.write("data.bin", std::string(32, 'x'));
    project["KernelSpecification"]["Arguments"][1]["FillType"] = "BinaryRaw";
    project["KernelSpecification"]["Arguments"][1]["DataSource"] = "../data.bin";
    QCOMPARE(read(false).error().code, ErrorCode::Refused);
    QCOMPARE(read(true)->data.arguments[1].fill.bytes, std::string(32, 'x'));
  }

  void includes_are_followed_once_each() {
    const ProjectFolder folder;
    folder.write("kernel.c",
                 "// #include \"comment.h\"\n#include <math.h>\n  # include \"a.h\"\n"
                 "const char* text = \"#include \\\"text.h\\\"\";\n#include \"sub/b.h\"\n" +
                     std::string(small_kernel));
    folder.write("a.h", "#include \"sub/b.h\"\n#include \"a.h\"\n");
    folder.write("sub/b.h", "#include \"../a.h\"\n#include \"c.h\"\n#include \"cuda_fp16.h\"\n");
    folder.write("sub/c.h", "int c;\n");
    const auto project = folder.read(small_project());
    QVERIFY2(project.has_value(), project ? "" : describe(project.error()).c_str());
    std::vector<std::string> names;
    for (const codegen::IncludedFile& file : project->includes) names.push_back(file.name);
    std::ranges::sort(names);
    QCOMPARE(names, (std::vector<std::string>{"a.h", "c.h", "sub/b.h"}));
    for (const codegen::IncludedFile& file : project->includes) {
      if (file.name == "sub/b.h") QVERIFY(file.text.starts_with("#include \"a.h\"\n#include \"c.h\"\n"));
    }
    QCOMPARE(project->notices.size(), 1U);
    QVERIFY(project->notices.front().contains("\"cuda_fp16.h\""));
  }

  void deep_and_many_includes_are_errors() {
    const ProjectFolder folder;
    folder.write("kernel.c", "#include \"h0.h\"\n" + std::string(small_kernel));
    for (int level = 0; level < 40; ++level)
      folder.write("h" + std::to_string(level) + ".h", "#include \"h" + std::to_string(level + 1) + ".h\"\n");
    const auto deep = folder.read(small_project());
    QVERIFY(!deep.has_value());
    QVERIFY(deep.error().message.contains("deep"));
    std::string many;
    for (int index = 0; index < 300; ++index) {
      folder.write("m" + std::to_string(index) + ".h", "");
      many += "#include \"m" + std::to_string(index) + ".h\"\n";
    }
    folder.write("kernel.c", many + std::string(small_kernel));
    const auto wide = folder.read(small_project());
    QVERIFY(!wide.has_value());
    QVERIFY(wide.error().message.contains("256"));
  }
};

KERNELSCAPE_PLAIN_TEST(ProjectFilesTest)

}  // namespace kernelscape::project_files_test
#include "project_files_test.moc"

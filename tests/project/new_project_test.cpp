#include "core/project/new_project.h"

#include <QTest>
#include <fstream>
#include <iterator>

#include "core/task/data_folder.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::new_project_test {

class NewProjectTest final : public QObject {
  Q_OBJECT

 private slots:
  void what_is_written_is_read_without_a_notice() {
    const std::vector<std::pair<std::string, codegen::Dialect>> languages{
        {"c", codegen::Dialect::C},
        {"c++", codegen::Dialect::C},
        {"opencl", codegen::Dialect::OpenCl},
        {"cuda", codegen::Dialect::Cuda}};
    for (const auto& [language, dialect] : languages) {
      const ProjectFolder folder;
      const auto files = project::new_project("my-kernel", language);
      QVERIFY(files.has_value());
      for (const project::NewProjectFile& file : *files) {
        folder.write(file.name, file.text);
        QVERIFY2(!file.text.contains('@'), file.name.c_str());
      }
      QCOMPARE(files->front().name, std::string("my-kernel.json"));
      const auto project = project::read_project(folder.path() / "my-kernel.json");
      QVERIFY2(project.has_value(), project ? "" : describe(project.error()).c_str());
      QCOMPARE(project->dialect, dialect);
      QCOMPARE(project->data.answer.kind, project::AnswerKind::Function);
      QVERIFY2(project->notices.empty(), project->notices.empty() ? "" : project->notices.front().c_str());
      QVERIFY(project::check_runnable(*project).has_value());
    }
  }

  void the_example_of_the_page_is_read() {
    std::ifstream page(task::data_folder() / "kernels" / "README.md");
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    const auto block = [&](const std::string& language) {
      const std::size_t start = text.find("```" + language + "\n") + language.size() + 4;
      return text.substr(start, text.find("```", start) - start);
    };
    const ProjectFolder folder;
    folder.write("vector_add_right.c", block("c"));
    folder.write(
        "vector_add.cu",
        "extern \"C\" __global__ void vector_add(float* c, const float* a, const float* b, int n) {\n"
        "  const int i = (blockIdx.x * block_size_x + threadIdx.x) * items;\n}\n");
    const auto project = project::read_project(folder.write("vector_add.json", block("json")));
    QVERIFY2(project.has_value(), project ? "" : describe(project.error()).c_str());
    QVERIFY2(project->notices.empty(), project->notices.empty() ? "" : project->notices.front().c_str());
    QCOMPARE(project->name, std::string("vector_add"));
    QCOMPARE(project->data.arguments.back().fill.value, 1e7);
  }

  void names_that_are_none_for_a_file_are_refused() {
    for (const char* name : {"", "../up", "a b", "-o", "reference", "a.b", "a/b"})
      QVERIFY2(!project::new_project(name, "c").has_value(), name);
    QVERIFY(!project::new_project("kernel", "fortran").has_value());
  }

  void what_is_bundled_is_read_without_a_notice() {
    const std::vector<std::string> names{"matmul/matmul-opencl", "matmul/matmul-cuda",
                                         "convolution/convolution-opencl", "convolution/convolution-cuda",
                                         "stencil/stencil"};
    for (const std::string& name : names) {
      const auto project = project::read_project(task::data_folder() / "kernels" / (name + ".json"));
      QVERIFY2(project.has_value(), project ? "" : describe(project.error()).c_str());
      QVERIFY2(project->notices.empty(), project->notices.empty() ? "" : project->notices.front().c_str());
      QVERIFY(project::check_runnable(*project).has_value());
      QCOMPARE(project->data.answer.kind, project::AnswerKind::Function);
      QVERIFY(project->flops > 0);
      QVERIFY(project->bytes > 0);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(NewProjectTest)

}  // namespace kernelscape::new_project_test
#include "new_project_test.moc"

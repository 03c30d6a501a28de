#include "core/project/function_name.h"

#include <QtTest>
#include <algorithm>

#include "core/project/host_language.h"
#include "core/project/source.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::function_name_test {

/** Names of kernels in C++ and CUDA, and the languages of a project. */
class FunctionNameTest : public QObject {
  Q_OBJECT

  ProjectFolder folder_;

  Result<project::KernelProject> read(const std::string& language, const std::string& file,
                                      const std::string& name) {
    nlohmann::json project =
        language == "CUDA" || language == "OpenCL" ? small_gpu_project(language) : small_project();
    project["KernelSpecification"]["Language"] = language;
    project["KernelSpecification"]["KernelFile"] = file;
    project["KernelSpecification"]["KernelName"] = name;
    folder_.write(file,
                  "namespace ns { template <typename T, int N> void run(T* y, const T* x, int n) {} }\n");
    return folder_.read(project);
  }

 private slots:
  void names_of_cpp_and_cuda_may_be_qualified_instances() {
    for (const auto& [language, file] :
         {std::pair{"C++", "kernel.cpp"}, {"C", "kernel.cc"}, {"CUDA", "kernel.cu"}}) {
      for (const char* name : {"run", "ns::run", "::ns::run<float, 4>", "ns::run<float, {TILE * 2}>"}) {
        const auto project = read(language, file, name);
        QVERIFY2(project, project ? "" : describe(project.error()).c_str());
        const auto again = project::project_from_json(project::project_to_json(*project));
        QVERIFY2(again, again ? "" : describe(again.error()).c_str());
        QCOMPARE(project::content_hash(*again), project::content_hash(*project));
        const auto space =
            project::make_project_space(project->parameters, project->conditions, project->problem_size);
        QVERIFY(space);
        const space::Configuration first = space->space.at(0);
        const auto entry =
            project::entry_of(*again, project::names_of_configuration(*again, space->space, first));
        QVERIFY(entry);
        QCOMPARE(*entry, std::string(name).contains('{') ? "ns::run<float, 2>" : std::string(name));
      }
      for (const char* name : {"ns::", "1run", "run<float", "ns:run", "run<{TILE>", "run<{NONE}>", "run; x"})
        QVERIFY2(!read(language, file, name), name);
    }
  }

  void c_and_opencl_say_what_they_lack() {
    const auto c = read("C", "kernel.c", "ns::run");
    QVERIFY(!c && c.error().hint.contains("C++"));
    const auto opencl = read("OpenCL", "kernel.cl", "ns::run<4>");
    QVERIFY(!opencl && opencl.error().hint.contains("neither"));
  }

  void opencl_cpp_is_refused_by_each_of_its_names() {
    const auto language = read("OpenCL C++", "kernel.cl", "run");
    QVERIFY(!language && language.error().message.contains("OpenCL C++"));
    const auto ending = read("OpenCL", "kernel.clcpp", "run");
    QVERIFY(!ending && ending.error().message.contains("OpenCL C++"));
    nlohmann::json project = small_gpu_project("OpenCL");
    folder_.write("kernel.c", small_kernel);
    project["KernelSpecification"]["CompilerOptions"] = {"-cl-std=CLC++2021"};
    const auto flag = folder_.read(project);
    QVERIFY(!flag && flag.error().message.contains("OpenCL C++"));
  }

  void a_language_is_named_and_kept() {
    for (const char* file : {"k.cpp", "k.cc", "k.cxx", "k.C"}) {
      const auto project = read("C", file, "ns::run<float, 1>");
      QVERIFY2(project, project ? "" : describe(project.error()).c_str());
      QCOMPARE(project::language_of(*project), "C++");
      // C is what the project says: its user hears which it is, and why.
      const std::string ending = std::string(file).substr(1);
      const auto says_so = [&](const std::string& notice) {
        return notice.contains("is compiled as C++, since its file ends in " + ending + ":");
      };
      QCOMPARE(std::ranges::count_if(project->notices, says_so), 1);
      const auto meant = read("C++", file, "ns::run<float, 1>");
      QVERIFY(meant && std::ranges::none_of(meant->notices, says_so));
    }
    folder_.write("kernel.c", small_kernel);
    const auto plain = folder_.read(small_project());
    QVERIFY(plain && project::language_of(*plain) == "C" && !project::is_cpp(plain->flags));
  }

  /** What makes a reference C++ may be its own flags. */
  void a_references_own_flags_name_its_language() {
    folder_.write("kernel.c", small_kernel);
    folder_.write("right.h",
                  "namespace ns { void right(float* y, const float* x, int n) { y[0] = x[n]; } }\n");
    nlohmann::json project = small_project();
    project["kernelscape"]["Reference"] = {{"Kind", "Function"}, {"File", "right.h"}, {"Name", "ns::right"}};
    QVERIFY(!folder_.read(project));
    project["kernelscape"]["Reference"]["Flags"] = {"-xc++"};
    const auto read = folder_.read(project);
    QVERIFY2(read, read ? "" : describe(read.error()).c_str());
    QCOMPARE(read->data.answer.reference.entry, std::string("ns::right"));
  }

  /** "::run" and a parameter in a template's arguments are no reason for a notice. */
  void a_parameter_in_the_name_is_used() {
    const auto project = read("C++", "kernel.cpp", "ns::run<float, TILE>");
    QVERIFY(project);
    for (const std::string& notice : project->notices) QVERIFY2(!notice.contains("\"TILE\""), notice.c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(FunctionNameTest)

}  // namespace kernelscape::function_name_test
#include "function_name_test.moc"

#include <QtTest>
#include <string>

#include "core/base/random.h"
#include "core/measure/cpu/compiler.h"
#include "core/measure/worker/thread_use.h"
#include "core/project/host_language.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::measure_thread_use_test {

/** What an object says of the threads that its kernel may start. */
class MeasureThreadUseTest : public QObject {
  Q_OBJECT

  /** The shared object of a source; empty where the compiler gives none. */
  static std::string built(const std::string& text, const std::vector<std::string>& flags = {}) {
    const auto folder = base::TemporaryFolder::make();
    measure::BuildRequest request = measure::self_test_request("cc", codegen::own_flags(codegen::Dialect::C));
    request.text = text;
    request.flags.insert(request.flags.end(), flags.begin(), flags.end());
    return folder ? measure::compile_shared_object(request, *folder).artefact : std::string();
  }

  std::string plain_ = built("void run(float* y, int n) { for (int i = 0; i < n; ++i) y[i] *= 2; }\n");

 private slots:
  void init() {
    if (plain_.empty()) QSKIP("There is no C compiler.");
  }

  void kernels_without_threads_are_known() {
    QVERIFY(!measure::may_start_threads(plain_));
    const std::string mathematics = built(
        "#include <math.h>\n#include <stdlib.h>\nvoid run(float* y, int n) { y[0] = expf(n) + rand(); }\n",
        {"-lm"});
    QVERIFY(!mathematics.empty() && !measure::may_start_threads(mathematics));
  }

  void kernels_of_cpp_without_threads_are_known() {
    const std::string object = built(
        "#include <vector>\nextern \"C\" void run(float* y, int n) { std::vector<float> v(n); y[0] = "
        "v.at(0); "
        "}\n",
        {std::string(project::cpp_flag)});
    if (object.empty()) QSKIP("There is no C++ compiler.");
    QVERIFY(!measure::may_start_threads(object));
  }

  void threads_are_seen_in_what_the_object_takes() {
    for (const char* text :
         {"#include <pthread.h>\nvoid* f(void* x) { return x; }\n"
          "void run(float* y) { pthread_t t; pthread_create(&t, 0, f, y); pthread_join(t, 0); }\n",
          "#include <threads.h>\nint f(void* x) { return x == 0; }\n"
          "void run(float* y) { thrd_t t; thrd_create(&t, f, y); thrd_join(t, 0); }\n",
          "#include <unistd.h>\nvoid run(float* y) { *y = fork(); }\n",
          "#include <dlfcn.h>\nvoid run(float* y) { *y = dlopen(\"libgomp.so.1\", RTLD_NOW) != 0; }\n"}) {
      const std::string object = built(text);
      QVERIFY2(!object.empty() && measure::may_start_threads(object), text);
    }
  }

  void threads_are_seen_in_the_libraries_that_the_object_needs() {
    const std::string object = built(
        "void run(float* y, int n) {\n#pragma omp parallel for\n  for (int i = 0; i < n; ++i) y[i] *= "
        "2;\n}\n",
        {"-fopenmp"});
    if (object.empty()) QSKIP("The compiler has no OpenMP.");
    QVERIFY(measure::may_start_threads(object));
  }

  void threads_of_cpp_are_seen() {
    const std::string object =
        built("#include <thread>\nextern \"C\" void run(float* y) { std::thread([&] { *y = 1; }).join(); }\n",
              {std::string(project::cpp_flag)});
    if (object.empty()) QSKIP("There is no C++ compiler.");
    QVERIFY(measure::may_start_threads(object));
  }

  /** Their answer is true or false, and nothing is read beyond their end. */
  void hostile_objects_are_answered() {
    for (const char* no_object : {"",
                                  "\x7f"
                                  "ELF",
                                  "MZ", "#!/bin/sh\n"})
      QVERIFY(measure::may_start_threads(no_object));
    for (std::size_t size = 0; size < 64; ++size) QVERIFY(measure::may_start_threads(plain_.substr(0, size)));
    base::Random random(kernelscape::testing::random_seed());
    for (int round = 0; round < 20'000; ++round) {
      // A copy of the exact size: a sanitizer sees what is read behind it.
      std::string changed(plain_, 0, round % 2 == 0 ? plain_.size() : random.below(plain_.size() + 1));
      const std::size_t reach = round % 4 < 2 ? changed.size() : std::min<std::size_t>(64, changed.size());
      for (int change = 0; change < 4 && reach > 0; ++change)
        changed[random.below(reach)] = static_cast<char>(random.below(256));
      (void)measure::may_start_threads(changed);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureThreadUseTest)

}  // namespace kernelscape::measure_thread_use_test
#include "measure_thread_use_test.moc"

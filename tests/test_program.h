#pragma once

#include <QObject>
#include <QTest>
#include <memory>
#include <string_view>

namespace kernelscape::tests {

/** A test file of a layer's program: run by the file's name, in a process of its own. */
struct TestFile {
  const char* path;                     ///< its source
  int (*run)(int argc, char** argv);    ///< what Qt Test's main functions do; argv[0] is the program
  int (*child)(int argc, char** argv);  ///< where the test starts itself with --child first; else null
};

/** Called before main() by the macros below. */
bool add_test_file(const TestFile& file);

template <typename Test, typename Application>
int run_test(int argc, char** argv) {
  const Application application(argc, argv);
  Application::setAttribute(Qt::AA_Use96Dpi);
  Test test;
  return QTest::qExec(&test, argc, argv);
}

template <typename Test>
int run_test_without_application(int argc, char** argv) {
  Test test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace kernelscape::tests

/**
 * Stands once at the end of a test file, within its namespace: each has one of its own, kernelscape::FILE,
 * since several files are compiled as one. `application`: QCoreApplication, QApplication.
 */
#define KERNELSCAPE_TEST(test, application)                                               \
  static const bool test_file_added [[maybe_unused]] = kernelscape::tests::add_test_file( \
      {__FILE__, kernelscape::tests::run_test<test, application>, nullptr});

/** The same for a test that needs no event loop. */
#define KERNELSCAPE_PLAIN_TEST(test)                                                      \
  static const bool test_file_added [[maybe_unused]] = kernelscape::tests::add_test_file( \
      {__FILE__, kernelscape::tests::run_test_without_application<test>, nullptr});

/** The same for a test that starts itself as a process: `child(argc, argv)` is called where argv[1] is
 * --child. */
#define KERNELSCAPE_TEST_WITH_CHILD(test, child_function)                                 \
  static const bool test_file_added [[maybe_unused]] = kernelscape::tests::add_test_file( \
      {__FILE__, kernelscape::tests::run_test_without_application<test>, child_function});

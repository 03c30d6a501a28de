// The main function of each layer's test program: PROGRAM FILE [FUNCTION...] runs one test file, as ctest
// does.
#include "tests/test_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelscape::tests {
namespace {

std::vector<TestFile>& test_files() {
  static std::vector<TestFile> files;
  return files;
}

std::string name_of(const TestFile& file) { return std::filesystem::path(file.path).stem().string(); }

int list_files(std::FILE* where) {
  for (const TestFile& file : test_files()) std::fprintf(where, "%s\n", name_of(file).c_str());
  return where == stdout ? 0 : 2;
}

int run_file(int argc, char** argv) {
  if (argc < 2) return list_files(stdout);
  const auto file = std::ranges::find(test_files(), std::string(argv[1]), name_of);
  if (file == test_files().end()) {
    std::fprintf(stderr, "no test file is called \"%s\"; there are:\n", argv[1]);
    return list_files(stderr);
  }
  // The test sees the arguments that it would have as a program of its own.
  argv[1] = argv[0];
  ++argv;
  --argc;
  if (file->child != nullptr && argc > 1 && std::string_view(argv[1]) == "--child")
    return file->child(argc, argv);
  QTest::setMainSourcePath(file->path);
  return file->run(argc, argv);
}

}  // namespace

bool add_test_file(const TestFile& file) {
  test_files().push_back(file);
  return true;
}

}  // namespace kernelscape::tests

int main(int argc, char** argv) {
  // What a machine has installed beside oneDNN must not change the results of tests that do not ask for it.
  setenv("KERNELSCAPE_BASELINES", "", /*overwrite=*/0);
  return kernelscape::tests::run_file(argc, argv);
}

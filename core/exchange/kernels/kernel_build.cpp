#include <fmt/format.h>

#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {
namespace {

constexpr std::string_view cmake_begin = R"(cmake_minimum_required(VERSION 3.16)
project(@L@ C)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)

add_library(@L@ )";

constexpr std::string_view cmake_library = R"()
target_include_directories(@L@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(@L@ PROPERTIES POSITION_INDEPENDENT_CODE ON)
# The flags that each kernel was measured with, as far as they are known, whatever the build type.
)";

constexpr std::string_view cmake_check = R"(if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  add_executable(check check.c)
  target_compile_options(check PRIVATE -O2)
  target_link_libraries(check PRIVATE @L@ Threads::Threads m)
  enable_testing()
  add_test(NAME check COMMAND check)
endif()
)";

}  // namespace

std::string library_cmake(const KernelLibrary& library) {
  std::string text(cmake_begin);
  for (const ExportedKernel& kernel : library.kernels) text += kernel.name + ".c ";
  text += "@L@_table.c";
  text += cmake_library;
  for (const ExportedKernel& kernel : library.kernels) {
    text += fmt::format("set_property(SOURCE {}.c PROPERTY COMPILE_OPTIONS", kernel.name);
    for (const std::string& flag : kernel.source.flags.words()) text += " " + cmake_string(flag);
    text += ")\n";
  }
  text += cmake_check;
  return with_library_name(text, library.name);
}

std::string plain_build_command(const KernelLibrary& library) {
  std::string command;
  std::string objects;
  for (const ExportedKernel& kernel : library.kernels) {
    command += "cc -std=gnu11";
    for (const std::string& flag : kernel.source.flags.words()) command += " " + shell_word(flag);
    command += fmt::format(" -c {}.c && ", kernel.name);
    objects += kernel.name + ".o ";
  }
  return command +
         fmt::format("cc -std=gnu11 -O2 -o check check.c {}_table.c {}-lm -pthread", library.name, objects);
}

}  // namespace kernelscape

#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {
namespace {

constexpr Literal cmake_begin = R"(cmake_minimum_required(VERSION 3.16)
project(@L@ C)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)

add_library(@L@ )";

constexpr Literal cmake_library = R"()
target_include_directories(@L@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(@L@ PROPERTIES POSITION_INDEPENDENT_CODE ON)
# The flags that each kernel was measured with, as far as they are known, whatever the build type.
)";

constexpr Literal cmake_check = R"(if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
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

CMakeText library_cmake(const KernelLibrary& library) {
  const CMakeText name = CMakeScript::name(library.name);
  const auto named = [&](Literal frame) { return filled<CMakeScript>(frame, {{"@L@", name}}); };
  CMakeText text = named(cmake_begin);
  for (const ExportedKernel& kernel : library.kernels) text += CMakeScript::name(kernel.name) + ".c ";
  text += name + "_table.c" + named(cmake_library);
  for (const ExportedKernel& kernel : library.kernels) {
    text += write<CMakeScript>("set_property(SOURCE {}.c PROPERTY COMPILE_OPTIONS",
                               CMakeScript::name(kernel.name));
    for (const std::string& flag : kernel.source.flags.words()) text += write<CMakeScript>(" {}", flag);
    text += ")\n";
  }
  return text + named(cmake_check);
}

ShellText plain_build_command(const KernelLibrary& library) {
  ShellText command;
  ShellText objects;
  for (const ExportedKernel& kernel : library.kernels) {
    command += "cc -std=gnu11";
    for (const std::string& flag : kernel.source.flags.words()) command += write<ShellScript>(" {}", flag);
    command += write<ShellScript>(" -c {} && ", kernel.name + ".c");
    objects += write<ShellScript>("{} ", kernel.name + ".o");
  }
  return command + write<ShellScript>("cc -std=gnu11 -O2 -o check check.c {} {}-lm -pthread",
                                      std::string(library.name) + "_table.c", objects);
}

}  // namespace kernelscape

#include "core/exchange/kernels/kernel_files.h"
#include "export_text.h"

namespace kernelscape {
namespace {

constexpr Literal cmake_begin = R"(cmake_minimum_required(VERSION 3.16)
project(@L@ @LANGUAGES@)

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
  target_link_libraries(check PRIVATE @L@ Threads::Threads@OPENMP@ m)
  enable_testing()
  add_test(NAME check COMMAND check)
)";

CMakeText flags_of_file(const CMakeText& file, const KnownFlags& flags) {
  CMakeText text = write<CMakeScript>("set_property(SOURCE {} PROPERTY COMPILE_OPTIONS", file);
  for (const std::string& flag : flags.words()) text += write<CMakeScript>(" {}", flag);
  return text + ")\n";
}

ShellText compile_command(const std::string& file, const KnownFlags& flags) {
  ShellText command("cc -std=gnu11");
  for (const std::string& flag : flags.words()) command += write<ShellScript>(" {}", flag);
  return command + write<ShellScript>(" -c {} && ", file);
}

}  // namespace

CMakeText library_cmake(const KernelLibrary& library) {
  const CMakeText name = CMakeScript::name(library.name);
  const bool vendors = library.has_vendors();
  const auto named = [&](Literal frame) {
    return filled<CMakeScript>(frame, {{"@L@", name},
                                       {"@LANGUAGES@", vendors ? Literal("C CXX") : Literal("C")},
                                       {"@OPENMP@", vendors ? Literal(" OpenMP::OpenMP_C") : Literal("")}});
  };
  CMakeText text = named(cmake_begin);
  for (const ExportedKernel& kernel : library.kernels)
    if (!kernel.is_vendors()) text += CMakeScript::name(kernel.name) + ".c ";
  text += name + "_table.c";
  if (library.pass != nullptr) text += " " + name + "_conversions.c";
  text += named(cmake_library);
  for (const ExportedKernel& kernel : library.kernels)
    if (!kernel.is_vendors())
      text += flags_of_file(CMakeScript::name(kernel.name) + ".c", kernel.source.flags);
  if (library.pass != nullptr)
    text += flags_of_file(name + "_conversions.c", library.kernels.front().source.flags);
  if (vendors) text += named(export_text::vendor_cmake);
  text += named(cmake_check);
  if (library.pass != nullptr) text += named(export_text::pass_cmake);
  return text + "endif()\n";
}

ShellText plain_build_command(const KernelLibrary& library) {
  ShellText command;
  ShellText objects;
  const auto compile = [&](const std::string& name, const KnownFlags& flags) {
    command += compile_command(name + ".c", flags);
    objects += write<ShellScript>("{} ", name + ".o");
  };
  for (const ExportedKernel& kernel : library.kernels)
    if (!kernel.is_vendors()) compile(kernel.name, kernel.source.flags);
  const std::string name(library.name);
  if (library.pass != nullptr) compile(name + "_conversions", library.kernels.front().source.flags);
  if (!library.has_vendors()) {
    return command + write<ShellScript>("cc -std=gnu11 -O2 -o check check.c {} {}-lm -pthread",
                                        name + "_table.c", objects);
  }
  return command + write<ShellScript>(
                       "c++ -std=c++17 -O2 -fopenmp -c {} && cc -std=gnu11 -O2 -fopenmp -o check check.c {} "
                       "{}{} -ldnnl -lstdc++ -lm -pthread",
                       name + "_vendor.cpp", name + "_table.c", objects, name + "_vendor.o");
}

}  // namespace kernelscape

#include "core/exchange/kernels/kernel_files.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

constexpr base::Literal cmake_begin = R"(cmake_minimum_required(VERSION 3.16)
project(@L@ @LANGUAGES@)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)

add_library(@L@ )";

constexpr base::Literal cmake_library = R"()
target_include_directories(@L@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(@L@ PROPERTIES POSITION_INDEPENDENT_CODE ON)
# The flags that each kernel was measured with, as far as they are known, whatever the build type.
)";

constexpr base::Literal cmake_check = R"(if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  add_executable(check check.c)
  target_compile_options(check PRIVATE -O2)
  target_link_libraries(check PRIVATE @L@ Threads::Threads@OPENMP@ m)
  enable_testing()
  add_test(NAME check COMMAND check)
)";

base::CMakeText flags_of_file(const base::CMakeText& file, const codegen::KnownFlags& flags) {
  base::CMakeText text =
      base::write<base::CMakeScript>("set_property(SOURCE {} PROPERTY COMPILE_OPTIONS", file);
  for (const std::string& flag : flags.words()) text += base::write<base::CMakeScript>(" {}", flag);
  return text + ")\n";
}

base::ShellText compile_command(const std::string& file, const codegen::KnownFlags& flags) {
  base::ShellText command("cc -std=gnu11");
  for (const std::string& flag : flags.words()) command += base::write<base::ShellScript>(" {}", flag);
  return command + base::write<base::ShellScript>(" -c {}\n", file);
}

}  // namespace

base::CMakeText library_cmake(const KernelLibrary& library) {
  const base::CMakeText name = base::CMakeScript::name(library.name);
  const bool vendors = library.has_vendors();
  const auto named = [&](base::Literal frame) {
    return base::filled<base::CMakeScript>(
        frame, {{"@L@", name},
                {"@LANGUAGES@", vendors ? base::Literal("C CXX") : base::Literal("C")},
                {"@OPENMP@", vendors ? base::Literal(" OpenMP::OpenMP_C") : base::Literal("")}});
  };
  base::CMakeText text = named(cmake_begin);
  for (const ExportedKernel& kernel : library.kernels)
    if (!kernel.is_vendors()) text += base::CMakeScript::name(kernel.name) + ".c ";
  text += name + "_table.c";
  if (library.pass != nullptr) text += " " + name + "_conversions.c";
  text += named(cmake_library);
  for (const ExportedKernel& kernel : library.kernels)
    if (!kernel.is_vendors())
      text += flags_of_file(base::CMakeScript::name(kernel.name) + ".c", kernel.source.flags);
  if (library.pass != nullptr)
    text += flags_of_file(name + "_conversions.c", library.kernels.front().source.flags);
  if (vendors) text += named(export_text::vendor_cmake);
  text += named(cmake_check);
  if (library.pass != nullptr) text += named(export_text::pass_cmake);
  return text + "endif()\n";
}

base::ShellText plain_build_command(const KernelLibrary& library) {
  base::ShellText command;
  base::ShellText objects;
  const auto compile = [&](const std::string& name, const codegen::KnownFlags& flags) {
    command += compile_command(name + ".c", flags);
    objects += base::write<base::ShellScript>("{} ", name + ".o");
  };
  for (const ExportedKernel& kernel : library.kernels)
    if (!kernel.is_vendors()) compile(kernel.name, kernel.source.flags);
  const std::string name(library.name);
  if (library.pass != nullptr) compile(name + "_conversions", library.kernels.front().source.flags);
  if (!library.has_vendors()) {
    return command + base::write<base::ShellScript>("cc -std=gnu11 -O2 -o check check.c {} {}-lm -pthread",
                                                    name + "_table.c", objects);
  }
  return command + base::write<base::ShellScript>(
                       "c++ -std=c++17 -O2 -fopenmp -c {}\ncc -std=gnu11 -O2 -fopenmp -o check check.c {} "
                       "{}{} -ldnnl -lstdc++ -lm -pthread",
                       name + "_vendor.cpp", name + "_table.c", objects, name + "_vendor.o");
}

}  // namespace kernelscape::exchange

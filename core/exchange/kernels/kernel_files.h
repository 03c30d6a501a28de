#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/base/media/cmake_script.h"
#include "core/base/media/markdown.h"
#include "core/base/media/shell_script.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/pass_plan.h"

namespace kernelscape {

/** A network's pass over the kernels of its library. */
struct LibraryPass {
  std::string network;
  KernelOrder order;
  PassPlan plan;
};

/** Kernels under the name of their library; the texts of its files are made from this. */
struct KernelLibrary {
  std::string_view name;
  std::span<const ExportedKernel> kernels;
  /** Of a network's kernels; null: they are of no network, or of a GPU, or compute with other types than f32.
   */
  const LibraryPass* pass = nullptr;

  /** Whether the vendor's library computes a layer. */
  bool has_vendors() const { return std::ranges::any_of(kernels, &ExportedKernel::is_vendors); }
};

/** Returns a frame of C with the library's name in place of LIBRARY. */
CSourceText with_library_name(Literal frame, const KernelLibrary& library);

/** "1, 64, 56, 56". */
CSourceText number_list(const std::vector<std::int64_t>& values, Literal separator);

/** Whether each thread stays on a processor of its own: those that the program writes into team_places. */
enum class TeamThreads : std::uint8_t { Free, Bound };

/** Threads that call a function together, as the programs of a library do: names begin with "team". */
CSourceText team_text(const KernelLibrary& library, TeamThreads threads);

/** What such a program includes for them. */
CSourceText openmp_include(const KernelLibrary& library);

/** A statement of such a program: the team calls `work` for `kernel`, an expression; of the vendor's one
 * thread does. */
CSourceText kernel_call(const KernelLibrary& library, Literal kernel, Literal work);

/** Arrays of C that a tensor's entry points to: OWNER_shape_WHICH and OWNER_dimensions_WHICH. */
CSourceText tensor_data(const CSourceText& library, const CSourceText& owner, const CSourceText& which,
                        const Layout& layout);
/** That entry, of a tensor whose name is a string of C. @param type of its elements, one that is known */
CSourceText tensor_entry(const CSourceText& owner, const CSourceText& which, const CSourceText& quoted_name,
                         std::string_view type, const Layout& layout);

CSourceText library_header(const KernelLibrary& library);           ///< NAME.h
CSourceText library_table(const KernelLibrary& library);            ///< NAME_table.c
CSourceText library_check(const KernelLibrary& library);            ///< check.c
CSourceText conversion_declarations(const KernelLibrary& library);  ///< in NAME.h, of a library with a pass
CSourceText library_conversions(const KernelLibrary& library);      ///< NAME_conversions.c, likewise
CSourceText library_pass(const KernelLibrary& library);             ///< pass.c, likewise
CSourceText library_onednn_pass(const KernelLibrary& library);      ///< pass_onednn.cpp, likewise
CSourceText library_vendor(const KernelLibrary& library);   ///< NAME_vendor.cpp, where it has_vendors()
CMakeText library_cmake(const KernelLibrary& library);      ///< CMakeLists.txt
MarkdownText library_readme(const KernelLibrary& library);  ///< README.md
MarkdownText gpu_readme(const KernelLibrary& library);      ///< README.md of kernels of GPUs

/** Which kernel is of which task, with the layouts of its tensors: a table, where there are several. */
MarkdownText contents_table(const KernelLibrary& library);

/** What README.md says of one kernel: where it comes from, its speed, its tensors. */
MarkdownText readme_section(const ExportedKernel& kernel);

/** Function of C that computes one output element of a kernel's operator as plain loops: NAME_expected. */
CSourceText reference_function(const ExportedKernel& kernel);

/** One command that builds the check program without CMake. */
ShellText plain_build_command(const KernelLibrary& library);

}  // namespace kernelscape

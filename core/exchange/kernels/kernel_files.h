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

namespace kernelscape::exchange {

/** A network's pass over the kernels of its library. */
struct LibraryPass {
  std::string network;
  KernelOrder order;
  PassPlan plan;
};

/** Kernels under the name of their library; the texts of its files are generated from this. */
struct KernelLibrary {
  std::string_view name;
  std::span<const ExportedKernel> kernels;
  /**
   * Pass over a network's kernels; null if they do not belong to a network, are GPU kernels, or use types
   * other than f32.
   */
  const LibraryPass* pass = nullptr;
  std::string_view why_no_pass{};  ///< why a network's kernels have no pass; empty otherwise

  /** Returns true if the vendor's library computes a layer. */
  bool has_vendors() const { return std::ranges::any_of(kernels, &ExportedKernel::is_vendors); }
  /** Returns the largest number of tensors of a kernel: inputs, the output, and operands of an epilogue. */
  std::size_t tensors() const {
    std::size_t count = 3;
    for (const ExportedKernel& kernel : kernels) count = std::max(count, kernel.source.arguments.size());
    return count;
  }
  /** Returns true if a kernel has operands of an epilogue. */
  bool has_operands() const { return tensors() > 3; }
};

/** Returns "input", "output" or "operand": the role of a kernel's argument by its number. */
base::Literal role_of_argument(std::size_t number);

/** Returns a frame of C with the library's name in place of LIBRARY. */
base::CSourceText with_library_name(base::Literal frame, const KernelLibrary& library);

/** Returns "1, 64, 56, 56". */
base::CSourceText number_list(const std::vector<std::int64_t>& values, base::Literal separator);

/** Whether each thread is bound to its own processor: the program writes the processors into team_places. */
enum class TeamThreads : std::uint8_t { Free, Bound };

/**
 * Returns the functions with which a team of threads calls a function in the programs of a library. Their
 * names begin with "team".
 */
base::CSourceText team_text(const KernelLibrary& library, TeamThreads threads);

/** Returns the includes that these functions need. */
base::CSourceText openmp_include(const KernelLibrary& library);

/**
 * Returns a statement of such a program: the team calls `work` for `kernel`, an expression; for a vendor's
 * kernel a single thread calls it.
 */
base::CSourceText kernel_call(const KernelLibrary& library, base::Literal kernel, base::Literal work);

/** Returns the shape of a tensor before it is packed: kernels of 3x3 where the layout holds transformed ones.
 */
std::vector<std::int64_t> plain_shape(const loop_nest::Layout& layout);

/**
 * Returns the C arrays to which a tensor's entry points: OWNER_shape_WHICH, OWNER_dimensions_WHICH, and
 * OWNER_transform_WHICH if the layout holds transformed kernels.
 */
base::CSourceText tensor_data(const base::CSourceText& library, const base::CSourceText& owner,
                              const base::CSourceText& which, const loop_nest::Layout& layout);
/**
 * Returns the entry of a tensor whose name is a string of C. @param type type of its elements, a known one
 */
base::CSourceText tensor_entry(const base::CSourceText& owner, const base::CSourceText& which,
                               const base::CSourceText& quoted_name, std::string_view type,
                               const loop_nest::Layout& layout);

base::CSourceText library_header(const KernelLibrary& library);  ///< NAME.h
base::CSourceText library_table(const KernelLibrary& library);   ///< NAME_table.c
base::CSourceText library_check(const KernelLibrary& library);   ///< check.c
base::CSourceText conversion_declarations(
    const KernelLibrary& library);  ///< in NAME.h, for a library with a pass
base::CSourceText library_conversions(const KernelLibrary& library);  ///< NAME_conversions.c, for a library
                                                                      ///< with a pass
base::CSourceText library_pass(const KernelLibrary& library);         ///< pass.c, for a library with a pass
base::CSourceText library_onednn_pass(const KernelLibrary& library);  ///< pass_onednn.cpp, for a library with
                                                                      ///< a pass
base::CSourceText library_vendor(const KernelLibrary& library);       ///< NAME_vendor.cpp, if has_vendors()
base::CMakeText library_cmake(const KernelLibrary& library);          ///< CMakeLists.txt
base::MarkdownText library_readme(const KernelLibrary& library);      ///< README.md
base::MarkdownText gpu_readme(const KernelLibrary& library);          ///< README.md for GPU kernels

/**
 * Returns a table of kernels with their tasks and the layouts of their tensors, if there are several kernels.
 */
base::MarkdownText contents_table(const KernelLibrary& library);

/** Returns the section of README.md about one kernel: its origin, speed and tensors. */
base::MarkdownText readme_section(const ExportedKernel& kernel);

/**
 * Returns a C function that computes one output element of a kernel's operator with plain loops:
 * NAME_expected.
 */
base::CSourceText reference_function(const ExportedKernel& kernel);

/** Returns the commands that build the check program without CMake, one on each line. */
base::ShellText plain_build_command(const KernelLibrary& library);

}  // namespace kernelscape::exchange

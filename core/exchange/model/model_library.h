#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/graph/graph.h"
#include "core/graph/interpreter.h"
#include "core/schedule/target.h"

namespace kernelscape::exchange {

/** Inputs of a model, and its outputs in double precision: what the library's check compares with. */
struct ModelReference {
  std::vector<graph::Tensor> inputs;
  std::vector<graph::Tensor> outputs;
};

/** Numbers about the library of a model. */
struct ModelLibrarySummary {
  std::size_t kernels = 0;        ///< distinct kernels of layers
  std::size_t tuned_kernels = 0;  ///< of these, the tuned ones
  std::size_t steps = 0;          ///< functions that the threads run one after the other
  std::size_t conversions = 0;    ///< of these, changes of a memory layout
  std::int64_t arena_bytes = 0;
  std::int64_t weight_bytes = 0;
};

/** A file of C of a model's library, with the compiler options that it is compiled with. */
struct LibrarySource {
  std::string name;  ///< of the file, without its extension
  std::vector<std::string> flags;
};

/** The files of a model's library, with names in its folder, and numbers about the library. */
struct ModelLibrary {
  std::vector<ExportedFile> files;          ///< sources, build, texts and the manifest
  std::vector<ExportedFile> tensors;        ///< weights and references
  std::vector<LibrarySource> sources = {};  ///< what computes the model; the programs have files beside these
  /** For each step of a run: the text of its layer's task without an epilogue; empty: the step is no layer.
   */
  std::vector<std::string> step_tasks = {};
  ModelLibrarySummary summary;
};

/**
 * Returns random inputs of a model, and the outputs that the reference interpreter computes from them:
 * floats of [-1, 1), integers and Bools of 0 and 1. Call it with the graph as it was read.
 */
Result<ModelReference> make_model_reference(const graph::Graph& graph, std::uint64_t seed);

/**
 * Returns an identifier of C for a model's library, from the name of its file. No name of the library, which
 * begins with the identifier and '_', is one of its runtime or of the C library.
 */
std::string model_library_name(const std::filesystem::path& model);

/**
 * Returns true if a processor has the instructions of a CPU kernel: its instruction set, or a larger one, and
 * its extensions. The instruction set of a kernel that another program measured may be unknown: false.
 */
bool has_instructions_of(const schedule::TargetDescription& processor,
                         const schedule::TargetDescription& kernel);

/**
 * Returns the operators of a graph that a library cannot compute, each once, with one of their nodes; empty
 * if there is none.
 */
std::vector<std::string> missing_operators(const graph::Graph& graph);

/**
 * Returns the files of a library that computes a whole model, in C11 with pthreads, which is built without
 * this program:
 *   KERNEL.c                        the kernel of each layer: a tuned one, or one of a default configuration
 *   NAME.c, NAME_operators.h        the steps between them, and the runtime
 *   NAME.h                          create, run, destroy; inputs and outputs by name
 *   NAME_weights.tensors            the weights, packed for the kernels
 *   check.c, bench.c, bench_onnxruntime.c, NAME_programs.h, NAME_reference.tensors
 *   CMakeLists.txt, README.md, example.py, kernelscape.json
 *
 * Refused, before anything is written, with the names of all operators that are missing, and for tensors of
 * other types than f32, f64, i32, i64 and bool.
 * @param graph a valid graph, after optimise()
 * @param name an identifier of C
 * @param tuned kernels of layers, at most one for each task; those of other tasks are left out
 * @param target of the kernels of the other layers
 * @param exact true: no kernel rounds in other places than the definition, as those of Winograd's algorithm
 */
Result<ModelLibrary> make_model_library(const graph::Graph& graph, const std::string& name,
                                        std::span<const ExportedKernel> tuned,
                                        const schedule::TargetDescription& target,
                                        const ModelReference& reference, bool exact = false);

/** Writes a library into a folder: see write_kernel_folder() for what is replaced. */
Status write_model_library(const ModelLibrary& library, const std::filesystem::path& folder, bool force);

}  // namespace kernelscape::exchange

#pragma once

#include <string>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/base/media/cmake_script.h"
#include "core/base/media/markdown.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/exchange/model/model_library.h"
#include "core/exchange/model/model_steps.h"
#include "core/graph/memory_plan.h"

namespace kernelscape::exchange {

/** What the texts of a model's library are written from. */
struct ModelTexts {
  const std::string& name;
  const graph::Graph& graph;
  const ModelSteps& steps;
  const std::vector<ExportedKernel>& kernels;
  const graph::MemoryPlan& memory;
  const std::vector<ValueForm>& outputs;  ///< row-major forms of the graph's outputs
  const ModelLibrarySummary& summary;
  double tolerance = 1e-4;  ///< of the check
};

base::CSourceText model_source(const ModelTexts& texts, std::uint64_t checksum);  ///< NAME.c
base::CMakeText model_cmake(const ModelTexts& texts);                             ///< CMakeLists.txt
base::MarkdownText model_readme(const ModelTexts& texts);                         ///< README.md
std::string model_example(const ModelTexts& texts);                               ///< example.py

/** Returns the files that compute the model: the kernels, and the steps between them. */
std::vector<LibrarySource> model_sources(const ModelTexts& texts);

/** Returns all files but the manifest and those of tensors. */
std::vector<ExportedFile> model_text_files(const ModelTexts& texts, std::uint64_t checksum);

}  // namespace kernelscape::exchange

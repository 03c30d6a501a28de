#pragma once

#include <string>
#include <vector>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/store/store.h"

namespace kernelscape {

/** The kernels of a network, to be taken home as one library. */
struct NetworkKernels {
  NetworkOfKernels network;             ///< with the order in which it calls them
  std::vector<ExportedKernel> kernels;  ///< by the network's order of layers, each with its multiplicity
  std::vector<std::string> notices;     ///< layers without a kernel, or whose kernel was not confirmed
};

/** The best kernel of each layer of a network's study. NotFound where no layer has one. */
Result<NetworkKernels> network_kernels(const Store& store, StudyId id);

/**
 * Decides for each layer whether its kernel is oneDNN's: see take_vendor_where_faster() of a kernel.
 *
 * Refused: the kernels are for a GPU. NotFound: of no layer the vendor's library was measured in turns with
 * its kernel; the error says why of the first.
 */
Status take_vendor_where_faster(NetworkKernels& network);

/** "resnet18_C2: oneDNN's is faster: ...", of each kernel that may be the vendor's; for users. */
std::vector<std::string> choice_texts(const NetworkKernels& network);

}  // namespace kernelscape

#pragma once

#include <string>
#include <vector>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/store/store.h"

namespace kernelscape::study {

/** The kernels of a network, ready for export as one library. */
struct NetworkKernels {
  exchange::NetworkOfKernels network;  ///< with the order of its calls
  std::vector<exchange::ExportedKernel>
      kernels;                       ///< in the network's order of layers, each with its multiplicity
  std::vector<std::string> notices;  ///< layers without a kernel, or with an unconfirmed kernel
};

/** Returns the best kernel of each layer of a network's study. Returns NotFound if no layer has one. */
Result<NetworkKernels> network_kernels(const store::Store& store, store::StudyId id);

/**
 * Decides for each layer whether the library uses oneDNN's kernel: see take_vendor_where_faster() of a
 * kernel.
 * Returns Refused if the kernels are for a GPU. Returns NotFound if no layer's kernel was measured in turns
 * with the vendor's library; the error gives the reason for the first layer.
 */
Status take_vendor_where_faster(NetworkKernels& network);

/**
 * Returns a text for each kernel that may be the vendor's, for users: "resnet18_C2: oneDNN's is faster: ...".
 */
std::vector<std::string> choice_texts(const NetworkKernels& network);

}  // namespace kernelscape::study

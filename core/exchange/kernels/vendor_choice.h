#pragma once

#include <string>

#include "core/exchange/kernels/exported_kernel.h"

namespace kernelscape {

/**
 * Decides whether a layer's kernel in a library is oneDNN's, and says why in kernel.vendor. It is where that
 * was measured to be faster beyond doubt, in turns with ours: the interval that holds its median (95 %) lies
 * wholly below that of ours. Then the kernel's arguments get the layouts that oneDNN chose. It is not where
 * these can't be declared, and not for transposed convolutions.
 */
void take_vendor_where_faster(ExportedKernel& kernel);

/** "oneDNN 2.6.3, brgconv:avx512_core" */
std::string vendor_text(const VendorResult& vendor);

}  // namespace kernelscape

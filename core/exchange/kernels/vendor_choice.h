#pragma once

#include <string>

#include "core/exchange/kernels/exported_kernel.h"

namespace kernelscape::exchange {

/**
 * Decides whether a layer's kernel in a library is oneDNN's, and stores the reason in kernel.vendor. oneDNN's
 * kernel is used if interleaved measurements show that it is faster: the 95 % confidence interval of its
 * median lies entirely below that of the tuned kernel. The kernel's arguments then get the layouts that
 * oneDNN chose. It is not used if these layouts cannot be declared, or for transposed convolutions.
 */
void take_vendor_where_faster(ExportedKernel& kernel);

/** Returns "oneDNN 2.6.3, brgconv:avx512_core". */
std::string vendor_text(const trial::VendorResult& vendor);

}  // namespace kernelscape::exchange

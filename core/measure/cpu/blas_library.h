#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/measure/vendor_library.h"

namespace kernelscape::measure {

/**
 * The part of a BLAS library that Kernelscape calls, in declarations of its own: names and signatures are
 * those of the Fortran interface of BLAS, which OpenBLAS, BLIS and libxsmm share. Matrices are column-major.
 */
struct BlasFunctions {
  /** c = alpha op(a) op(b) + beta c, with c of m x n and k products for each element. */
  using Multiply = void(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                        const int* k, const float* alpha, const float* a, const int* leading_a,
                        const float* b, const int* leading_b, const float* beta, float* c,
                        const int* leading_c);
  /** y = alpha op(a) x + beta y, with a of m x n. */
  using MultiplyVector = void(const char* transpose, const int* m, const int* n, const float* alpha,
                              const float* a, const int* leading_a, const float* x, const int* step_x,
                              const float* beta, float* y, const int* step_y);

  std::function<Multiply> multiply{};
  MultiplyVector* multiply_vector = nullptr;  ///< null: the library has none
};

/** An opened library, which stays open until the process ends. */
struct BlasLibrary {
  BlasFunctions functions;
  std::string name;         ///< "OpenBLAS 0.3.21"
  std::string description;  ///< kernels that the library chose for the processor: "SkylakeX"; may be empty
  std::string entry;        ///< the function that multiplies: "sgemm", "libxsmm_sgemm on one thread"
};

/**
 * Opens OpenBLAS, BLIS or libxsmm and sets its number of threads. Returns NotFound if it is not installed,
 * and Environment if the file that its environment variable names can't be opened, or lacks a function.
 */
Result<BlasLibrary> open_blas_library(VendorLibrary library, int threads);

}  // namespace kernelscape::measure

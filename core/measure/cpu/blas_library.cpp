#include "core/measure/cpu/blas_library.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/measure/gpu/cuda_libraries.h"

namespace kernelscape::measure {
namespace {

/** Returns where a library is searched: by the loader, then in the folders of Debian's variants. */
RuntimeLibrary blas_runtime_library(VendorLibrary library) {
  switch (library) {
    case VendorLibrary::OpenBlas:
      return {.name = "OpenBLAS",
              .variable = "KERNELSCAPE_OPENBLAS",
              .file_names = {"libopenblas.so.0"},
              .first_folders = {},
              .last_folders = {"/usr/lib/*/openblas-*"},
              .remedy = "install it (Debian: libopenblas0-pthread)"};
    case VendorLibrary::Blis:
      return {.name = "BLIS",
              .variable = "KERNELSCAPE_BLIS",
              .file_names = {"libblis.so.4", "libblis.so.5", "libblis.so.3"},
              .first_folders = {},
              .last_folders = {"/usr/lib/*/blis-*"},
              .remedy = "install it (Debian: libblis4-pthread)"};
    default:
      return {.name = "libxsmm",
              .variable = "KERNELSCAPE_LIBXSMM",
              .file_names = {"libxsmmext.so.1", "libxsmmext.so", "libxsmm.so.1", "libxsmm.so"},
              .first_folders = {},
              .last_folders = {"/usr/local/lib"},
              .remedy = "build it with STATIC=0, since Debian has static libraries only"};
  }
}

/** Returns "0.3.21" of "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY"; empty if no number follows a space. */
std::string first_version_in(std::string_view text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find(' ', begin) - begin));
}

/** Returns "1.17.0" of "/usr/lib/x86_64-linux-gnu/libxsmmext.so.1.17.0", which a link may lead to. */
std::string version_of_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  const std::string name = (error ? std::filesystem::path(path) : real).filename().string();
  const std::size_t end = name.find(".so.");
  return end == std::string::npos ? std::string() : name.substr(end + 4);
}

std::string named_version(std::string_view name, const std::string& version) {
  return version.empty() ? std::string(name) : fmt::format("{} {}", name, version);
}

/** Returns the text that a function of the library gives; empty if it has no such function. */
std::string text_from(const OpenedLibrary& opened, const char* symbol) {
  const char* (*function)() = nullptr;
  if (!opened.bind(symbol, function)) return {};
  const char* text = function();
  return text != nullptr ? text : "";
}

void describe_openblas(const OpenedLibrary& opened, int threads, BlasLibrary& library) {
  void (*set_threads)(int) = nullptr;
  if (opened.bind("openblas_set_num_threads", set_threads)) set_threads(threads);
  library.name = named_version("OpenBLAS", first_version_in(text_from(opened, "openblas_get_config")));
  library.description = text_from(opened, "openblas_get_corename");
}

void describe_blis(const OpenedLibrary& opened, int threads, BlasLibrary& library) {
  void (*set_threads)(std::int64_t) = nullptr;
  if (opened.bind("bli_thread_set_num_threads", set_threads)) set_threads(threads);
  library.name = named_version("BLIS", text_from(opened, "bli_info_get_version_str"));
  int (*architecture)() = nullptr;
  const char* (*architecture_name)(int) = nullptr;
  if (!opened.bind("bli_arch_query_id", architecture) || !opened.bind("bli_arch_string", architecture_name))
    return;
  const char* text = architecture_name(architecture());
  library.description = text != nullptr ? text : "";
}

/**
 * Sets the multiplication of OpenBLAS or BLIS, or of libxsmm: the parallel one, an OpenMP program whose
 * threads are those of the environment, or that of a library that has only one thread.
 */
void set_multiply(const OpenedLibrary& opened, VendorLibrary wanted, BlasLibrary& library) {
  using MultiplyAny =
      void(int type, int output_type, const char* transpose_a, const char* transpose_b, const int* m,
           const int* n, const int* k, const void* alpha, const void* a, const int* leading_a, const void* b,
           const int* leading_b, const void* beta, void* c, const int* leading_c);
  constexpr int type_f32 = 1;  // LIBXSMM_GEMM_PRECISION_F32
  MultiplyAny* multiply_any = nullptr;
  BlasFunctions::Multiply* multiply = nullptr;
  if (wanted != VendorLibrary::Libxsmm) {
    library.entry = "sgemm";
    if (opened.bind("sgemm_", multiply)) library.functions.multiply = multiply;
  } else if (opened.bind("libxsmm_xgemm_omp", multiply_any)) {
    library.entry = "libxsmm_xgemm_omp";
    library.functions.multiply = [multiply_any](const auto... arguments) {
      multiply_any(type_f32, type_f32, arguments...);
    };
  } else {
    library.entry = "libxsmm_sgemm";
    if (opened.bind("libxsmm_sgemm", multiply)) library.functions.multiply = multiply;
  }
}

void describe_libxsmm(const OpenedLibrary& opened, BlasLibrary& library) {
  library.name = named_version("libxsmm", version_of_file(opened.path()));
  library.description = text_from(opened, "libxsmm_get_target_arch");
  if (library.entry == "libxsmm_sgemm") library.entry += " on one thread";
}

}  // namespace

Result<BlasLibrary> open_blas_library(VendorLibrary library, int threads) {
  const RuntimeLibrary wanted = blas_runtime_library(library);
  Result<OpenedLibrary> opened = open_runtime_library(wanted);
  if (!opened) {
    Error problem = std::move(opened.error());
    const char* named = std::getenv(wanted.variable.c_str());
    if (named == nullptr || *named == '\0') problem.code = ErrorCode::NotFound;
    return std::unexpected(std::move(problem));
  }
  BlasLibrary result;
  set_multiply(*opened, library, result);
  if (!result.functions.multiply)
    return fail(ErrorCode::Environment, fmt::format("{} has no function {}", opened->path(), result.entry),
                wanted.remedy);
  if (library == VendorLibrary::OpenBlas) {
    describe_openblas(*opened, threads, result);
  } else if (library == VendorLibrary::Blis) {
    describe_blis(*opened, threads, result);
  } else {
    describe_libxsmm(*opened, result);
    return result;
  }
  opened->bind("sgemv_", result.functions.multiply_vector);
  return result;
}

}  // namespace kernelscape::measure

// Stands in for OpenBLAS, BLIS and libxsmm: the functions that Kernelscape calls, written after the
// libraries' documentation, apart from the declarations under test. Which of the three it is follows from the
// function that sets the number of threads. KERNELSCAPE_STUB_BLAS, words of the form key=library, says how it
// behaves:
//   fast=openblas    repeated calls with the same arguments return at once, since their result is there
//   wrong=openblas   the first element of a product is never written
//   crash=openblas   a product ends the process
//   crash_if=FILE    a product of the library of breaks=openblas ends the process once there is this file
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string library = "libxsmm";
std::string kernels = "stub";

bool is_set(std::string_view key) {
  const char* text = std::getenv("KERNELSCAPE_STUB_BLAS");
  const std::string words = text != nullptr ? std::string(" ") + text + " " : " ";
  return words.find(" " + std::string(key) + "=" + library + " ") != std::string::npos;
}

/** Returns the file whose existence makes this library crash; empty: none. */
std::string crash_file() {
  const char* text = std::getenv("KERNELSCAPE_STUB_BLAS");
  const std::string words = text != nullptr ? text : "";
  constexpr std::string_view key = "crash_if=";
  const std::size_t place = words.find(key);
  if (place == std::string::npos || !is_set("breaks")) return {};
  const std::size_t begin = place + key.size();
  return words.substr(begin, words.find(' ', begin) - begin);
}

void become(const char* name, std::int64_t threads) {
  library = name;
  kernels = "stub with " + std::to_string(threads) + " threads";
}

/** The pointers of the last product: the same ones have the same result. */
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;
  const float* c = nullptr;
  bool operator==(const Operands&) const = default;
};

/** Returns true if the product needs to be computed. */
bool begin_product(const Operands& operands) {
  static Operands last;
  static const bool crashes = is_set("crash");
  static const bool fast = is_set("fast");
  static const std::string file = crash_file();
  if (crashes || (!file.empty() && access(file.c_str(), F_OK) == 0)) std::abort();
  const bool known = fast && operands == last;
  last = operands;
  return !known;
}

bool transposed(const char* text) { return *text == 'T' || *text == 't'; }

void multiply(const char* transpose_a, const char* transpose_b, int m, int n, int k, float alpha,
              const float* a, int leading_a, const float* b, int leading_b, float beta, float* c,
              int leading_c) {
  if (!begin_product({a, b, c})) return;
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      if (row == 0 && column == 0 && is_set("wrong")) continue;
      float sum = 0;
      for (int i = 0; i < k; ++i) {
        const float left = transposed(transpose_a) ? a[i + row * leading_a] : a[row + i * leading_a];
        const float right = transposed(transpose_b) ? b[column + i * leading_b] : b[i + column * leading_b];
        sum += left * right;
      }
      float& out = c[row + column * leading_c];
      out = alpha * sum + (beta == 0 ? 0 : beta * out);
    }
  }
}

}  // namespace

extern "C" {

void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* leading_a, const float* b, const int* leading_b,
            const float* beta, float* c, const int* leading_c) {
  multiply(transpose_a, transpose_b, *m, *n, *k, *alpha, a, *leading_a, b, *leading_b, *beta, c, *leading_c);
}

void libxsmm_xgemm_omp(int type, int output_type, const char* transpose_a, const char* transpose_b,
                       const int* m, const int* n, const int* k, const void* alpha, const void* a,
                       const int* leading_a, const void* b, const int* leading_b, const void* beta, void* c,
                       const int* leading_c) {
  constexpr int f32 = 1;
  if (type != f32 || output_type != f32) std::abort();
  multiply(transpose_a, transpose_b, *m, *n, *k, *static_cast<const float*>(alpha),
           static_cast<const float*>(a), *leading_a, static_cast<const float*>(b), *leading_b,
           *static_cast<const float*>(beta), static_cast<float*>(c), *leading_c);
}

void sgemv_(const char* transpose, const int* m, const int* n, const float* alpha, const float* a,
            const int* leading_a, const float* x, const int* step_x, const float* beta, float* y,
            const int* step_y) {
  if (!begin_product({a, x, y})) return;
  const bool is_transposed = transposed(transpose);
  const int outputs = is_transposed ? *n : *m;
  const int products = is_transposed ? *m : *n;
  for (int output = 0; output < outputs; ++output) {
    float sum = 0;
    for (int i = 0; i < products; ++i)
      sum += (is_transposed ? a[i + output * *leading_a] : a[output + i * *leading_a]) * x[i * *step_x];
    float& out = y[output * *step_y];
    out = *alpha * sum + (*beta == 0 ? 0 : *beta * out);
  }
}

void openblas_set_num_threads(int threads) { become("openblas", threads); }
char* openblas_get_config() {
  static char text[] = "OpenBLAS 0.3.21 NO_AFFINITY USE_STUB MAX_THREADS=64";
  return text;
}
char* openblas_get_corename() { return kernels.data(); }

void bli_thread_set_num_threads(std::int64_t threads) { become("blis", threads); }
char* bli_info_get_version_str() {
  static char text[] = "0.9.0";
  return text;
}
int bli_arch_query_id() { return 7; }
const char* bli_arch_string(int id) { return id == 7 ? kernels.c_str() : "unknown"; }

const char* libxsmm_get_target_arch() { return "stub"; }

}  // extern "C"

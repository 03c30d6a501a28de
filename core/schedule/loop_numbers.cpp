#include "core/schedule/loop_numbers.h"

#include <fmt/format.h>

namespace kernelscape::schedule {
namespace {

constexpr std::array loop_numbers{"log2 length", "nest level", "log2 topdown", "log2 bottomup"};
constexpr std::array operations{"log2 additions", "log2 multiplications", "log2 divisions"};
constexpr std::array touch_numbers{"log2 stride", "log2 mod",          "log2 count",
                                   "log2 reuse",  "log2 thread count", "log2 thread reuse"};
static_assert(numbers_per_loop == loop_numbers.size() + annotation_count + operations.size() +
                                      touched_tensors * touch_numbers.size());
constexpr std::int64_t no_modulus = -1;

/** Writes one number after the other. */
class Writer {
 public:
  explicit Writer(float* next) : next_(next) {}
  void number(float value) { *next_++ = value; }
  void logarithm(std::int64_t value) { number(signed_logarithm(value)); }

 private:
  float* next_;
};

}  // namespace

float signed_logarithm(std::int64_t value) {
  const double logarithm = binary_logarithm(1 + (value < 0 ? -value : value));
  return static_cast<float>(value < 0 ? -logarithm : logarithm);
}

std::vector<std::string> loop_number_names(const std::array<std::string, touched_tensors>& tensors) {
  std::vector<std::string> names(loop_numbers.begin(), loop_numbers.end());
  names.insert(names.end(), annotation_names.begin(), annotation_names.end());
  names.insert(names.end(), operations.begin(), operations.end());
  for (const std::string& tensor : tensors)
    for (const char* number : touch_numbers) names.push_back(fmt::format("{} of {}", number, tensor));
  return names;
}

void write_loop_numbers(const TouchedLoop& loop, std::size_t nest_level, bool innermost,
                        std::span<float, numbers_per_loop> numbers) {
  Writer out(numbers.data());
  out.logarithm(loop.length);
  out.number(static_cast<float>(nest_level));
  out.logarithm(loop.topdown);
  out.logarithm(loop.bottomup);
  for (std::size_t annotation = 0; annotation < annotation_count; ++annotation)
    out.number(annotation == static_cast<std::size_t>(loop.annotation) ? 1.0F : 0.0F);
  for (const std::int64_t count : {1, 1, 0}) out.logarithm(innermost ? count : 0);
  for (const Touch& touch : loop.touches)
    for (const std::int64_t number :
         {touch.stride, no_modulus, touch.count, touch.reuse, touch.thread_count, touch.thread_reuse})
      out.logarithm(number);
}

}  // namespace kernelscape::schedule

#include <fmt/format.h>

#include <algorithm>

#include "core/schedule/loop_features.h"
#include "core/schedule/loop_touches.h"

namespace kernelscape {
namespace {

constexpr std::array loop_numbers{"log2 length", "nest level", "log2 topdown", "log2 bottomup"};
constexpr std::array operations{"log2 additions", "log2 multiplications", "log2 divisions"};
constexpr std::array touch_numbers{"log2 stride", "log2 mod",          "log2 count",
                                   "log2 reuse",  "log2 thread count", "log2 thread reuse"};
constexpr std::size_t numbers_per_loop =
    loop_numbers.size() + annotation_count + operations.size() + touched_tensors * touch_numbers.size();
constexpr std::int64_t no_modulus = -1;

float signed_logarithm(std::int64_t value) {
  const double logarithm = binary_logarithm(1 + (value < 0 ? -value : value));
  return static_cast<float>(value < 0 ? -logarithm : logarithm);
}

/** One number after the other. */
class Writer {
 public:
  explicit Writer(float* next) : next_(next) {}
  void number(float value) { *next_++ = value; }
  void logarithm(std::int64_t value) { number(signed_logarithm(value)); }

 private:
  float* next_;
};

void write_loop(const TouchedLoop& loop, std::size_t nest_level, bool innermost, Writer out) {
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

class ItervarFeatures final : public FeatureExtractor {
 public:
  explicit ItervarFeatures(const ScheduledKernel& kernel)
      : touches_(kernel.shared_schedule()), options_(kernel.space(), KnobSelection::Options) {
    for (const std::string& loop : touches_.loop_names()) name_loop(loop);
    names_.insert(names_.end(), options_.names().begin(), options_.names().end());
  }

  std::string name() const override { return "itervar"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }

  void write(const Configuration& configuration, std::span<float> row) const override {
    const std::vector<TouchedLoop> loops = touches_.of(configuration);
    for (std::size_t i = 0; i < loops.size(); ++i)
      write_loop(loops[i], i + 1, i + 1 == loops.size(), Writer(&row[i * numbers_per_loop]));
    options_.write(configuration, row.subspan(loops.size() * numbers_per_loop));
  }

 private:
  void name_loop(const std::string& loop) {
    const auto add = [&](std::string_view number) { names_.push_back(fmt::format("{}: {}", loop, number)); };
    std::ranges::for_each(loop_numbers, add);
    std::ranges::for_each(annotation_names, add);
    std::ranges::for_each(operations, add);
    for (const std::string& tensor : touches_.tensor_names())
      for (const char* number : touch_numbers) add(fmt::format("{} of {}", number, tensor));
  }

  LoopTouches touches_;
  KnobFeatures options_;
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const FeatureExtractor> itervar_features(const ScheduledKernel& kernel) {
  return std::make_shared<ItervarFeatures>(kernel);
}

}  // namespace kernelscape

#include "core/task/reference.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "core/base/first_exception.h"
#include "core/task/evaluation.h"
#include "core/task/reference_sample.h"

namespace kernelscape::task {
namespace {

/** Hands out 0 .. count-1 in chunks; `work` is called once per thread with a function that gives the next
 * chunk. */
struct Chunk {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/**
 * Distributes 0 .. count-1 in chunks: each thread calls `work` once, with a function that returns the next
 * chunk.
 */
void in_parallel(std::int64_t count, int threads,
                 const std::function<void(const std::function<Chunk()>&)>& work) {
  const std::int64_t workers = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1));
  const std::int64_t size = std::max<std::int64_t>(1, count / (workers * 16));
  std::atomic<std::int64_t> next = 0;
  const auto take = [&] {
    const std::int64_t begin = std::min(next.fetch_add(size), count);
    return Chunk{begin, std::min(begin + size, count)};
  };
  base::FirstException exception;
  const auto work_along = [&] { exception.run([&] { work(take); }); };
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < workers; ++i) others.emplace_back(work_along);
  work_along();
  others.clear();
  exception.throw_again();
}

Reference compute_complete(const TensorOperator& op, const ReferenceInputs& inputs, int threads) {
  const EvaluationPlan plan = plan_evaluation(op, false);
  const auto elements = static_cast<std::size_t>(op.output.element_count());
  Reference reference{std::vector<double>(elements), {}, std::vector<double>(elements)};
  in_parallel(plan.unit_count(), threads, [&](const std::function<Chunk()>& take) {
    Evaluator evaluator(plan, inputs.tensors[0], inputs.tensors[1]);
    for (Chunk chunk = take(); chunk.begin < chunk.end; chunk = take()) {
      for (std::int64_t unit = chunk.begin; unit < chunk.end; ++unit) {
        evaluator.evaluate(unit);
        std::int64_t position = evaluator.output_position();
        for (std::size_t i = 0; i < evaluator.sums().size(); ++i, position += evaluator.output_step()) {
          reference.values[static_cast<std::size_t>(position)] = evaluator.sums()[i];
          reference.magnitudes[static_cast<std::size_t>(position)] = evaluator.magnitudes()[i];
        }
      }
    }
  });
  return reference;
}

Reference compute_sample(const TensorOperator& op, const ReferenceInputs& inputs, int threads,
                         std::uint64_t seed) {
  const EvaluationPlan plan = plan_evaluation(op, true);
  const std::vector<SamplePoint> points = sample_points(op, seed);
  Reference reference;
  for (const SamplePoint& point : points) reference.positions.push_back(point.position);
  reference.values.resize(points.size());
  reference.magnitudes.resize(points.size());
  in_parallel(static_cast<std::int64_t>(points.size()), threads, [&](const std::function<Chunk()>& take) {
    Evaluator evaluator(plan, inputs.tensors[0], inputs.tensors[1]);
    for (Chunk chunk = take(); chunk.begin < chunk.end; chunk = take()) {
      for (auto i = static_cast<std::size_t>(chunk.begin); i < static_cast<std::size_t>(chunk.end); ++i) {
        evaluator.evaluate(points[i].unit);
        reference.values[i] = evaluator.sums()[0];
        reference.magnitudes[i] = evaluator.magnitudes()[0];
      }
    }
  });
  return reference;
}

/** Returns the position in an operand of the element for an output's position; both are row-major. */
std::int64_t operand_position(const TensorOperator& op, const TensorAccess& operand, std::int64_t position) {
  if (operand.indices == op.output.indices) return position;
  // Its dimensions are consecutive dimensions of the output.
  const auto first = std::ranges::search(op.output.indices, operand.indices).begin();
  const auto place = static_cast<std::size_t>(first - op.output.indices.begin());
  std::int64_t inside = 1;
  for (std::size_t d = place + operand.shape.size(); d < op.output.shape.size(); ++d)
    inside *= op.output.shape[d];
  return position / inside % operand.element_count();
}

/** Applies the epilogue to the sums, in double precision. */
void apply_epilogue(const TensorOperator& op, const ReferenceInputs& inputs, Reference& reference) {
  for (std::size_t i = 0; !op.epilogue.empty() && i < reference.values.size(); ++i) {
    const std::int64_t position =
        reference.positions.empty() ? static_cast<std::int64_t>(i) : reference.positions[i];
    std::size_t next = 0;  // the operand of the next step that has one
    for (const EpilogueStep& step : op.epilogue) {
      double operand = 0;
      if (has_operand(step.kind)) {
        const TensorAccess& access = op.operands[next];
        const std::vector<double>& tensor = inputs.tensors[op.inputs.size() + next++];
        operand = tensor[static_cast<std::size_t>(operand_position(op, access, position))];
      }
      double& value = reference.values[i];
      value = apply(step, value, operand);
      double& magnitude = reference.magnitudes[i];
      magnitude = std::max(magnitude_after(step, magnitude, operand), std::fabs(value));
    }
  }
}

}  // namespace

Reference compute_reference(const TensorOperator& op, const ReferenceInputs& inputs, int threads,
                            std::uint64_t sample_seed) {
  if (op.inputs.size() != 2 || inputs.tensors.size() != 2 + op.operands.size())
    throw std::logic_error("an operator has two inputs, and operands of its epilogue");
  for (std::size_t i = 0; i < inputs.tensors.size(); ++i) {
    const TensorAccess& access = i < 2 ? op.inputs[i] : op.operands[i - 2];
    if (static_cast<std::int64_t>(inputs.tensors[i].size()) != access.element_count())
      throw std::logic_error("the input " + access.tensor + " does not have its operator's size");
  }
  // A sample of a small output would contain most of it.
  const bool sampled =
      op.flops() > largest_complete_reference_flops && op.output.element_count() > 2 * min_sample_positions;
  Reference reference =
      sampled ? compute_sample(op, inputs, threads, sample_seed) : compute_complete(op, inputs, threads);
  apply_epilogue(op, inputs, reference);
  return reference;
}

std::shared_ptr<const Reference> cached_reference(const TensorOperator& op, std::uint64_t seed, int threads) {
  struct Entry {
    TensorOperator op;
    std::uint64_t seed;
    std::shared_ptr<const Reference> reference;
  };
  constexpr std::size_t kept = 3;
  static std::mutex mutex;
  static std::list<Entry> entries;  // latest first
  // Held while computing: a second caller that needs the same reference waits for it, and all cores are busy
  // anyway.
  const std::lock_guard lock(mutex);
  const auto found =
      std::ranges::find_if(entries, [&](const Entry& e) { return e.seed == seed && e.op == op; });
  if (found != entries.end()) {
    entries.splice(entries.begin(), entries, found);
  } else {
    Reference reference = compute_reference(op, make_reference_inputs(op, seed), threads, seed);
    entries.push_front({op, seed, std::make_shared<const Reference>(std::move(reference))});
    if (entries.size() > kept) entries.pop_back();
  }
  return entries.front().reference;
}

}  // namespace kernelscape::task

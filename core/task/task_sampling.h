#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/layer_table.h"

namespace kernelscape {

/** How tasks are drawn from a table of layers. */
enum class TaskSampling : std::uint8_t {
  Prior,  ///< field by field, each from the layers that agree in some fields drawn before (layer_fields())
  /** Field by field in an order drawn anew, each from the layers that agree in all fields drawn before: the
   * paper's sampling. It can only give a layer of the table, as often as the layer occurs. */
  Rows,
  /** An operation, then each field by itself, uniform over the values that it takes with this operation. */
  Uniform,
};

/** "prior", "rows", "uniform". */
std::string to_string(TaskSampling method);
/** What to_string wrote. Error: NotFound, offering the nearest. */
Result<TaskSampling> parse_task_sampling(std::string_view text);

/** So many draws in a row without a new task end a sampling. */
inline constexpr std::int64_t most_fruitless_draws = 100'000;

struct SamplingRequest {
  TaskSampling method = TaskSampling::Prior;
  std::size_t count = 0;  ///< of different tasks
  std::uint64_t seed = 0;
  /** Tasks as parse_task takes them; none of these shapes is drawn, whatever it is called. */
  std::vector<std::string> held_out;
  /** Whether a task is wanted: that a template fits it, that it is not too large. Empty: all are. */
  std::function<Status(const Task&)> accepts;
};

/** Every draw is one of these: a task, repeated, held out, not accepted, or impossible. */
struct SampledTasks {
  std::vector<Task> tasks;  ///< different ones, in the order drawn; their texts are their names
  std::int64_t drawn = 0;
  std::int64_t repeated = 0;  ///< a task drawn before
  std::int64_t refused_held_out = 0;
  std::int64_t not_accepted = 0;
  std::int64_t impossible = 0;    ///< fields that no task has together
  std::int64_t not_in_table = 0;  ///< how many of the tasks are no layer of the table
};

/**
 * Different tasks, drawn at random; the same table, request and version give the same. Errors:
 * InvalidArgument for an empty table, a held-out text that is no task, and where most_fruitless_draws in a
 * row gave nothing new, which says how many were found.
 */
Result<SampledTasks> sample_tasks(const LayerTable& table, const SamplingRequest& request);

}  // namespace kernelscape

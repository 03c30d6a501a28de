#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/layer_table.h"

namespace kernelscape::task {

/** The method by which tasks are drawn from a table of layers. */
enum class Sampling : std::uint8_t {
  Prior,  ///< field by field, each from the layers that agree in some fields drawn before (layer_fields())
  /**
   * Draws field by field in a random order, each field from the layers that agree in all fields drawn before:
   * the paper's sampling. It can only return a layer of the table, with the frequency of the layer.
   */
  Rows,
  /**
   * Draws an operation, then each field independently and uniformly from the values that occur with this
   * operation.
   */
  Uniform,
};

/** Returns "prior", "rows" or "uniform". */
std::string to_string(Sampling method);
/** Parses the output of to_string(). Error: NotFound, which lists the most similar names. */
Result<Sampling> parse_task_sampling(std::string_view text);

/** Sampling ends after this many consecutive draws without a new task. */
inline constexpr std::int64_t max_fruitless_draws = 100'000;

struct SamplingRequest {
  Sampling method = Sampling::Prior;
  std::size_t count = 0;  ///< number of different tasks
  std::uint64_t seed = 0;
  /**
   * Texts of tasks as parse_task() accepts them. A task with the shape of one of these is not drawn, whatever
   * its name is.
   */
  std::vector<std::string> held_out;
  /**
   * Returns an error if a task is not acceptable: for example, no template fits it, or it is too large.
   * Empty: all tasks are accepted.
   */
  std::function<Status(const Task&)> accepts;
};

/**
 * The result of a sampling. Every draw is counted once: as a task, repeated, held out, not accepted, or
 * impossible.
 */
struct SampledTasks {
  std::vector<Task> tasks;  ///< different tasks, in the order drawn; their texts are their names
  std::int64_t drawn = 0;
  std::int64_t repeated = 0;  ///< a task drawn before
  std::int64_t refused_held_out = 0;
  std::int64_t not_accepted = 0;
  std::int64_t impossible = 0;    ///< combinations of field values that no task has
  std::int64_t not_in_table = 0;  ///< number of tasks that are not a layer of the table
};

/**
 * Draws different tasks at random. The result is determined by the table, the request and the program
 * version. Errors: InvalidArgument for an empty table, for a held-out text that is not a task, and if
 * max_fruitless_draws consecutive draws gave nothing new; this error says how many tasks were found.
 */
Result<SampledTasks> sample_tasks(const LayerTable& table, const SamplingRequest& request);

}  // namespace kernelscape::task

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store/store.h"

namespace kernelscape {

/** What a data set has of one of its tasks so far. */
struct DataSetTask {
  std::string task;  ///< as the data set has it: usually its text
  double flops = 0;  ///< 0: not known
  std::optional<SessionId> session;
  SessionStatus status = {};
  std::string error;              ///< why there is no session, or why it failed; empty: none
  std::int64_t valid = 0;         ///< of its trials
  std::int64_t before_model = 0;  ///< trials before the first that a model chose: drawn at random
  double valid_share() const {    ///< 0 without trials
    return status.trial_count > 0 ? static_cast<double>(valid) / static_cast<double>(status.trial_count) : 0;
  }
};

/** By the data set's order of tasks; of repeats one after the other. NotFound where there is no such study.
 */
Result<std::vector<DataSetTask>> data_set_tasks(const Store& store, StudyId id);

}  // namespace kernelscape

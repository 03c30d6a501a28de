#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store/store.h"

namespace kernelscape::study {

/** The current state of one task of a data set. */
struct DataSetTask {
  std::string task;  ///< as in the data set: usually its text
  double flops = 0;  ///< 0: not known
  std::optional<store::SessionId> session;
  store::SessionStatus status = {};
  std::string error;              ///< why there is no session, or why it failed; empty: no error
  std::int64_t valid = 0;         ///< number of valid trials
  std::int64_t before_model = 0;  ///< trials before the first that a model chose, which were drawn at random
  double valid_share() const {    ///< 0 without trials
    return status.trial_count > 0 ? static_cast<double>(valid) / static_cast<double>(status.trial_count) : 0;
  }
};

/**
 * Returns the tasks in the data set's order, the repeats of a task one after the other. Returns NotFound if
 * there is no such study.
 */
Result<std::vector<DataSetTask>> data_set_tasks(const store::Store& store, store::StudyId id);

}  // namespace kernelscape::study

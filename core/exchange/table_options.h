#pragma once

#include <string>
#include <vector>

namespace kernelscape::exchange {

/** What a user states about the columns of a table; whatever is empty is guessed. */
struct TableOptions {
  std::vector<std::string> parameters{};   ///< names of the columns that form a configuration
  std::string objective{};                 ///< name of the column that ranks
  std::vector<std::string> metrics{};      ///< names of columns of numbers that are kept beside the objective
  std::vector<std::string> ignored{};      ///< names of columns that are left out
  std::string unit{};                      ///< of the objective: "ms", "GFLOPS", "GB/s", "none"
  std::vector<std::string> failed_when{};  ///< conditions of failed rows: "status!=ok", "time_ms>=1000"

  bool given() const {  ///< the user stated anything
    return !parameters.empty() || !objective.empty() || !metrics.empty() || !ignored.empty() ||
           !unit.empty() || !failed_when.empty();
  }
};

}  // namespace kernelscape::exchange

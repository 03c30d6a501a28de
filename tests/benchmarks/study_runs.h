#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is not of <cstdlib>

#include <filesystem>
#include <memory>
#include <string>

#include "core/study/comparison_reader.h"
#include "core/study/execution.h"
#include "tests/benchmarks/benchmark_support.h"

namespace kernelscape {

/** A folder that is gone at the end. */
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "study-benchmark-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) stop("no folder can be made for databases");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline Result<study::Definition> bundled_study(const std::string& name) {
  for (const std::filesystem::path& file : study::bundled_studies()) {
    if (file.stem() == name) return study::load_study(file);
  }
  return fail(ErrorCode::NotFound, "there is no study " + name);
}

struct FinishedStudy {
  double wall_seconds = 0;
  double read_seconds = 0;
  std::int64_t trials = 0;
  std::shared_ptr<const analysis::ComparedRuns> runs;
};

/** Runs a study to its end in a new database, and reads it for a comparison. */
inline Result<FinishedStudy> run_whole(const study::Definition& study,
                                       const std::filesystem::path& database) {
  Result<store::Store> store = store::Store::open(database);
  if (!store) return std::unexpected(store.error());
  const Result<store::StudyId> id = study::create_study(*store, study);
  if (!id) return std::unexpected(id.error());
  FinishedStudy finished;
  study::Observer silent;
  Status ended;
  finished.wall_seconds = seconds_of([&] {
    if (const auto outcome = study::run_study(database, *id, {}, silent, session::StopRequest()); !outcome)
      ended = std::unexpected(outcome.error());
  });
  if (!ended) return std::unexpected(ended.error());
  finished.read_seconds = seconds_of([&] {
    if (auto runs = study::ComparisonReader(*store, *id).read(); runs)
      finished.runs = std::move(*runs);
    else
      ended = std::unexpected(runs.error());
  });
  if (!ended) return std::unexpected(ended.error());
  for (const analysis::ComparedRun& run : finished.runs->runs)
    finished.trials += static_cast<std::int64_t>(run.curve.end_trials);
  return finished;
}

}  // namespace kernelscape

#include "ui/workspace/study_runner.h"

#include <utility>

namespace kernelscape {
namespace {

Result<StudyId> store_study(const std::filesystem::path& database, const StudyDefinition& study) {
  Store store = TRY(Store::open(database));
  return create_study(store, study);
}

}  // namespace

/** Writes the events of the study into its view; called on the threads of its sessions. */
class StudyRunner::Observer final : public StudyObserver {
 public:
  explicit Observer(StudyRunner& runner) : runner_(runner) {}

  void progress(const StudyProgress& progress) override {
    runner_.update([&](StudyRunView& view) { view.progress = progress; });
  }

 private:
  StudyRunner& runner_;
};

StudyRunner::StudyRunner(const std::filesystem::path& database, SessionRunner runner,
                         PassMeasurer measure_pass, QObject* parent)
    : StoredWorkRunner(
          "study",
          [this, database, runner = std::move(runner), measure_pass = std::move(measure_pass)](
              StudyId id, const StopRequest& stop) -> Status {
            Observer observer(*this);
            StudyOptions options;
            options.runner = runner;
            options.measure_pass = measure_pass;
            const Result<StudyOutcome> outcome = run_study(database, id, options, observer, stop);
            return outcome ? Status() : std::unexpected(outcome.error());
          },
          parent),
      database_(database) {}

StudyRequestId StudyRunner::start(StudyDefinition study) {
  return start_new([database = database_, study = std::move(study)] { return store_study(database, study); });
}

StudyRequestId StudyRunner::start_file(const std::filesystem::path& file) {
  return start_new([database = database_, file]() -> Result<StudyId> {
    return store_study(database, TRY(load_study(file)));
  });
}

}  // namespace kernelscape

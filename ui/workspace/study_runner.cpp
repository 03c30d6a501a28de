#include "ui/workspace/study_runner.h"

#include <utility>

namespace kernelscape::workspace {
namespace {

Result<store::StudyId> store_study(const std::filesystem::path& database, const study::Definition& study) {
  store::Store store = TRY(store::Store::open(database));
  return study::create_study(store, study);
}

}  // namespace

/** Writes the events of the study into its view; called on the threads of its sessions. */
class StudyRunner::Observer final : public study::Observer {
 public:
  explicit Observer(StudyRunner& runner) : runner_(runner) {}

  void progress(const study::Progress& progress) override {
    runner_.update([&](StudyRunView& view) { view.progress = progress; });
  }
  void device_awaited(const std::string& device, const std::string& text) override {
    runner_.update([&](StudyRunView& view) {
      view.device = device;
      view.awaited = text;
      view.measuring = false;
    });
  }
  void device_used(const std::string& device) override {
    runner_.update([&](StudyRunView& view) {
      view.device = device;
      view.awaited.clear();
      view.measuring = true;
    });
  }

 private:
  StudyRunner& runner_;
};

StudyRunner::StudyRunner(const std::filesystem::path& database, session::Runner runner,
                         std::vector<study::NetworkMeasurement> measurements,
                         study::MakeRoundMeasurement round_measurement, QObject* parent)
    : StoredWorkRunner(
          "study",
          [this, database, runner = std::move(runner), measurements = std::move(measurements),
           round_measurement = std::move(round_measurement)](store::StudyId id,
                                                             const session::StopRequest& stop) -> Status {
            Observer observer(*this);
            study::Options options;
            options.runner = runner;
            options.network_measurements = measurements;
            options.round_measurement = round_measurement;
            const Result<study::Outcome> outcome = study::run_study(database, id, options, observer, stop);
            return outcome ? Status() : std::unexpected(outcome.error());
          },
          parent),
      database_(database) {}

StudyRequestId StudyRunner::start(study::Definition study) {
  return start_new([database = database_, study = std::move(study)] { return store_study(database, study); });
}

StudyRequestId StudyRunner::start_file(const std::filesystem::path& file) {
  return start_new([database = database_, file]() -> Result<store::StudyId> {
    return store_study(database, TRY(study::load_study(file)));
  });
}

}  // namespace kernelscape::workspace

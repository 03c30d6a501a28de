#pragma once

#include <QTemporaryDir>

#include "core/project/trust.h"
#include "core/project/trusted_version.h"
#include "core/session/project_preparation.h"
#include "tests/gui/gui_support.h"
#include "tests/project/project_folder.h"

namespace kernelscape::gui_tests {

/** Nobody trusts anything at first, and nobody's own answers are changed. */
class TrustOfNobody {
 public:
  TrustOfNobody() { qputenv("XDG_CONFIG_HOME", folder_.path().toUtf8()); }
  ~TrustOfNobody() { qunsetenv("XDG_CONFIG_HOME"); }

 private:
  QTemporaryDir folder_;
};

/** A project in C that runs; files can be added and changed. */
struct SmallProject {
  SmallProject() {
    folder.write("kernel.c", small_kernel);
    file = folder.write("small.json", small_project().dump(2));
  }
  project::KernelProject read() const { return project::read_project(file).value(); }
  std::string hash() const { return project::content_hash(read()); }
  QString path() const { return QString::fromStdString(file.string()); }

  ProjectFolder folder;
  std::filesystem::path file;
};

/** A finished session of a project, in virtual time; its content is trusted from then on. */
inline store::SessionId add_project_session(const Database& database, const std::filesystem::path& file,
                                            std::int64_t trials) {
  store::Store store = *store::Store::open(database.path());
  session::TuningRequest request;
  request.task = file.string();
  request.tuner = "random";
  request.seed = 7;
  request.budget.trials = trials;
  request.trust = true;
  session::PreparedTuning tuning = session::prepare_tuning(request, store).value();
  tuning.setup.real_measurements = false;
  session_tests::RecordingObserver observer;
  return run_scripted(store, tuning, std::nullopt, observer, session::StopRequest()).value().id;
}

/** As if the user had never said it. */
inline void trust_nothing() { std::filesystem::remove(project::trust_file()); }

}  // namespace kernelscape::gui_tests

#include "ui/workspace/remeasurement.h"

#include <utility>

#include "core/session/best.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::workspace {

MeasuringAgain::MeasuringAgain(Workspace& workspace, Remeasure remeasure, QObject* parent)
    : QObject(parent), workspace_(workspace), remeasure_(std::move(remeasure)) {}

void MeasuringAgain::start(store::SessionId id, std::optional<std::int64_t> extra_trial) {
  if (busy()) return;
  stop_ = std::make_shared<session::StopRequest>();
  extra_trial_ = extra_trial;
  job_.start(
      [database = workspace_.database(), remeasure = remeasure_, stop = stop_, id,
       extra_trial](const JobControl&) -> Result<std::string> {
        store::Store store = TRY(store::Store::open(database));
        TRY(remeasure(store, id, extra_trial, *stop));
        const Result<std::string> found = session::measured_again_text(store, id, extra_trial);
        return found ? *found : describe(found.error());
      },
      [this, stop = stop_, id](const Result<std::string>& measured) {
        workspace_.watch().refresh();
        const bool failed = !measured && stop->level() == 0;
        if (failed) workspace_.notices().fail(measured.error());
        emit finished(id, measured.has_value(),
                      QString::fromStdString(measured ? *measured
                                             : failed ? describe(measured.error())
                                                      : std::string()));
      });
  emit started(id);
}

void MeasuringAgain::stop() {
  if (stop_) stop_->stop_at_once();
}

}  // namespace kernelscape::workspace

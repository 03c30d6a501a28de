#include "ui/workspace/remeasurement.h"

#include <utility>

#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape {

MeasuringAgain::MeasuringAgain(Workspace& workspace, Remeasure remeasure, QObject* parent)
    : QObject(parent), workspace_(workspace), remeasure_(std::move(remeasure)) {}

void MeasuringAgain::start(SessionId id, std::optional<std::int64_t> extra_trial) {
  if (busy()) return;
  stop_ = std::make_shared<StopRequest>();
  job_.start(
      [database = workspace_.database(), remeasure = remeasure_, stop = stop_, id,
       extra_trial](const JobControl&) -> Result<Confirmations> {
        Store store = TRY(Store::open(database));
        return remeasure(store, id, extra_trial, *stop);
      },
      [this, stop = stop_, id](const Result<Confirmations>& measured) {
        workspace_.watch().refresh();
        if (!measured && stop->level() == 0) workspace_.notices().fail(measured.error());
        emit finished(id, measured.has_value());
      });
  emit started(id);
}

void MeasuringAgain::stop() {
  if (stop_) stop_->stop_at_once();
}

}  // namespace kernelscape

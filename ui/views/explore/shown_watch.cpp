#include "ui/views/explore/shown_watch.h"

namespace kernelscape::views {
namespace {

constexpr int live_milliseconds = 3000;

}  // namespace

ShownWatch::ShownWatch(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &ShownWatch::refresh_soon);
  connect(&workspace_, &workspace::Workspace::source_changed, this, &ShownWatch::refresh_now);
  connect(&workspace_, &workspace::Workspace::filters_changed, this, &ShownWatch::refresh_now);
  connect(&workspace_, &workspace::Workspace::source_updated, this, [this] {
    stale_ = true;
    refresh_soon();
  });
}

void ShownWatch::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (active_ && stale_) refresh_now();
}

void ShownWatch::refresh_soon() {
  if (!stale_ || !active_ || timer_.isActive()) return;
  // A job that waits while a kernel is timed is allowed to finish: otherwise a busy session would never be
  // shown.
  const qint64 wait = since_refresh_.isValid() ? live_milliseconds - since_refresh_.elapsed() : 0;
  if (wait > 0 || jobs_.busy()) return timer_.start(static_cast<int>(std::max<qint64>(wait, 100)));
  refresh_now();
}

void ShownWatch::refresh_now() {
  const workspace::Source& source = workspace_.source();
  if (!source) {
    jobs_.cancel();
    const bool had = shown_ != nullptr;
    shown_.reset();
    if (had) emit changed();
    return;
  }
  if (shown_ && shown_->source->id() != source->id()) {
    shown_.reset();
    emit changed();
  }
  stale_ = true;
  if (!active_) return;
  stale_ = false;
  since_refresh_.start();
  jobs_.start(
      [source, filters = workspace_.active_filters(),
       filtered = workspace_.filtered()](const workspace::JobControl& control) {
        return figures::make_shown(source, filters, filtered, control);
      },
      [this](figures::Shown shown) {
        shown_ = std::move(shown);
        emit changed();
      });
}

}  // namespace kernelscape::views

#include "ui/frame/guarded_application.h"

#include "core/base/memory.h"

namespace kernelscape::frame {

bool GuardedApplication::notify(QObject* receiver, QEvent* event) {
  const Result<bool> handled = base::guarded(
      "what was asked for", [&]() -> Result<bool> { return QApplication::notify(receiver, event); });
  if (handled) return *handled;
  if (reported_.insert(handled.error().message).second) emit failed(handled.error());
  return false;
}

}  // namespace kernelscape::frame

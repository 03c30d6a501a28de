#pragma once

#include "core/base/result.h"

namespace kernelscape::app {

/**
 * Checks that a window can be opened, since Qt ends the program if it cannot. The platforms are those that
 * QT_QPA_PLATFORM names, or else wayland and xcb. Connects to the displays that WAYLAND_DISPLAY and DISPLAY
 * name, sets QT_QPA_PLATFORM to the platforms whose display answers, and starts Qt on them in a child
 * process.
 */
Status find_display();

}  // namespace kernelscape::app

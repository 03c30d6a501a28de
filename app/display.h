#pragma once

#include "core/base/result.h"

namespace kernelscape {

/**
 * Looks whether a window can be opened, since Qt ends the program where it can't: WAYLAND_DISPLAY, then
 * DISPLAY, each by connecting to it. Sets QT_QPA_PLATFORM to what answered; one that is set already is left
 * as it is, and only what it names is tried.
 */
Status find_display();

}  // namespace kernelscape

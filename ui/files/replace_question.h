#pragma once

#include <functional>

#include "core/base/result.h"

class QWidget;

namespace kernelscape {

/**
 * Asks whether what stands where a file was to be saved may go; nothing waits for the answer but the dialog's
 * own window.
 * @param occupied the error of code Occupied that says what it is
 * @param replace called where the user says so: writes again, by force
 */
void ask_to_replace(QWidget& parent, const Error& occupied, std::function<void()> replace);

}  // namespace kernelscape

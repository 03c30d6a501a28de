#pragma once

#include <functional>

#include "core/base/result.h"

class QWidget;

namespace kernelscape::files {

/**
 * Asks whether the file or folder at the path to be saved may be replaced. The dialog is modal to its window
 * only.
 * @param occupied the error of code Occupied that describes what is at the path
 * @param replace called if the user agrees: writes again with `force`
 */
void ask_to_replace(QWidget& parent, const Error& occupied, std::function<void()> replace);

}  // namespace kernelscape::files

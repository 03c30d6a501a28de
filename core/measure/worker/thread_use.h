#pragma once

#include <string_view>

namespace kernelscape::measure {

/**
 * Returns false if a kernel certainly starts no thread and no process: its shared object needs no library but
 * those of C, C++ and the compiler, and takes no function from them that starts one or that loads others.
 * Returns true for whatever is not plain from the bytes, among them those that are no shared object.
 * @param object as a compiler or anybody else made it
 */
bool may_start_threads(std::string_view object);

}  // namespace kernelscape::measure

#pragma once

#include <chrono>
#include <string>

#include "core/session/client_measurer.h"

namespace kernelscape::command_line {

/** An ask-tell client at the standard streams: it reads lines of a descriptor, and prints the answers. */
class StandardLines final : public session::ClientLines {
 public:
  /** @param descriptor is read, and not closed */
  explicit StandardLines(int descriptor) : descriptor_(descriptor) {}

  /** Returns None also after each read that completes no line, so that the caller notices a stop request. */
  Received read(std::chrono::milliseconds patience) override;
  void write(std::string_view line) override;

 private:
  /** Returns the next line of the read bytes that is not blank; None if they contain none. */
  Received take_line();
  /** Waits up to `patience` for bytes, and reads those that have arrived. */
  void fill(std::chrono::milliseconds patience);

  int descriptor_;
  std::string bytes_;         ///< read, and not taken yet
  std::size_t searched_ = 0;  ///< bytes without a line end
  bool dropping_ = false;     ///< the rest of a line that is too long is dropped
  bool ended_ = false;
};

}  // namespace kernelscape::command_line

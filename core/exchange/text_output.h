#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/exchange/formats/trials_csv.h"

namespace kernelscape::exchange {

/**
 * Calls `write` with a sink. The sink writes to a file, which is created completely or not at all and
 * replaces only files that OutputFile allows, or to standard output if the path is "-". On a terminal,
 * control characters are shown instead of executed.
 */
Status write_text_output(const base::OutputRequest& request,
                         const std::function<Status(const TextSink&)>& write);

/** Collects small texts and writes them in pieces. */
class TextPieces {
 public:
  explicit TextPieces(const TextSink& sink) : sink_(sink) {}
  /** Adds a text and writes a piece if enough text is collected. Returns the error of the sink. */
  Status add(std::string_view text);
  /** Writes the remaining text; must be the last call. */
  Status flush();

 private:
  const TextSink& sink_;
  std::string text_;
};

}  // namespace kernelscape::exchange

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/exchange/formats/trials_csv.h"

namespace kernelscape {

/**
 * Hands `write` a sink that ends in a file, which appears whole or not at all and replaces only what
 * OutputFile lets it, or in standard output where the path is "-". A terminal there shows what it would obey.
 */
Status write_text_output(const OutputRequest& request, const std::function<Status(const TextSink&)>& write);

/** Gathers small texts and hands them on in pieces. */
class TextPieces {
 public:
  explicit TextPieces(const TextSink& sink) : sink_(sink) {}
  /** Hands a piece on once enough has gathered; the error is the sink's. */
  Status add(std::string_view text);
  /** Hands on what is left: the last call. */
  Status flush();

 private:
  const TextSink& sink_;
  std::string text_;
};

}  // namespace kernelscape

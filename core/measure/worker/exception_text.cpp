#include "core/measure/worker/exception_text.h"

#include "core/base/text.h"

namespace kernelscape::measure {
namespace {

/** Returns the text behind a mark, up to `end` or the end of the line; empty if there is no mark. */
std::string_view behind(std::string_view text, std::string_view mark, std::string_view end = "\n") {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + mark.size());
  return base::trimmed(text.substr(0, text.find(end)));
}

}  // namespace

std::string exception_in(std::string_view output) {
  const std::string_view llvm = behind(output, "uncaught exception of type ");
  if (!llvm.empty()) return std::string(llvm);
  const std::string_view type = behind(output, "terminate called after throwing an instance of '", "'");
  if (type.empty()) return {};
  const std::string_view what = behind(output, "what():");
  return what.empty() ? std::string(type) : std::string(type) + ": " + std::string(what);
}

}  // namespace kernelscape::measure

#include "core/base/media/html.h"

#include "core/base/visible_text.h"

namespace kernelscape::base {

std::string Html::escaped(std::string_view text) {
  std::string safe;
  for (const char c : printable_text(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

HtmlText Html::text(std::string_view text) { return HtmlText::of_safe(escaped(text)); }

}  // namespace kernelscape::base

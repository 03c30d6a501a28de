#include "core/predictor/templates.h"

#include <algorithm>

#include "core/base/text.h"

namespace kernelscape::predictor {
namespace {

constexpr char template_separator = '+';

}  // namespace

std::string templates_text(std::span<const TemplateVersion> templates) {
  std::string text;
  for (const TemplateVersion& one : templates) {
    if (!text.empty()) text += template_separator;
    text += one.name;
  }
  return text;
}

std::vector<std::string> template_names(std::string_view text) {
  return base::split_text(text, template_separator);
}

bool names_template(std::string_view text, std::string_view template_name) {
  const std::vector<std::string> names = template_names(text);
  return std::ranges::find(names, template_name) != names.end();
}

}  // namespace kernelscape::predictor

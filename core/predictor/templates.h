#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::predictor {

/** A template, and the version with which samples were measured. */
struct TemplateVersion {
  std::string name;
  int version = 0;

  bool operator==(const TemplateVersion&) const = default;
};

/**
 * Returns the names of the templates of a predictor as one text, as databases and requests have them:
 * "conv2d-packed", or "conv2d-packed+conv2d-tiled" for a predictor of several templates of one operation.
 */
std::string templates_text(std::span<const TemplateVersion> templates);
/** Returns the names in a text of templates_text(). */
std::vector<std::string> template_names(std::string_view text);
/** Returns true if a text of templates_text() has this template. */
bool names_template(std::string_view text, std::string_view template_name);

}  // namespace kernelscape::predictor

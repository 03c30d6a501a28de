#include "ui/report/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kernelscape::report {
namespace {

std::string suffix_of(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return suffix;
}

/**
 * Returns true for an HTML report of this program, whose beginning has not changed since the first version.
 */
bool is_own_html_report(std::string_view head) {
  return head.starts_with(
             "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n") &&
         head.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"");
}

/** Returns true for a PDF of this program: Qt writes the creator near the beginning, in UTF-16. */
bool is_own_pdf_report(std::string_view head) {
  std::string creator = "/Creator (\xfe\xff";
  for (const char c : std::string_view("Kernelscape ")) creator += {'\0', c};
  return head.starts_with("%PDF-") && head.contains(creator);
}

const Format* report_format_of(const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  for (const Format& format : report_formats())
    if (std::ranges::find(format.suffixes, suffix) != format.suffixes.end()) return &format;
  return nullptr;
}

}  // namespace

const std::vector<Format>& report_formats() {
  static const std::vector<Format> formats{
      {"HTML",
       {".html", ".htm"},
       is_own_html_report,
       [](const Document& document) { return Result<QByteArray>(to_html(document)); }},
      {"PDF", {".pdf"}, is_own_pdf_report, to_pdf},
  };
  return formats;
}

Status check_report_path(const std::filesystem::path& path) {
  if (report_format_of(path) != nullptr) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("cannot write a report to '{}': '{}' is not a report format", path.string(),
                          suffix_of(path)),
              "choose a file name that ends in .html or .pdf");
}

Result<QByteArray> render_report(const Document& document, const std::filesystem::path& path) {
  TRY(check_report_path(path));
  return report_format_of(path)->render(document);
}

Result<base::OutputRequest> report_output(const std::filesystem::path& path, bool force,
                                          std::vector<std::filesystem::path> sources) {
  TRY(check_report_path(path));
  const Format& format = *report_format_of(path);
  return base::OutputRequest{
      .path = path,
      .kind = {.name = fmt::format("report in {}", format.name), .recognises_own = format.recognises_own},
      .force = force,
      .sources = std::move(sources)};
}

Status write_report(const Document& document, const std::filesystem::path& path, bool force,
                    std::vector<std::filesystem::path> sources) {
  base::OutputRequest output = TRY(report_output(path, force, std::move(sources)));
  const QByteArray bytes = TRY(render_report(document, path));
  return base::write_output(std::move(output), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace kernelscape::report
